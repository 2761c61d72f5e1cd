"""``modelstress run``: measure cells."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path

import click

from modelstress.cli import project_of, study_options
from modelstress.cli.cells import planned
from modelstress.cli.progress import PlanProgress
from modelstress.config.errors import (
    BusyError,
    ConfigError,
    MeasureError,
    MissingError,
    ModelstressError,
)
from modelstress.config.project import Project
from modelstress.design.cells import find_cell
from modelstress.design.plan import Run
from modelstress.hosts import private
from modelstress.measure import folders, place
from modelstress.measure.again import run_until_valid
from modelstress.measure.cell import Measured
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.invocation import prepare
from modelstress.measure.state import read_record, state_of


@click.command()
@click.argument("cell", required=False)
@click.option("--all", "everything", is_flag=True, help="All cells of the study, in plan order.")
@click.option("--invocation", type=click.IntRange(min=0), help="Only this invocation of CELL.")
@study_options
@click.option(
    "--rerun",
    type=click.Choice(["never", "stale", "all"]),
    default="never",
    show_default=True,
    help="Measure finished invocations again; the old samples are set aside.",
)
@click.option("--log", type=click.Path(path_type=Path), help="File for plain progress lines.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def run(
    ctx: click.Context,
    cell: str | None,
    everything: bool,
    invocation: int | None,
    study: str | None,
    profile: str | None,
    rerun: str,
    log: Path | None,
    as_json: bool,
) -> None:
    """Measure CELL (or all cells), unless it is measured already."""
    if everything == (cell is not None):
        raise ConfigError("give either a CELL or --all; 'modelstress cells' lists them")
    project = project_of(ctx)
    known, plan = planned(project, study, profile)
    wanted = plan
    if cell is not None:
        found = find_cell(known, cell)
        wanted = [r for r in plan if r.cell.id == found.id and invocation in (None, r.invocation)]
        if not wanted:
            raise ConfigError(
                f"{found.id} has invocations 0 to {found.invocations - 1} under this profile, "
                f"not {invocation}"
            )
    place.refuse(one.cell for one in wanted)
    _enter_namespace(wanted)
    for left in folders.clear_dead(project.raw):
        click.echo(f"left by a controller that was killed: {left}", err=True)
    with Interrupt() as interrupt:
        results, errors = _measure_all(project, plan, wanted, rerun, log, interrupt)
    if as_json:
        click.echo(json.dumps(results, indent=2))
    if errors:
        raise type(errors[0])(
            f"{len(errors)} of {len(wanted)} invocations could not be measured: {errors[0]}"
        )


def _enter_namespace(wanted: list[Run]) -> None:
    """Go on in a private namespace, for hosts of the executor ``namespace`` or for captures.

    Cells that are captured are measured in a network of their own where there can be one; a server
    that somebody else runs could not be reached from there.

    Raises:
        ConfigError: some cells need one, and some cannot be measured in one.
        MissingError: there can be no namespace, and the executor is nothing else.
    """
    executors = {place.executor_of(one.cell) for one in wanted}
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
    captured = [one for one in wanted if one.cell.settings.capture is not None]
    if not captured or any(one.cell.tool.endpoint is not None for one in wanted):
        return
    if why_not := private.enter():
        click.echo(f"captured through a proxy, which sees no packets: {why_not}", err=True)


def _measure_all(
    project: Project,
    plan: list[Run],
    wanted: list[Run],
    rerun: str,
    log: Path | None,
    interrupt: Interrupt,
) -> tuple[list[dict[str, object]], list[ModelstressError]]:
    """Measure one after the other; what one cannot do does not keep the next from its turn.

    Returns:
        A record for every invocation, and what kept some from being measured.
    """
    finished = [record for r in plan if (record := read_record(_folder(project, r)))]
    again = sum(_again(project, one, rerun) for one in wanted)
    progress = PlanProgress(
        total=len(plan),
        done=len(finished) - again,
        seconds=[float(r["seconds"]) for r in finished if "seconds" in r],
        log=log,
    )
    results: list[dict[str, object]] = []
    errors: list[ModelstressError] = []
    try:
        for one in wanted:
            interrupt.check()
            begun = time.monotonic()
            head: dict[str, object] = {"cell": one.cell.id, "invocation": one.invocation}
            try:
                measured = _measure(project, one, rerun, progress)
            except InterruptedRunError:
                raise
            except (MeasureError, MissingError, BusyError) as error:
                interrupt.check()  # the signal may be what went wrong
                errors.append(error)
                results.append({**head, "error": str(error)})
                progress.finished(time.monotonic() - begun, f"{one.cell.id}: {error}")
                continue
            results.append({**head, **_described(measured)})
            if measured.fresh:
                progress.finished(time.monotonic() - begun, _sentence(one, measured))
    finally:
        progress.end()
    return results, errors


def _measure(project: Project, one: Run, rerun: str, progress: PlanProgress) -> Measured:
    again = _again(project, one, rerun)
    folder = _folder(project, one)
    if not again and folders.finished(folder) and not folders.work_folder(folder).exists():
        return Measured(folder, fresh=False)
    invocation = prepare(project, one)
    measured = run_until_valid(
        invocation, listener=progress.event, lock_wait_s=project.main.lock_wait_s, again=again
    )
    if not one.cell.settings.repeat_unsettled or _settled(folder):
        return measured
    return run_until_valid(
        dataclasses.replace(invocation, warmup_factor=2),
        listener=progress.event,
        lock_wait_s=project.main.lock_wait_s,
        again=True,
    )


def _again(project: Project, one: Run, rerun: str) -> bool:
    """Whether a finished invocation is to be measured once more."""
    if rerun == "never" or not folders.finished(_folder(project, one)):
        return False
    return rerun == "all" or state_of(project, one) == "stale"


def _settled(folder: Path) -> bool:
    """Whether there is no reason to repeat; imported late, it needs the statistics' libraries."""
    from modelstress.analysis import settled

    return settled(folder) is not False


def _folder(project: Project, one: Run) -> Path:
    return one.cell.folder(project.raw, one.invocation)


def _described(measured: Measured) -> dict[str, object]:
    return {
        "folder": str(measured.folder),
        "measured": measured.fresh,
        "valid": measured.valid,
        "reasons": list(measured.reasons),
        "outcomes": measured.outcomes,
        "overhead_s": measured.overhead_s,
    }


def _sentence(one: Run, measured: Measured) -> str:
    outcomes = ", ".join(f"{n} {word}" for word, n in (measured.outcomes or {}).items() if n)
    marked = "" if measured.valid else f" (invalid: {', '.join(measured.reasons)})"
    return f"{one.cell.id} i{one.invocation:02d}: {outcomes}{marked}"


COMMANDS = (run,)
