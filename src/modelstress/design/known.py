"""Levels that nothing knows: a typo would take cells away without a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.config.factors import HARNESS, Factor
from modelstress.config.papers import Paper, Papers
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.published_values import Selector
from modelstress.config.study import Constraint, Study
from modelstress.config.tool import Tool
from modelstress.design.kinds import kind_of

Known = Mapping[str, Iterable[Level]]
"""Factor to all levels that it can have; a factor that is not there can have any."""


def check_levels(project: Project, study: Study, profile: Profile) -> None:
    """Refuse levels and factors that no tool, study or part of the harness knows.

    A level that only tools of *other* studies support is right: it has no cells here, and a study
    stays as it is when its list of tools is shortened. So is a profile's level or factor of which
    another study makes use.

    Raises:
        ConfigError: names file, field, the level and the nearest known one.
    """
    _check_kind(study)
    tools = project.tools
    studies = [study, *_others(project, study)]
    supported = _supported(tools.values())
    where = f"config/studies/{study.study}.yaml"
    for factor in supported.keys() & study.factors.keys() - {"tool"}:
        for level in study.factors[factor]:
            _check(f"{where}: field 'factors.{factor}'", factor, level, supported, supported)
    options = _options(tools.values())
    for factor, default in options.items():
        for level in study.factors.get(factor, []):
            if _kind(level) is not _kind(default):
                raise ConfigError(
                    f"{where}: field 'factors.{factor}' has level {level!r}, but the option is "
                    f"{default!r} in its tool's descriptor; give it a level of that kind"
                )
    levels_of = _known(project, studies, supported, options)
    _check_constraints(f"{where}: field 'constraints", study.constraints, levels_of, supported)
    where = f"{profile.file}: field"
    factors = _factors(studies, supported, options)
    for factor, levels in profile.levels.items():
        if factor not in factors:
            raise ConfigError(
                f"{where} 'levels' names unknown factor {factor!r}{nearest(factor, factors)}"
            )
        for level in levels:
            _check(f"{where} 'levels.{factor}'", factor, level, levels_of, supported)
    for number, constraint in enumerate(profile.constraints):
        for factor in (*constraint.when, *constraint.only):
            if factor not in factors:
                raise ConfigError(
                    f"{where} 'constraints.{number}' names unknown factor {factor!r}"
                    f"{nearest(factor, factors)}"
                )
    _check_constraints(f"{where} 'constraints", profile.constraints, levels_of, supported)


def _check_kind(study: Study) -> None:
    """Refuse a study without the factors of its kind of workload."""
    for name in study.REQUIRED:
        if name not in study.factors:
            raise ConfigError(
                f"config/studies/{study.study}.yaml: factors needs {name!r}"
                f"{nearest(name, study.factors)}; every study of the workload kind "
                f"{study.workload!r} has it"
            )


def _factors(
    studies: Iterable[Study], supported: Iterable[str], options: Iterable[str]
) -> set[str]:
    """Every factor that something knows."""
    of_studies = (name for study in studies for name in study.factors)
    return {*_defined(studies), *supported, *options, *of_studies}


def _defined(studies: Iterable[Study]) -> dict[str, Factor]:
    """Factors of the harness and of the studies' kinds of workload."""
    return {
        **HARNESS,
        **{name: factor for study in studies for name, factor in study.defined().items()},
    }


def check_papers(project: Project, study: Study, papers: Papers) -> None:
    """Refuse words in the papers of a study that are nearly known ones: they would have no cells.

    What is like nothing that is known passes: a study may have been shortened, its papers not.

    Raises:
        ConfigError: names file, entry, field and the nearest known word.
    """
    tools = project.tools.values()
    studies = [study, *_others(project, study)]
    options, supported = _options(tools), _supported(tools)
    levels_of = _known(project, studies, supported, options)
    factors = _factors(studies, supported, options)
    comparisons = {name for owner in studies for name in owner.comparisons}
    for paper in papers.papers:
        for field, word, words in _words(study, paper, levels_of, factors, comparisons):
            if word not in words and get_close_matches(str(word), map(str, words), n=1):
                raise ConfigError(
                    f"config/papers/{paper.paper}.yaml: field '{field}' has {word!r}, which "
                    f"nothing knows{nearest(word, words)}"
                )


