"""From raw samples to one row per cell and per invocation, and to what is said of pairs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import pandas as pd

from modelstress.analysis import columns, raw
from modelstress.analysis.asked_columns import ASKED
from modelstress.analysis.comparisons import compare, shapes
from modelstress.analysis.contrasted import asks, contrasted
from modelstress.analysis.contrasts import records
from modelstress.analysis.derived import Derived
from modelstress.analysis.estimates import confidence_of, decisions, estimates
from modelstress.analysis.grown import fitted
from modelstress.analysis.options import of_options
from modelstress.analysis.placebos import calibration, placebos, rates
from modelstress.analysis.planned import PlannedCell, digest, looks_beside, study_beside
from modelstress.analysis.projection import TASK, Projection, projection_of
from modelstress.analysis.summary import Summary, missing, summarised
from modelstress.analysis.to_frame import framed
from modelstress.analysis.workers import Apply, several
from modelstress.config.errors import ConfigError
from modelstress.config.factors import PLACEBO
from modelstress.config.measures import ATTEMPTS, OBJECTS
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.study import Study
from modelstress.config.windows import GrowthStretches, Windows
from modelstress.stats.results import Values

WITH_FACTORS = ("cells", "faults", "operations", "shapes", "comparisons", "groups", "contrasts",
                "windows", "growth", "growth_fits", "effects", "trees", "weighted", "machines",
                "estimates", "parts")  # fmt: skip
"""Tables with a column for every factor; `groups` and those of options have those in
which their cells agree."""
FEW = 100
"""Cells up to which a second process takes longer to start than it saves."""


def derive(
    data_dir: Path,
    study: str,
    profile: str,
    planned: Sequence[PlannedCell] | None = None,
    confidence: float = 0.99,
    asked: Study | None = None,
    workers: int = 1,
) -> Derived:
    """Read all samples of a study's profile, summarise and compare them; writes nothing.

    With `planned`, cells without samples are listed as missing, cells measured with other
    contents are flagged `stale` and cells outside the plan `unplanned`. Nothing found is left
    out: what cannot be used in a statistic has its state and flags. Tasks and comparisons are
    those of the study `asked`, by default of the project or archive that `data_dir` lies in;
    without one, every query is a task of its own and nothing is compared. With several
    `workers`, as many processes share the work of a large dataset.

    Raises:
        ConfigError: there are no samples, a factor has the name of a derived column, or the
            study's file is wrong.
    """
    asked = asked or study_beside(data_dir, study)
    folders = raw.cells(data_dir, study, profile)
    with several(workers if len(folders) > FEW else 1) as apply:
        derived = _derived(folders, study, profile, planned, confidence, asked, apply)
        return _compared(derived, asked, data_dir, apply)


def _derived(
    folders: Sequence[Path],
    study: str,
    profile: str,
    planned: Sequence[PlannedCell] | None,
    confidence: float,
    asked: Study | None,
    apply: Apply,
) -> Derived:
    plan = {(planned_cell.tool, planned_cell.cell): planned_cell for planned_cell in planned or ()}
    names = dict.fromkeys(name for planned_cell in planned or () for name in planned_cell.levels)
    keys = [(folder.parent.name, folder.name) for folder in folders]
    plans = [plan.get(key) for key in keys]
    summaries: dict[tuple[str, str], Summary] = {}
    jobs = apply(
        _read, folders, plans, repeat(planned is not None), repeat(confidence),
        repeat(asked.windows if asked else None), repeat(asked.growth if asked else None),
    )  # fmt: skip
    for key, reading in zip(keys, jobs, strict=True):
        if reading is not None:
            summaries[key], levels = reading
            names.update(dict.fromkeys(levels))
    for key, cell in plan.items():
        if key not in summaries:
            summaries[key] = missing(cell)
    ordered = [summaries[key] for key in (*plan, *sorted(summaries.keys() - plan.keys()))]
    # two have columns of their own in every table, and copies are in none of them
    factors = tuple(name for name in names if name not in ("tool", "executor", PLACEBO))
    projection = projection_of(asked, factors)
    for summary in ordered:
        summary.cell[TASK] = _task(summary.cell, projection, asked)
    _check_names(factors)
    copies = [summary for summary in ordered if PLACEBO in summary.cell]
    cells = [summary for summary in ordered if PLACEBO not in summary.cell]
    whole = Derived(
        study, profile, factors, confidence, **_frames(cells, factors, study, profile),
        latencies=_latencies(cells), projection=projection, source=digest(planned, asked),
        note="", copies=None,  # `load` reads the note
    )  # fmt: skip
    if copies:
        also = (*factors, PLACEBO)
        copied = Derived(
            study, profile, also, confidence, **_frames(copies, also, study, profile),
            latencies=_latencies(copies), projection=projection, source="", note="", copies=None,
        )  # fmt: skip
        whole = replace(whole, copies=copied)
    whole = replace(whole, invocations=_asked_only(whole.invocations, asked))
    if told := _of_cells(cells, factors, lambda summary: summary.parts):
        whole = replace(whole, parts=_table("parts", told, factors, study, profile))
    if asked and asked.windows:
        cut = _of_cells(cells, factors, lambda summary: summary.windows)
        whole = replace(whole, windows=_occurring(_table("windows", cut, factors, study, profile)))
    if asked and asked.growth:
        grown = _of_cells(cells, factors, lambda summary: summary.growth)
        rooms = {start: room for summary in cells for start, room in summary.rooms.items()}
        tables = {"growth": grown, "growth_fits": fitted(grown, factors, rooms)}
        made = {name: _table(name, rows, factors, study, profile) for name, rows in tables.items()}
        whole = replace(whole, growth=made["growth"], growth_fits=made["growth_fits"])
    if asked and asked.effects:
        rows_of = of_options(whole, asked.effects)
        options = {
            name: _varied(_table(name, rows, factors, study, profile), rows, factors)
            for name, rows in rows_of.items()
        }
        whole = replace(
            whole, effects=options["effects"], trees=options["trees"],
            machines=options["machines"], weighted=options.get("weighted"),
        )  # fmt: skip
    return whole


def _varied(
    table: pd.DataFrame, rows: Sequence[Mapping[str, Any]], factors: Sequence[str]
) -> pd.DataFrame:
    """A table without the factors that its rows say nothing of."""
    there = {name for row in rows for name in row}
    return table.drop(columns=[n for n in factors if n not in there and n in table])


def _frames(
    ordered: Sequence[Summary], factors: Sequence[str], study: str, profile: str
) -> dict[str, pd.DataFrame]:
    """The tables of cells; those of comparisons are empty."""
    rows = {
        "cells": [summary.cell for summary in ordered],
        "invocations": [row for summary in ordered for row in summary.invocations],
        "outliers": [row for summary in ordered for row in summary.outliers],
        "messages": [row for summary in ordered for row in summary.messages],
        "faults": _of_cells(ordered, factors, lambda summary: summary.faults),
        "operations": _of_cells(ordered, factors, lambda summary: summary.operations),
        "provenance": [
            {"key": key, "value": value, "invocations": count}
            for (key, value), count in sorted(Counter(f for o in ordered for f in o.facts).items())
        ],
    }
    return {
        name: _table(name, rows.get(name, []), factors, study, profile) for name in columns.TABLES
    }


def _latencies(ordered: Sequence[Summary]) -> dict[tuple[str, str], list[Values]]:
    return {(s.cell["tool"], s.cell["cell"]): s.latencies for s in ordered if s.latencies}


def _asked_only(invocations: pd.DataFrame, asked: Study | None) -> pd.DataFrame:
    """Invocations without the columns that say nothing and that the study does not ask for."""
    wanted = {measure.column for measure in asked.measures} if asked else set()
    if asked and asked.windows:
        wanted.add(OBJECTS.column)
    if (invocations[ATTEMPTS.column] > 1).any():
        wanted.add(ATTEMPTS.column)
    return invocations.drop(columns=[n for n in columns.ONLY_ASKED if n not in wanted])


def _occurring(windows: pd.DataFrame) -> pd.DataFrame:
    """Windows without the outcomes that no execution of the study had."""
    return windows.drop(columns=[n for n in OUTCOMES if n != "ok" and not windows[n].any()])


def _task(cell: Mapping[str, Any], projection: Projection, asked: Study | None) -> str:
    """The task of a cell's operation; in a study without operations all cells have the same."""
    if projection.operation == TASK:
        return asked.study if asked else ""
    operation = cell.get(projection.operation)
    if operation is None:
        return ""
    return asked.task(operation) if asked else str(operation)


