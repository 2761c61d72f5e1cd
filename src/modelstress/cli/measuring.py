"""Measuring the starts of a plan one after the other, with progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from modelstress.cli.progress import PlanProgress
from modelstress.cli.provide import Needs
from modelstress.config.errors import (
    BusyError,
    ConfigError,
    MeasureError,
    MissingError,
    ModelstressError,
)
from modelstress.config.project import Project
from modelstress.design.plan import Run
from modelstress.hosts import private
from modelstress.measure import folders, provisioning
from modelstress.measure.again import run_until_valid
from modelstress.measure.calibration import Recent
from modelstress.measure.cell import Measured
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.invocation import prepare
from modelstress.measure.status import read_record, state_of


def made_ready(
    project: Project,
    runs: Sequence[Run],
    needed: Callable[[Run], bool] = lambda run: True,
    *,
    anew: bool = True,
) -> Needs:
    """Make what runs need and clear away what would run beside them.

    Args:
        project: of the runs.
        runs: that are wanted.
        needed: whether a run will be measured; others need nothing.
        anew: see ``Needs.provide``.

    Returns:
        What could not be made is known to it.

    Raises:
        ConfigError, MissingError: they cannot be measured by one command, or not here.
    """
    provisioning.refuse(run.cell for run in runs)
    needs = Needs(project, lambda message: click.echo(message, err=True))
    needs.provide((run for run in runs if needed(run)), anew=anew)
    enter_namespace(runs)
    for left in folders.clear_dead(project.raw):
        click.echo(f"left by a controller that was killed: {left}", err=True)
    return needs


def finished(
    project: Project, starts: Sequence[Sequence[Run]], asked: Sequence[Run], rerun: str
) -> tuple[dict[int, bool], list[Run]]:
    """For starts that are finished, whether they are measured again; what is stale of the asked.

    A start is measured as a whole: its cells are compared with one another.
    """
    again: dict[int, bool] = {}
    stale = []
    for start in starts:
        if all(folders.finished(_folder(project, run)) for run in start):
            old = [run for run in start if rerun != "all" and state_of(project, run) == "stale"]
            again[start[0].start] = rerun == "all" or (rerun == "stale" and bool(old))
            if rerun == "never":
                stale += [run for run in old if run in asked]
    return again, stale


def measure_all(
    project: Project,
    starts: Sequence[Sequence[Run]],
    again: Mapping[int, bool],
    needs: Needs,
    log: Path | None,
    interrupt: Interrupt,
    until_s: float | None = None,
) -> tuple[list[dict[str, object]], list[ModelstressError]]:
    """Measure one after the other; what one cannot do does not keep the next from its turn.

    Args:
        project: of the plan.
        starts: runs of the plan, those of a start together.
        again: of ``finished``.
        needs: makes what is missing.
        log: file for plain progress lines, or None.
        interrupt: looked at between starts.
        until_s: on the monotonic clock; no start begins that would probably end later.

    Returns:
        A record for every invocation, and what kept some from being measured.
    """
    total = sum(map(len, starts))
    kept = [run for start in starts if not again.get(start[0].start, True) for run in start]
    # of one cell there is nothing to estimate; of many, the records are read once
    records = [read_record(_folder(project, run)) for run in kept] if total > 1 else []
    progress = PlanProgress(
        total=total,
        done=len(kept),
        seconds=[float(r["seconds"]) for r in records if "seconds" in r],
        log=log,
    )
    results: list[dict[str, object]] = []
    errors: list[ModelstressError] = []
    recent = Recent()
    try:
        for start in starts:
            interrupt.check()
            begun = time.monotonic()
            if until_s is not None and begun + progress.typical_s * len(start) > until_s:
                break
            heads: list[dict[str, object]] = [
                {"cell": run.cell.id, "invocation": run.invocation} for run in start
            ]
            again_now = again.get(start[0].start, False)
            try:
                measured = _measure(project, start, again_now, needs, progress, recent)
            except InterruptedRunError:
                raise
            except (MeasureError, MissingError, BusyError) as error:
                interrupt.check()  # the signal may be what went wrong
                errors.append(error)
                results += [{**head, "error": str(error)} for head in heads]
                if len(starts) > 1:
                    progress.failed(f"{_name(start)}: {error}")
                continue
            share_s = (time.monotonic() - begun) / len(start)
            for run, head, one in zip(start, heads, measured, strict=True):
                results.append({**head, **_described(one)})
                if one.fresh:
                    progress.finished(share_s, _sentence(run, one))
    finally:
        progress.end()
    return results, errors


def _measure(
    project: Project,
    start: Sequence[Run],
    again: bool,
    needs: Needs,
    progress: PlanProgress,
    recent: Recent,
) -> list[Measured]:
    paths = [_folder(project, run) for run in start]
    busy = any(folders.work_folder(path).exists() for path in paths)
    if not again and not busy and all(map(folders.finished, paths)):
        return [Measured(path, fresh=False) for path in paths]
    invocations = []
    for run in start:
        try:
            invocations.append(prepare(project, run))
        except MissingError:
            needs.check(run.cell)  # why it could not be made says more than that it is missing
            raise
    return run_until_valid(
        invocations, listener=progress.event, lock_wait_s=project.main.lock_wait_s, again=again,
        recent=recent,
    )  # fmt: skip


def _name(start: Sequence[Run]) -> str:
    """The first cell of a start, and how many share it."""
    more = f" and {len(start) - 1} that share its start" if len(start) > 1 else ""
    return f"{start[0].cell.id} i{start[0].invocation:02d}{more}"


def _folder(project: Project, run: Run) -> Path:
    return run.cell.folder(project.raw, run.invocation)


def _described(measured: Measured) -> dict[str, object]:
    return {
        "folder": str(measured.folder),
        "measured": measured.fresh,
        "valid": measured.valid,
        "reasons": list(measured.reasons),
        "outcomes": measured.outcomes,
        "overhead_s": measured.overhead_s,
    }


def _sentence(run: Run, measured: Measured) -> str:
    outcomes = ", ".join(f"{n} {word}" for word, n in (measured.outcomes or {}).items() if n)
    marked = "" if measured.valid else f" (invalid: {', '.join(measured.reasons)})"
    return f"{run.cell.id} i{run.invocation:02d}: {outcomes}{marked}"


def enter_namespace(wanted: Sequence[Run]) -> None:
    """Go on in a private namespace, for hosts of the executor ``namespace`` or for captures.

    Cells that are captured are measured in a network of their own where there can be one; a server
    that somebody else runs could not be reached from there.

    Raises:
        ConfigError: some cells need one, and some cannot be measured in one.
        MissingError: there can be no namespace, and the executor is nothing else.
    """
    executors = {provisioning.executor_of(run.cell) for run in wanted}
    if executors >= {"namespace", "docker"}:
        raise ConfigError(
            "cells of the executors 'namespace' and 'docker' cannot be measured by one command: "
            "the first needs a private namespace, from where daemons and their files are out of "
            "reach; give --executor, or use snakemake, which measures every cell by a command of "
            "its own"
        )
    if "namespace" in executors:
        if why_not := private.enter(mounts=True):
            raise MissingError(f"executor 'namespace' cannot be used: {why_not}")
        return
    captured = [run for run in wanted if run.cell.settings.capture is not None]
    if not captured or any(run.cell.tool.endpoint is not None for run in wanted):
        return
    if why_not := private.enter():
        click.echo(f"captured through a proxy, which sees no packets: {why_not}", err=True)