def _words(
    study: Study, paper: Paper, levels_of: Known, factors: Iterable[str], comparisons: Iterable[str]
) -> Iterator[tuple[str, Level, list[Level]]]:
    """Every word of a paper that something has to know: its field, itself, and what is known."""
    roles = study.projected
    for name, case in paper.cases.items():
        for field, factor in (("models", roles.dataset), ("queries", roles.operation)):
            for word in getattr(case, field):
                yield f"cases.{name}.{field}", word, list(levels_of[factor])
    for entry in paper.entries:
        if comparison := getattr(entry.ours, "comparison", None):
            yield f"entries.{entry.id}.ours.comparison", comparison, list(comparisons)
        for option in getattr(entry.ours, "options", ()):
            yield f"entries.{entry.id}.ours.options", option, list(factors)
    for field, selector in _selectors(paper):
        for factor, wanted in selector.items():
            yield field, factor, list(factors)
            for level in wanted if isinstance(wanted, list) else [wanted]:
                if isinstance(level, str):
                    yield f"{field}.{factor}", level, list(levels_of.get(factor, ()))


def _selectors(paper: Paper) -> Iterator[tuple[str, Selector]]:
    """Every choice of cells in a paper's file, with the field that it stands in."""
    for number, choice in enumerate(paper.choices):
        yield f"choices.{number}.when", choice.when
        yield f"choices.{number}.only", choice.only
    for entry in paper.entries:
        for part in ("cells", "beside", "group"):
            if selector := getattr(entry.ours, part, None):
                yield f"entries.{entry.id}.ours.{part}", selector


def _others(project: Project, study: Study) -> Iterator[Study]:
    """The project's other studies; one that cannot be read is reported where it is asked for."""
    for name in project.studies:
        if name != study.study:
            try:
                yield project.study(name)
            except ConfigError:
                continue


def _supported(tools: Iterable[Tool]) -> dict[str, set[Level]]:
    """What the tools are and support, by factor."""
    supported: dict[str, set[Level]] = defaultdict(set)
    for tool in tools:
        supported["tool"].add(tool.tool)
        for factor, levels in tool.supports.items():
            supported[factor] |= set(levels)
    return supported


def _options(tools: Iterable[Tool]) -> dict[str, Level]:
    """Every option of a tool to its default."""
    return {
        name: level
        for t in tools
        for name, level in (*t.options.items(), *t.driver_options.items())
    }


def _known(
    project: Project,
    studies: Iterable[Study],
    supported: Mapping[str, set[Level]],
    options: Mapping[str, Level],
) -> dict[str, list[Level]]:
    """All levels that constraints and profiles may name; a factor of numbers has any number."""
    levels_of: dict[str, list[Level]] = defaultdict(list)
    for study in studies:
        for name, levels in study.factors.items():
            levels_of[name].extend(levels)
        for name, more in kind_of(study).known(project, study).items():
            levels_of[name].extend(more)
        levels_of["fault"] += ["none", *study.faults]
    for name, supports in supported.items():
        levels_of[name].extend(supports)
    for name, about in _defined(studies).items():
        levels_of[name].extend(about.levels or ())
    for name, default in options.items():
        levels_of[name] += [True, False] if isinstance(default, bool) else [default]
    levels_of["host"] += project.main.hosts
    return levels_of


def _check_constraints(
    where: str, constraints: Iterable[Constraint], levels_of: Known, supported: Known
) -> None:
    for number, constraint in enumerate(constraints):
        for part in ("when", "only"):
            for factor, wanted in getattr(constraint, part).items():
                for level in wanted if isinstance(wanted, list) else [wanted]:
                    field = f"{where}.{number}.{part}.{factor}'"
                    _check(field, factor, level, levels_of, supported)


def _check(where: str, factor: str, level: Level, levels_of: Known, supported: Known) -> None:
    """Refuse a level that is none of the known ones; of numbers, any number is one."""
    levels = list(levels_of.get(factor, ()))
    quantity = factor in HARNESS and HARNESS[factor].least is not None
    numbers = quantity or any(_kind(known_level) is float for known_level in levels)
    if _kind(level) is float and numbers:
        return
    if any(level == known_level and _kind(level) is _kind(known_level) for known_level in levels):
        return
    if quantity:
        raise ConfigError(f"{where} has level {level!r}; it must be a number")
    by = "no tool supports" if factor in supported and factor != "tool" else "nothing knows"
    raise ConfigError(f"{where} has level {level!r}, which {by}{nearest(level, levels)}")


def _kind(level: Level) -> type:
    """The kind of a level; 1 is True to Python, but not to a reader of the study."""
    return float if isinstance(level, int | float) and not isinstance(level, bool) else type(level)