def _of_cells(
    cells: Sequence[Summary],
    factors: Sequence[str],
    rows: Callable[[Summary], list[dict[str, Any]]],
) -> list[dict[str, Any]]:
    """Rows of all cells with the levels of their cells."""
    return [
        {**{name: summary.cell.get(name) for name in factors}, **row}
        for summary in cells
        for row in rows(summary)
    ]


def _read(
    folder: Path,
    plan: PlannedCell | None,
    planned: bool,
    confidence: float,
    windows: Windows | None,
    growth: GrowthStretches | None,
) -> tuple[Summary, list[str]] | None:
    """Summary of a cell's folder and the factors recorded there; None without invocations."""
    starts = list(raw.of_cell(folder))
    if not starts:
        return None
    summary = summarised(starts, plan, planned, confidence, windows, growth)
    return summary, [name for start in starts for name in start.levels]


def _compared(derived: Derived, asked: Study | None, data_dir: Path, apply: Apply) -> Derived:
    """With the tables that are made of all cells together."""
    compared, tested = compare(derived, asked, apply) if asked else ([], [])
    rows = {"shapes": list(shapes(derived)), "comparisons": compared, "groups": tested}
    where = derived.study, derived.profile
    frames = {name: _table(name, rows[name], derived.factors, *where) for name in rows}
    contrasts = None
    if asked and asks(asked):
        contrast_rows = contrasted(derived, asked, data_dir, apply)
        contrasts = _table("contrasts", contrast_rows, derived.factors, *where)
    grouped = {name for row in tested for name in row}
    blank = [name for name in derived.factors if name not in grouped]
    compared_all = replace(
        derived, shapes=frames["shapes"], comparisons=frames["comparisons"],
        groups=frames["groups"].drop(columns=blank), contrasts=contrasts,
    )  # fmt: skip
    return _over_starts(compared_all, looks_beside(data_dir, derived.study, derived.profile))


