"""What a study asks for, to be held against what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.design.contents import contents_of


@dataclass(frozen=True)
class PlannedCell:
    """A cell of the plan, with the contents that it would be measured with now.

    `contents` maps `jar`, `model`, `query` and `settings` to hex digests; what is not there to be
    hashed is left out, and staleness is then not judged by it.
    """

    tool: str
    cell: str
    title: str
    levels: Mapping[str, Any]
    invocations: int
    contents: Mapping[str, str] = field(default_factory=dict)


def planned_cells(project: Project, study: str, profile: str) -> list[PlannedCell]:
    """The cells of a study under a profile, in the order of its factors.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong.
    """
    cells = cells_of(project, project.study(study), project.profile(profile))
    return [
        PlannedCell(
            cell.tool.tool, cell.id, cell.tool.title, dict(cell.levels), cell.invocations,
            contents_of(project, cell),
        )
        for cell in cells
    ]  # fmt: skip


def planned_beside(data_dir: Path, study: str, profile: str) -> list[PlannedCell] | None:
    """The plan of the project that `data_dir` lies in; None outside a project.

    Samples can so be looked at wherever they are; missing and stale cells are only known
    where the study's configuration is.

    Raises:
        ConfigError: there is a project, and its study or profile is wrong.
    """
    try:
        project = Project.find(data_dir)
    except ConfigError:
        return None
    return planned_cells(project, study, profile)
