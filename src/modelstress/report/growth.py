"""Costs of a store that grows: a figure over the number of objects, a table of how they grow."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis.projection import Projection
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.looks import Looks, looks_of
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.style import (
    laid_out,
    legend_columns,
    legend_of_lines,
    new_figure,
    style,
    wrapped,
)  # fmt: skip

COST = "duration per object (ms)"
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
    title: str,
    looks: Looks | None = None,
) -> Figure:
    """Draw the cost of an operation in every stretch: a line per start, a colour per series."""
    there = cells[cells["cell"].isin(growth["cell"])]
    names = grouping.series_factors(there, projection)
    series = grouping.series(there, names)
    labels = [grouping.label(names, levels, projection) or "all" for levels in series]
    look_of = (looks or looks_of(there, projection)).of(names, series)
    width = 7.2
    with style():
        many, heading = legend_columns(width, labels), wrapped(title, width)
        figure = new_figure(width, 3.0 + 0.17 * (-(-len(series) // many) + heading.count("\n")))
        axes = figure.subplots()
        for levels, label in zip(series, labels, strict=True):
            of_series = grouping.select(there, names, levels)["cell"]
            rows = growth[growth["cell"].isin(of_series)]
            look = look_of[levels].line() | {"linewidth": 0.9}
            for _, start in rows.groupby(["cell", "invocation"], sort=False):
                # a single stretch is no line
                shown = look if len(start) == 1 else look | {"marker": ""}
                axes.plot(start["objects"] / 1e3, start["cost_ms"], label=label, **shown)
        axes.set_ylabel(COST)
        axes.set_xlabel("objects in the store (thousands)")
        axes.set_xlim(left=0)
        # single stalls of a disk would press everything else to the bottom
        axes.set_ylim(0, float(np.nanquantile(growth["cost_ms"], 0.99)) * 1.25)
        legend_of_lines(figure, axes, many, heading)
        return laid_out(figure)


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
        Entry("–" if few else f"{fit['exponent']:.3f}"),
        Entry("–" if few else f"{fit['exponent_low']:.3f} to {fit['exponent_high']:.3f}"),
        Entry("–" if few else str(fit["laws"]).replace(";", " or ")),
        Entry("–" if few else f"{100 * fit['error']:.1f} %"),
        Entry(decided or "undecided"),
        Entry("none" if pd.isna(period) else milliseconds(period / 1e3)),
        Entry(_number(fit["store_mib"] / 1024)),
        Entry(_number(fit["store_mib"] / fit["memory_mib"])),
    )


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.3g}"


def _thousands(objects: float) -> str:
    return "–" if pd.isna(objects) else f"{objects / 1e3:,.4g}"
