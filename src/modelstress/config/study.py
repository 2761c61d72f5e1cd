"""A study: factors, levels, constraints and the models it runs on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from modelstress.config.base import TAG, Level, Name, Strict, nearest, shown
from modelstress.config.factors import FACTORS
from modelstress.config.faults import NO_FAULT, Fault
from modelstress.config.measures import LATENCY, MEASURES, Measure, MeasureName
from modelstress.config.roles import Noun, Roles
from modelstress.config.windows import Windows

Levels = Annotated[list[Level], Field(min_length=1)]
Weight = Annotated[float, Field(gt=0)]

REQUIRED = ("tool", "backend", "language", "protocol", "model", "query", "threads")
"""Factors of a study that does not say which of its factors are what."""

LONGEST_LEVEL = 80
"""Characters of a level: it becomes a part of file names."""

TASK = "task"
"""What a query asks, whatever its language: a name beside the factors, see ``Study.tasks``."""


class TrainModel(Strict):
    """A model of the Train Benchmark (TRAIN-BENCHMARK.md)."""

    case: Literal["train"]
    line: Literal["2016", "2017"]
    scenario: Literal["batch", "inject", "repair"]
    size: Annotated[int, Field(ge=1)]
    seed: int = 19871053


class JdtModel(Strict):
    """Java sources as a model of Eclipse JDT's own metamodel (GRABATS.md).

    Attributes:
        step: of the ladder of pinned sources, each with those of the steps before it
            (``config/jdt-ladder.yaml``).
        split: what has a file of its own: nothing, every package or every compilation unit. The
            elements and their order are the same.
    """

    case: Literal["grabats"]
    step: Annotated[int, Field(ge=0, le=4)]
    split: Literal["single", "package", "unit"] = "single"


class OwnModel(Strict):
    """Somebody's own model: any metamodel in Ecore, any number of model files.

    Attributes:
        case: name of the folder in ``queries/`` with its queries.
        metamodels: Ecore files, relative to the project; may have wildcards.
        files: XMI or binary files, likewise; their order is that of the elements, files of one
            wildcard come in alphabetical order. They may refer to one another.
    """

    case: Annotated[str, Field(min_length=1)]
    metamodels: Annotated[list[str], Field(min_length=1)]
    files: Annotated[list[str], Field(min_length=1)]


def _kind(model: Any) -> str:
    """Which of the kinds of models a mapping or model is meant to be."""
    case = model.get("case") if isinstance(model, dict) else getattr(model, "case", None)
    kinds = {"train": TrainModel, "grabats": JdtModel}
    return TAG + kinds.get(str(case), OwnModel).__name__


Model = Annotated[
    Annotated[TrainModel, Tag(TAG + "TrainModel")]
    | Annotated[JdtModel, Tag(TAG + "JdtModel")]
    | Annotated[OwnModel, Tag(TAG + "OwnModel")],
    Discriminator(_kind),
]
"""How a model is made; ``case`` tells the kind."""


class Constraint(Strict):
    """What holds for the cells that ``when`` describes.

    Attributes:
        when: factor to the level or levels that it applies to.
        only: factor to the levels that remain there.
        at_most: caps on measurement settings there (``executions``, ``warmup_executions``,
            ``invocations``).
        why: the reason, for the reader of the plan.
    """

    when: dict[str, Level | list[Level]]
    only: dict[str, Levels] = {}
    at_most: dict[Literal["executions", "warmup_executions", "invocations"], int] = {}
    why: str = ""


class Comparison(Strict):
    """Cells beside a baseline: which is slower, by how much?

    Attributes:
        title: what is asked, for people.
        why: the reason, for the reader of the study.
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

    def matched(self, factors: Iterable[str]) -> list[str]:
        """The columns in which a cell and its baseline agree, of a study with these factors."""
        if self.match is not None:
            return self.match
        fixed = {name for name, level in self.only.items() if not isinstance(level, list)}
        fixed |= self.level.keys() | self.baseline.keys()
        return [name for name in factors if name not in fixed]


