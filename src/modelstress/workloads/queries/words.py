"""Words of a study of queries that something must know: a typo would take cells away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.design.combinations import Rule
from modelstress.workloads.queries import files
from modelstress.workloads.queries.case import Case
from modelstress.workloads.queries.study import QueriesStudy


def check(project: Project, study: QueriesStudy) -> None:
    """Refuse queries, mixes, languages of cases and folders of tools that are nowhere.

    Raises:
        ConfigError: names file, field and the nearest known word.
    """
    tools = project.tools.values()
    _check_folders(project, tools)
    _check_cases(project, study, {language for tool in tools for language in tool.languages})
    _check_queries(f"config/studies/{study.study}.yaml", study, _cases(project, study))


def written(project: Project, study: QueriesStudy) -> Rule:
    """The rule that the model's case has all queries in the language."""
    cases = _cases(project, study)

    def keeps(levels: Mapping[str, Level]) -> bool:
        case_queries = cases[study.models[str(levels["model"])].case].queries
        queries = [case_queries.get(name) for name in study.queries(levels["query"])]
        return all(
            query is not None
            and (query.languages is None or str(levels["language"]) in query.languages)
            for query in queries
        )

    return Rule(frozenset({"model", "query", "language"}), keeps)


def queries_of(project: Project, study: QueriesStudy) -> Iterator[str]:
    """The queries of all cases of a study; a case that cannot be read has none here."""
    for case in {model.case for model in study.models.values()}:
        try:
            yield from files.case(project, case).queries
        except ConfigError:
            continue  # it is reported where it is asked for


def _cases(project: Project, study: QueriesStudy) -> dict[str, Case]:
    names = {study.models[str(model)].case for model in study.factors["model"]}
    return {name: files.case(project, name) for name in names}


def _check_queries(where: str, study: QueriesStudy, cases: Mapping[str, Case]) -> None:
    query_names = {q for case in cases.values() for q in case.queries}
    for name in study.mixes:
        if name in query_names:
            raise ConfigError(
                f"{where}: field 'mixes.{name}': a query has that name; choose another"
            )
    for level in (*study.mixes, *study.factors["query"]):
        field = f"mixes.{level}" if level in study.mixes else "factors.query"
        for query in study.queries(level):
            if query not in query_names:
                raise ConfigError(
                    f"{where}: field '{field}': unknown query {query!r}"
                    f"{nearest(query, query_names)}"
                )


def _check_folders(project: Project, tools: Iterable[Tool]) -> None:
    """Refuse a tool's folder of queries that is nowhere: the common texts would be taken."""
    named = [tool for tool in tools if tool.queries]
    if not named:
        return
    folders = {path.name for path in project.glob("queries/*/*/*") if path.is_dir()}
    names = folders | set(project.tools)
    for tool in named:
        if tool.queries not in names:
            raise ConfigError(
                f"config/tools/{tool.tool}.yaml: field 'queries' is {tool.queries!r}, but there is "
                f"no folder queries/<case>/<language>/{tool.queries}{nearest(tool.queries, names)}"
            )


def _check_cases(project: Project, study: QueriesStudy, languages: Iterable[Level]) -> None:
    """Refuse a case's language that no tool supports and that has no text: nobody would ask it."""
    for name in sorted({model.case for model in study.models.values()}):
        folder = project.root / "queries" / name
        written = {p.name for p in project.glob(f"queries/{name}/*") if p.is_dir()}
        all_languages = {*map(str, languages), *written}
        for query, about in files.case(project, name).queries.items():
            for language in about.languages or ():
                if language not in all_languages:
                    raise ConfigError(
                        f"{folder / 'case.yaml'}: field 'queries.{query}.languages' has "
                        f"{language!r}, which no tool supports{nearest(language, all_languages)}"
                    )
