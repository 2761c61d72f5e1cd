"""Cells: the combinations of levels that a study and a profile ask for."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.config.factors import FACTORS
from modelstress.config.faults import NO_FAULT, Fault
from modelstress.config.profile import Profile, Settings
from modelstress.config.project import Project
from modelstress.config.study import Constraint, Model, Study
from modelstress.config.tool import Case, Tool
from modelstress.design.candidates import TOOL, Candidates, Space
from modelstress.design.checks import check_captured, check_fault
from modelstress.design.combinations import Rule
from modelstress.design.designs import designed, left_out
from modelstress.design.known import check_levels
from modelstress.workloads import roles_of

LONGEST_ID = 120
"""Characters of an id: it becomes a folder and a part of file names."""
UNNAMED = ("connection", "query_text", "mode")
"""Factors of which an id has the level alone, at its end."""
BESIDE = {name: about.beside for name, about in FACTORS.items() if about.beside}
"""Factors that mean something beside some levels of other factors only."""


@dataclass(frozen=True)
class Cell:
    """One combination of levels, with all that is needed to measure it.

    Attributes:
        study, profile: names.
        levels: factor to level, in the order of the study's factors.
        settings: executions, warm-up and deadlines of one invocation.
        invocations: fresh starts of server and clients.
        tool: descriptor of the tool under test.
        model: how its model is made.
        samples: ``rows`` or ``histogram``.
        queries: that are executed, with their weights; more than one for a mix.
        fault: what goes wrong on purpose; None: nothing.
        named: factors whose levels begin its id, in this order.
    """

    study: str
    profile: str
    levels: Mapping[str, Level]
    settings: Settings
    invocations: int
    tool: Tool
    model: Model
    samples: str = "rows"
    queries: Mapping[str, float] = field(default_factory=dict)
    fault: Fault | None = None
    named: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """Readable levels and 8 hex digits over all levels, the model, a mix and a fault.

        A tool's option at its default is left out, so that a study can make it a factor later and
        keep what it measured before. The contents of jars and models are *not* part of it either: a
        cell whose contents changed keeps its id and becomes stale instead of being measured again
        under another name.
        """
        defaults = {**self.tool.options, **self.tool.driver_options}
        levels = {
            name: level
            for name, level in self.levels.items()
            if name not in defaults or level != defaults[name]
        }
        whole: dict[str, object] = {"levels": levels, "model": self.model.model_dump()}
        if len(self.queries) > 1:
            whole["mix"] = dict(self.queries)
        if self.fault is not None:
            whole["fault"] = self.fault.model_dump()
        digest = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:8]
        words = [word_of(name, self.levels[name]) for name in self.named if name in self.levels]
        words += [
            f"{name}={level}"
            for name, level in levels.items()
            if name not in (*self.named, *UNNAMED)
            and not (name in FACTORS and level == FACTORS[name].usual)
        ]
        words += [
            str(self.levels[name])
            for name in UNNAMED
            if self.levels.get(name, FACTORS[name].usual) != FACTORS[name].usual
        ]
        text = "_".join(map(_plain, words))
        while len(words) > len(self.named) and len(text) + 1 + len(digest) > LONGEST_ID:
            words.pop()  # the digest still tells what is not named any more
            text = "_".join(map(_plain, words))
        return f"{text[: LONGEST_ID - 1 - len(digest)]}_{digest}"

    @property
    def attributes(self) -> str | None:
        """Level of the factor ``attributes``; None where the cell has no such factor."""
        level = self.levels.get("attributes")
        return None if level is None else str(level)

    def query_file(self, project: Project, query: str | None = None) -> Path:
        """The file of one of the cell's queries, in the form that its levels ask for.

        Args:
            project: where it lies.
            query: by default the first, for most cells the only one.

        Raises:
            ConfigError: there is no such file.
        """
        name = query or next(iter(self.queries), str(self.levels["query"]))
        return project.query_file(
            self.model.case, str(self.levels["language"]), name,
            self.tool.queries or self.tool.tool, declared=self.attributes == "declared",
            untyped=self.levels.get("type_check") is False,
            backward=self.levels.get("navigation") == "backward",
        )  # fmt: skip

    def store(self, project: Project) -> Path | None:
        """The store that the cell needs; None with an external server."""
        if self.tool.endpoint is not None:
            return None
        backend, model = str(self.levels["backend"]), str(self.levels["model"])
        return project.store_folder(self.tool.tool, backend, model, self.attributes)

    def folder(self, raw: Path, invocation: int) -> Path:
        """``data/raw/<study>/<profile>/<tool>/<cell>/i<NN>``."""
        return raw / self.study / self.profile / self.tool.tool / self.id / f"i{invocation:02d}"


def word_of(factor: str, level: Level) -> str:
    """A level as an id has it."""
    return _plain(f"{FACTORS[factor].short if factor in FACTORS else ''}{level}")


def readable(study: Study) -> tuple[str, ...]:
    """The factors whose levels begin an id: those with a role."""
    roles = roles_of(study)
    order = (*roles.series, roles.dataset, roles.operation, roles.load)
    return tuple(dict.fromkeys(name for name in order if name))


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.=-]+", "-", text)


def cells_of(project: Project, study: Study, profile: Profile) -> list[Cell]:
    """All cells of a study under a profile: tool by tool, in the order of the factors.

    Combinations that a tool does not support, or that a constraint takes away, are left out, and
    so are those that the profile's design does not choose; a list's cells keep their order.
    Factors that a tool or language does not know are dropped from its cells.

    Raises:
        ConfigError: an unknown factor, level, tool or query, or a design that cannot be made; names
            file, field and nearest name.
    """
    candidates = candidates_of(project, study, profile)
    make = maker(study, profile)
    tools = {str(name): project.tool(str(name)) for name in study.factors[TOOL]}
    chosen = designed(profile.design, candidates, project.main.seed, _design_of(profile))
    cells = [make(tools[str(levels[TOOL])], levels) for levels in chosen]
    if not cells:
        raise ConfigError(
            f"config/studies/{study.study}.yaml: no cell is left under profile "
            f"'{profile.profile}'; its levels, the constraints and the tools' supported levels "
            "exclude one another"
        )
    return cells


def left_out_of(project: Project, study: Study, profile: Profile) -> int:
    """Cells of the profile's fraction that constraints take away; 0 for other designs.

    Raises:
        ConfigError: as ``cells_of``.
    """
    if profile.design.kind == "full":
        return 0
    return left_out(profile.design, candidates_of(project, study, profile), _design_of(profile))


def _design_of(profile: Profile) -> str:
    """File and field of a profile's design, as messages begin."""
    return f"config/profiles/{profile.profile}.yaml: field 'design"


