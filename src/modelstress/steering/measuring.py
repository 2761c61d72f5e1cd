"""Measuring one start for the queue, as ``modelstress run`` measures it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.packages import how_to_get
from modelstress.config.project import Project
from modelstress.design.kinds import kind_named
from modelstress.design.plan import Run
from modelstress.measure import provisioning
from modelstress.measure.again import run_until_valid
from modelstress.measure.calibration import Recent
from modelstress.measure.events import Listener, ignore
from modelstress.measure.invocation import Invocation, prepare, require


class Measurer(Protocol):
    """Measures the cells of a start; returns the folder of each."""

    def __call__(self, project: Project, start: Sequence[Run]) -> list[Path]:
        """Measure in the project's ``data/raw``.

        Raises:
            ModelstressError: it cannot be measured.
        """


def measurer(
    tell: Callable[[str], None],
    listener: Listener = ignore,
    lock_file: Path | None = None,
) -> Measurer:
    """Measures under the host lock, again where invalid, with all that cells need made before.

    Args:
        tell: called with a sentence before something is made.
        listener: told every step.
        lock_file: instead of the host's own; for subjects that only sleep.
    """
    recent = Recent()

    def measure(project: Project, start: Sequence[Run]) -> list[Path]:
        for run in start:
            folder = run.cell.folder(project.raw, run.invocation)
            shutil.rmtree(folder.parent, ignore_errors=True)  # of a permit that came late
        invocations = [_prepared(project, run, tell) for run in start]
        measured = run_until_valid(
            invocations,
            listener=listener,
            lock_wait_s=project.main.lock_wait_s,
            lock_file=lock_file,
            recent=recent,
        )
        return [one.folder for one in measured]

    return measure


def refuse(runs: Sequence[Run]) -> None:
    """Refuse cells that workers cannot measure.

    Raises:
        ConfigError: they are captured, or need a private namespace, which no database reaches.
    """
    provisioning.refuse(run.cell for run in runs)
    for run in runs:
        if run.cell.settings.capture is not None:
            what = "are captured"
        elif provisioning.executor_of(run.cell) == "namespace":
            what = "have the executor 'namespace'"
        else:
            continue
        raise ConfigError(
            f"cells that {what} are measured in a private network, which no queue reaches; "
            "measure them with 'modelstress run'"
        )


def _prepared(project: Project, run: Run, tell: Callable[[str], None]) -> Invocation:
    try:
        return prepare(project, run)
    except MissingError:
        require(project.jar(run.cell.tool), how_to_get(run.cell.tool.tool))
        kind_named(run.cell.workload).provide(project, run.cell, tell)
        return prepare(project, run)
