"""``modelstress results``: where the answer is, how many cells it rests on, and what it says."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import click

from modelstress.cli import ending
from modelstress.cli.options import chosen, project_of, study_options
from modelstress.config.errors import ModelstressError
from modelstress.config.project import Project
from modelstress.samples.archive import KEY, read_package


@click.command()
@study_options
@click.option(
    "--archive",
    type=click.Path(path_type=Path),
    help="Instead of --study and --profile: the archive that the results were made from.",
)
@click.pass_context
def results(
    ctx: click.Context, study: str | None, profile: str | None, archive: Path | None
) -> None:
    """Say where the tables and the report of a study are, and what its cells are worth."""
    project = project_of(ctx)
    data = project.root / "data"
    if archive is not None:
        about = read_package(project.root / archive)[KEY]
        study, profile = str(about["study"]), str(about["profile"])
        data = data / "archive" / archive.stem / "data"
    name, used = chosen(project, study, profile)
    for kind, path in _places(project, name):
        click.echo(f"{kind:<9} {path.relative_to(project.root)}")
    rows = _rows(data / "derived" / name / used / "cells.csv")
    if not rows:
        click.echo(f"no derived tables of study {name!r}, profile {used!r} yet")
        return
    for remark in (_stale, _invalid):
        if archive is None and (sentence := remark(rows, name, used)):
            click.echo(sentence)
    click.echo(_counts(rows))
    report = project.results / "report.html"
    if report.is_file():
        click.echo(f"report    {report.relative_to(project.root)}")
    ending.show(project.results / name, used)


def _places(project: Project, study: str) -> list[tuple[str, Path]]:
    """What there is of a study's results, by kind; the first report is its own."""
    folder = project.results / study
    places = [(kind, folder / kind) for kind in ("tables", "figures", "anatomy", "notebooks")]
    names = {"claims": "claims.csv", "summary": "summary.csv", "front": "front.md"}
    places += [(kind, folder / file) for kind, file in (*names.items(), ("report", "report.html"))]
    return [(kind, path) for kind, path in places if path.exists()]


def _rows(file: Path) -> list[dict[str, str]]:
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except FileNotFoundError:
        return []
    except ValueError as error:  # what the system refuses is one sentence for all commands
        raise ModelstressError(f"{file}: cannot be read: {error}; derive it again") from error


def _has(row: dict[str, str], flag: str) -> bool:
    return flag in row.get("flags", "").split(";")


def _counts(rows: list[dict[str, str]]) -> str:
    """``12 cells: 10 complete, 2 missing; 1 invalid, 3 stale``."""
    states = Counter(row.get("state", "") for row in rows)
    state_counts = ", ".join(f"{count} {state}" for state, count in states.most_common())
    marked = {
        flag: sum(_has(row, flag) and row.get("state") != flag for row in rows)
        for flag in ("invalid", "stale")
    }
    flags = ", ".join(f"{count} {flag}" for flag, count in marked.items() if count)
    sentence = f"{len(rows)} cell{'' if len(rows) == 1 else 's'}: {state_counts}"
    return f"{sentence}; {flags}" if flags else sentence


def _invalid(rows: list[dict[str, str]], study: str, profile: str) -> str:
    """What to do about cells of which no invocation is valid."""
    count = sum(row.get("state") == "invalid" for row in rows)
    if not count:
        return ""
    return (
        f"{count} of {len(rows)} cells {'is' if count == 1 else 'are'} invalid and in no number, "
        "the report says why; when the machine is quiet, measure each again with 'modelstress run "
        f"CELL --study {study} --profile {profile} --rerun all'"
    )


def _stale(rows: list[dict[str, str]], study: str, profile: str) -> str:
    """What to type where cells are stale."""
    count = sum(_has(row, "stale") for row in rows)
    if not count:
        return ""
    return (
        f"{count} of {len(rows)} cells {'is' if count == 1 else 'are'} stale: tool, model, query "
        "or settings have changed since; measure again with 'modelstress run --all --study "
        f"{study} --profile {profile} --rerun stale'"
    )


COMMANDS = (results,)