class Study(Strict):
    """``config/studies/<study>.yaml``.

    Attributes:
        study: its name, the same as the file's.
        title: for people.
        models: model name to how it is made.
        factors: factor to its levels; ``tool``, ``model``, ``query`` and ``threads`` must be there.
        constraints: applied in order.
        samples: one row per execution, or one histogram per thread and second, for loads with
            millions of executions.
        windows: the stretches of the window that the derived table ``windows`` has; by default
            there is no such table.
        tasks: task to the queries that ask the same in the languages of several tools; a query
            that is not named is a task of its own.
        comparisons: name to the cells that stand beside one another in tables and figures.
        notebooks: those of ``notebooks/`` that are executed with the study's results.
        mixes: name to queries with their weights; a level of the factor ``query`` may be a mix, and
            every execution is then one of its queries, drawn by weight.
        faults: name to what goes wrong; the levels of the factor ``fault``, beside ``none``.
        workload: kind of workload: how datasets are made, what clients do and how it is checked.
        roles: which factors are rows, series and axes of tables and figures; by default those of
            the kind of workload.
        nouns: factor to what its levels are called in sentences.
    """

    study: Name
    title: str
    models: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")], Model]
    factors: dict[str, Levels]
    constraints: list[Constraint] = []
    samples: Literal["rows", "histogram"] = "rows"
    windows: Windows | None = None
    tasks: dict[str, Annotated[list[str], Field(min_length=1)]] = {}
    comparisons: dict[str, Comparison] = {}
    notebooks: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]] = ["measurements"]
    mixes: dict[str, Annotated[dict[str, Weight], Field(min_length=2)]] = {}
    faults: dict[str, Fault] = {}
    workload: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] = "queries"
    roles: Roles | None = None
    nouns: dict[str, Noun] = {}

    def queries(self, level: object) -> dict[str, float]:
        """The queries that a level of the factor ``query`` stands for, with their weights."""
        return self.mixes.get(str(level), {str(level): 1.0})

    def task(self, query: object) -> str:
        """The task of a query."""
        named = (task for task, queries in self.tasks.items() if query in queries)
        return next(named, str(query))

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        for required in ("tool",) if self.roles else REQUIRED:
            if required not in self.factors:
                others = [name for name in self.factors if name not in FACTORS]
                near = difflib.get_close_matches(required, others, n=1)
                hint = f"; it has {near[0]!r}, which is no factor: correct its name" if near else ""
                raise ValueError(f"factors needs '{required}'{hint}")
        for name in self.factors.get("model", []):
            if name not in self.models:
                raise ValueError(
                    f"factors.model names unknown model {name!r}{nearest(name, self.models)}"
                )
        for factor, about in FACTORS.items():
            for level in self.factors.get(factor, []) if about.levels else []:
                known = about.levels or ()
                # 1 is True to Python, but no truth value to a reader of the study
                if level not in known or type(level) not in {type(k) for k in known}:
                    raise ValueError(f"factors.{factor} has level {level!r}{nearest(level, known)}")
        for number, constraint in enumerate(self.constraints):
            for factor in (*constraint.when, *constraint.only):
                if factor not in self.factors:
                    raise ValueError(
                        f"constraints.{number} names unknown factor {factor!r}"
                        f"{nearest(factor, self.factors)}"
                    )
        return self

    @model_validator(mode="after")
    def _right_words(self) -> Study:
        for name, levels in self.factors.items():
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
        for name, about in FACTORS.items():
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
        known = [NO_FAULT, *self.faults]
        if NO_FAULT in self.faults:
            raise ValueError(f"faults.{NO_FAULT}: the name means no fault; choose another")
        for level in self.factors.get("fault", []):
            if level not in known:
                raise ValueError(f"factors.fault has level {level!r}{nearest(level, known)}")
        return self

    @model_validator(mode="after")
    def _right_tasks(self) -> Study:
        known = self.factors.get(self.roles.operation if self.roles else "query", [])
        found: dict[str, str] = {}
        for task, queries in self.tasks.items():
            for query in queries:
                if query not in known:
                    raise ValueError(
                        f"tasks.{task} names unknown query {query!r}{nearest(query, known)}"
                    )
                if query in found:
                    raise ValueError(
                        f"tasks.{task} names query {query!r}, which is in task {found[query]!r} "
                        "already; name it once"
                    )
                found[query] = task
        for task in self.tasks:
            if task in known and found.get(task) != task:
                raise ValueError(f"tasks.{task} has the name of another query; give it another")
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
                    known = [*self.factors, TASK]
                    raise ValueError(
                        f"{where}.match names unknown factor {factor!r}{nearest(factor, known)}"
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
        known = self.factors[factor]
        if factor == "tool":
            return
        for level in levels if isinstance(levels, list) else [levels]:
            if not any(level == one and type(level) is type(one) for one in known):
                raise ValueError(f"{where}.{factor} has level {level!r}{nearest(level, known)}")
