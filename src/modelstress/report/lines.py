"""Lines over the load: throughput, and medians with their dispersion.

`special` says in a figure what it is of besides: the levels that set it apart from its neighbours.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from modelstress.analysis.projection import Projection
from modelstress.config.measures import LATENCY, THROUGHPUT
from modelstress.report import grouping
from modelstress.report.looks import Look, Looks, looks_of
from modelstress.report.style import (
    beside,
    decade,
    in_logs,
    laid_out,
    legend_columns,
    load_axis,
    log_axis,
    new_figure,
    reach,
    scaled,
    style,
)

MANY = 6
"""More series of one operation than these, and the panel's levels have panels of their own."""


def throughput(
    cells: pd.DataFrame, projection: Projection, special: str = "", looks: Looks | None = None
) -> Figure:
    """Throughput of `ok` executions against the load: a facet per operation, a line per series.

    Where there are many series, an operation has a facet per level of the panel's factor. Points
    are medians over invocations, bars reach from the lowest to the highest invocation.
    """
    return _facets(
        cells, projection, special, looks, THROUGHPUT.axis,
        ("throughput_per_s", "throughput_low_per_s", "throughput_high_per_s"),
    )  # fmt: skip


def medians(
    cells: pd.DataFrame, projection: Projection, special: str = "", looks: Looks | None = None
) -> Figure:
    """Median latency against the load: a facet per operation, a line per series.

    Bars are the intervals of the medians; one that reaches among timeouts ends at the shortest.
    """
    open_above = np.isinf(cells["median_high_ms"])
    cells = cells.assign(
        median_high_ms=cells["median_high_ms"].where(~open_above, cells.get("timeout_ms", np.nan))
    )
    return _facets(
        cells, projection, special, looks, f"median {LATENCY.axis}",
        ("median_ms", "median_low_ms", "median_high_ms"),
    )  # fmt: skip


def dispersion(
    cells: pd.DataFrame, projection: Projection, special: str = "", looks: Looks | None = None
) -> Figure:
    """Coefficient of dispersion against the load: a facet per operation, a line per series."""
    values = ("cod", "cod", "cod")
    return _facets(cells, projection, special, looks, "coefficient of dispersion", values)


def measured(
    cells: pd.DataFrame,
    projection: Projection,
    title: str,
    special: str = "",
    looks: Looks | None = None,
) -> Figure:
    """Any measure against the load: a facet per operation, a line per series.

    Points are the column ``value`` of the cells, bars reach from the lowest to the highest
    invocation, ``value_low`` and ``value_high``. `title` is that of the y axis.
    """
    values = ("value", "value_low", "value_high")
    return _facets(cells, projection, special, looks, title, values)


def _facets(
    cells: pd.DataFrame,
    projection: Projection,
    special: str,
    looks: Looks | None,
    unit: str,
    values: tuple[str, str, str],
) -> Figure:
    names = grouping.series_factors(cells, projection)
    operations = list(dict.fromkeys(cells[projection.operation]))
    columns: list[tuple[str, ...]] = [()]
    panel = projection.panel
    if panel in names and _most(cells, projection, names) > MANY:
        levels = grouping.series(cells, (panel,))
        both = grouping.series(cells, (projection.operation, panel))
        if 2 * len(both) > len(operations) * len(levels):  # not mostly empty panels
            columns = levels
            names = tuple(name for name in names if name != panel)
    series, counts = grouping.series(cells, names), grouping.loads(cells, projection)
    known = looks or looks_of(cells, projection)
    panels = [(operation, column_levels) for operation in operations for column_levels in columns]
    wide = len(columns) if len(columns) > 1 else min(3, len(operations))
    rows = -(-len(panels) // wide)
    with style():
        labels = [grouping.label(names, series_levels, projection) for series_levels in series]
        width = max(5.2, 2.9 * wide)
        many = legend_columns(width, labels)
        lines = -(-len(series) // many) + bool(special)
        figure = new_figure(width, 0.45 + 2.4 * rows + 0.17 * lines)
        grid = figure.subplots(rows, wide, squeeze=False, sharex=True)
        log = in_logs(
            grouping.of_operation(cells, projection, operation)[values[0]].to_numpy(float)
            for operation in operations
        )
        for i, (operation, column) in enumerate(panels):
            axes = grid.flat[i]
            operation_cells = grouping.of_operation(cells, projection, operation)
            panel_cells = grouping.select(operation_cells, (panel,)[: len(column)], column)
            in_panel = [(*series_levels, *column) for series_levels in series]
            look_of = known.of((*names, panel) if column else names, in_panel)
            for j, series_levels in enumerate(series):
                points = grouping.along(
                    grouping.select(panel_cells, names, series_levels), projection, counts
                )
                _line(axes, points, values, j, look_of[in_panel[j]], labels[j])
            axes.set_title(", ".join((operation, *column)))
            load_axis(axes, counts, projection.load_title)
            axes.tick_params(labelbottom=True)
            # Panels of one operation have the same ends.
            _scale(axes, operation_cells[list(values)].to_numpy(np.float64), log)
            if i % wide == 0:
                axes.set_ylabel(scaled(unit, log))
            if i + wide < len(panels):
                axes.set_xlabel("")
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        usual = known.of(names, series)
        handles = [
            Line2D([], [], label=label, **usual[levels].line())
            for label, levels in zip(labels, series, strict=True)
            if grouping.select(cells, names, levels)[values[0]].notna().any()
        ]
        if handles:
            figure.legend(
                handles=handles, loc="outside upper center", ncols=many, title=special or None
            )
        return laid_out(figure)


def _most(cells: pd.DataFrame, projection: Projection, names: Sequence[str]) -> int:
    """Series of the operation that has most."""
    return max(
        len(grouping.series(operation_cells, names))
        for _, operation_cells in grouping.by_operation(cells, projection)
    )


def _line(
    axes: Axes,
    points: pd.DataFrame,
    columns: tuple[str, str, str],
    index: int,
    look: Look,
    label: str,
) -> None:
    # A missing point leaves a gap: a line through it would claim what was not measured.
    if points[columns[0]].isna().all():
        return
    x = beside(list(points.index), index)
    middle, low, high = (points[name].to_numpy(np.float64) for name in columns)
    bars = np.nan_to_num(np.vstack([middle - low, high - middle])).clip(min=0)
    axes.errorbar(
        x, middle, yerr=bars if bars.any() else None, label=label, **look.line(), **look.bars()
    )


def _scale(axes: Axes, values: NDArray[np.float64], log: bool) -> None:
    """An axis that fits the points (first column) and, as far as they are near, their bars."""
    points = values[:, 0][np.isfinite(values[:, 0])]
    if not points.size:
        return
    if log:
        log_axis(axes, *decade(*reach(points, values[np.isfinite(values)])))
        return
    top = np.nanmax(np.where(np.isfinite(values), values, 0))
    axes.set_ylim(0, min(float(top), 3 * float(points.max())) * 1.12 or 1)
