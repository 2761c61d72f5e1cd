"""Box plots by load with the medians in a table below (ecmfa2016, Fig. 2–5)."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.report import footnotes, grouping
from modelstress.report.looks import Look, Looks, looks_of
from modelstress.report.render import median
from modelstress.report.style import (
    GREY,
    laid_out,
    legend_columns,
    log_axis,
    new_figure,
    scaled,
    style,
)

MANY = 6
"""More series of an operation than these, and the panel's levels have rows of their own."""
DODGED = 0.8
"""Share of the room of a load that its boxes fill."""
BOX = 0.15
"""Inches of a box."""
COLUMN = 0.7
"""Inches of a load at least: its median, with its letters, stands below."""
DOTS = 60
"""Outliers of a box from which on not all are drawn."""
THINNED = f" (of more than {DOTS} in a box, {DOTS} evenly spaced by rank, both ends among them)"


@dataclass(frozen=True)
class _Row:
    """A row of boxes: its title, the cell of each series and load (None: not asked for), looks."""

    title: str
    cells: Sequence[Sequence["pd.Series | None"]]
    looks: Sequence[Look]


def boxes(
    cells: pd.DataFrame,
    outliers: pd.DataFrame,
    projection: Projection,
    special: str = "",
    looks: Looks | None = None,
) -> Figure:
    """Latency of one operation: loads side by side on one axis, a box per series, medians below.

    Boxes are drawn from the columns of `cells`, which are those of one operation and one setting,
    and `outliers` adds the dots. `special` says in the figure what it is of besides. A thick line
    in a box is the papers' notch, median ± IQR / √n, cut at the box's edge: seaborn's would be
    another one (±1.57 IQR / √n). Where there are many series, every level of the panel's factor
    has a row.
    """
    known = looks or looks_of(cells, projection)
    names, series, rows = _rows(cells, projection, known)
    counts = grouping.loads(cells, projection)
    dots = {
        str(cell): _thinned(cell_outliers["latency_ms"])
        for cell, cell_outliers in outliers.groupby("cell")
    }
    with style():
        labels = [grouping.label(names, levels, projection) or "all" for levels in series]
        beside = 0.55 + 0.058 * max(len(label) for label in labels)
        width = max(5.5, beside + len(counts) * max(COLUMN, BOX * len(series) + 0.2))
        columns = legend_columns(width, labels)
        operation = ", ".join(str(name) for name in cells[projection.operation].unique())
        heading = ", ".join(filter(None, (operation, special)))
        lines = -(-len(series) // columns)
        below = 0.2 + 0.18 * len(series)
        figure = new_figure(width, 0.7 + 0.17 * lines + len(rows) * (2.9 + below))
        grid = figure.subplots(
            2 * len(rows), 1, sharex=True, squeeze=False, height_ratios=(2.7, below) * len(rows)
        )[:, 0]
        scale = _scale(cells, outliers)
        for upper, under, row in zip(grid[::2], grid[1::2], rows, strict=True):
            _boxes(upper, row, counts, dots)
            upper.set_title(row.title)
            upper.set_ylabel(scaled("latency (ms)", log=scale is not None))
            if scale:
                log_axis(upper, *scale)
            _medians(under, row.cells, labels)
        grid[-2].set_xticks(range(len(counts)), [str(count) or "all" for count in counts])
        for upper in grid[::2]:
            upper.tick_params(axis="x", labelbottom=True, length=0)
            upper.set_xlabel(projection.load_title)
        usual = known.of(names, series)
        legend = [
            Patch(label=label, **usual[levels].box())
            for label, levels in zip(labels, series, strict=True)
        ]
        figure.legend(handles=legend, loc="outside upper center", ncols=columns, title=heading)
        return laid_out(figure)


def _rows(
    cells: pd.DataFrame, projection: Projection, looks: Looks
) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[_Row]]:
    """The factors that tell series apart, the series, and the rows of boxes."""
    names = grouping.series_factors(cells, projection)
    panel, levels = projection.panel, [""]
    if panel in names and len(grouping.series(cells, names)) > MANY:
        levels = [level for (level,) in grouping.series(cells, (panel,))]
        names = tuple(name for name in names if name != panel)
    series = grouping.series(cells, names)
    rows = []
    for level in levels:
        row_cells = grouping.select(cells, (panel,), (level,)) if level else cells
        row_series = [(*one, level) for one in series] if level else series
        of = looks.of((*names, panel) if level else names, row_series)
        at = [
            [
                grouping.at(grouping.select(row_cells, names, one), projection, count)
                for count in grouping.loads(cells, projection)
            ]
            for one in series
        ]
        rows.append(_Row(level, at, [of[one] for one in row_series]))
    return names, series, rows


