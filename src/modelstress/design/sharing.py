"""Cells that can share a start of the servers: they differ in what the study interleaves only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.factors import PLACEBO, TWO_STARTS
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.design.cell import Cell
from modelstress.design.kinds import WorkloadKind, kind_of
from modelstress.design.plan import Alike, Run


def sharing(study: Study) -> Alike | None:
    """What cells agree in that share a start; None where the study interleaves nothing.

    The servers must be the same but for the protocols that they serve: what the descriptor lists
    under ``options`` is compared as the servers get it, so that a cell without such a factor has
    the default. Cells that are captured, that have a fault or histograms, or that are measured on
    other machines never share a start, nor those that their kind of workload keeps apart. A start
    that is copied as a placebo shares nothing with its copy.
    """
    if not study.interleave:
        return None
    kind = kind_of(study)

    def key(cell: Cell) -> Hashable:
        if _alone(kind, cell):
            return cell.id
        tool = cell.tool
        options = {**tool.options, **tool.driver_options}
        levels: dict[str, Level] = {**options, **cell.levels}
        shared = tuple(
            (name, levels.get(name))
            for name in dict.fromkeys((*study.factors, *options))
            if name not in study.interleave
        )
        return (*shared, cell.levels.get(PLACEBO) == TWO_STARTS)

    return key


def _alone(kind: WorkloadKind, cell: Cell) -> bool:
    """Whether a cell has a start to itself, whatever the study interleaves."""
    return (
        cell.fault is not None
        or cell.settings.capture is not None
        or cell.samples != "rows"
        or "host" in cell.levels
        or kind.alone(cell)
    )


def check(project: Project, study: Study, runs: Sequence[Run]) -> None:
    """Refuse a plan in which cells with different stores share a start.

    Raises:
        ConfigError: the study interleaves a factor that the servers know.
    """
    kind = kind_of(study)
    stores: dict[int, tuple[Cell, Path | None]] = {}
    for run in runs:
        store = kind.store(project, run.cell)
        first = stores.setdefault(run.start, (run.cell, store))
        if first[1] != store:
            raise ConfigError(
                f"config/studies/{study.study}.yaml: field 'interleave': {run.cell.id} and "
                f"{first[0].id} would share a start and have different stores; take the factor in "
                "which they differ out of it"
            )
