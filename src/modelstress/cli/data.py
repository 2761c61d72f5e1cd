"""``modelstress load``, ``verify``, ``derive``, ``report`` and ``schemas``."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from modelstress.cli import complete
from modelstress.cli.cells import named
from modelstress.cli.options import F, chosen, project_of, project_of_data, study_options
from modelstress.cli.progress import Counter
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.kinds import kind_named


@click.command()
@click.argument("cell", shell_complete=complete.cells)
@study_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def load(
    ctx: click.Context, cell: str, study: str | None, profile: str | None, as_json: bool
) -> None:
    """Populate the store that CELL needs, unless it is there with the same contents."""
    project = project_of(ctx)
    load_cell(project, named(project, study, profile, cell), as_json)


def load_cell(project: Project, cell: Cell, as_json: bool) -> None:
    """Populate the store that a cell needs, and say so.

    Raises:
        ModelstressError: it cannot be loaded.
    """
    kind, tool = kind_named(cell.workload), cell.tool.tool
    store = kind.store(project, cell)
    if store is None:
        whose = "is somebody else's" if cell.tool.endpoint else "starts empty"
        click.echo(f"{tool}: its server {whose}; nothing to load")
        return
    with Counter(f"load {store.name} into {tool}", "elements") as counter:
        fresh = kind.load(project, cell, counter.at)
    say_loaded(store, fresh, as_json)


def say_loaded(folder: Path, fresh: bool, as_json: bool) -> None:
    """Say what is in a store, and whether it had to be loaded."""
    from modelstress.measure.stores import read_marker

    marker = read_marker(folder)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "loaded": fresh, **marker}, indent=2))
    elif fresh:
        click.echo(
            f"{folder}: {marker['elements']} elements, {marker['bytes'] / 1e6:.1f} MB, "
            f"{marker['seconds']:.1f} s, {marker['cpu_seconds']:.1f} s of CPU time"
        )
    else:
        click.echo(f"{folder}: is loaded already")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Check all samples below FOLDER again: complete, readable, each digest as the oracle's."""
    from modelstress.measure.verify_dataset import recheck

    checks = recheck(_project_beside(ctx, folder), folder)
    if as_json:
        click.echo(json.dumps([check.as_dict() for check in checks], indent=2))
    else:
        for check in checks:
            counts = ", ".join(f"{count} {outcome}" for outcome, count in check.outcomes.items())
            notes = ["" if check.sealed else "unsealed", "attempt" if check.attempt else ""]
            notes += [f"invalid: {', '.join(check.invalid)}"] if check.invalid else []
            noted = "".join(f" ({note})" for note in notes if note)
            click.echo(f"{check.folder}: {counts or 'no executions'}{noted}")
            for problem in check.problems:
                click.echo(f"  problem: {problem}")
        bad = sum(bool(check.problems) for check in checks)
        unsealed = sum(not check.sealed and not check.problems for check in checks)
        click.echo(
            f"{len(checks)} invocations checked, {bad} with problems"
            + (f", {unsealed} unsealed (of an older version, without hashes)" * bool(unsealed))
        )
    if not checks:
        raise ConfigError(f"{folder}: no samples below; give a folder of data/raw")
    sys.exit(1 if any(check.problems for check in checks) else 0)


def _project_beside(ctx: click.Context, folder: Path) -> Project:
    """The project that the command works on; outside of any, that of the samples."""
    try:
        return project_of(ctx)
    except ConfigError:
        with suppress(ConfigError):
            return Project.find(folder)
        return project_of_data(ctx)


def _data_option(command: F) -> F:
    return click.option(
        "--data-dir",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Folder with raw data, such as an archive's; by default that of the project.",
    )(command)


@click.command()
@study_options
@_data_option
@click.pass_context
def derive(
    ctx: click.Context, study: str | None, profile: str | None, data_dir: Path | None
) -> None:
    """Write the derived tables of a study."""
    from modelstress import analysis

    project = project_of(ctx) if data_dir is None else Project.find(data_dir)
    name, used = chosen(project, study, profile)
    data = (data_dir or project.root / "data").resolve()
    plan = analysis.planned_beside(data, name, used)
    processors = len(os.sched_getaffinity(0))
    derived = analysis.derive(data, name, used, plan, workers=processors)
    for sentence in analysis.damaged(derived):
        click.echo(f"damaged, kept out of every table's numbers: {sentence}", err=True)
    captures = analysis.captured(data, name, used)
    click.echo(analysis.write(derived, data, analysis.anatomy(data, derived) if captures else None))


@click.command()
@click.option("--study", "studies", multiple=True, help="Studies; by default all of config.yaml.")
@click.option("--profile", help="Profile; by default that of config/config.yaml.")
@_data_option
@click.pass_context
def report(
    ctx: click.Context, studies: tuple[str, ...], profile: str | None, data_dir: Path | None
) -> None:
    """Write all tables and figures, and results/report.html with them, from derived tables."""
    from modelstress.analysis import behind
    from modelstress.report import build

    project = project_of(ctx)
    first, used = chosen(project, None, profile)
    main = project.main.studies
    names = list(studies or (main if first in main else [first]))
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    data = data_dir.resolve() if data_dir else None
    path = build(project, names, used, data, processes=cpus)
    for name in names:
        if behind(data or project.root / "data", name, used):
            click.echo(
                f"the derived tables of study {name!r}, profile {used!r} are older than its "
                "samples, of which this report is made; write them again with 'modelstress derive "
                f"--study {name} --profile {used}'",
                err=True,
            )
    click.echo(path)


@click.command()
@click.pass_context
def schemas(ctx: click.Context) -> None:
    """Write the JSON Schemas of all configuration files."""
    from modelstress.config.schemas import write_schemas

    folder = project_of(ctx).root / "workflow" / "schemas"
    write_schemas(folder)
    click.echo(folder)


COMMANDS = (load, verify, derive, report, schemas)