def _over_starts(derived: Derived, looks: Sequence[int]) -> Derived:
    """With what is estimated over starts, and with placebos of the rules of directions."""
    found, pairs = estimates(derived, looks=looks), placebos(derived, looks)
    estimated = {
        "estimates": found,
        "decisions": decisions(found, confidence_of(derived, looks)),
        "placebos": pairs,
        "placebo_rates": rates(pairs, calibration()),
    }
    tables = {
        name: _table(name, records(frame), derived.factors, derived.study, derived.profile)
        for name, frame in estimated.items()
    }
    return replace(
        derived, estimates=tables["estimates"], decisions=tables["decisions"],
        placebos=tables["placebos"], placebo_rates=tables["placebo_rates"],
    )  # fmt: skip


def _table(
    name: str, rows: Sequence[Mapping[str, Any]], factors: Sequence[str], study: str, profile: str
) -> pd.DataFrame:
    """A table of `columns`; factors where its rows are about cells and their levels."""
    shown = factors if name in WITH_FACTORS else ()
    return framed({**columns.TABLES, **ASKED}[name][1], rows, shown, study, profile)


def _check_names(factors: Iterable[str]) -> None:
    for name in factors:
        if name in columns.CELLS:
            raise ConfigError(
                f"the factor {name!r} has the name of a derived column; give it another name"
            )
