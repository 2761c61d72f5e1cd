"""``modelstress run --until decided``: more starts for what is undecided, look after look."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelstress.cli.measuring import finished, made_ready, measure_all
from modelstress.cli.progress import human
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.plan import Run, compared_alike, plan_of, starts
from modelstress.design.plan_file import Plan
from modelstress.design.sharing import sharing
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.status import read_record

if TYPE_CHECKING:  # late: pandas takes longer than a command that measures nothing
    from modelstress.analysis.looks import Look

Key = tuple[str, str]
UNITS = {"s": 1, "min": 60, "h": 3600}


class Margin(click.ParamType):  # type: ignore[type-arg]  # generic in its stubs only
    """``10%`` or ``0.1``, as a fraction."""

    name = "share"

    def convert(self, value: Any, param: object, ctx: object) -> float:
        """See click."""
        text = str(value)
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            share = 0.0
        if not 0 < share < 1:
            raise ConfigError(f"--margin is {text[:40]!r}; give a share, such as 10%")
        return share


class Duration(click.ParamType):  # type: ignore[type-arg]  # likewise
    """``6h``, ``20min`` or ``90s``, as seconds."""

    name = "duration"

    def convert(self, value: Any, param: object, ctx: object) -> float:
        """See click."""
        found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)\s*(s|min|h)", str(value))
        if found is None or not float(found[1]):
            raise ConfigError(f"--budget is {str(value)[:40]!r}; give a duration, such as 6h")
        return float(found[1]) * UNITS[found[2]]


def run_until_decided(
    project: Project, plan: Plan, margin: float, budget_s: float | None, log: Path | None
) -> None:
    """Measure a plan, and what is undecided at each look up to the next one.

    Raises:
        ConfigError: the profile names no looks.
        ModelstressError: what kept some from being measured.
    """
    from modelstress import analysis
    from modelstress.analysis.looks import look

    profile = project.profile(plan.profile, plan.study)
    looks = profile.looks
    if looks is None:
        raise ConfigError(
            f"{profile.file}: field 'looks' is missing; say after how many "
            "starts it is looked, such as looks: [3, 6, 9, 15]"
        )
    until_s = None if budget_s is None else time.monotonic() + budget_s
    needs = made_ready(project, plan.runs)
    wanted: Collection[Key] = {_key(cell) for cell in plan.cells}
    errors: list[ModelstressError] = []
    data, processors = project.root / "data", len(os.sched_getaffinity(0))
    planned = analysis.planned_beside(data, plan.study, plan.profile)
    with Interrupt() as interrupt:
        for number, starts_of_each in enumerate(looks, 1):
            starts = _starts(project, plan, wanted, starts_of_each)
            again, _ = finished(project, starts, (), "never")
            done, failed = measure_all(
                project, starts, again, needs, log, interrupt, until_s=until_s
            )
            errors += failed
            complete = len(done) == sum(map(len, starts))
            derived = analysis.derive(data, plan.study, plan.profile, planned, workers=processors)
            seen = look(derived, looks, margin)
            name = f"look {number} of {len(looks)}, {starts_of_each} starts"
            early = f"the budget ended before {name}; until then nothing is decided"
            click.echo(f"{name}: {_counts(seen)}" if complete else early)
            wanted = seen.wanted
            spent = until_s is not None and time.monotonic() >= until_s
            if spent or not (complete and wanted):
                break
    click.echo(missing_sentence(project, plan, seen))
    if errors:
        raise type(errors[0])(f"{len(errors)} starts could not be measured; the reasons are above")


def missing_sentence(project: Project, plan: Plan, seen: Look) -> str:
    """How long it would take to decide what is undecided, as far as that can be told."""
    undecided = seen.counts["undecided"]
    if not undecided:
        return "every comparison is decided"
    seconds = sum(
        count * _start_s(project, cell)
        for cell in plan.cells
        if (count := seen.missing_starts.get(_key(cell), 0))
    )
    told = undecided - seen.beyond
    parts = [f"{told} of {undecided} undecided comparisons need about {human(seconds)} more"]
    if seen.beyond:
        parts.append(f"of {seen.beyond} it cannot be told, or they need more than 1,000 starts")
    return "; ".join(parts if told else parts[1:])


def still_missing(project: Project, plan: Plan) -> str:
    """What is missing until all is decided, by the derived tables; empty where nothing is known."""
    looks, data = project.profile(plan.profile, plan.study).looks, project.root / "data"
    tables = data / "derived" / plan.study / plan.profile / "datapackage.json"
    if looks is None or not tables.is_file():
        return ""
    from modelstress import analysis
    from modelstress.analysis.looks import look

    return missing_sentence(
        project, plan, look(analysis.load(data, plan.study, plan.profile), looks)
    )


def _starts(project: Project, plan: Plan, wanted: Collection[Key], number: int) -> list[list[Run]]:
    """The starts that some cells have when each has so many."""
    study = project.study(plan.study)
    cells = [replace(cell, invocations=number) for cell in plan.cells if _key(cell) in wanted]
    if not cells:
        return []
    alike = compared_alike(study, plan.cells)
    runs = plan_of(cells, project.main.seed, alike, sharing(study))
    return starts(runs)


def _start_s(project: Project, cell: Cell) -> float:
    """Seconds that one start took for this cell, in the mean; its share of a shared one."""
    spent = []
    for number in range(cell.invocations):
        record = read_record(cell.folder(project.raw, number))
        if "seconds" in record:
            sharing_it = len(record.get("start", {}).get("cells") or [cell.id])
            spent.append(float(record["seconds"]) / sharing_it)
    return sum(spent) / len(spent) if spent else 0.0


def _key(cell: Cell) -> Key:
    return cell.tool.tool, cell.id


def _counts(seen: Look) -> str:
    return ", ".join(f"{count} {status}" for status, count in seen.counts.items())
