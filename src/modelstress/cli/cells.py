"""``modelstress cells``: what a study will measure, and what that will cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

import click

from modelstress.cli.options import project_of, study_options
from modelstress.cli.progress import human, size
from modelstress.cli.until import still_missing
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.design.cell import Cell
from modelstress.design.cells import candidates_of, cells_of, verified_of
from modelstress.design.estimate import Estimate, estimate
from modelstress.design.lookup import cell_named, find_cell
from modelstress.design.plan import Run
from modelstress.design.plan_file import Plan, current_plan, make_plan, write_plan
from modelstress.design.space_size import size as size_of
from modelstress.design.verified import aliases
from modelstress.measure.status import measured_medians, state_of

NOT_MEASURED = ("missing", "aborted")
MOST_ALIASES = 8
"""Of one effect, that are printed; ``--json`` has all."""


def planned(
    project: Project, study: str | None, profile: str | None
) -> tuple[list[Cell], list[Run]]:
    """Cells and plan of a study under a profile, or of the defaults."""
    plan = plan_for(project, study, profile)
    return list(plan.cells), list(plan.runs)


def plan_for(project: Project, study: str | None, profile: str | None) -> Plan:
    """The plan of a study under a profile, or of the defaults."""
    main = project.main
    return current_plan(project, study or main.studies[0], profile or main.profile)


def named(project: Project, study: str | None, profile: str | None, name: str) -> Cell:
    """The cell with this id, or whose id begins or ends so; the whole plan is made only then.

    Raises:
        ConfigError: no cell of the study under the profile, or more than one; names the profiles
            that have it.
    """
    main = project.main
    definition = project.study(study or main.studies[0])
    chosen = project.profile(profile or main.profile, definition.study)
    cell = cell_named(project, definition, chosen, name)
    if cell is not None:
        return cell
    cells = cells_of(project, definition, chosen)
    try:
        return find_cell(cells, name)
    except ConfigError:
        elsewhere = [] if _has(cells, name) else _profiles_with(project, definition, name)
        if not elsewhere:
            raise
        raise ConfigError(
            f"cell {name!r} is not in profile '{chosen.profile}'; it is in "
            f"{', '.join(elsewhere[:4])}: give --profile {elsewhere[0]}"
        ) from None


def _has(cells: Sequence[Cell], name: str) -> bool:
    return any(cell.id.startswith(name) or cell.id.endswith(name) for cell in cells)


def _profiles_with(project: Project, study: Study, name: str) -> list[str]:
    """Names of the profiles under which a study has such a cell."""
    folder, found = project.root / "config" / "profiles", []
    files = [*folder.glob("*.yaml"), *(folder / study.study).glob("*.yaml")]
    for profile in sorted({file.stem for file in files}):
        with suppress(ConfigError):  # it is said where that profile is asked for
            if _has(cells_of(project, study, project.profile(profile, study.study)), name):
                found.append(profile)
    return found


@click.command()
@study_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def plan(ctx: click.Context, study: str | None, profile: str | None, as_json: bool) -> None:
    """Write the plan of a study: every invocation with its cell, seed and place.

    Snakemake writes it by itself; 'run', 'derive' and 'report' read it while the configuration
    that it was made of has not changed.
    """
    project = project_of(ctx)
    made = make_plan(project, study or project.main.studies[0], profile or project.main.profile)
    path = write_plan(project, made)
    starts = len({run.start for run in made.runs})
    if as_json:
        about = {"study": made.study, "profile": made.profile, "path": str(path)}
        click.echo(json.dumps({**about, "cells": len(made.cells), "invocations": len(made.runs)}))
        return
    click.echo(f"{path}: {len(made.cells)} cells, {len(made.runs)} invocations in {starts} starts")


@click.command()
@study_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plan", "as_plan", is_flag=True, help="List invocations in the order of the plan.")
@click.option(
    "--count", "as_count", is_flag=True,
    help="Only count the combinations that the design chooses from, without making them.",
)  # fmt: skip
@click.option(
    "--aliases", "with_aliases", is_flag=True,
    help="Print D-efficiency, and which interactions move the estimate of which effect.",
)  # fmt: skip
@click.pass_context
def cells(
    ctx: click.Context,
    study: str | None,
    profile: str | None,
    as_json: bool,
    as_plan: bool,
    as_count: bool,
    with_aliases: bool,
) -> None:
    """List the cells of a study with their state, and estimate hours and gigabytes."""
    project = project_of(ctx)
    if as_count:
        definition = project.study(study or project.main.studies[0])
        chosen = project.profile(profile or project.main.profile, definition.study)
        click.echo(f"{size_of(candidates_of(project, definition, chosen)):,} combinations")
        return
    made = plan_for(project, study, profile)
    runs = list(made.runs)
    medians = measured_medians(project, runs)
    cost = estimate(runs, medians)
    states = {(run.cell.id, run.invocation): state_of(project, run) for run in runs}
    rows = [
        {
            "position": run.position,
            "cell": run.cell.id,
            "invocation": run.invocation,
            "state": states[run.cell.id, run.invocation],
            "levels": dict(run.cell.levels),
            "executions": None if run.cell.settings.window else run.cell.settings.executions,
        }
        for run in runs
    ]
    first = runs[0].cell
    definition, chosen = project.study(first.study), project.profile(first.profile, first.study)
    once = {run.cell.id: run.cell for run in runs}
    found = verified_of(project, definition, chosen, once.values(), judge=with_aliases)
    if as_json:
        head = {"study": first.study, "profile": first.profile, "design": found.as_json()}
        click.echo(json.dumps({**head, "estimate": cost.__dict__, "runs": rows}, indent=2))
        return
    shown = rows if as_plan else [row for row in rows if row["invocation"] == 0]
    for row in shown:
        number = f"i{row['invocation']:02d} " if as_plan else ""
        click.echo(f"{number}{row['cell']}  {row['state']}")
    left = [run for run in runs if states[run.cell.id, run.invocation] in NOT_MEASURED]
    click.echo(f"{len(once)} cells, {_cost(cost, estimate(left, medians))}")
    for sentence in found.sentences:
        click.echo(sentence)
    if with_aliases and found.quality is not None:
        for term, others in aliases(found.quality):
            largest = ", ".join(f"{share:+.2f} {other}" for other, share in others[:MOST_ALIASES])
            more = f" and {len(others) - MOST_ALIASES} more" if len(others) > MOST_ALIASES else ""
            click.echo(f"  {term}: {largest}{more}")
    if sentence := still_missing(project, made):
        click.echo(sentence)
    if beside := project.anatomy_of(runs[0].cell.profile, runs[0].cell.study):
        _, captured = planned(project, study, beside.profile)
        medians = measured_medians(project, captured)
        left = [run for run in captured if state_of(project, run) in NOT_MEASURED]
        words = _cost(estimate(captured, medians), estimate(left, medians))
        click.echo(f"beside them profile '{beside.profile}', captured: {words}")


def _cost(cost: Estimate, left: Estimate) -> str:
    """An estimate in words, and that of what is not measured yet."""
    takes = f", which takes about {human(left.hours * 3600)}" if left.runs else ""
    sentence = (
        f"{cost.runs} invocations ({left.runs} not measured yet{takes}); about "
        f"{human(cost.hours * 3600)} and {size(cost.gigabytes * 1e9)} in all"
    )
    if cost.guessed:
        sentence += (
            f"; {cost.guessed} invocations were never measured here, taken as 1 s an execution, as "
            "the least that their windows last, or as their deadline, cell_timeout_s"
        )
    return sentence


COMMANDS = (plan, cells)