def _boxes(axes: Axes, row: _Row, loads: Sequence[Level], dots: Mapping[str, list[float]]) -> None:
    """The boxes of a row. seaborn places them; its quartiles of five numbers are these numbers."""
    import seaborn  # takes a second

    order, hues = list(range(len(loads))), list(range(len(row.cells)))
    drawn: list[tuple[int, int, float]] = []
    beyond: list[tuple[int, int, float]] = []
    for hue, series_cells in enumerate(row.cells):
        for at, cell in enumerate(series_cells):
            if cell is None:
                continue  # the study does not ask for it
            x = at + DODGED * ((hue + 0.5) / len(hues) - 0.5)
            if pd.isna(cell["median_ms"]):
                _missing(axes, x, "no median" if cell["executions"] else "not measured")
                continue
            cell = _closed(cell)
            names = ("whisker_low_ms", "q1_ms", "median_ms", "q3_ms", "whisker_high_ms")
            drawn += [(at, hue, float(cell[name])) for name in names]
            beyond += [(at, hue, value) for value in dots.get(str(cell["cell"]), [])]
            notch = np.clip((cell["notch_low_ms"], cell["notch_high_ms"]), cell["q1_ms"],
                            cell["q3_ms"])  # fmt: skip
            axes.vlines(x, *notch, color="black", linewidth=2.4, zorder=3)
    placed = {"x": "load", "y": "ms", "hue": "series", "order": order, "hue_order": hues,
              "legend": False, "ax": axes}  # fmt: skip
    if drawn:
        with warnings.catch_warnings():  # seaborn 0.13.2 asks matplotlib 3.11 in its old words
            warnings.filterwarnings("ignore", "vert: bool was deprecated")
            seaborn.boxplot(
                pd.DataFrame(drawn, columns=["load", "series", "ms"]), **placed, whis=(0, 100),
                palette=["white"] * len(hues), width=DODGED, gap=0.12, showfliers=False,
                linecolor="black", linewidth=0.7,
            )  # fmt: skip
        shown = sorted({hue for _, hue, _ in drawn})
        for hue, container in zip(shown, axes.containers, strict=True):
            for box in container.boxes:  # type: ignore[attr-defined]  # seaborn's own container
                box.set(**row.looks[hue].box())
    if beyond:
        seaborn.stripplot(
            pd.DataFrame(beyond, columns=["load", "series", "ms"]), **placed, dodge=True,
            jitter=False, palette=["#444444"] * len(hues), size=1.8, linewidth=0, alpha=0.6,
        )  # fmt: skip
    for at in order[1:]:
        axes.axvline(at - 0.5, color="#cccccc", linewidth=0.6, zorder=0)
    axes.set_xlim(-0.5, len(loads) - 0.5)


def _closed(cell: "pd.Series") -> "pd.Series":
    """A box whose third quartile lies among timeouts ends at the shortest of them, unnotched."""
    if pd.notna(cell["q3_ms"]):
        return cell
    closed = cell.copy()
    closed[["q3_ms", "whisker_high_ms"]] = max(cell["timeout_ms"], cell["median_ms"])
    closed[["notch_low_ms", "notch_high_ms"]] = cell["median_ms"]
    return closed


def _missing(axes: Axes, x: float, why: str) -> None:
    axes.text(
        x, 0.02, why, rotation=90, ha="center", va="bottom", fontsize=7, color=GREY,
        transform=axes.get_xaxis_transform(),
    )  # fmt: skip


def _thinned(outliers: "pd.Series[float]") -> list[float]:
    ordered = np.sort(outliers.to_numpy(np.float64))
    kept = np.linspace(0, ordered.size - 1, min(ordered.size, DOTS)).astype(int)
    return [float(value) for value in ordered[np.unique(kept)]]


def _medians(
    axes: Axes, cells: Sequence[Sequence["pd.Series | None"]], labels: Sequence[str]
) -> None:
    """The table below: medians (ms) with their marks, a row per series, a column per load."""
    axes.set_axis_off()
    axes.set_ylim(len(cells) - 0.3, -1.1)
    outside = axes.get_yaxis_transform()
    for row, (label, series_cells) in enumerate(zip(labels, cells, strict=True)):
        axes.text(-0.01, row, label, ha="right", va="center", fontsize=8, transform=outside)
        for at, cell in enumerate(series_cells):
            text, letters = "–", ""
            if cell is not None:
                letters = footnotes.letters(cell["flags"])
                text = median(cell)
                if cell["timeout_share"] > 0:
                    text += f" ({cell['timeout_share']:.0%} t)"
            # Texts that surely fit are left out of the layout, which is slow with hundreds of them.
            axes.text(at, row, text, ha="center", va="center", fontsize=8).set_in_layout(False)
            if letters:  # after a text that is about 0.055 inch a character wide
                aside = (0.028 * 72 * len(text) + 1, 0)
                axes.annotate(
                    letters, (at, row), xytext=aside, textcoords="offset points", ha="left",
                    va="bottom", fontsize=6,
                ).set_in_layout(False)  # fmt: skip
    axes.text(
        -0.01, -0.95, "median (ms)", ha="right", va="center", fontsize=7, color=GREY,
        transform=outside,
    )  # fmt: skip


def _scale(cells: pd.DataFrame, outliers: pd.DataFrame) -> tuple[float, float] | None:
    """Lowest and highest value of the log axis; None where there is nothing above 0."""
    shown = cells.dropna(subset=["median_ms"])
    beyond = outliers[outliers["cell"].isin(shown["cell"])]["latency_ms"]
    values = np.concatenate([shown["whisker_low_ms"], shown["whisker_high_ms"], beyond])
    values = values[values > 0]
    return (float(values.min()), float(values.max())) if values.size else None
