"""All configurations at a glance: a row per operation, a dot per configuration.

The numbers are those of the radars of sosym2017, Fig. 10. On one axis they can be read, and a
configuration that was not measured somewhere leaves no open polygon.
"""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.looks import Looks, looks_of
from modelstress.report.style import (
    decade,
    laid_out,
    legend_columns,
    log_axis,
    new_figure,
    scaled,
    style,
)

FEWEST = 3
"""Tasks from which on there is something to compare."""


def chosen(cells: pd.DataFrame, projection: Projection) -> pd.DataFrame:
    """The cells with a median, at the smallest load, of the study's first panel."""
    median_cells: pd.DataFrame = cells[cells["median_ms"] > 0]
    if median_cells.empty:
        return median_cells
    median_cells = grouping.with_load(
        median_cells, projection, grouping.loads(median_cells, projection)[0]
    )
    if projection.panel in median_cells:
        panels = median_cells[projection.panel].map(grouping.words)
        median_cells = median_cells[panels == panels.iloc[0]]
    return median_cells


def glance(cells: pd.DataFrame, projection: Projection, looks: Looks | None = None) -> Figure:
    """Median latencies on one log axis: a row per operation, a dot per configuration.

    `cells` are those that `chosen` gives.
    """
    import seaborn  # takes a second

    names = grouping.series_factors(cells, projection)
    operations, series = grouping.operations(cells, projection), grouping.series(cells, names)
    look_of = (looks or looks_of(cells, projection)).of(names, series)
    with style():
        labels = [grouping.label(names, levels, projection) for levels in series]
        width = 7.5
        columns = legend_columns(width, labels)
        lines = -(-len(labels) // columns)
        figure = new_figure(width, 0.8 + 0.17 * lines + 0.34 * len(operations))
        axes = figure.subplots()
        for levels in series:
            look = look_of[levels]
            rows = grouping.select(cells, names, levels).drop_duplicates(projection.operation)
            seaborn.stripplot(
                rows, x="median_ms", y=projection.operation, order=operations, jitter=False,
                color=look.colour, marker=look.marker, size=6, alpha=0.9, linewidth=0.5,
                edgecolor="white", ax=axes,
            )  # fmt: skip
        log_axis(axes, *decade(cells["median_ms"].min(), cells["median_ms"].max()), horizontal=True)
        axes.set_xlabel(scaled("median latency (ms)", log=True))
        axes.set_ylabel("")
        axes.grid(visible=True, axis="y")
        axes.tick_params(axis="y", length=0)
        handles = [
            Line2D([], [], label=label, **look_of[levels].points())
            for label, levels in zip(labels, series, strict=True)
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=columns)
        return laid_out(figure)
