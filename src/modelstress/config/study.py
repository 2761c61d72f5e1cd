"""A study: factors, levels, constraints and comparisons; kinds of workload add what they need."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Level, Name, Strict, nearest, shown
from modelstress.config.errors import ConfigError
from modelstress.config.factors import HARNESS, NOUNS, OF_STARTS, RESERVED, Factor
from modelstress.config.faults import NO_FAULT, Fault
from modelstress.config.figures import OverFactor, Shown
from modelstress.config.measures import LATENCY, MEASURES, Measure, MeasureName
from modelstress.config.roles import Noun, Roles, TableLayout
from modelstress.config.screening import Screening
from modelstress.config.window import Window
from modelstress.config.windows import GrowthStretches, Windows

Levels = Annotated[list[Level], Field(min_length=1)]
Weight = Annotated[float, Field(gt=0)]
ROOM = "modelstress.workloads"
"""Package of the workload kinds."""
DEFAULT_KIND = "queries"
"""Workload kind of studies that do not name theirs, such as those in archives from before kinds."""

LONGEST_LEVEL = 80
"""Characters of a level: it becomes a part of file names."""

TASK = "task"
"""What a query asks, whatever its language: a name beside the factors, see ``Study.tasks``."""


class Constraint(Strict):
    """What holds for the cells that ``when`` describes.

    Attributes:
        when: factor to the level or levels that it applies to.
        only: factor to the levels that remain there.
        at_most: caps on measurement settings there (``executions``, ``warmup_executions``,
            ``invocations``).
        window: the window of these cells, instead of the profile's.
        why: the reason, for the reader of the plan.
    """

    when: dict[str, Level | list[Level]]
    only: dict[str, Levels] = {}
    at_most: dict[Literal["executions", "warmup_executions", "invocations"], int] = {}
    window: Window | None = None
    why: str = ""


class Comparison(Strict):
    """Cells beside a baseline: which is slower, by how much?

    Attributes:
        title: what is asked, for people.
        why: the reason, for the reader of the study.
        decision: what is decided, such as `protocol`, before the two sides on the front page.
        level: what a compared cell has; without it, all cells beside the baseline are compared.
        baseline: what the baseline's cell has; exact enough to leave one for each compared cell.
        match: factors in which a cell and its baseline agree, or ``task``; by default all factors
            but those that ``level``, ``baseline`` or ``only`` fix to one level.
        only: factor to the level or levels of the cells that take part; a cell that does not have
            the factor takes part too.
        groups: whether all cells that agree in ``match`` are also tested together; of latencies
            only.
        measure: what is compared, a name of ``config.measures``.
    """

    title: str
    why: str = ""
    decision: Annotated[str, Field(max_length=30)] = ""
    level: dict[str, Level] = {}
    baseline: Annotated[dict[str, Level], Field(min_length=1)]
    match: Annotated[list[str], Field(min_length=1)] | None = None
    only: dict[str, Level | Levels] = {}
    groups: bool = False
    measure: MeasureName = LATENCY.name

    @property
    def of(self) -> Measure:
        """The measure that is compared."""
        return MEASURES[self.measure]

    @model_validator(mode="after")
    def _groups_of_latencies(self) -> Comparison:
        if self.groups and self.of != LATENCY:
            raise ValueError(
                f"groups are tested by their latencies, and the measure is {self.measure!r}; leave "
                "'groups' or 'measure' out"
            )
        return self

    def takes_part(self, levels: Mapping[str, Level]) -> bool:
        """Whether a cell with these levels is compared, or is one that others are compared with."""
        return has_levels(levels, self.only, missing=True) and (
            has_levels(levels, self.baseline) or has_levels(levels, self.level)
        )

    def matched(self, factors: Iterable[str]) -> list[str]:
        """The columns in which a cell and its baseline agree, of a study with these factors."""
        if self.match is not None:
            return self.match
        fixed = {name for name, level in self.only.items() if not isinstance(level, list)}
        fixed |= self.level.keys() | self.baseline.keys()
        return [name for name in factors if name not in fixed]


def has_levels(
    levels: Mapping[str, Level],
    wanted: Mapping[str, Level | list[Level]],
    *,
    missing: bool = False,
) -> bool:
    """Whether levels are among those that are wanted; ``missing``: also where there is none."""
    return all(
        levels[name] in (asked if isinstance(asked, list) else [asked])
        if name in levels
        else missing
        for name, asked in wanted.items()
    )


class Study(Strict):
    """``config/studies/<study>.yaml``: what all kinds of workload have in common.

    The class of a kind (``study_class``) adds its fields, and says what its studies need not:
    ``FACTORS`` of the kind, ``ROLES`` and ``NOUNS`` of factors, ``LAYOUT`` of printed tables, and
    the factors that are ``REQUIRED`` of a study with and without roles of its own.

    Attributes:
        study: its name, the same as the file's.
        title: for people.
        factors: factor to its levels; ``tool`` must be there.
        constraints: applied in order.
        samples: one row per execution, or one histogram per thread and second, for loads with
            millions of executions.
        windows: the stretches of the window that the derived table ``windows`` has; by default
            there is no such table.
        growth: the stretches in which a store grows, if costs are held against its size.
        effects: how effects of factors with two levels are told, if many of them are screened, and
            which cells count as the worst.
        tasks: task to the operations that ask the same in the languages of several tools; an
            operation that is not named is a task of its own.
        comparisons: name to the cells that stand beside one another in tables and figures.
        interleave: factors in which cells that share a start may differ: they are measured in
            turns, on servers that serve all of them.
        figures: asked for besides those of comparisons; notebooks show them.
        shown: kinds of figures and tables that its report has; by default all.
        notebooks: those of ``notebooks/`` that are executed with the study's results.
        faults: name to what goes wrong; the levels of the factor ``fault``, beside ``none``.
        workload: kind of workload: how datasets are made, what clients do and how it is checked.
        roles: which factors are rows, series and axes of tables and figures; by default those of
            the kind of workload.
        nouns: factor to what its levels are called in sentences.
    """

    FACTORS: ClassVar[Mapping[str, Factor]] = {}
    ROLES: ClassVar[Roles] = Roles()
    NOUNS: ClassVar[Mapping[str, Noun]] = {}
    LAYOUT: ClassVar[TableLayout] = TableLayout()
    REQUIRED: ClassVar[tuple[str, ...]] = ()

    study: Name
    title: str
    factors: dict[str, Levels]
    constraints: list[Constraint] = []
    samples: Literal["rows", "histogram"] = "rows"
    windows: Windows | None = None
    growth: GrowthStretches | None = None
    effects: Screening | None = None
    tasks: dict[str, Annotated[list[str], Field(min_length=1)]] = {}
    comparisons: dict[str, Comparison] = {}
    interleave: list[str] = []
    figures: list[OverFactor] = []
    shown: Shown = Shown()
    notebooks: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]] = ["measurements"]
    faults: dict[str, Fault] = {}
    workload: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] = DEFAULT_KIND
    roles: Roles | None = None
    nouns: dict[str, Noun] = {}

    @property
    def measures(self) -> list[Measure]:
        """What its comparisons and figures are about."""
        names = [one.measure for one in self.comparisons.values()]
        names += [figure.measure for figure in self.figures]
        return [MEASURES[name] for name in names if name in MEASURES]

    def defined(self) -> dict[str, Factor]:
        """Factors of the harness and of the kind of workload, by name."""
        return {**HARNESS, **self.FACTORS}

    @classmethod
    def usual_nouns(cls) -> dict[str, Noun]:
        """What the levels of these factors are called in sentences."""
        return {**NOUNS, **cls.NOUNS}

    @property
    def projected(self) -> Roles:
        """The roles of the study's factors: its own, or those of its kind of workload."""
        return self.roles or self.ROLES

    def task(self, operation: object) -> str:
        """The task of an operation."""
        named = (task for task, operations in self.tasks.items() if operation in operations)
        return next(named, str(operation))

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        for required in ("tool",) if self.roles else ("tool", *self.REQUIRED):
            if required not in self.factors:
                others = [name for name in self.factors if name not in self.defined()]
                near = difflib.get_close_matches(required, others, n=1)
                hint = f"; it has {near[0]!r}, which is no factor: correct its name" if near else ""
                raise ValueError(f"factors needs '{required}'{hint}")
        for factor, about in self.defined().items():
            for level in self.factors.get(factor, []) if about.levels else []:
                choices = about.levels or ()
                # 1 is True to Python, but no truth value to a reader of the study
                if level not in choices or type(level) not in {type(k) for k in choices}:
                    raise ValueError(
                        f"factors.{factor} has level {level!r}{nearest(level, choices)}"
                    )
        for factor in self.interleave:
            if factor not in self.factors:
                raise ValueError(
                    f"interleave names unknown factor {factor!r}{nearest(factor, self.factors)}"
                )
            if factor in OF_STARTS:
                raise ValueError(
                    f"interleave has {factor!r}, in which whole starts differ; take it out"
                )
        for number, constraint in enumerate(self.constraints):
            for factor in (*constraint.when, *constraint.only):
                if factor not in self.factors:
                    raise ValueError(
                        f"constraints.{number} names unknown factor {factor!r}"
                        f"{nearest(factor, self.factors)}"
                    )
        return self

    @model_validator(mode="after")
    def _right_figures(self) -> Study:
        for number, figure in enumerate(self.figures):
            for factor in figure.factors:
                if factor not in self.factors:
                    raise ValueError(
                        f"figures.{number} names unknown factor {factor!r}"
                        f"{nearest(factor, self.factors)}"
                    )
            for factor, wanted in figure.only.items():
                for level in wanted if isinstance(wanted, list) else [wanted]:
                    if level not in self.factors[factor]:
                        raise ValueError(
                            f"figures.{number}.only.{factor} has level {level!r}"
                            f"{nearest(level, self.factors[factor])}"
                        )
        return self

    @model_validator(mode="after")
    def _right_weights(self) -> Study:
        if self.effects is not None:
            self.effects.check(self.factors)
        return self

    @model_validator(mode="after")
    def _right_words(self) -> Study:
        for name, levels in self.factors.items():
            if name in RESERVED:
                raise ValueError(
                    f"factors.{name} has the name of a column of the results; give it another"
                )
            for level in levels:
                if isinstance(level, str) and not (
                    level.isprintable() and 0 < len(level) <= LONGEST_LEVEL
                ):
                    raise ValueError(
                        f"factors.{name} has level {shown(level)}; use 1 to {LONGEST_LEVEL} "
                        "printable characters, it becomes a part of file names"
                    )
        return self

    @model_validator(mode="after")
    def _right_numbers(self) -> Study:
        for name, about in self.defined().items():
            for level in self.factors.get(name, []) if about.least is not None else []:
                if isinstance(level, bool | str) or level < (about.least or 0):
                    raise ValueError(
                        f"factors.{name} has level {level!r}; it must be a number from "
                        f"{about.least:g} on"
                    )
        return self

    @model_validator(mode="after")
    def _right_windows(self) -> Study:
        seconds = self.windows.seconds if self.windows else None
        if self.samples == "histogram" and seconds is not None and seconds % 1:
            raise ValueError(
                f"windows.seconds is {seconds:g}, but histograms are of seconds; give a whole "
                "number, or leave 'samples' out"
            )
        return self

    @model_validator(mode="after")
    def _right_roles(self) -> Study:
        if self.roles is not None:
            self.roles.check(self.factors)
        for name in self.nouns:
            if name not in self.factors:
                raise ValueError(
                    f"nouns names unknown factor {name!r}{nearest(name, self.factors)}"
                )
        return self

    @model_validator(mode="after")
    def _right_faults(self) -> Study:
        fault_levels = [NO_FAULT, *self.faults]
        if NO_FAULT in self.faults:
            raise ValueError(f"faults.{NO_FAULT}: the name means no fault; choose another")
        for level in self.factors.get("fault", []):
            if level not in fault_levels:
                raise ValueError(f"factors.fault has level {level!r}{nearest(level, fault_levels)}")
        return self

    @model_validator(mode="after")
    def _right_tasks(self) -> Study:
        factor = self.projected.operation
        known_operations = self.factors.get(factor, [])
        task_of: dict[str, str] = {}
        for task, operations in self.tasks.items():
            for operation in operations:
                where = f"tasks.{task} names {factor or 'operation'} {operation!r}"
                if operation not in known_operations:
                    raise ValueError(
                        f"{where}, which is unknown{nearest(operation, known_operations)}"
                    )
                if operation in task_of:
                    raise ValueError(
                        f"{where}, which is in task {task_of[operation]!r} already; name it once"
                    )
                task_of[operation] = task
        for task in self.tasks:
            if task in known_operations and task_of.get(task) != task:
                raise ValueError(
                    f"tasks.{task} has the name of another {factor}; give it another name"
                )
        return self

    @model_validator(mode="after")
    def _right_comparisons(self) -> Study:
        for name, comparison in self.comparisons.items():
            where = f"comparisons.{name}"
            for part in ("level", "baseline", "only"):
                for factor, levels in getattr(comparison, part).items():
                    self._check_levels(f"{where}.{part}", factor, levels)
            for factor in comparison.match or ():
                if factor not in self.factors and factor != TASK:
                    names = [*self.factors, TASK]
                    raise ValueError(
                        f"{where}.match names unknown factor {factor!r}{nearest(factor, names)}"
                    )
            shared = comparison.level.keys() & comparison.baseline.keys()
            apart = {f for f in shared if comparison.level[f] != comparison.baseline[f]}
            if comparison.level and not apart:
                raise ValueError(
                    f"{where}.level and its baseline exclude no cell from one another; give both "
                    "a factor with different levels"
                )
            for factor in comparison.match or ():
                if factor in apart:
                    raise ValueError(
                        f"{where}.match has {factor!r}, in which level and baseline differ; take "
                        "it out"
                    )
        return self

    def _check_levels(self, where: str, factor: str, levels: Level | list[Level]) -> None:
        """Refuse a factor or level that the study does not have.

        A tool may be one that the study leaves out; only the project knows all of them
        (`design.cells_of` asks it).
        """
        if factor not in self.factors:
            raise ValueError(
                f"{where} names unknown factor {factor!r}{nearest(factor, self.factors)}"
            )
        choices = self.factors[factor]
        if factor == "tool":
            return
        for level in levels if isinstance(levels, list) else [levels]:
            if not any(level == choice and type(level) is type(choice) for choice in choices):
                raise ValueError(f"{where}.{factor} has level {level!r}{nearest(level, choices)}")


@cache
def kinds() -> list[str]:
    """Names of the workload kinds that are there, read from the room once."""
    return [module.name for module in iter_modules(import_module(ROOM).__path__)]


def kind_package(kind: str) -> ModuleType:
    """The package of a workload kind, found by its name.

    Nothing here, and nothing else outside, imports one.

    Raises:
        ConfigError: there is no such kind.
    """
    if kind not in kinds():
        raise ConfigError(
            f"there is no workload kind {shown(kind)}{nearest(kind, kinds())}; it would be "
            f"src/modelstress/workloads/{kind:.80}/"
        )
    return import_module(f"{ROOM}.{kind}")


def study_class(kind: str) -> type[Study]:
    """The class of the studies of a workload kind: ``STUDY`` of its package.

    Raises:
        ConfigError: there is no such kind.
    """
    study_type: type[Study] = kind_package(kind).STUDY
    return study_type
