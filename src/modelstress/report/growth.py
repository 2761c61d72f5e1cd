"""Costs of a store that grows: a figure over the number of objects, a table of how they grow."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.analysis.projection import Projection
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.looks import Look, Looks, looks_of
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.style import (
    laid_out,
    legend_columns,
    legend_of_lines,
    new_figure,
    plain,
    style,
    wrapped,
)  # fmt: skip

COST = "duration per object (ms)"
MOST_POINTS = 100
"""Of a line; of thousands of stretches only their noise would be seen."""
OUTSIDE = 0.1
"""Share of the stretches below a band, and above it."""
LOGARITHM = {True: "better", False: "worse"}
"""Whether the interval of the slope over the logarithm of the logarithm is below or above 1."""


def parts(growth: pd.DataFrame, cells: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Operation and rows of each figure, of the cells of a setting."""
    there = growth[growth["cell"].isin(cells["cell"])]
    for operation, rows in there.groupby("operation", sort=True):
        yield str(operation), rows


def over_objects(
    growth: pd.DataFrame,
    cells: pd.DataFrame,
    projection: Projection,
    operation: str,
    looks: Looks | None = None,
) -> Figure:
    """Draw the cost of an operation over the objects: a panel per level of the panel's factor.

    A line is a start. One of more than `MOST_POINTS` stretches is the median of neighbours, with a
    band of the middle 80 % of them.
    """
    there = cells[cells["cell"].isin(growth["cell"])]
    names = grouping.series_factors(there, projection)
    series = grouping.series(there, names)
    look_of = (looks or looks_of(there, projection)).of(names, series)
    apart = [name for name in names if name == projection.panel]
    placed = {}  # series to its panel and its label there
    for levels in series:
        named = dict(zip(names, levels, strict=True))
        others = [name for name in names if name not in apart]
        label = grouping.label(others, [named[name] for name in others], projection) or "all"
        placed[levels] = (tuple(named[name] for name in apart), label)
    panels = list(dict.fromkeys(panel for panel, _ in placed.values()))
    labels = list(dict.fromkeys(label for _, label in placed.values()))
    width, columns = 7.2, min(2, len(panels))
    rows = -(-len(panels) // columns)
    with style():
        many, heading = legend_columns(width, labels), wrapped(finding(growth, operation), width)
        room = 0.17 * (-(-len(labels) // many) + heading.count("\n"))
        figure = new_figure(width, 0.8 + 2.2 * rows + room)
        all_axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, panel in zip_longest(all_axes.flat, panels):
            if panel is None:
                axes.set_visible(False)
                continue
            axes.set_title(grouping.label(apart, panel, projection))
            for levels, (of_panel, label) in placed.items():
                if of_panel == panel:
                    of_series = grouping.select(there, names, levels)["cell"]
                    _lines(axes, growth[growth["cell"].isin(of_series)], label, look_of[levels])
        figure.supylabel(COST, fontsize=9)
        figure.supxlabel("objects in the store (thousands)", fontsize=9)
        all_axes[0][0].set_xlim(left=0)
        # single stalls of a disk would press everything else to the bottom
        all_axes[0][0].set_ylim(0, float(np.nanquantile(growth["cost_ms"], 0.99)) * 1.25)
        for axes in all_axes.flat:
            axes.xaxis.set_major_formatter(plain)
        legend_of_lines(figure, all_axes.flat, many, heading)
        return laid_out(figure)


def _lines(axes: Axes, growth: pd.DataFrame, label: str, look: Look) -> None:
    """A line for each start of a series."""
    for _, start in growth.groupby(["cell", "invocation"], sort=False):
        ordered = start.sort_values("objects")
        parts = np.arange(len(ordered)) * min(MOST_POINTS, len(ordered)) // len(ordered)
        objects = ordered["objects"].groupby(parts).mean() / 1e3
        costs = ordered["cost_ms"].groupby(parts)
        shown: dict[str, Any] = look.line() | {"linewidth": 0.9}
        if len(ordered) > 1:  # a single stretch is no line
            shown["marker"] = ""
        axes.plot(objects, costs.median(), label=label, **shown)
        if len(ordered) > MOST_POINTS:
            low, high = costs.quantile(OUTSIDE), costs.quantile(1 - OUTSIDE)
            axes.fill_between(objects, low, high, color=look.colour, alpha=0.2, linewidth=0)


def finding(growth: pd.DataFrame, operation: str) -> str:
    """The title: what the last tenth of the stretches costs, by the first, over all starts."""
    ratios = []
    for _, start in growth.groupby(["cell", "invocation"], sort=False):
        costs = start.sort_values("objects")["cost_ms"].to_numpy(np.float64)
        tenth = len(costs) // 10
        if tenth and (first := np.nanmedian(costs[:tenth])) > 0:
            ratios.append(float(np.nanmedian(costs[-tenth:])) / first)
    if not ratios:
        return operation
    low, high = (f"{value:.2g}" for value in (min(ratios), max(ratios)))
    times = low if low == high else f"{low} to {high}"
    return f"{operation} takes {times} times as long in the end as at first"


def table(
    number: str,
    fits: pd.DataFrame | None,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """How the costs of operations grow, a row for each start; None where none is asked for."""
    if fits is None or not fits["cell"].isin(cells["cell"]).any():
        return None
    there = cells[cells["cell"].isin(fits["cell"])]
    names = grouping.series_factors(there, projection)
    rows, tidy = [], []
    for (operation, cell), starts in fits[fits["cell"].isin(there["cell"])].groupby(
        ["operation", "cell"], sort=True
    ):
        row = there[there["cell"] == cell].iloc[0]
        levels = [grouping.words(row[name]) for name in names]
        for _, fit in starts.iterrows():
            start = str(int(fit["invocation"]))
            rows.append(((str(operation), *levels, start), _entries(fit, str(row["flags"]))))
            numbers = fit.drop(labels=[n for n in fit.index if n in row.index and n != "cell"])
            tidy.append(pd.concat([row.drop(labels="cell"), numbers]))
    caption = (
        "How the duration per object grows with the number of objects in the store: slope of its "
        "logarithm over that of the objects (0: constant, 1: linear) with its 99 % interval, the "
        "laws that the data do not tell apart, whether it grows less than the logarithm, and what "
        "the servers' files took at the end, by the memory that they had; "
        f"{grouping.context(there, projection, setting)}."
    )
    values = ("invocation", "stretches", "from_objects", "to_objects", "exponent", "exponent_low",
              "exponent_high", "over_log", "over_log_low", "over_log_high", "laws", "error",
              "period_objects", "period_p", "store_mib", "memory_mib", "executor", "topology",
              "cell")  # fmt: skip
    titles = grouping.titles(there)
    return Table(
        number, caption, ("operation", *names, "start"),
        (
            ("objects (thousands)", ("from", "to")), ("exponent", ("", "interval")),
            ("law", ("", "error", "than log n")), ("period", ("objects (thousands)",)),
            ("store", ("GiB", "÷ memory")),
        ),
        tuple(rows), footnotes.notes(entry.marks for _, entries in rows for entry in entries),
        tuple(filter(None, (f"Tools: {titles}." if titles else "",))),
        grouping.tidy(pd.DataFrame(tidy), projection, names, values), "growth",
    )  # fmt: skip


def _entries(fit: "pd.Series[float]", flags: str) -> tuple[Entry, ...]:
    few = pd.isna(fit["exponent"])
    low, high = fit["over_log_low"], fit["over_log_high"]
    decided = None if few or low <= 1 <= high else LOGARITHM[bool(high < 1)]
    period = fit["period_objects"]
    return (
        Entry(_thousands(fit["from_objects"]), footnotes.letters(flags)),
        Entry(_thousands(fit["to_objects"])),
        Entry("–" if few else _signed(fit["exponent"])),
        Entry("–" if few else f"{_signed(fit['exponent_low'])} to {_signed(fit['exponent_high'])}"),
        Entry("–" if few else str(fit["laws"]).replace(";", " or ")),
        Entry("–" if few else f"{100 * fit['error']:.1f} %"),
        Entry(decided or "undecided"),
        Entry("none" if pd.isna(period) else milliseconds(period / 1e3)),
        Entry(_number(fit["store_mib"] / 1024)),
        Entry(_number(fit["store_mib"] / fit["memory_mib"])),
    )


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.3g}"


def _thousands(objects: float) -> str:
    return milliseconds(objects / 1e3)
