"""Windows over time: rate and tail of latency of every stretch, as a figure and as a table."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.config.measures import LATENCY, THROUGHPUT
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.looks import Look, Looks, looks_of
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.style import (
    decade,
    in_logs,
    laid_out,
    legend_columns,
    legend_of_lines,
    log_axis,
    new_figure,
    scaled,
    style,
    wrapped,
)

ROWS = (("rate_per_s", THROUGHPUT.axis), ("p99_ms", f"p99 {LATENCY.axis}"))
"""Columns of the table `windows` that are drawn below one another, with the titles of axes."""
END = 0.1
"""Share of the stretches at the begin, and at the end, of which a table shows the median."""
MARKED = 30
"""Stretches of an invocation up to which each has a marker."""


def whole(windows: pd.DataFrame) -> pd.DataFrame:
    """Windows without the last stretches that were cut: their rates are those of few executions."""
    keys = ["tool", "cell", "invocation"]
    length = windows.groupby(keys, sort=False)["seconds"].transform("median")
    last = windows.groupby(keys, sort=False)["number"].transform("max")
    cut = (windows["number"] == last) & (last > 0) & (windows["seconds"] < length / 2)
    return windows[~cut]


def against_objects(windows: pd.DataFrame) -> bool:
    """Whether stretches are of executions, and there are objects to show them against."""
    inner = windows[windows["number"] < windows.groupby(["tool", "cell", "invocation"])["number"]
                    .transform("max")]  # fmt: skip
    return bool(inner["seconds"].round(6).nunique() > 1 and (windows["objects"] > 0).any())


def parts(
    windows: pd.DataFrame, cells: pd.DataFrame, projection: Projection
) -> Iterator[tuple[str, Level, pd.DataFrame]]:
    """Operation, load and cells of each figure: those that have stretches."""
    there = cells[cells["cell"].isin(windows["cell"])]
    for operation in grouping.operations(there, projection):
        operation_cells = grouping.of_operation(there, projection, operation)
        for load in grouping.loads(operation_cells, projection):
            yield operation, load, grouping.with_load(operation_cells, projection, load)


def over_time(
    windows: pd.DataFrame,
    cells: pd.DataFrame,
    projection: Projection,
    title: str,
    looks: Looks | None = None,
) -> Figure:
    """Draw rate and p99 of every stretch, a line per invocation, a colour per series.

    Stretches of seconds are drawn against time, those of executions against the objects so far.
    """
    names = grouping.series_factors(cells, projection)
    series = grouping.series(cells, names)
    labels = [grouping.label(names, levels, projection) or "all" for levels in series]
    look_of = (looks or looks_of(cells, projection)).of(names, series)
    objects = against_objects(windows)
    shown = whole(windows)
    marked = shown["number"].max() < MARKED
    log = in_logs(shown[column].to_numpy(np.float64) for column, _ in ROWS)
    width = 7.2
    with style():
        many, heading = legend_columns(width, labels), wrapped(title, width)
        figure = new_figure(width, 4.2 + 0.17 * (-(-len(series) // many) + heading.count("\n")))
        panels = figure.subplots(len(ROWS), 1, sharex=True)
        for axes, (column, unit) in zip(panels, ROWS, strict=True):
            for levels, label in zip(series, labels, strict=True):
                series_windows = shown[
                    shown["cell"].isin(grouping.select(cells, names, levels)["cell"])
                ]
                _lines(axes, series_windows, column, objects, label, look_of[levels], marked)
            axes.set_ylabel(scaled(unit, log))
            _scale(axes, shown[column].to_numpy(np.float64), log)
        begin = "objects so far" if objects else "time since the begin of the window (s)"
        panels[-1].set_xlabel(begin)
        panels[-1].set_xlim(left=0)
        legend_of_lines(figure, panels[:1], many, heading)
        return laid_out(figure)


def _lines(
    axes: Axes,
    windows: pd.DataFrame,
    column: str,
    objects: bool,
    label: str,
    drawn_as: Look,
    marked: bool,
) -> None:
    """The lines of a series; points stand at the ends of their stretches."""
    for _, invocation_windows in windows.groupby(["cell", "invocation"], sort=False):
        x = (
            invocation_windows["objects"]
            if objects
            else invocation_windows["begin_s"] + invocation_windows["seconds"]
        )
        look: dict[str, Any] = drawn_as.line() | {"linewidth": 0.9, "markersize": 2.5}
        if not marked:
            look["marker"] = ""
        axes.plot(
            x.to_numpy(np.float64),
            invocation_windows[column].to_numpy(np.float64),
            label=label,
            **look,
        )


def _scale(axes: Axes, values: Any, log: bool) -> None:
    finite_values = values[np.isfinite(values)]
    if log:
        log_axis(axes, *decade(float(finite_values.min()), float(finite_values.max())))
    elif finite_values.size:
        axes.set_ylim(0, float(finite_values.max()) * 1.12 or 1)


def table(
    number: str,
    windows: pd.DataFrame | None,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """Rate and p99 at the begin and the end of the window, by cell; None where none is asked for.

    Each number is a median over the first, or last, tenth of an invocation's stretches, and over
    the invocations.
    """
    if windows is None or not windows["cell"].isin(cells["cell"]).any():
        return None
    there = cells[cells["cell"].isin(windows["cell"])]
    names = grouping.series_factors(there, projection)
    rows, tidy = [], []
    for operation, load, load_cells in parts(windows, there, projection):
        for levels in grouping.series(load_cells, names):
            cell = grouping.at(grouping.select(load_cells, names, levels), projection, load)
            if cell is None:
                continue
            medians = _ends(whole(windows[windows["cell"] == cell["cell"]]))
            label = [str(load)] if projection.load else []
            rows.append(((operation, *levels, *label), _entries(medians, str(cell["flags"]))))
            tidy.append(pd.concat([cell, pd.Series(medians)]))
    caption = (
        "Rate of ok executions and p99 latency at the begin and the end of the window "
        f"(medians of the first and last tenth of its stretches), {grouping.by(projection, names)}"
        f"; {grouping.context(there, projection, setting)}. {grouping.totals(there)}"
    )
    values = ("stretches", "rate_first_per_s", "rate_last_per_s", "p99_first_ms", "p99_last_ms",
              "flags", "executor", "topology", "cell")  # fmt: skip
    load_label = (projection.load_title,) if projection.load else ()
    titles = grouping.titles(there)
    return Table(
        number, caption, (projection.row_title, *names, *load_label),
        (
            ("stretches", ("each",)), ("rate (1/s)", ("first", "last", "ratio")),
            ("p99 (ms)", ("first", "last", "ratio")),
        ),
        tuple(rows), footnotes.notes(entry.marks for _, entries in rows for entry in entries),
        tuple(filter(None, (f"Tools: {titles}." if titles else "",))),
        grouping.tidy(pd.DataFrame(tidy), projection, names, values), "windows",
    )  # fmt: skip


def _ends(windows: pd.DataFrame) -> dict[str, float]:
    """Medians over invocations of what begin and end of their windows have as medians."""
    ends: dict[str, list[float]] = {}
    for _, invocation_windows in windows.groupby("invocation", sort=False):
        some = max(1, round(END * len(invocation_windows)))
        for name, column, unit in (("rate", "rate_per_s", "per_s"), ("p99", "p99_ms", "ms")):
            measured_values = invocation_windows[column].dropna()
            for end, values in (
                ("first", measured_values[:some]),
                ("last", measured_values[-some:]),
            ):
                ends.setdefault(f"{name}_{end}_{unit}", []).append(float(values.median()))
    counts = windows.groupby("invocation", sort=False).size()
    medians = {name: float(pd.Series(values).median()) for name, values in ends.items()}
    return {"stretches": float(counts.median()), **medians}


def _entries(medians: dict[str, float], flags: str) -> tuple[Entry, ...]:
    rates = [medians["rate_first_per_s"], medians["rate_last_per_s"]]
    tails = [medians["p99_first_ms"], medians["p99_last_ms"]]
    return (
        Entry(f"{medians['stretches']:g}", footnotes.letters(flags)),
        *(Entry("–" if pd.isna(rate) else f"{rate:,.4g}") for rate in rates), Entry(_ratio(rates)),
        *(Entry(milliseconds(tail)) for tail in tails), Entry(_ratio(tails)),
    )  # fmt: skip


def _ratio(ends: Sequence[float]) -> str:
    first, last = ends
    return f"{last / first:.2f}" if first > 0 and np.isfinite(last) else "–"
