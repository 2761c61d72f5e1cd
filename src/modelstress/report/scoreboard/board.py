"""The scoreboard of a profile: its plan, and the space as it was read last."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
from modelstress.steering.progress_file import NAME, Progress, folder_of, said


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
        queue: of a coordinator that runs.
    """

    study: Study
    profile: Profile
    combinations: int
    projection: Projection
    space: Space
    version: int = 0
    unread: int = 0
    queue: Progress | None = None

    @property
    def chance(self) -> float:
        """That any effect of pure noise is called strong."""
        return (self.study.effects or Screening()).chance


@dataclass
class Reader:
    """Reads a profile's plan once, and its samples as they come.

    Attributes:
        board: as it was read last.
        planned: cells of the plan.
        watcher: of the samples.
        queue: file in which a coordinator writes how it goes.
    """

    board: Board
    planned: list[PlannedCell]
    watcher: Watcher
    queue: Path
    _words: Words = field(default_factory=Words)

    def read(self, most_s: float = float("inf")) -> Board:
        """The board with what is new, reading for so many seconds at most."""
        if self.watcher.update(most_s) or not self.board.version:
            factors = self.board.study.factors
            space = space_of(self.planned, self.watcher.starts, factors, self._words)
            names = [*(option.name for option in space.options), *space.shared]
            projection = projection_of(self.board.study, names)
            version = self.board.version + 1
            self.board = replace(self.board, space=space, projection=projection, version=version)
        queue = said(self.queue)
        self.board = replace(self.board, unread=self.watcher.unread, queue=queue)
        return self.board


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
    folder = data or project.root / "data"
    combinations = size(candidates_of(project, definition, asked))
    nothing = space_of([], {}, {})
    return Reader(
        Board(definition, asked, combinations, projection_of(definition, []), nothing), planned,
        Watcher(profile_folder(folder, study, profile)),
        folder_of(folder, study, profile) / NAME,
    )  # fmt: skip
