"""Figures of effect sizes: where a level is slower, and how many times as slow a tool is."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.report import grouping
from modelstress.report.compared import Compared
from modelstress.report.comparisons import NOT_SIGNIFICANT
from modelstress.report.looks import Look, Looks, looks_of
from modelstress.report.style import (
    GREY,
    decade,
    laid_out,
    log_axis,
    new_figure,
    reach,
    readable,
    style,
)
from modelstress.stats.thresholds import THRESHOLDS

__all__ = ["NOT_SIGNIFICANT", "heat_map", "meaning", "ratios", "shown"]

DIVERGING = "PuOr_r"
"""Orange: slower, purple: faster; both ends differ for the colour-blind, signs tell in grey."""
OVER, WITHIN = "over_ratio", "ratio"


def heat_map(compared: Compared, projection: Projection) -> Figure:
    """Cliff's delta of a level against another: a row per operation and series, a column per load.

    Fields where Mann–Whitney's p is 0.01 or more say so and have no colour, fields without a
    comparison are hatched.
    """
    import seaborn  # takes a second

    counts = grouping.loads(compared.rows, projection)
    rows = _heat_rows(compared, projection)
    with style():
        width = 1.4 + 0.06 * max((len(label) for _, label, _ in rows), default=1)
        figure = new_figure(max(4.4, width + 0.55 * len(counts)), max(2.6, 1.1 + 0.22 * len(rows)))
        axes = figure.subplots()
        fields = [
            [_field(grouping.with_load(series_rows, projection, count)) for count in counts]
            for _, _, series_rows in rows
        ]
        values = np.array([[value for value, _ in row] for row in fields])
        axes.set_facecolor("white")
        seaborn.heatmap(
            values, ax=axes, cmap=DIVERGING, vmin=-1, vmax=1, linewidths=0.5, linecolor="#eeeeee",
            xticklabels=[str(count) or "all" for count in counts],
            yticklabels=[label for _, label, _ in rows],
            cbar_kws={"fraction": 0.04, "pad": 0.02, "label": "Cliff's δ\nfaster  ←   → slower"},
        )  # fmt: skip
        axes.grid(visible=False)
        colours = axes.collections[0].to_rgba(values)
        for i, j in np.ndindex(values.shape):
            _write(axes, i, j, fields[i][j][1], colours[i, j])
        axes.tick_params(axis="both", length=0)
        axes.set_xlabel(projection.load_title)
        for i in range(1, len(rows)):
            if rows[i][0] != rows[i - 1][0]:  # between operations
                axes.axhline(i, color="black", linewidth=0.6)
        axes.set_title(f"Is {compared.level} slower than {compared.base}?")
        return laid_out(figure)


def _heat_rows(compared: Compared, projection: Projection) -> list[tuple[str, str, pd.DataFrame]]:
    """Operation, label and comparisons of every row."""
    all_rows, rest = compared.rows, compared.telling(projection)
    names = tuple(n for n in grouping.series_factors(all_rows, rest) if n in rest.factors)
    rows = []
    for operation in grouping.operations(all_rows, projection):
        operation_rows = grouping.of_operation(all_rows, projection, operation)
        for levels in grouping.series(operation_rows, names):
            label = f"{operation}  {grouping.label(names, levels, projection)}"
            rows.append((operation, label, grouping.select(operation_rows, names, levels)))
    return rows


def _field(pair_rows: pd.DataFrame) -> tuple[float, str]:
    """Value of a field, NaN for one without colour, and its text; empty: not compared."""
    if pair_rows.empty or pd.isna(pair_rows.iloc[0]["p"]):
        return np.nan, ""
    pair = pair_rows.iloc[0]
    if not pair["p"] < THRESHOLDS.alpha:
        return np.nan, NOT_SIGNIFICANT
    delta = float(pair["delta"])
    return delta, f"{delta:+.2f}".replace("-", "−")


def _write(axes: Axes, row: int, column: int, text: str, behind: NDArray[np.float64]) -> None:
    """What stands in a field. seaborn's own annotations have a contrast of 3 on orange."""
    if not text:
        axes.fill(
            [column, column + 1, column + 1, column], [row, row, row + 1, row + 1],
            facecolor="none", edgecolor="#bbbbbb", hatch="////", linewidth=0,
        )  # fmt: skip
        return
    colour = GREY if text == NOT_SIGNIFICANT else readable(behind)
    axes.text(
        column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=7, color=colour
    ).set_in_layout(False)


