"""Cells: the combinations of levels that a study and a profile ask for."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial

from modelstress.config.base import Level, nearest
from modelstress.config.designs import FractionDesign
from modelstress.config.errors import ConfigError
from modelstress.config.factors import PLACEBO, THREADS, Factor
from modelstress.config.faults import NO_FAULT
from modelstress.config.profile import Profile, Settings
from modelstress.config.project import Project
from modelstress.config.study import Constraint, Study, has_levels
from modelstress.config.tool import Tool
from modelstress.config.window import Window
from modelstress.design.candidates import TOOL, Candidates, Space
from modelstress.design.cell import Cell
from modelstress.design.checks import check_captured, check_fault, samples_of
from modelstress.design.combinations import Rule
from modelstress.design.conflicts import why_empty
from modelstress.design.copies import with_copies
from modelstress.design.designs import designed
from modelstress.design.fractions import Part, parts
from modelstress.design.kinds import kind_of
from modelstress.design.known import check_levels
from modelstress.design.verified import Verified, verified


def cells_of(project: Project, study: Study, profile: Profile) -> list[Cell]:
    """All cells of a study under a profile: tool by tool, in the order of the factors.

    Combinations that a tool does not support, or that a constraint takes away, are left out, and
    so are those that the profile's design does not choose; a list's cells keep their order. Copies
    that are placebos come last.
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
            f"'{profile.profile}': {why_empty(candidates)}"
        )
    return with_copies(study, cells, profile.placebos, project.main.seed)


def verified_of(
    project: Project, study: Study, profile: Profile, cells: Iterable[Cell], *, judge: bool = False
) -> Verified:
    """What is verified of a profile's design; ``judge``: its D-efficiency and aliases too.

    Raises:
        ConfigError: as ``cells_of``.
    """
    if profile.design.kind == "full" and not judge:
        return Verified()
    chosen = [dict(cell.levels) for cell in cells if PLACEBO not in cell.levels]
    candidates = candidates_of(project, study, profile)
    return verified(profile.design, candidates, chosen, _design_of(profile), judge=judge)


def fractions_of(project: Project, study: Study, profile: Profile) -> list[Part]:
    """The regular fractions of a profile, those of all combinations left out.

    Raises:
        ConfigError: as ``cells_of``, or the profile's design is another one.
    """
    if not isinstance(profile.design, FractionDesign):
        raise ConfigError(
            f"{_design_of(profile)}.kind' is {profile.design.kind}; only a fraction can be folded"
        )
    where = _design_of(profile)
    spaces = candidates_of(project, study, profile).spaces
    found = [part for space in spaces for part in parts(space, profile.design, where)]
    return [part for part in found if part.words]


def _design_of(profile: Profile) -> str:
    """File and field of a profile's design, as messages begin."""
    return f"{profile.file}: field 'design"


def candidates_of(project: Project, study: Study, profile: Profile) -> Candidates:
    """The combinations of levels that the profile's design chooses from.

    Raises:
        ConfigError: as ``cells_of``.
    """
    where = f"config/studies/{study.study}.yaml"
    factors = _restricted(study, profile)
    tool_of = {str(name): project.tool(str(name)) for name in study.factors["tool"]}
    _check_compared_tools(project, where, study)
    _check_factors(where, study.defined(), factors, tool_of)
    check_levels(project, study, profile)
    kind = kind_of(study)
    kind.check(project, study)
    _choose_executor(project, where, profile, factors)
    if profile.settings.capture is None and project.main.hosts:
        factors.setdefault("host", list(project.main.hosts))
    rules = [*_rules(study, profile), *kind.rules(project, study)]
    tools = dict.fromkeys(map(str, factors[TOOL]))
    defined = study.defined()
    spaces = [_space(tool_of[name], factors, defined, kind.slowest) for name in tools]
    return Candidates(spaces, rules)


