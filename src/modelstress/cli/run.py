"""``modelstress run``: measure cells."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from modelstress.cli import complete
from modelstress.cli.cells import named, planned
from modelstress.cli.options import project_of, study_options
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
from modelstress.design.cell import Cell
from modelstress.design.plan import Run, plan_of
from modelstress.hosts import private
from modelstress.measure import folders, provisioning
from modelstress.measure.again import run_until_valid
from modelstress.measure.cell import Measured
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.invocation import prepare
from modelstress.measure.status import read_record, state_of


@click.command()
@click.argument("cell", required=False, shell_complete=complete.cells)
@click.option("--all", "everything", is_flag=True, help="All cells of the study, in plan order.")
@click.option("--invocation", type=click.IntRange(min=0), help="Only this invocation of CELL.")
@click.option("--positions", help="A batch of the plan, such as 0-99: 'modelstress cells --plan'.")
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
    positions: str | None,
    study: str | None,
    profile: str | None,
    rerun: str,
    log: Path | None,
    as_json: bool,
) -> None:
    """Measure CELL (or all cells, or a batch), unless it is measured already.

    CELL is an id as 'modelstress cells' lists them, or its beginning or its end, such as the eight
    digits after the last '_'. What it needs is made first: the model, the expected results and the
    store. A cell whose tool, model, query or settings have changed since is left as it is unless
    --rerun stale is given.
    """
    if everything + (cell is not None) + (positions is not None) != 1:
        raise ConfigError("give a CELL, --all or --positions; 'modelstress cells' lists them")
    project = project_of(ctx)
    if cell is None:
        wanted = _batch(planned(project, study, profile)[1], positions)
    else:
        wanted = _invocations(project, named(project, study, profile, cell), invocation)
    provisioning.refuse(run.cell for run in wanted)
    again, stale = _finished(project, wanted, rerun)
    needs = Needs(project, lambda message: click.echo(message, err=True))
    # a job of the workflow finds what other jobs have made
    anew = invocation is None and positions is None
    needs.provide((run for run in wanted if again.get(_key(run), True)), anew=anew)
    _enter_namespace(wanted)
    for left in folders.clear_dead(project.raw):
        click.echo(f"left by a controller that was killed: {left}", err=True)
    with Interrupt() as interrupt:
        results, errors = _measure_all(project, wanted, again, needs, log, interrupt)
    if as_json:
        click.echo(json.dumps(results, indent=2))
    else:
        _say_measured(results, wanted)
    if stale:
        click.echo(_left_alone(stale, wanted, everything=cell is None), err=True)
    if errors:
        raise _failure(errors, wanted)


def _batch(runs: list[Run], positions: str | None) -> list[Run]:
    """The invocations at some positions of the plan, by default all.

    Raises:
        ConfigError: these are no positions of the plan.
    """
    if positions is None:
        return runs
    first, dash, last = positions.partition("-")
    if not (first.isdecimal() and (last.isdecimal() or not dash)):
        raise ConfigError(f"--positions is {positions[:40]!r}; give two numbers, such as 0-99")
    begin, end = int(first[:9]), int((last or first)[:9])
    if not begin <= end < len(runs):
        raise ConfigError(
            f"--positions is {positions!r}; the plan has 0 to {len(runs) - 1}, the lower one first"
        )
    return runs[begin : end + 1]


def _invocations(project: Project, cell: Cell, number: int | None) -> list[Run]:
    """The runs of one cell; their seeds are those that they have in the whole plan.

    Raises:
        ConfigError: the cell has no such invocation.
    """
    wanted = [r for r in plan_of([cell], project.main.seed) if number in (None, r.invocation)]
    if not wanted:
        raise ConfigError(
            f"{cell.id} has invocations 0 to {cell.invocations - 1} under this profile, "
            f"not {number}"
        )
    return wanted


def _key(run: Run) -> tuple[str, int]:
    return run.cell.id, run.invocation


def _finished(
    project: Project, wanted: Sequence[Run], rerun: str
) -> tuple[dict[tuple[str, int], bool], list[Run]]:
    """For what is finished, whether it is measured again; and what is stale and is not."""
    again: dict[tuple[str, int], bool] = {}
    stale = []
    for run in wanted:
        if folders.finished(_folder(project, run)):
            old = rerun != "all" and state_of(project, run) == "stale"
            again[_key(run)] = rerun == "all" or (rerun == "stale" and old)
            if old and rerun == "never":
                stale.append(run)
    return again, stale


def _say_measured(results: Sequence[Mapping[str, object]], wanted: Sequence[Run]) -> None:
    """Say what there was nothing to do for."""
    kept = [result for result in results if result.get("measured") is False]
    if not kept:
        return
    if len(wanted) == 1:
        click.echo(f"{kept[0]['cell']} is measured already: {kept[0]['folder']}")
    else:
        click.echo(f"{len(kept)} of {len(wanted)} invocations were measured already")


def _left_alone(stale: Sequence[Run], wanted: Sequence[Run], everything: bool) -> str:
    """What is said of stale invocations that nobody asked to measure again."""
    cell = stale[0].cell
    which = "--all" if everything else cell.id
    count = f"{len(stale)} of {len(wanted)} invocations {'is' if len(stale) == 1 else 'are'} stale"
    return (
        f"{count} (tool, model, query or settings have changed since) and left as measured; "
        "measure again with "
        f"'modelstress run {which} --study {cell.study} --profile {cell.profile} --rerun stale'"
    )


def _failure(errors: Sequence[ModelstressError], wanted: Sequence[Run]) -> ModelstressError:
    """The one sentence at the end; what was said of several is not said again."""
    if len(wanted) == 1:
        return errors[0]
    return type(errors[0])(
        f"{len(errors)} of {len(wanted)} invocations could not be measured; the reasons are above"
    )


def _enter_namespace(wanted: list[Run]) -> None:
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


def _measure_all(
    project: Project,
    wanted: Sequence[Run],
    again: Mapping[tuple[str, int], bool],
    needs: Needs,
    log: Path | None,
    interrupt: Interrupt,
) -> tuple[list[dict[str, object]], list[ModelstressError]]:
    """Measure one after the other; what one cannot do does not keep the next from its turn.

    Returns:
        A record for every invocation, and what kept some from being measured.
    """
    kept = [run for run in wanted if not again.get(_key(run), True)]
    # of one cell there is nothing to estimate; of many, the records are read once
    records = [read_record(_folder(project, run)) for run in kept] if len(wanted) > 1 else []
    progress = PlanProgress(
        total=len(wanted),
        done=len(kept),
        seconds=[float(r["seconds"]) for r in records if "seconds" in r],
        log=log,
    )
    results: list[dict[str, object]] = []
    errors: list[ModelstressError] = []
    try:
        for run in wanted:
            interrupt.check()
            begun = time.monotonic()
            head: dict[str, object] = {"cell": run.cell.id, "invocation": run.invocation}
            try:
                measured = _measure(project, run, again.get(_key(run), False), needs, progress)
            except InterruptedRunError:
                raise
            except (MeasureError, MissingError, BusyError) as error:
                interrupt.check()  # the signal may be what went wrong
                errors.append(error)
                results.append({**head, "error": str(error)})
                if len(wanted) > 1:
                    progress.failed(f"{run.cell.id} i{run.invocation:02d}: {error}")
                continue
            results.append({**head, **_described(measured)})
            if measured.fresh:
                progress.finished(time.monotonic() - begun, _sentence(run, measured))
    finally:
        progress.end()
    return results, errors


def _measure(
    project: Project, run: Run, again: bool, needs: Needs, progress: PlanProgress
) -> Measured:
    folder = _folder(project, run)
    if not again and folders.finished(folder) and not folders.work_folder(folder).exists():
        return Measured(folder, fresh=False)
    try:
        invocation = prepare(project, run)
    except MissingError:
        needs.check(run.cell)  # why it could not be made says more than that it is missing
        raise
    return run_until_valid(
        invocation, listener=progress.event, lock_wait_s=project.main.lock_wait_s, again=again
    )


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


COMMANDS = (run,)