def shown(compared: Compared) -> str:
    """The column that is drawn: of ratios that over invocations, wherever any cell has one."""
    if not compared.ranked:
        return "delta"
    return OVER if compared.rows[f"{OVER}_low"].notna().any() else WITHIN


def meaning(compared: Compared) -> str:
    """What the points and bars of the ratios are, for a caption."""
    if shown(compared) == OVER:
        return "Points: ratio of the medians; bars: its 99 % interval over invocations"
    return "Points: median ratio of random pairs; bars: its 99 % interval, within one start"


def ratios(compared: Compared, projection: Projection, looks: Looks | None = None) -> Figure:
    """How many times as slow the baseline is: a panel per operation, a row per configuration.

    A row has a point for the smallest, the middle and the largest load, from top to bottom. All
    panels have one log axis; an arrow stands where an interval goes on beyond it.
    """
    all_rows, column = compared.rows, shown(compared)
    names = tuple(
        n for n in grouping.series_factors(all_rows, projection) if n in projection.factors
    )
    loads, series = _three(grouping.loads(all_rows, projection)), grouping.series(all_rows, names)
    operations = grouping.operations(all_rows, projection)
    look_of = (looks or looks_of(all_rows, projection)).of(names, series)
    wide = min(3, len(operations))
    rows = -(-len(operations) // wide)
    with style():
        labels = [grouping.label(names, levels, projection) for levels in series]
        beside = 0.3 + 0.06 * max(len(label) for label in labels)
        figure = new_figure(beside + 2.3 * wide, 0.8 + rows * (0.5 + 0.33 * len(series)))
        grid = figure.subplots(rows, wide, squeeze=False, sharex=True, sharey=True)
        for axes in grid.flat[len(operations) :]:
            axes.set_visible(False)
        points = {
            (operation, i): _inverse(
                grouping.along(grouping.select(operation_rows, names, levels), projection, loads),
                column,
            )
            for operation in operations
            for operation_rows in [grouping.of_operation(all_rows, projection, operation)]
            for i, levels in enumerate(series)
        }
        every = np.hstack([np.ones((3, 1)), *points.values()])
        low, high = decade(*reach(every[0], every[1:]))
        for axes, operation in zip(grid.flat, operations, strict=False):
            axes.set_title(operation)
            axes.axvline(1, color=GREY, linewidth=1)
            log_axis(axes, low, high, horizontal=True)
            axes.grid(visible=False, axis="y")
            axes.tick_params(labelbottom=True)
            for i, levels in enumerate(series):
                _row_of(axes, i, points[operation, i], look_of[levels])
        grid[0, 0].set_yticks(range(len(series)), labels)
        grid[0, 0].set_ylim(len(series) - 0.5, -0.5)
        figure.supxlabel(f"how many times as long {compared.base} takes (log scale)", fontsize=9)
        if len(loads) > 1:
            told = ", ".join(str(load) for load in loads)
            figure.suptitle(f"From top to bottom: {told} {projection.load_title}", fontsize=9)
        return laid_out(figure)


def _three(loads: Sequence[Level]) -> list[Level]:
    """The smallest, the middle and the largest load."""
    return list(dict.fromkeys((loads[0], loads[len(loads) // 2], loads[-1])))


def _inverse(points: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Baseline / other at every load: middle, low and high (NaN where not known)."""
    values = points[[column, f"{column}_high", f"{column}_low"]].to_numpy(np.float64).T
    values = np.where((values > 0) & np.isfinite(values), values, np.nan)
    return np.asarray(1 / values, dtype=np.float64)


def _row_of(axes: Axes, row: int, points: NDArray[np.float64], look: Look) -> None:
    """The points of a configuration, below one another, with arrows where an interval is cut."""
    left, right = axes.get_xlim()
    places = row + 0.5 * (np.arange(points.shape[1]) + 0.5) / points.shape[1] - 0.25
    for y, (middle, low, high) in zip(places, points.T, strict=True):
        if np.isfinite(low) and np.isfinite(high):
            axes.plot(np.clip([low, high], left, right), [y, y], color=look.colour, linewidth=0.9)
            for end, marker, beyond in ((left, "<", low < left), (right, ">", high > right)):
                if beyond:
                    axes.plot([end], [y], marker=marker, markersize=4, color=look.colour,
                              clip_on=False)  # fmt: skip
        axes.plot([middle], [y], **look.points())
