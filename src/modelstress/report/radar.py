"""All configurations at a glance: a radar per group of tools (sosym2017, Fig. 10)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.style import (
    laid_out,
    legend_columns,
    line_look,
    new_figure,
    plain,
    style,
)

FEWEST = 3
"""Tasks from which on a radar has an area."""


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


def radars(cells: pd.DataFrame, projection: Projection) -> Figure:
    """Median latencies, an axis per operation; one radar per tool of several configurations.

    Tools with one configuration each share one. All have the same axes and scales. `cells` are
    those that `chosen` gives.
    """
    names = grouping.series_factors(cells, projection)
    operations = grouping.operations(cells, projection)
    groups = _groups(cells, names)
    low, high = float(cells["median_ms"].min()), float(cells["median_ms"].max())
    bottom, top = np.floor(np.log10(low) - 0.1), np.log10(high) + 0.05
    with style():
        width = max(5.2, 4.4 * len(groups))
        lines = max(-(-len(series) // 2) for _, series in groups)
        figure = new_figure(width, 4.2 + 0.17 * lines)
        axes_of = figure.subplots(1, len(groups), squeeze=False, subplot_kw={"polar": True})[0]
        for axes, (title, series) in zip(axes_of, groups, strict=True):
            _web(axes, operations, float(bottom), float(top))
            for i, levels in enumerate(series):
                medians = _medians(grouping.select(cells, names, levels), projection, operations)
                _polygon(axes, medians, grouping.label(names, levels, projection), i)
            axes.set_title(title, pad=14)
            labels = [grouping.label(names, levels, projection) for levels in series]
            axes.legend(
                loc="upper center", bbox_to_anchor=(0.5, -0.1),
                ncols=min(2, legend_columns(4.4, labels)),
            )  # fmt: skip
        return laid_out(figure)


def _groups(cells: pd.DataFrame, names: Sequence[str]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Titles and series of the radars: tools with most configurations first."""
    of_tool = {
        str(tool): grouping.series(tool_cells, names)
        for tool, tool_cells in cells.groupby("tool", sort=False)
    }
    several = sorted(
        (item for item in of_tool.items() if len(item[1]) > 1), key=lambda item: -len(item[1])
    )
    single = [item for item in of_tool.items() if len(item[1]) == 1]
    if single:
        title = ", ".join(tool for tool, _ in single)
        several.append((title, [levels for _, series in single for levels in series]))
    return several


def _web(axes: Any, operations: list[str], bottom: float, top: float) -> None:
    """A spoke per operation, a ring per power of ten."""
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    angles = np.linspace(0, 2 * np.pi, len(operations), endpoint=False)
    axes.set_xticks(angles, operations)
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        # Beside the web, not over it.
        side = np.sin(angle)
        label.set_ha("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    axes.set_rlim(bottom, top)
    rings = np.arange(bottom + 1, np.floor(top) + 1)
    axes.yaxis.set_major_locator(FixedLocator(list(rings)))
    axes.set_yticklabels([])
    for ring in rings:  # over the polygons, which would cross out the labels of ticks
        axes.text(
            np.pi / len(operations), ring, f"{plain(10**ring)} ms", fontsize=7, zorder=5,
            ha="center", va="center",
            bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6},
        )  # fmt: skip
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(visible=True, axis="both")


def _medians(
    cells: pd.DataFrame, projection: Projection, operations: Sequence[str]
) -> NDArray[np.float64]:
    """Median (ms) of each operation; NaN where there is none."""
    by_operation = cells.drop_duplicates(projection.operation).set_index(projection.operation)
    return by_operation["median_ms"].reindex(list(operations)).to_numpy(np.float64)


def _polygon(axes: Any, medians: NDArray[np.float64], label: str, index: int) -> None:
    """A closed line through the medians; open where an operation has none."""
    radius = np.log10(medians)
    angles = np.linspace(0, 2 * np.pi, len(medians), endpoint=False)
    axes.plot(
        np.append(angles, angles[0]), np.append(radius, radius[0]),
        label=label, **line_look(index),
    )  # fmt: skip
