"""Figures of whole distributions: cumulated shares, tails, and departures from the normal."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modelstress import stats
from modelstress.report.grids import Grid, Panel
from modelstress.report.style import (
    COLOURS,
    GREY,
    laid_out,
    legend_columns,
    log_axis,
    new_figure,
    style,
)

STYLES = ("-", "--", "-.", ":")
TAIL = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
"""Shares on the axis of a percentile plot."""
BEYOND = 5
"""Executions that must be slower than the end of a percentile curve."""
MOST_POINTS = 400
"""Points of a curve; larger samples are drawn at as many evenly spaced quantiles."""

WHY = "too few, constant or 0"
"""Why a cell with latencies may have no curve."""

Look = dict[str, Any]
Draw = Callable[[Axes, stats.Values, Look], bool]
"""Draws one series; false where it cannot be drawn."""


def ecdf(grid: Grid) -> Figure:
    """Share of executions that took at most so long, on a log axis."""

    def draw(axes: Axes, values: stats.Values, look: Look) -> bool:
        ordered = np.sort(values[values > 0])
        if ordered.size:
            share = np.arange(1, ordered.size + 1) / values.size
            # From 0 up at the smallest value.
            ordered, share = np.append(ordered[0], ordered), np.append(0, share)
            kept = _thinned(ordered.size)
            axes.step(ordered[kept], share[kept], where="post", **look)
        return bool(ordered.size)

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
        axes.set_ylim(0, 1.02)
        axes.set_yticks((0, 0.25, 0.5, 0.75, 1))  # the layout is computed once: no ticks that move

    return _panels(grid, draw, finish, "latency (ms, log scale)", "share of executions")


def percentiles(grid: Grid) -> Figure:
    """Latency over the share of executions that are slower, towards the tail."""

    def draw(axes: Axes, values: stats.Values, look: Look) -> bool:
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
    """Q–Q panels: latencies, standardised by median and quartiles, over normal quantiles."""

    def draw(axes: Axes, values: stats.Values, look: Look) -> bool:
        places, ordered = stats.quantiles(values)
        if ordered.size < 3:
            return False
        low, middle, high = np.quantile(ordered, (0.25, 0.5, 0.75))
        spread = (high - low) / 1.349  # of a normal distribution with deviation 1
        if spread > 0:
            kept = _thinned(ordered.size)
            axes.plot(places[kept], (ordered[kept] - middle) / spread, **look)
        return bool(spread > 0)

    def finish(axes: Axes, row: list[Panel]) -> None:
        axes.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
        axes.set_xlim(-3.3, 3.3)
        axes.set_ylim(-4, 10)
        axes.set_xticks((-2, 0, 2))
        axes.set_yticks((0, 5, 10))

    return _panels(grid, draw, finish, "normal quantile", "standardised latency", tested=True)


def _thinned(size: int) -> NDArray[np.int64]:
    """Places of the values that are drawn: all, or evenly spaced ones with both ends."""
    return np.unique(np.linspace(0, size - 1, min(size, MOST_POINTS)).astype(np.int64))


def _look(index: int) -> Look:
    again = index // len(COLOURS)
    return {
        "color": COLOURS[index % len(COLOURS)], "linestyle": STYLES[again % len(STYLES)],
        "linewidth": 1.1,
    }  # fmt: skip


def _panels(
    grid: Grid,
    draw: Draw,
    finish: Callable[[Axes, list[Panel]], None],
    below: str,
    beside: str,
    tested: bool = False,
) -> Figure:
    """A row of panels per task under one legend; what a panel cannot show is said in it."""
    looks = {label: _look(index) for index, label in enumerate(grid.labels)}
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
                _panel(axes, panel, looks, draw, tested)
                finish(axes, panels)
                if row == grid.rows[0]:
                    axes.set_title(column)
                if row == grid.rows[-1]:
                    axes.set_xlabel(below)
                if column == grid.columns[0]:
                    axes.set_ylabel(f"{row}\n{beside}")
                else:
                    axes.tick_params(labelleft=False)
        handles = [
            axes_grid.flat[0].plot([], [], **look, label=label)[0] for label, look in looks.items()
        ]
        if handles:
            figure.legend(handles, list(looks), loc="outside upper center", ncols=columns)
        return laid_out(figure)


def _panel(
    axes: Axes, panel: Panel | None, looks: dict[str, Look], draw: Draw, tested: bool
) -> None:
    """The curves of a panel; in its corner how many are missing, or normal."""
    if panel is None or not panel.series:
        notes = ["nothing measured"]
    else:
        drawn = [draw(axes, values, looks[label]) for label, values in panel.series.items()]
        left = len(drawn) - sum(drawn)
        notes = [f"not drawn: {left} of {len(drawn)} ({WHY})"] if left else []
        if tested and panel.tested:
            notes.append(f"normal: {panel.normal} of {panel.tested}")
    if notes:
        axes.text(
            0.03, 0.97, "\n".join(notes), transform=axes.transAxes, ha="left", va="top",
            fontsize=7, color=GREY,
        )  # fmt: skip
