"""``modelstress cells``: what a study will measure, and what that will cost."""

from __future__ import annotations

import json

import click

from modelstress.cli import project_of, study_options
from modelstress.config.project import Project
from modelstress.design.cells import Cell, cells_of
from modelstress.design.estimate import Estimate, estimate
from modelstress.design.plan import Run, plan_of
from modelstress.measure.state import measured_medians, state_of


def planned(
    project: Project, study: str | None, profile: str | None
) -> tuple[list[Cell], list[Run]]:
    """Cells and plan of a study under a profile, or of the defaults."""
    main = project.main
    cells = cells_of(
        project, project.study(study or main.studies[0]), project.profile(profile or main.profile)
    )
    return cells, plan_of(cells, main.seed)


@click.command()
@study_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plan", "as_plan", is_flag=True, help="List invocations in the order of the plan.")
@click.pass_context
def cells(
    ctx: click.Context, study: str | None, profile: str | None, as_json: bool, as_plan: bool
) -> None:
    """List the cells of a study with their state, and estimate hours and gigabytes."""
    project = project_of(ctx)
    _, plan = planned(project, study, profile)
    cost = estimate(plan, measured_medians(project, plan))
    states = {(run.cell.id, run.invocation): state_of(project, run) for run in plan}
    rows = [
        {
            "position": run.position,
            "cell": run.cell.id,
            "invocation": run.invocation,
            "state": states[run.cell.id, run.invocation],
            "levels": dict(run.cell.levels),
            "executions": run.cell.settings.executions,
        }
        for run in plan
    ]
    if as_json:
        head = {"study": plan[0].cell.study, "profile": plan[0].cell.profile}
        click.echo(json.dumps({**head, "estimate": cost.__dict__, "runs": rows}, indent=2))
        return
    shown = rows if as_plan else [row for row in rows if row["invocation"] == 0]
    for row in shown:
        number = f"i{row['invocation']:02d} " if as_plan else ""
        click.echo(f"{number}{row['cell']}  {row['state']}")
    left = sum(state == "missing" for state in states.values())
    count = len({run.cell.id for run in plan})
    click.echo(f"{count} cells, {_cost(cost, left)}")
    if beside := project.anatomy_of(plan[0].cell.profile):
        _, captured = planned(project, study, beside.profile)
        missing = sum(state_of(project, run) == "missing" for run in captured)
        cost = estimate(captured, measured_medians(project, captured))
        click.echo(f"beside them profile '{beside.profile}', captured: {_cost(cost, missing)}")


def _cost(cost: Estimate, left: int) -> str:
    """An estimate in words; `left` invocations have not been measured yet."""
    said = (
        f"{cost.runs} invocations ({left} not measured yet); about {cost.hours:.2g} h and "
        f"{cost.gigabytes:.2g} GB in all"
    )
    if cost.guessed:
        said += f"; {cost.guessed} invocations run queries never measured here, taken as 1 s each"
    return said


COMMANDS = (cells,)
