"""Figures of effect sizes: where a level is slower, and how many times as slow a tool is."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.report import grouping
from modelstress.report.compared import Compared
from modelstress.report.comparisons import UNDECIDED
from modelstress.report.style import (
    GREY,
    bar_look,
    beside,
    laid_out,
    legend_columns,
    line_look,
    load_axis,
    log_axis,
    new_figure,
    reach,
    style,
)
from modelstress.stats.thresholds import THRESHOLDS

__all__ = ["UNDECIDED", "heat_map", "meaning", "ratios", "shown"]

DIVERGING = "PuOr_r"
"""Orange: slower, purple: faster; both ends differ for the colour-blind, signs tell in grey."""
DARK = 0.6
"""|delta| from which on a field is so dark that its number is white."""
OVER, WITHIN = "over_ratio", "ratio"


def heat_map(compared: Compared, projection: Projection) -> Figure:
    """Cliff's delta of a level against another: a row per operation and series, a column per load.

    Fields where Mann–Whitney's p is 0.01 or more have a dot and no colour, fields without a
    comparison are hatched.
    """
    all_rows = compared.rows
    rest = compared.telling(projection)
    names = tuple(n for n in grouping.series_factors(all_rows, rest) if n in rest.factors)
    counts = grouping.loads(all_rows, projection)
    rows = [
        (operation, levels, grouping.select(operation_rows, names, levels))
        for operation in grouping.operations(all_rows, projection)
        for operation_rows in [grouping.of_operation(all_rows, projection, operation)]
        for levels in grouping.series(operation_rows, names)
    ]
    with style():
        labels = [
            f"{name}  {grouping.label(names, levels, projection)}" for name, levels, _ in rows
        ]
        width = 1.4 + 0.06 * max((len(label) for label in labels), default=1) + 0.55 * len(counts)
        figure = new_figure(max(4.0, width), max(2.6, 1.1 + 0.22 * len(rows)))
        axes = figure.subplots()
        values = np.full((len(rows), len(counts)), np.nan)
        for i, (_, _, series_rows) in enumerate(rows):
            for j, count in enumerate(counts):
                values[i, j] = _field(
                    axes, i, j, grouping.with_load(series_rows, projection, count)
                )
        image = axes.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
        axes.set_yticks(range(len(rows)), labels)
        axes.set_xticks(range(len(counts)), [str(count) or "all" for count in counts])
        axes.set_xlabel(projection.load_title)
        axes.grid(visible=False)
        _between(axes, [operation for operation, _, _ in rows])
        bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02)
        bar.set_label("Cliff's delta\nfaster  ←   → slower")
        axes.set_title(f"{compared.level} against {compared.base}")
        return laid_out(figure)


def _between(axes: Axes, operations: Sequence[str]) -> None:
    """Lines between operations."""
    for i in range(1, len(operations)):
        if operations[i] != operations[i - 1]:
            axes.axhline(i - 0.5, color="black", linewidth=0.6)


def _field(axes: Axes, row: int, column: int, pair_rows: pd.DataFrame) -> float:
    """Write what stands in a field; its value, NaN for one without colour."""
    if pair_rows.empty or pd.isna(pair_rows.iloc[0]["p"]):
        axes.fill(
            [column - 0.5, column + 0.5, column + 0.5, column - 0.5],
            [row - 0.5, row - 0.5, row + 0.5, row + 0.5],
            facecolor="none", edgecolor="#bbbbbb", hatch="////", linewidth=0,
        )  # fmt: skip
        return np.nan
    pair = pair_rows.iloc[0]
    decided = pair["p"] < THRESHOLDS.alpha
    delta = float(pair["delta"])
    text = f"{delta:+.2f}".replace("-", "−") if decided else UNDECIDED
    colour = "white" if decided and abs(delta) > DARK else "black"
    axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour).set_in_layout(
        False
    )
    return delta if decided else np.nan


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


def ratios(compared: Compared, projection: Projection) -> Figure:
    """Baseline's latency over that of each configuration: a panel per operation, a line each."""
    all_rows, column = compared.rows, shown(compared)
    names = tuple(
        n for n in grouping.series_factors(all_rows, projection) if n in projection.factors
    )
    counts, series = grouping.loads(all_rows, projection), grouping.series(all_rows, names)
    operations = grouping.operations(all_rows, projection)
    wide = min(3, len(operations))
    rows = -(-len(operations) // wide)
    with style():
        labels = [grouping.label(names, levels, projection) for levels in series]
        width = max(5.2, 2.9 * wide)
        columns = legend_columns(width, labels)
        figure = new_figure(width, 0.5 + 2.4 * rows + 0.17 * -(-len(labels) // columns))
        grid = figure.subplots(rows, wide, squeeze=False)
        for axes in grid.flat[len(operations) :]:
            axes.set_visible(False)
        handles: dict[str, ErrorbarContainer] = {}
        for axes, operation in zip(grid.flat, operations, strict=False):
            operation_rows = grouping.of_operation(all_rows, projection, operation)
            series_points = []
            for i, levels in enumerate(series):
                points = _inverse(
                    grouping.along(
                        grouping.select(operation_rows, names, levels), projection, counts
                    ),
                    column,
                )
                series_points.append(points)
                if np.isfinite(points[0]).any():
                    handles[labels[i]] = _line(axes, points, counts, i)
            axes.axhline(1, color=GREY, linewidth=1)
            axes.set_title(operation)
            load_axis(axes, counts, projection.load_title)
            values = np.hstack([np.ones((3, 1)), *series_points])
            log_axis(axes, *reach(values[0], values[1:]))
        for line in grid:
            line[0].set_ylabel(f"{compared.base} / other (log scale)")
        if handles:
            named = [label for label in labels if label in handles]
            lines: list[Any] = [handles[label] for label in named]
            figure.legend(lines, named, loc="outside upper center", ncols=columns)
        return laid_out(figure)


def _inverse(points: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Baseline / other at every load: middle, low and high (NaN where not known)."""
    values = points[[column, f"{column}_high", f"{column}_low"]].to_numpy(np.float64).T
    values = np.where((values > 0) & np.isfinite(values), values, np.nan)
    return np.asarray(1 / values, dtype=np.float64)


def _line(
    axes: Axes, points: NDArray[np.float64], counts: Sequence[Level], index: int
) -> ErrorbarContainer:
    middle, low, high = points
    x = beside(counts, index)
    bars = np.nan_to_num(np.vstack([middle - low, high - middle])).clip(min=0)
    return axes.errorbar(
        x, middle, yerr=bars if bars.any() else None, **line_look(index),
        **bar_look(index),
    )  # fmt: skip
