"""The scoreboard of a profile: its plan, and the space as it was read last."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from modelstress.analysis import PlannedCell
from modelstress.analysis.projection import Projection, projection_of
from modelstress.analysis.raw import profile_folder
from modelstress.analysis.space import Space, Watcher, Words, space_of
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.screening import Screening
from modelstress.config.study import Study
from modelstress.design.cells import candidates_of
from modelstress.design.plan_file import current_plan
from modelstress.design.space_size import size


@dataclass(frozen=True)
class Board:
    """What pages are made of; it never changes, another one replaces it.

    Attributes:
        study, profile: that are measured.
        combinations: that the study's levels and constraints allow under this profile.
        projection: which options are the workload.
        space: as it was read.
        version: another one of each reading that found something new.
        unread: cells' folders that were not read yet.
    """

    study: Study
    profile: Profile
    combinations: int
    projection: Projection
    space: Space
    version: int = 0
    unread: int = 0

    @property
    def chance(self) -> float:
        """That any effect of pure noise is called strong."""
        return (self.study.effects or Screening()).chance


@dataclass
class Reader:
    """Reads a profile's plan once, and its samples as they come.

    Attributes:
        study, profile: as configured.
        planned: cells of the plan.
        combinations: that the plan's design chooses from.
        watcher: of the samples.
    """

    study: Study
    profile: Profile
    planned: list[PlannedCell]
    combinations: int
    watcher: Watcher
    _words: Words = field(default_factory=Words)
    _version: int = 0

    def read(self, most_s: float = float("inf")) -> Board:
        """The board with what is new, reading for so many seconds at most."""
        self._version += self.watcher.update(most_s)
        space = space_of(self.planned, self.watcher.starts, self.study.factors, self._words)
        factors = [option.name for option in space.options]
        return Board(
            self.study, self.profile, self.combinations,
            projection_of(self.study, [*factors, *space.shared]), space,
            self._version, self.watcher.unread,
        )  # fmt: skip


def reader_of(project: Project, study: str, profile: str, data: Path | None = None) -> Reader:
    """A reader of a project's study under a profile.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong.
    """
    plan = current_plan(project, study, profile)
    planned = [
        PlannedCell(cell.tool.tool, cell.id, cell.tool.title, cell.levels, cell.invocations)
        for cell in plan.cells
    ]
    definition, asked = project.study(study), project.profile(profile, study)
    root = profile_folder(data or project.root / "data", study, profile)
    combinations = size(candidates_of(project, definition, asked))
    return Reader(definition, asked, planned, combinations, Watcher(root))
