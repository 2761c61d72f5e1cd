"""``modelstress run``: measure cells."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from modelstress.cli import complete
from modelstress.cli.cells import named, plan_for, planned
from modelstress.cli.measuring import finished, made_ready, measure_all
from modelstress.cli.options import project_of, study_options
from modelstress.cli.until import Duration, Margin, run_until_decided
from modelstress.config.errors import (
    ConfigError,
    ModelstressError,
)
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.lookup import start_mates
from modelstress.design.plan import Run, plan_of, start_of
from modelstress.design.plan import starts as starts_of_plan
from modelstress.design.sharing import sharing
from modelstress.measure.interrupt import Interrupt


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
@click.option(
    "--until",
    type=click.Choice(["decided"]),
    help="Go on with more starts for comparisons that are undecided, at the profile's looks.",
)
@click.option(
    "--margin", type=Margin(), default="10%", show_default=True,
    help="With --until: ratios nearer to 1 are the same.",
)  # fmt: skip
@click.option("--budget", type=Duration(), help="With --until: begin nothing later, such as 6h.")
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
    until: str | None,
    margin: float,
    budget: float | None,
    log: Path | None,
    as_json: bool,
) -> None:
    """Measure CELL (or all cells, or a batch), unless it is measured already.

    CELL is an id as 'modelstress cells' lists them, or its beginning or its end, such as the eight
    digits after the last '_'. What it needs is made first: the model, the expected results and the
    store. A cell whose tool, model, query or settings have changed since is left as it is unless
    --rerun stale is given.

    With --until decided, all cells are measured, then those of comparisons that are undecided get
    more starts, until each is slower, faster or the same within the margin, or the profile's looks
    or the budget end.
    """
    if until is not None:
        if everything + (cell is not None) + (positions is not None) + (rerun != "never") > 0:
            raise ConfigError("--until measures the whole plan; leave CELL and the others out")
        project = project_of(ctx)
        run_until_decided(project, plan_for(project, study, profile), margin, budget, log)
        return
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
    again, stale = finished(project, starts, asked, rerun)
    # a job of the workflow finds what other jobs have made
    anew = invocation is None and positions is None
    needs = made_ready(project, wanted, lambda run: again.get(run.start, True), anew=anew)
    with Interrupt() as interrupt:
        results, errors = measure_all(project, starts, again, needs, log, interrupt)
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
    return [start for start in starts_of_plan(runs) if begin <= start[0].position <= end]


def _starts_of(project: Project, cell: Cell, number: int | None) -> list[list[Run]]:
    """The starts in which a cell is measured; the seeds are those of the whole plan.

    Raises:
        ConfigError: the cell has no such invocation.
    """
    study, profile = project.study(cell.study), project.profile(cell.profile, cell.study)
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


COMMANDS = (run,)
