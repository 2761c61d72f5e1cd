"""The starts that a key names: of the plan, later ones of its cells, and of cells added to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from modelstress.config.base import Level, shown
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.candidates import TOOL, Candidates
from modelstress.design.cell import Cell
from modelstress.design.cells import candidates_of, maker
from modelstress.design.plan import Run, plan_of, start_of
from modelstress.design.plan_file import Plan
from modelstress.design.sharing import sharing
from modelstress.steering.keys import Key, key_of, starts_of

MOST_LEVELS = 200
MOST_STARTS = 1000


class Catalogue:
    """Finds the runs of a start by its key.

    Args:
        project: of the plan.
        plan: whose cells and starts there are.
    """

    def __init__(self, project: Project, plan: Plan) -> None:
        self.project, self.plan = project, plan
        self.study = project.study(plan.study)
        self.profile = project.profile(plan.profile, plan.study)
        self.planned = starts_of(plan)
        self.cells = {cell.id: cell for cell in plan.cells}

    @cached_property
    def candidates(self) -> Candidates:
        """All combinations that the study and profile allow."""
        return candidates_of(self.project, self.study, self.profile)

    def start(self, key: Key, levels: Mapping[str, object] | None = None) -> list[Run]:
        """The runs of a start.

        Args:
            key: of the start.
            levels: of its cell, where a strategy has added that to the plan; data.

        Raises:
            ConfigError: there is no such start, or the study does not allow the levels.
        """
        if key in self.planned:
            return self.planned[key]
        cell = self.cells.get(key.cell)
        if cell is None and levels is not None:
            cell = self.cell(levels)
        if cell is None or cell.id != key.cell or not 0 <= key.number < MOST_STARTS:
            raise ConfigError(f"{shown(str(key))} is not in the plan, nor can it be added to it")
        return self._start(cell, key.number)

    def cell(self, levels: Mapping[str, object]) -> Cell:
        """The cell with some levels.

        Raises:
            ConfigError: the study, or the profile, does not allow them.
        """
        if len(levels) > MOST_LEVELS or not all(
            isinstance(level, str | int | float | bool) for level in levels.values()
        ):
            raise ConfigError(f"these are no levels of a cell: {shown(dict(levels))}")
        names = [*(n for n in self.study.factors if n in levels)]
        names += sorted(name for name in levels if name not in self.study.factors)
        # in the order of the study's factors, on which the id depends: JSON has its own
        ordered: dict[str, Level] = {name: levels[name] for name in names}  # type: ignore[misc]
        if TOOL not in ordered or not self.candidates.possible(ordered):
            raise ConfigError(
                f"study {self.study.study!r} does not allow the levels {shown(ordered)}"
            )
        make = maker(self.study, self.profile)
        return make(self.project.tool(str(ordered[TOOL])), ordered)

    def more(self, cell: Cell, number: int) -> Key:
        """The key of another start of a cell and of those that share it."""
        return key_of(self._start(cell, number))

    def _start(self, cell: Cell, number: int) -> list[Run]:
        alike = sharing(self.study)
        mates = [cell]
        if alike is not None and cell.id in self.cells:
            mates = [other for other in self.plan.cells if alike(other) == alike(cell)]
        cells = [replace(mate, invocations=number + 1) for mate in mates]
        runs = plan_of(cells, self.project.main.seed, sharing=alike)
        wanted = next(run for run in runs if run.cell.id == cell.id and run.invocation == number)
        # as the plan has them: the number of starts is no property of what is measured
        return [
            replace(run, cell=replace(run.cell, invocations=cell.invocations))
            for run in start_of(wanted, runs)
        ]
