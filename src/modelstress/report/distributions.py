"""Figures of whole distributions: cumulated shares, tails, and departures from the normal."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from modelstress import stats
from modelstress.report.grids import Grid, Panel
from modelstress.report.looks import Look, numbered
from modelstress.report.style import (
    GREY,
    inward,
    laid_out,
    legend_columns,
    log_axis,
    new_figure,
    style,
)
from modelstress.stats.thresholds import THRESHOLDS

TAIL = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
"""Shares on the axis of a percentile plot."""
BEYOND = 5
"""Executions that must be slower than the end of a percentile curve."""
MOST_POINTS = 400
"""Points of a curve; larger samples are drawn at as many evenly spaced quantiles."""

WHY = "too few, constant or 0"
"""Why a cell with latencies may have no curve."""
LACKING = "no pingouin here"
"""Why readers of archives see no Q–Q plot: it comes with ``modelstress[notebooks]``."""

MOST_NORMAL = 5000
"""Points of a Q–Q plot, whose envelope is that of a sample of so many."""
CONFIDENCE = 0.99
ABREAST = 6
"""Q–Q plots in a row."""

Style = dict[str, Any]
Draw = Callable[[Axes, stats.Values, Style], bool]
"""Draws one series in a style of ``Axes.plot``; false where it cannot be drawn."""


def ecdf(grid: Grid) -> Figure:
    """Share of executions that took at most so long, on a log axis."""
    import seaborn  # takes a second

    def draw(axes: Axes, values: stats.Values, look: Style) -> bool:
        ordered = np.sort(values)
        if not ordered.size or ordered[-1] <= 0:
            return False
        ordered = ordered.clip(min=ordered[ordered > 0][0])  # 0 has no place on a log axis
        kept = _thinned(ordered.size)
        seaborn.ecdfplot(
            x=ordered[kept], weights=np.diff(kept + 1, prepend=0), ax=axes, legend=False,
            **look,
        )  # fmt: skip
        return True

    def finish(axes: Axes, row: list[Panel]) -> None:
        values = [latencies[latencies > 0] for panel in row for latencies in panel.series.values()]
        ends = [
            end
            for latencies in values
            if latencies.size
            for end in (latencies.min(), latencies.max())
        ]
        if ends:
            log_axis(axes, float(min(ends)), float(max(ends)), horizontal=True)
            inward(axes)
        axes.set_ylim(0, 1.02)
        axes.set_yticks((0, 0.25, 0.5, 0.75, 1))  # the layout is computed once: no ticks that move

    return _panels(grid, draw, finish, "latency (ms, log scale)", "share of executions")


def percentiles(grid: Grid) -> Figure:
    """Latency over the share of executions that are slower, towards the tail."""

    def draw(axes: Axes, values: stats.Values, look: Style) -> bool:
        if values.size < 4 * BEYOND or not values.min() > 0:
            return False
        slower = np.geomspace(0.5, BEYOND / values.size, 200)
        axes.plot(1 / slower, np.quantile(values, 1 - slower), **look)
        return True

    sizes = [values.size for panel in grid.panels.values() for values in panel.series.values()]
    shares = [share for share in TAIL if 1 - share >= BEYOND / max(*sizes, 4 * BEYOND)]
    if 0.99 in shares:  # there is no room for all
        shares = [share for share in shares if share not in (0.75, 0.95)]

    def finish(axes: Axes, row: list[Panel]) -> None:
        axes.set_xscale("log")
        axes.set_xticks([1 / (1 - share) for share in shares], [f"p{100 * s:g}" for s in shares])
        axes.minorticks_off()
        axes.set_xlim(1.9, max(*sizes, 4 * BEYOND) / BEYOND * 1.05)
        ends = [
            end
            for panel in row
            for latencies in panel.series.values()
            if latencies.size >= 4 * BEYOND and latencies.min() > 0
            for end in np.quantile(latencies, (0.5, 1 - BEYOND / latencies.size))
        ]
        if ends:
            log_axis(axes, float(min(ends)), float(max(ends)))

    return _panels(grid, draw, finish, "percentile (log scale)", "latency (ms, log scale)")


def normal_quantiles(grid: Grid) -> Figure:
    """Normal Q–Q plots, a panel per task and series, each with pingouin's envelope.

    Of each series the first column of the grid that has it: the smallest load. Values are
    standardised by mean and standard deviation. In the corner Shapiro–Wilk's p.
    """
    places = [
        (row, label, found[0])
        for row in grid.rows
        for label in grid.labels
        if (found := [grid.panels[row, c] for c in grid.columns if _has(grid, row, c, label)])
    ]
    wide = min(ABREAST, len(places))
    high = -(-len(places) // wide)
    with style():
        figure = new_figure(max(5.2, 1.5 * wide), 0.5 + 1.75 * high)
        axes_grid = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True)
        for axes in axes_grid.flat[len(places) :]:
            axes.set_visible(False)
        for axes, (row, label, panel) in zip(axes_grid.flat, places, strict=False):
            look = panel.looks.get(label) or numbered(grid.labels.index(label))
            missing = _normal(axes, panel.series[label], look)
            _note(axes, f"not drawn:\n{missing}" if missing else _p(panel.p.get(label, np.nan)))
            axes.set_title("\n".join((*row.split(), *label.split(": "))), fontsize=7)
            axes.tick_params(labelbottom=True)
        figure.supxlabel("normal quantile", fontsize=9)
        figure.supylabel("standardised latency", fontsize=9)
        return laid_out(figure)


def _p(p: float) -> str:
    """What stands in the corner of a Q–Q plot; nothing where it was not tested."""
    if np.isnan(p):
        return ""
    return f"p = {p:.2g}" if p >= THRESHOLDS.alpha else f"p < {THRESHOLDS.alpha}"


def _has(grid: Grid, row: str, column: str, label: str) -> bool:
    return (row, column) in grid.panels and label in grid.panels[row, column].series


def _normal(axes: Axes, values: stats.Values, look: Look) -> str:
    """Draw one Q–Q plot; why it is not drawn, where the sample has no spread or no size."""
    axes.set_xlim(-3.5, 3.5)
    axes.set_ylim(-3.5, 6)
    if values.size < 3 or np.ptp(values) == 0:
        return WHY
    try:
        import pingouin  # takes a second, and is no part of what readers of archives install
    except ModuleNotFoundError:
        return LACKING
    sample = np.sort(values)[_thinned(values.size, MOST_NORMAL)]
    pingouin.qqplot(
        sample, ax=axes, confidence=CONFIDENCE, square=False, color=look.colour,
        marker=look.marker, s=5, linewidths=0, rasterized=sample.size > MOST_POINTS,
        line_kwargs={"color": "black", "linewidth": 0.8},
        ci_kwargs={"color": GREY, "linestyle": "--", "linewidth": 0.7},
    )  # fmt: skip
    axes.lines[0].remove()  # the diagonal, beside the fitted line
    for text in list(axes.texts):  # R², which says little of tails
        text.remove()
    axes.set(xlabel="", ylabel="", xlim=(-3.5, 3.5), ylim=(-3.5, 6))
    return ""


def _thinned(size: int, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Places of the values that are drawn: all, or evenly spaced ones with both ends."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).astype(np.int64))


def _panels(
    grid: Grid,
    draw: Draw,
    finish: Callable[[Axes, list[Panel]], None],
    below: str,
    beside: str,
) -> Figure:
    """A row of panels per task under one legend; what a panel cannot show is said in it."""
    with style():
        width = min(9.0, max(5.2, 2.9 * len(grid.columns)))
        columns = legend_columns(width, grid.labels)
        lines = -(-len(grid.labels) // columns)
        figure = new_figure(width, 0.5 + 1.7 * len(grid.rows) + 0.17 * lines)
        axes_grid = figure.subplots(len(grid.rows), len(grid.columns), squeeze=False)
        for row, line in zip(grid.rows, axes_grid, strict=True):
            panels = [grid.panels[row, c] for c in grid.columns if (row, c) in grid.panels]
            for column, axes in zip(grid.columns, line, strict=True):
                panel = grid.panels.get((row, column))
                _panel(axes, panel, grid.labels, draw)
                finish(axes, panels)
                if row == grid.rows[0]:
                    axes.set_title(column)
                axes.set_xlabel(below if row == grid.rows[-1] else "")
                if column == grid.columns[0]:
                    axes.set_ylabel(f"{row}\n{beside}")
                else:
                    axes.set_ylabel("")
                    axes.tick_params(labelleft=False)
        handles = [
            Line2D([], [], **_usual(grid, label).line(), label=label) for label in grid.labels
        ]
        if handles:
            figure.legend(handles=handles, loc="outside upper center", ncols=columns)
        return laid_out(figure)


def _usual(grid: Grid, label: str) -> Look:
    """The look of a series in the first panel that has it."""
    looks = (panel.looks[label] for panel in grid.panels.values() if label in panel.looks)
    return next(looks, numbered(grid.labels.index(label)))


def _panel(axes: Axes, panel: Panel | None, labels: Sequence[str], draw: Draw) -> None:
    """The curves of a panel; in its corner how many are missing."""
    if panel is None or not panel.series:
        _note(axes, "nothing measured")
        return
    left = 0
    for number, label in enumerate(labels):
        if label not in panel.series:
            continue
        look = (panel.looks.get(label) or numbered(number)).line() | {"markersize": 3.5}
        # Markers at other places than the neighbours'.
        apart = {"markevery": (0.05 + 0.06 * (number % 5), 0.3), "linewidth": 1.1}
        left += not draw(axes, panel.series[label], look | apart)
    if left:
        _note(axes, f"not drawn: {left} of {len(panel.series)}\n({WHY})")


def _note(axes: Axes, text: str) -> None:
    axes.text(
        0.03, 0.97, text, transform=axes.transAxes, ha="left", va="top", fontsize=7, color=GREY
    )
