"""What a study asks for, to be held against what was found."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from modelstress.config.errors import ConfigError
from modelstress.config.measures import LATENCY
from modelstress.config.papers import Papers, read_papers
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.design.contents import contents_of, hash_json
from modelstress.design.plan_file import current_plan

PAPERS = Path("config") / "papers"
PLANNED = "planned.json"
"""File of an archive's `data` folder with the plan that its samples were measured after."""


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
    cells = current_plan(project, study, profile).cells
    return [
        PlannedCell(
            cell.tool.tool, cell.id, cell.tool.title, dict(cell.levels), cell.invocations,
            contents_of(project, cell),
        )
        for cell in cells
    ]  # fmt: skip


def planned_beside(data_dir: Path, study: str, profile: str) -> list[PlannedCell] | None:
    """The plan beside the samples: an archive's, else that of the project; None without both.

    An archive has its plan in `planned.json`, so that neither jars nor models are needed to tell
    what is missing or stale. Samples can be looked at wherever they are; missing and stale cells
    are only known where there is a plan.

    Raises:
        ConfigError: the archive's plan cannot be read, or there is a project, and its study or
            profile is wrong.
    """
    path = data_dir / PLANNED
    if path.is_file():
        return read_planned(path).get((study, profile))
    try:
        project = Project.find(data_dir)
    except ConfigError:
        return None
    return planned_cells(project, study, profile)


def study_beside(data_dir: Path, study: str) -> Study | None:
    """The study's file in the project or archive that `data_dir` lies in; None without one.

    Raises:
        ConfigError: the file is wrong.
    """
    try:
        project = Project.find(data_dir)
    except ConfigError:
        return None
    return project.study(study) if study in project.studies else None


def looks_beside(data_dir: Path, study: str, profile: str) -> tuple[int, ...]:
    """The looks of a profile in the project or archive of `data_dir`; none without the file.

    Raises:
        ConfigError: the file is wrong.
    """
    try:
        project = Project.find(data_dir)
    except ConfigError:
        return ()
    there = project.profile_file(profile, study).is_file()
    return tuple(project.profile(profile, study).looks or ()) if there else ()


def papers_folder(start: Path | None) -> Path | None:
    """The folder of papers of the project or archive that a folder lies in, if it has one."""
    try:
        folder = Project.find(start).root / PAPERS
    except ConfigError:
        return None
    return folder if folder.is_dir() else None


def papers_found(data_dir: Path, study: str) -> Papers | None:
    """The papers of a study in the project or archive of `data_dir`; None where there are none.

    Raises:
        ConfigError: a file of the papers is wrong.
    """
    folder = papers_folder(data_dir)
    papers = read_papers(folder, study) if folder else None
    return papers if papers and papers.papers else None


def note_beside(data_dir: Path, study: str) -> str:
    """In what a study's setting differs from that of its papers; empty without papers.

    Raises:
        ConfigError: a file of the papers is wrong.
    """
    papers = papers_found(data_dir, study)
    return papers.setting.note if papers else ""


def digest(planned: Sequence[PlannedCell] | None, asked: Study | None) -> str:
    """What tables are made of beside samples, in short; another one means other tables."""
    plan = [asdict(cell) for cell in planned] if planned is not None else None
    return hash_json([plan, _asked(asked) if asked else None])


def _asked(study: Study) -> dict[str, Any]:
    """Tasks and comparisons; latency is not named, as in tables from before there were others."""
    parts = study.model_dump(include={"tasks", "comparisons"})
    for comparison in parts["comparisons"].values():
        if comparison["measure"] == LATENCY.name:
            del comparison["measure"]
    if study.windows:
        parts["windows"] = study.windows.model_dump()
    if study.growth:
        parts["growth"] = study.growth.model_dump()
    if study.effects:
        parts["effects"] = study.effects.model_dump(mode="json")
    return parts


def planned_text(plans: Mapping[tuple[str, str], Sequence[PlannedCell]]) -> str:
    """The plans of some studies' profiles as the text of `planned.json`."""
    entries = [
        {"study": study, "profile": profile, "cells": [asdict(cell) for cell in cells]}
        for (study, profile), cells in plans.items()
    ]
    return json.dumps({"plans": entries}, indent=1, ensure_ascii=False) + "\n"


def read_planned(path: Path) -> dict[tuple[str, str], list[PlannedCell]]:
    """The plans in a `planned.json`, by study and profile.

    Raises:
        ConfigError: the file is not one that `planned_text` wrote.
    """
    try:
        plans = json.loads(path.read_text(encoding="utf-8"))["plans"]
        return {
            (plan["study"], plan["profile"]): [PlannedCell(**cell) for cell in plan["cells"]]
            for plan in plans
        }
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ConfigError(
            f"{path}: the plan cannot be read ({error}); unpack the archive again"
        ) from error
