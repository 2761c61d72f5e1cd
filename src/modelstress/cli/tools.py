"""``modelstress doctor``, ``new`` and ``conformance``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from modelstress.cli.options import project_of
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.project import Project


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Show what this machine has, and what each missing thing costs."""
    from modelstress.measure.doctor import examine

    project: Project | None
    try:
        project = project_of(ctx)
    except ConfigError:
        project = None
    findings = examine(project)
    if as_json:
        click.echo(json.dumps([finding.__dict__ for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = "ok     " if finding.present else "MISSING" if finding.needed else "without"
            cost = f": {finding.cost}" if finding.cost else ""
            click.echo(f"{mark}  {finding.name}: {finding.detail}{cost}")
    if any(finding.needed and not finding.present for finding in findings):
        raise MissingError("something that is needed is missing; see above")


@click.group()
def new() -> None:
    """Write skeletons."""


@new.command("tool")
@click.argument("name")
@click.pass_context
def new_tool(ctx: click.Context, name: str) -> None:
    """Write descriptor, driver and server of a new tool NAME; they work as they are."""
    from modelstress.cli.skeleton import write_tool

    project = project_of(ctx)
    for path in write_tool(project, name):
        click.echo(path.relative_to(project.root))
    click.echo(f"next: make build && modelstress conformance {name}")


@click.command()
@click.argument("tool")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def conformance(ctx: click.Context, tool: str, as_json: bool) -> None:
    """Say whether TOOL's programs keep the contracts (docs/contracts.md)."""
    from modelstress.measure.conformance import check_tool

    project = project_of(ctx)
    results = []
    for result in check_tool(project, project.tool(tool)):
        results.append(result)
        if not as_json:
            mark = "pass" if result.passed else "FAIL"
            click.echo(f"{mark}  {result.name}: {result.detail}")
    failed = [result.name for result in results if not result.passed]
    if as_json:
        click.echo(json.dumps([result.__dict__ for result in results], indent=2))
    else:
        click.echo(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


@click.command()
@click.argument("tool")
@click.argument("model")
@click.option("--protocol", help="Of the endpoint; by default the descriptor's first.")
@click.option("--attribute", help="Tells elements apart; by default one that does is found.")
@click.option("--timeout-s", type=click.IntRange(min=1), default=300, show_default=True)
@click.pass_context
def ids(
    ctx: click.Context,
    tool: str,
    model: str,
    protocol: str | None,
    attribute: str | None,
    timeout_s: int,
) -> None:
    """Write the id map of TOOL, a running server that has indexed MODEL.

    MODEL is the name of a study's model, a model file or a ``model.json``. The map is the
    descriptor's ``ids``.
    """
    from modelstress.measure.ids import write_ids

    project = project_of(ctx)
    file = Path(model) if Path(model).is_file() else project.model_file(model)
    click.echo(write_ids(project, project.tool(tool), file, protocol, attribute, timeout_s))


COMMANDS = (doctor, new, conformance, ids)