def candidates_of(project: Project, study: Study, profile: Profile) -> Candidates:
    """The combinations of levels that the profile's design chooses from.

    Raises:
        ConfigError: as ``cells_of``.
    """
    where = f"config/studies/{study.study}.yaml"
    factors = _restricted(study, profile)
    known = {str(name): project.tool(str(name)) for name in study.factors["tool"]}
    _check_compared_tools(project, where, study)
    _check_factors(where, factors, known)
    check_levels(project, study, profile)
    constraints = [*study.constraints, *profile.constraints]
    case_names = {study.models[str(m)].case for m in study.factors["model"]}
    cases: dict[str, Case] = {name: project.case(name) for name in case_names}
    _check_queries(where, study, cases)
    _choose_executor(project, where, profile, factors)
    if profile.settings.capture is None and project.main.hosts:
        factors.setdefault("host", list(project.main.hosts))
    rules = [*map(_rule, constraints), _written(study, cases)]
    tools = dict.fromkeys(map(str, factors[TOOL]))
    return Candidates([_space(known[name], factors) for name in tools], rules)


def maker(study: Study, profile: Profile) -> Callable[[Tool, Mapping[str, Level]], Cell]:
    """A function that makes the cell of a tool and levels that the study and profile allow.

    It raises ConfigError where the levels cannot be measured together.
    """
    constraints = [*study.constraints, *profile.constraints]
    named = readable(study)

    def make(tool: Tool, levels: Mapping[str, Level]) -> Cell:
        applying = [c for c in constraints if _applies(c, levels)]
        settings, invocations = _capped(profile, applying)
        settings = _with_clients(settings, levels)
        fault = study.faults.get(str(levels.get("fault", NO_FAULT)))
        check_captured(study, profile, levels, tool)
        check_fault(study, profile, levels, settings, fault, tool)
        return Cell(
            study.study, profile.profile, levels, settings, invocations, tool,
            study.models[str(levels["model"])], study.samples, study.queries(levels["query"]),
            fault, named,
        )  # fmt: skip

    return make


def _choose_executor(
    project: Project, where: str, profile: Profile, factors: dict[str, list[Level]]
) -> None:
    """Make the executor a factor where it is not the usual one, or keep only the one asked for."""
    if "executor" not in factors:
        if profile.settings.capture is None and project.executor != "process":
            factors["executor"] = [project.executor]
        return
    if chosen := project.chosen_executor:
        if chosen not in factors["executor"]:
            raise ConfigError(
                f"{where}: under profile '{profile.profile}' the factor 'executor' has no level "
                f"{chosen!r} ({', '.join(map(str, factors['executor']))}); choose one of them"
            )
        factors["executor"] = [chosen]


def _written(study: Study, cases: Mapping[str, Case]) -> Rule:
    """The rule that the model's case has all queries in the language."""

    def keeps(levels: Mapping[str, Level]) -> bool:
        known = cases[study.models[str(levels["model"])].case].queries
        asked = [known.get(name) for name in study.queries(levels["query"])]
        return all(
            query is not None
            and (query.languages is None or str(levels["language"]) in query.languages)
            for query in asked
        )

    return Rule(frozenset({"model", "query", "language"}), keeps)


