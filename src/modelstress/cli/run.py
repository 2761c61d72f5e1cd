"""``modelstress run``: measure cells."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from itertools import groupby
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
from modelstress.design.lookup import start_mates
from modelstress.design.plan import Run, plan_of, start_of
from modelstress.design.sharing import sharing
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
        starts = _batch(planned(project, study, profile)[1], positions)
        asked = wanted = [run for start in starts for run in start]
    else:
        one = named(project, study, profile, cell)
        starts = _starts_of(project, one, invocation)
        wanted = [run for start in starts for run in start]
        asked = [run for run in wanted if run.cell.id == one.id]
    provisioning.refuse(run.cell for run in wanted)
    again, stale = _finished(project, starts, asked, rerun)
    needs = Needs(project, lambda message: click.echo(message, err=True))
    # a job of the workflow finds what other jobs have made
    anew = invocation is None and positions is None
    needs.provide((run for run in wanted if again.get(run.start, True)), anew=anew)
    _enter_namespace(wanted)
    for left in folders.clear_dead(project.raw):
        click.echo(f"left by a controller that was killed: {left}", err=True)
    with Interrupt() as interrupt:
        results, errors = _measure_all(project, starts, again, needs, log, interrupt)
    if as_json:
        click.echo(json.dumps(results, indent=2))
    else:
        _say_measured(results, asked)
    if stale:
        click.echo(_left_alone(stale, asked, everything=cell is None), err=True)
    if errors:
        raise _failure(errors, results, starts)


def _batch(runs: list[Run], positions: str | None) -> list[list[Run]]:
    """The starts that begin at some positions of the plan, by default all.

    Raises:
        ConfigError: these are no positions of the plan.
    """
    begin, end = 0, len(runs) - 1
    if positions is not None:
        first, dash, last = positions.partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            raise ConfigError(f"--positions is {positions[:40]!r}; give two numbers, such as 0-99")
        begin, end = int(first[:9]), int((last or first)[:9])
        if not begin <= end < len(runs):
            raise ConfigError(
                f"--positions is {positions!r}; the plan has 0 to {len(runs) - 1}, the lower one "
                "first"
            )
    starts = [list(start) for _, start in groupby(runs, key=lambda run: run.start)]
    return [start for start in starts if begin <= start[0].position <= end]


def _starts_of(project: Project, cell: Cell, number: int | None) -> list[list[Run]]:
    """The starts in which a cell is measured; the seeds are those of the whole plan.

    Raises:
        ConfigError: the cell has no such invocation.
    """
    study, profile = project.study(cell.study), project.profile(cell.profile)
    mates = start_mates(project, study, profile, cell)
    runs = plan_of(mates, project.main.seed, sharing=sharing(study))
    own = [run for run in runs if run.cell.id == cell.id]
    wanted = [run for run in own if number in (None, run.invocation)]
    if not wanted:
        raise ConfigError(
            f"{cell.id} has invocations 0 to {cell.invocations - 1} under this profile, "
            f"not {number}"
        )
    return [start_of(run, runs) for run in wanted]


def _finished(
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


def _say_measured(results: Sequence[Mapping[str, object]], asked: Sequence[Run]) -> None:
    """Say what there was nothing to do for, of what was asked for."""
    ids = {run.cell.id for run in asked}
    kept = [one for one in results if one.get("measured") is False and one["cell"] in ids]
    if not kept:
        return
    if len(asked) == 1:
        click.echo(f"{kept[0]['cell']} is measured already: {kept[0]['folder']}")
    else:
        click.echo(f"{len(kept)} of {len(asked)} invocations were measured already")


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


def _failure(
    errors: Sequence[ModelstressError],
    results: Sequence[Mapping[str, object]],
    starts: Sequence[Sequence[Run]],
) -> ModelstressError:
    """The one sentence at the end; what was said of several is not said again."""
    if len(starts) == 1:
        return errors[0]
    failed = sum("error" in result for result in results)
    return type(errors[0])(
        f"{failed} of {len(results)} invocations could not be measured; the reasons are above"
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
    starts: Sequence[Sequence[Run]],
    again: Mapping[int, bool],
    needs: Needs,
    log: Path | None,
    interrupt: Interrupt,
) -> tuple[list[dict[str, object]], list[ModelstressError]]:
    """Measure one after the other; what one cannot do does not keep the next from its turn.

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
    try:
        for start in starts:
            interrupt.check()
            begun = time.monotonic()
            heads: list[dict[str, object]] = [
                {"cell": run.cell.id, "invocation": run.invocation} for run in start
            ]
            again_now = again.get(start[0].start, False)
            try:
                measured = _measure(project, start, again_now, needs, progress)
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
    project: Project, start: Sequence[Run], again: bool, needs: Needs, progress: PlanProgress
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
        invocations, listener=progress.event, lock_wait_s=project.main.lock_wait_s, again=again
    )


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


COMMANDS = (run,)
