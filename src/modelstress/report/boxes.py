"""Notched box plots by thread count with the medians in a table below (ecmfa2016, Fig. 2–5)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from modelstress.analysis.projection import Projection
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import median
from modelstress.report.style import (
    COLOURS,
    HATCHES,
    laid_out,
    legend_columns,
    log_axis,
    new_figure,
    style,
    wrapped,
)

WIDEST = 10.0
"""Inches; facets stand in several rows rather than in a wider figure."""
MOST = 1.9
"""Inches of the boxes of a facet, from which on boxes become narrower."""
DOTS = 60
"""Outliers of a box from which on not all are drawn."""
THINNED = f" (of more than {DOTS} in a box, {DOTS} evenly spaced by rank, both ends among them)"


def boxes(
    cells: pd.DataFrame,
    outliers: pd.DataFrame,
    projection: Projection,
    setting: Setting,
    special: str = "",
) -> Figure:
    """Latency of one operation: a facet per load, a box per series, medians below.

    `cells` are those of one operation and one setting; boxes are drawn from their columns, and
    `outliers` adds the dots. `special` says in the figure what it is of besides. The notch is
    median ± IQR / √n, cut at the box's edge.
    """
    names = grouping.series_factors(cells, projection)
    series, counts = grouping.series(cells, names), grouping.loads(cells, projection)
    shown = cells.dropna(subset=["median_ms"])
    dots = {
        str(cell): cell_outliers["latency_ms"] for cell, cell_outliers in outliers.groupby("cell")
    }
    with style():
        labels = [grouping.label(names, levels, projection) for levels in series]
        beside = 0.35 + 0.058 * max(len(label) for label in labels)
        facet = max(0.75, min(0.34, MOST / (len(series) + 2)) * len(series) + 0.3)
        rows = -(-len(counts) // max(1, int((WIDEST - beside) / facet)))
        wide = -(-len(counts) // rows)
        width = max(5.5, beside + wide * facet)
        columns = legend_columns(width, labels)
        operation = ", ".join(str(name) for name in cells[projection.operation].unique())
        operation += f", {special}" if special else ""
        heading = "\n".join(filter(None, (operation, wrapped(grouping.titles(cells), width))))
        lines = -(-len(series) // columns) + heading.count("\n")
        below = 0.12 + 0.19 * len(series)
        figure = new_figure(width, 0.5 + 0.17 * lines + rows * (3.2 + below))
        grid = figure.add_gridspec(2 * rows, wide, height_ratios=(3.2, below) * rows)
        first: Axes | None = None
        for i, count in enumerate(counts):
            row, column = divmod(i, wide)
            axes = figure.add_subplot(grid[2 * row, column], sharey=first)
            first = first or axes
            series_cells = [
                grouping.at(grouping.select(cells, names, levels), projection, count)
                for levels in series
            ]
            _facet(axes, series_cells, dots)
            axes.set_title(grouping.loaded(projection, count))
            under = figure.add_subplot(grid[2 * row + 1, column])
            _medians(under, series_cells, labels if column == 0 else None)
            if column:
                axes.tick_params(which="both", labelleft=False, left=False)
                axes.spines["left"].set_visible(False)
            else:
                scale = ", log scale" if (shown["whisker_high_ms"] > 0).any() else ""
                axes.set_ylabel(f"latency (ms{scale})")
        if first is not None:
            _limits(first, shown, outliers)
        legend = [Patch(label=label, **_look(i)) for i, label in enumerate(labels)]
        figure.legend(handles=legend, loc="outside upper center", ncols=columns, title=heading)
        return laid_out(figure)


def _look(i: int) -> dict[str, Any]:
    """Fill of the i-th series; the second round of colours has other hatches."""
    return {
        "facecolor": COLOURS[i % len(COLOURS)] + "99",
        "edgecolor": "black",
        "linewidth": 0.8,
        "hatch": HATCHES[(i + i // len(COLOURS)) % len(HATCHES)],
    }


def _facet(
    axes: Axes,
    series_cells: Sequence[pd.Series | None],
    dots: Mapping[str, pd.Series],
) -> None:
    for i, cell in enumerate(series_cells):
        if cell is None:
            continue  # the study does not ask for it
        if pd.isna(cell["median_ms"]):
            why = "not measured" if not cell["executions"] else "no median"
            axes.text(
                i, 0.02, why, rotation=90, ha="center", va="bottom", fontsize=7,
                color="#666666", transform=axes.get_xaxis_transform(),
            )  # fmt: skip
            continue
        drawn = axes.bxp(
            [_box(cell, dots)], positions=[i], widths=0.62, shownotches=True,
            patch_artist=True, manage_ticks=False,
            flierprops={"marker": ".", "markersize": 3, "markerfacecolor": "#444444",
                        "markeredgecolor": "none", "alpha": 0.6},
            medianprops={"color": "black", "linewidth": 1.2},
            whiskerprops={"linewidth": 0.8}, capprops={"linewidth": 0.8},
        )  # fmt: skip
        drawn["boxes"][0].set(**_look(i))
    axes.set_xlim(-0.6, len(series_cells) - 0.4)
    axes.set_xticks([])


def _box(cell: pd.Series, dots: Mapping[str, pd.Series]) -> dict[str, Any]:
    """The summary of a cell in the words of `Axes.bxp`; ids of cells name their tool.

    A box whose third quartile lies among timeouts ends at the shortest of them, without a notch.
    """
    if pd.isna(cell["q3_ms"]):
        end = cell["timeout_ms"]
        cell = cell.copy()
        cell[["q3_ms", "whisker_high_ms"]] = max(end, cell["median_ms"])
        cell[["notch_low_ms", "notch_high_ms"]] = cell["median_ms"]
    cell_outliers = np.sort(dots.get(cell["cell"], pd.Series(dtype=float)).to_numpy(np.float64))
    kept = np.unique(
        np.linspace(0, cell_outliers.size - 1, min(cell_outliers.size, DOTS)).astype(int)
    )
    return {
        "med": cell["median_ms"],
        "q1": cell["q1_ms"],
        "q3": cell["q3_ms"],
        "whislo": cell["whisker_low_ms"],
        "whishi": cell["whisker_high_ms"],
        "cilo": max(cell["notch_low_ms"], cell["q1_ms"]),
        "cihi": min(cell["notch_high_ms"], cell["q3_ms"]),
        "fliers": cell_outliers[kept],
    }


def _medians(
    axes: Axes, series_cells: Sequence[pd.Series | None], labels: Sequence[str] | None
) -> None:
    """A column of the table below: medians (ms) with their marks, a row per series."""
    axes.set_axis_off()
    axes.set_ylim(len(series_cells) - 0.3, -0.7)
    axes.set_xlim(0, 1)
    for row, cell in enumerate(series_cells):
        text, letters = "–", ""
        if cell is not None:
            letters = footnotes.letters(cell["flags"])
            text = median(cell)
            if cell["timeout_share"] > 0:
                text += f" ({cell['timeout_share']:.0%} t)"
        # Texts that surely fit are left out of the layout, which is slow with hundreds of them.
        axes.text(0.5, row, text, ha="center", va="center", fontsize=8).set_in_layout(False)
        if letters:  # after a text that is about 0.055 inch a character wide
            aside = (0.028 * 72 * len(text) + 1, 0)
            axes.annotate(
                letters, (0.5, row), xytext=aside, textcoords="offset points", ha="left",
                va="bottom", fontsize=6,
            ).set_in_layout(False)  # fmt: skip
        if labels:
            axes.text(-0.04, row, labels[row], ha="right", va="center", fontsize=8)
    if labels:
        axes.text(-0.04, -0.95, "median (ms)", ha="right", va="center", fontsize=7, color="#666666")


def _limits(axes: Axes, shown: pd.DataFrame, outliers: pd.DataFrame) -> None:
    shown_outliers = outliers[outliers["cell"].isin(shown["cell"])]["latency_ms"]
    values = np.concatenate([shown["whisker_low_ms"], shown["whisker_high_ms"], shown_outliers])
    values = values[values > 0]
    if values.size:
        log_axis(axes, float(values.min()), float(values.max()))