def _rule(constraint: Constraint) -> Rule:
    """The rule that a constraint's remaining levels are."""
    return Rule(frozenset({*constraint.when, *constraint.only}), partial(_allowed, constraint))


def _space(tool: Tool, factors: Mapping[str, list[Level]]) -> Space:
    """The levels that a tool supports, of the factors that it knows.

    Left out are also options for other protocols, arrivals in a closed loop, type checks in
    languages that have none, and groups of Docker's machines under another executor.
    """
    supported: Mapping[str, Container[Level]] = {TOOL: [tool.tool], **tool.supports}
    levels_of = {
        name: [level for level in levels if level in supported.get(name, levels)]
        for name, levels in factors.items()
        if _knows(tool, name)
    }
    return Space(levels_of, {**BESIDE, **tool.applies_to}, slowest=["language"])


def _restricted(study: Study, profile: Profile) -> dict[str, list[Level]]:
    """The study's factors with the levels that the profile keeps.

    A profile serves several studies and tools: a factor or level that this study does not have is
    passed over, but a factor must keep at least one level.
    """
    factors: dict[str, list[Level]] = {}
    for name, levels in study.factors.items():
        wanted = profile.levels.get(name)
        kept = levels if wanted is None else [level for level in levels if level in wanted]
        if not kept:
            raise ConfigError(
                f"config/profiles/{profile.profile}.yaml: field 'levels.{name}' keeps none of the "
                f"levels of study '{study.study}' (it has {', '.join(map(str, levels))})"
            )
        factors[name] = kept
    return factors


def _check_compared_tools(project: Project, where: str, study: Study) -> None:
    """Refuse comparisons of a tool that nobody knows; one that is only left out has no cells."""
    for name, comparison in study.comparisons.items():
        for part in ("level", "baseline", "only"):
            levels = getattr(comparison, part).get("tool", [])
            for tool in levels if isinstance(levels, list) else [levels]:
                try:
                    project.tool(str(tool))
                except ConfigError as error:
                    field = f"{where}: comparisons.{name}.{part}.tool"
                    raise ConfigError(f"{field}: {error}") from error


def _check_factors(where: str, factors: Iterable[str], tools: Mapping[str, Tool]) -> None:
    options = {
        name
        for tool in tools.values()
        for name in (*tool.supports, *tool.options, *tool.driver_options)
    }
    for name in factors:
        if name not in FACTORS and name not in options:
            raise ConfigError(
                f"{where}: field 'factors.{name}': unknown factor {name!r}"
                f"{nearest(name, FACTORS.keys() | options)}; "
                "it is neither the harness's nor supported by a tool or an option of one"
            )


def _check_queries(where: str, study: Study, cases: Mapping[str, Case]) -> None:
    known = {q for case in cases.values() for q in case.queries}
    for name in study.mixes:
        if name in known:
            raise ConfigError(
                f"{where}: field 'mixes.{name}': a query has that name; choose another"
            )
    for level in (*study.mixes, *study.factors["query"]):
        field = f"mixes.{level}" if level in study.mixes else "factors.query"
        for query in study.queries(level):
            if query not in known:
                raise ConfigError(
                    f"{where}: field '{field}': unknown query {query!r}{nearest(query, known)}"
                )


def _knows(tool: Tool, factor: str) -> bool:
    """Whether a tool has a factor: one of its own, or one that is for every tool."""
    if factor in tool.supports or factor in tool.options or factor in tool.driver_options:
        return True
    return factor in FACTORS and not FACTORS[factor].of_tools


def _applies(constraint: Constraint, levels: Mapping[str, Level]) -> bool:
    return all(
        levels.get(factor) in (wanted if isinstance(wanted, list) else [wanted])
        for factor, wanted in constraint.when.items()
    )


def _allowed(constraint: Constraint, levels: Mapping[str, Level]) -> bool:
    return not _applies(constraint, levels) or all(
        factor not in levels or levels[factor] in kept for factor, kept in constraint.only.items()
    )


def _capped(profile: Profile, constraints: Iterable[Constraint]) -> tuple[Settings, int]:
    executions = profile.settings.executions
    warmup = profile.settings.warmup.executions
    invocations = profile.invocations
    for constraint in constraints:
        executions = min(executions, constraint.at_most.get("executions", executions))
        warmup = min(warmup, constraint.at_most.get("warmup_executions", warmup))
        invocations = min(invocations, constraint.at_most.get("invocations", invocations))
    settings = profile.settings.model_copy(
        update={
            "executions": executions,
            "warmup": profile.settings.warmup.model_copy(update={"executions": warmup}),
        }
    )
    return settings, invocations


def _with_clients(settings: Settings, levels: Mapping[str, Level]) -> Settings:
    """Never more client processes than threads: one thread means one client, as in the paper."""
    clients = int(levels.get("clients", settings.clients))
    return settings.model_copy(update={"clients": min(clients, int(levels["threads"]))})
