"""``modelstress verify-claims``: do the claims of a dataset hold on this machine?"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelstress.cli.compare import dataset
from modelstress.cli.measuring import finished, made_ready, measure_all
from modelstress.cli.options import project_of
from modelstress.cli.progress import human
from modelstress.cli.until import Duration
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.estimate import Medians, estimate
from modelstress.design.plan import Run, compared_alike, plan_of, starts
from modelstress.design.plan_file import current_plan
from modelstress.design.sharing import sharing
from modelstress.measure.interrupt import Interrupt
from modelstress.samples.archive import KEY, read_package

if TYPE_CHECKING:  # late: pandas takes its time
    import pandas as pd

    from modelstress.analysis.derived import Derived
    from modelstress.analysis.verdicts import Chosen

PROFILE = "verify-claims"
"""Profile that the samples are of; it has no file: settings are those of the claims' own."""
Key = tuple[str, str]


@click.command("verify-claims")
@click.argument("archive", required=False, type=click.Path(path_type=Path))
@click.option("--study", help="Where the dataset has several.")
@click.option("--profile", help="Where the dataset has several.")
@click.option(
    "--budget", type=Duration(), default="20min", show_default=True, help="Time for measuring."
)
@click.option("--claim", "only", multiple=True, metavar="ID", help="Only this one; several times.")
@click.option("--dry-run", is_flag=True, help="Say which claims would be measured again.")
@click.option("--log", type=click.Path(path_type=Path), help="File for plain progress lines.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_claims(
    ctx: click.Context,
    archive: Path | None,
    study: str | None,
    profile: str | None,
    budget: float,
    only: tuple[str, ...],
    dry_run: bool,
    log: Path | None,
    as_json: bool,
) -> None:
    """Measure what decides most claims of ARCHIVE (by default that of config.yaml) again, here.

    Prints for each whether it is reproduced, contradicted or still undecided. What was measured
    stays; the same command goes on with it.
    """
    from modelstress.analysis.verdicts import RULE, choose, judged

    project = project_of(ctx)
    claimed = claimed_by(archive or project.root / project.main.archive, study, profile)
    cells, typical = cells_here(project, claimed)
    chosen, there = choose(claimed, typical.get, budget, only)
    click.echo(f"{len(chosen)} of {there} claims are measured again: {RULE}", err=as_json)
    if not chosen:
        raise ConfigError(
            "no claim of the dataset can be measured again: none is decided, none of its cells is "
            "in this project, the budget is too small, or no claim has the id of --claim; give a "
            "larger --budget, or an id that 'modelstress artifact' prints"
        )
    starts = _starts(project, chosen, cells)
    if not dry_run:
        _measure(project, starts, budget, log)
    again = _measured(project, claimed.study)
    table = judged(chosen, again) if again is not None else None
    if as_json:
        click.echo("[]" if table is None else table.to_json(orient="records", indent=2))
        return
    if table is None:
        for claim in chosen:
            click.echo(_said(claim.row))
        return
    click.echo(_report(table, typical))


def claimed_by(path: Path, study: str | None, profile: str | None) -> Derived:
    """The dataset of a folder or an archive, which knows its study and profile."""
    if path.is_file():
        about = read_package(path)[KEY]
        study, profile = study or about["study"], profile or about["profile"]
    return dataset(path, study, profile)


def cells_here(project: Project, claimed: Derived) -> tuple[dict[Key, Cell], dict[Key, float]]:
    """The claims' cells as this project has them, and what one start of each takes (s)."""
    plan = current_plan(project, claimed.study, claimed.profile)
    known = claimed.cells.set_index(["tool", "cell"])["median_ms"].dropna()
    medians = Medians()
    cells = {(cell.tool.tool, cell.id): cell for cell in plan.cells}
    for key, cell in cells.items():
        if key in known.index and cell.threads == 1:
            medians.add(cell, float(known[key]) / 1000)
    typical = {
        key: estimate([Run(cell, 0, 0, 0)], medians).hours * 3600
        for key, cell in cells.items()
        if key in known.index
    }
    return cells, typical


def _starts(project: Project, chosen: Sequence[Chosen], cells: dict[Key, Cell]) -> list[list[Run]]:
    """The starts of all cells of the chosen claims, by number: those that are compared together."""
    counts: dict[Key, int] = {}
    for claim in chosen:
        for side in claim.sides:
            counts[side] = max(claim.starts, counts.get(side, 0))
    made = [
        replace(cells[key], profile=PROFILE, invocations=count) for key, count in counts.items()
    ]
    study = project.study(made[0].study)
    runs = plan_of(made, project.main.seed, compared_alike(study, made), sharing(study))
    return starts(runs)


def _measure(
    project: Project, starts: Sequence[Sequence[Run]], budget_s: float, log: Path | None
) -> None:
    runs = [run for start in starts for run in start]
    until_s = time.monotonic() + budget_s
    needs = made_ready(project, runs)
    with Interrupt() as interrupt:
        again, _ = finished(project, starts, (), "never")
        measure_all(project, starts, again, needs, log, interrupt, until_s=until_s)


def _measured(project: Project, study: str) -> Derived | None:
    """What was measured of claims so far; None: nothing."""
    from modelstress import analysis

    if not any((project.raw / study / PROFILE).glob("*/*/i*/cell.json")):
        return None
    processors = len(os.sched_getaffinity(0))
    return analysis.derive(project.root / "data", study, PROFILE, workers=processors)


def _report(table: pd.DataFrame, typical: dict[Key, float]) -> str:
    lines = [f"{row['verdict']:>12}  {_said(row)}; here {_now(row)}" for row in _rows(table)]
    counts = {word: int((table["verdict"] == word).sum()) for word in
              ("reproduced", "contradicted", "undecided")}  # fmt: skip
    lines.append(", ".join(f"{count} {word}" for word, count in counts.items()))
    seconds = sum(
        (row["missing_starts"] or 0) * (typical.get((row["tool"], row["cell"])) or 0.0)
        for row in _rows(table)
        if row["verdict"] == "undecided" and row["missing_starts"] == row["missing_starts"]
    )
    if seconds:
        lines.append(f"the undecided need about {human(2 * seconds)} more")
    return "\n".join(lines)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [dict(row) for row in json.loads(table.to_json(orient="records"))]


def _said(row: Any) -> str:
    prefix = "claimed_" if "claimed" in row else ""
    status = row["claimed"] if prefix else row["status"]
    low, high = row[f"{prefix}ratio_low"], row[f"{prefix}ratio_high"]
    return (
        f"{row['comparison']}, {row['cell']}: {status}, "
        f"{row[f'{prefix}ratio']:.3g} ({low:.3g} to {high:.3g})"
    )


def _now(row: Any) -> str:
    if not row["blocks"]:
        return "not measured"
    if row["ratio_low"] is None:
        return f"{row['ratio']:.3g} over {row['blocks']} starts, too few"
    ends = f"{row['ratio_low']:.3g} to {row['ratio_high']:.3g}"
    return f"{row['ratio']:.3g} ({ends}) over {row['blocks']} starts"


COMMANDS = (verify_claims,)