def maker(study: Study, profile: Profile) -> Callable[[Tool, Mapping[str, Level]], Cell]:
    """A function that makes the cell of a tool and levels that the study and profile allow.

    It raises ConfigError where the levels cannot be measured together.
    """
    constraints = [*study.constraints, *profile.constraints]
    kind, defined = kind_of(study), study.defined()
    chosen_by: dict[str, list[str]] = {}
    tools: dict[tuple[object, ...], Tool] = {}  # cells are many, tools at levels are few

    def tool_at(tool: Tool, levels: Mapping[str, Level]) -> Tool:
        if tool.tool not in chosen_by:
            chosen_by[tool.tool] = tool.chosen_by
        key = (tool.tool, *map(levels.get, chosen_by[tool.tool]))
        return tools.get(key) or tools.setdefault(key, tool.at(levels))

    def make(tool: Tool, levels: Mapping[str, Level]) -> Cell:
        applying = [c for c in constraints if _applies(c, levels)]
        settings, invocations = _capped(profile, applying, levels)
        settings = _with_clients(settings, levels)
        fault = study.faults.get(str(levels.get("fault", NO_FAULT)))
        check_captured(study, profile, levels, tool)
        check_fault(study, profile, levels, settings, fault, tool)
        return Cell(
            study.study, profile.profile, levels, settings, invocations, tool_at(tool, levels),
            study.workload, kind.work(study, levels), study.projected, defined,
            samples_of(study, profile), fault,
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


def _rules(study: Study, profile: Profile) -> list[Rule]:
    """The rules that the remaining levels of constraints are."""
    told = {
        f"config/studies/{study.study}.yaml": study.constraints,
        profile.file: profile.constraints,
    }
    return [
        Rule(
            frozenset({*constraint.when, *constraint.only}),
            partial(_allowed, constraint),
            f"constraint {number} of {file} (when {_words(constraint.when)}: only "
            f"{_words(constraint.only)})",
        )
        for file, constraints in told.items()
        for number, constraint in enumerate(constraints, 1)
    ]


def _words(levels: Mapping[str, object]) -> str:
    """Factors and levels of a constraint for people."""
    return ", ".join(
        f"{name}={'|'.join(map(str, kept)) if isinstance(kept, list) else kept}"
        for name, kept in levels.items()
    )


def _space(
    tool: Tool,
    factors: Mapping[str, list[Level]],
    defined: Mapping[str, Factor],
    slowest: Sequence[str],
) -> Space:
    """The levels that a tool supports, of the factors that it knows.

    Left out are also options beside levels with which they mean nothing, such as arrivals in a
    closed loop and groups of Docker's machines under another executor.
    """
    supported: Mapping[str, Container[Level]] = {TOOL: [tool.tool], **tool.supports}
    levels_of = {
        name: [level for level in levels if level in supported.get(name, levels)]
        for name, levels in factors.items()
        if _knows(tool, name, defined)
    }
    beside = {name: about.beside for name, about in defined.items() if about.beside}
    return Space(levels_of, {**beside, **tool.applies_to}, slowest=slowest)


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
                f"{profile.file}: field 'levels.{name}' keeps none of the "
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


def _check_factors(
    where: str, defined: Mapping[str, Factor], factors: Iterable[str], tools: Mapping[str, Tool]
) -> None:
    options = {
        name
        for tool in tools.values()
        for name in (*tool.supports, *tool.options, *tool.driver_options)
    }
    for name in factors:
        if name not in defined and name not in options:
            raise ConfigError(
                f"{where}: field 'factors.{name}': unknown factor {name!r}"
                f"{nearest(name, defined.keys() | options)}; "
                "it is neither the harness's nor supported by a tool or an option of one"
            )


def _knows(tool: Tool, factor: str, defined: Mapping[str, Factor]) -> bool:
    """Whether a tool has a factor: one of its own, or one that is for every tool."""
    if factor in tool.supports or factor in tool.options or factor in tool.driver_options:
        return True
    return factor in defined and not defined[factor].of_tools


def _applies(constraint: Constraint, levels: Mapping[str, Level]) -> bool:
    return has_levels(levels, constraint.when)


def _allowed(constraint: Constraint, levels: Mapping[str, Level]) -> bool:
    return not _applies(constraint, levels) or has_levels(levels, constraint.only, missing=True)


def _capped(
    profile: Profile, constraints: Iterable[Constraint], levels: Mapping[str, Level]
) -> tuple[Settings, int]:
    """The settings and invocations of a cell: those of the profile, or less where caps say so."""
    asked, constraints = profile.settings, list(constraints)
    if not constraints:
        return asked, profile.invocations
    executions, warmup, invocations = asked.executions, asked.warmup.executions, profile.invocations
    for constraint in constraints:
        executions = min(executions, constraint.at_most.get("executions", executions))
        warmup = min(warmup, constraint.at_most.get("warmup_executions", warmup))
        invocations = min(invocations, constraint.at_most.get("invocations", invocations))
    caps = [c.at_most["executions"] for c in constraints if "executions" in c.at_most]
    settings = asked.model_copy(
        update={
            "executions": executions,
            "window": _capped_window(
                profile, _window(profile, constraints), min(caps, default=None), levels
            ),
            "warmup": asked.warmup.model_copy(update={"executions": warmup}),
        }
    )
    return settings, invocations


def _window(profile: Profile, constraints: Iterable[Constraint]) -> Window | None:
    """The window of a cell: the profile's, or the one that a constraint gives it.

    Raises:
        ConfigError: two constraints give different ones.
    """
    own = [constraint.window for constraint in constraints if constraint.window is not None]
    if any(window != own[0] for window in own):
        raise ConfigError(
            f"profile {profile.profile}: two constraints give the same cells different windows; "
            "take one of them away"
        )
    return own[0] if own else profile.settings.window


def _capped_window(
    profile: Profile, window: Window | None, cap: int | None, levels: Mapping[str, Level]
) -> Window | None:
    """The window, which waits for no more executions than a cap allows.

    A window of seconds ends by the clock: a cap says only how many it may wait for beyond them.

    Raises:
        ConfigError: the window ends after objects, and there is a cap.
    """
    if window is None or cap is None:
        return window
    if window.seconds is None:
        raise ConfigError(
            f"profile {profile.profile}: its windows end after a number of objects, and a "
            "constraint has at_most: {executions: …}; remove one of them"
        )
    if window.per_thread is None:
        return window
    most = max(1, cap // int(levels.get(THREADS, 1)))
    return window.model_copy(update={"per_thread": min(window.per_thread, most)})


def _with_clients(settings: Settings, levels: Mapping[str, Level]) -> Settings:
    """Never more client processes than threads: one thread means one client, as in the paper."""
    clients = min(int(levels.get("clients", settings.clients)), int(levels.get(THREADS, 1)))
    if clients == settings.clients:
        return settings
    return settings.model_copy(update={"clients": clients})
