"""Figures of whole distributions: cumulated shares, tails, and departures from the normal."""

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress import stats
from modelstress.report.style import (
    COLOURS,
    laid_out,
    legend_columns,
    new_figure,
    plain,
    style,
)

STYLES = ("-", "--", "-.", ":")
TAIL = (0.5, 0.9, 0.95, 0.99, 0.999)
"""Shares on the axis of a percentile plot."""

Series = Mapping[str, stats.Values]
"""Label of each series to its latencies in ms."""


def ecdf(panels: Mapping[str, Series], unit: str = "latency (ms)") -> Figure:
    """Share of executions that took at most so long, on a log axis; one panel per title."""

    def draw(axes: Axes, series: Series) -> None:
        for index, values in enumerate(series.values()):
            ordered = np.sort(values)
            if ordered.size:
                share = np.arange(1, ordered.size + 1) / ordered.size
                axes.step(ordered, share, where="post", **_look(index))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(plain)
        axes.set_ylim(0, 1.02)

    return _panels(panels, draw, unit, "share of executions")


def percentiles(panels: Mapping[str, Series], unit: str = "latency (ms)") -> Figure:
    """Latency over the share of executions below it, stretched towards 1: the tail.

    A curve ends at the last share of which the sample has ten values beyond.
    """

    def draw(axes: Axes, series: Series) -> None:
        for index, values in enumerate(series.values()):
            if values.size < 20:
                continue
            last = 1 - 10 / values.size
            shares = 1 - np.geomspace(0.5, 1 - last, 200)
            axes.plot(1 / (1 - shares), np.quantile(values, shares), **_look(index))
        axes.set_xscale("log")
        axes.set_yscale("log")
        largest = max((values.size for values in series.values()), default=0)
        known = [share for share in TAIL if share <= 1 - 10 / max(largest, 20)]
        axes.set_xticks([1 / (1 - share) for share in known], [f"p{100 * s:g}" for s in known])
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(plain)

    return _panels(panels, draw, "percentile", unit)


def normal_quantiles(panels: Mapping[str, Series]) -> Figure:
    """Q–Q panels: latencies, standardised by median and quartiles, over normal quantiles."""

    def draw(axes: Axes, series: Series) -> None:
        for index, values in enumerate(series.values()):
            places, ordered = stats.quantiles(values)
            if ordered.size < 3:
                continue
            low, middle, high = np.quantile(ordered, (0.25, 0.5, 0.75))
            spread = (high - low) / 1.349  # of a normal distribution with deviation 1
            if spread > 0:
                axes.plot(places, (ordered - middle) / spread, **_look(index), linewidth=1)
        axes.axline((0, 0), slope=1, color="#666666", linewidth=0.8)
        axes.set_xlim(-3.5, 3.5)
        axes.set_ylim(-4, 12)

    return _panels(panels, draw, "normal quantile", "standardised latency")


def _look(index: int) -> dict[str, str]:
    again = index // len(COLOURS)
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": STYLES[again % len(STYLES)]}


def _panels(
    panels: Mapping[str, Series],
    draw: Callable[[Axes, Series], None],
    below: str,
    beside: str,
) -> Figure:
    """Panels three in a row under one legend."""
    labels = list(dict.fromkeys(label for series in panels.values() for label in series))
    wide = min(3, max(1, len(panels)))
    rows = -(-max(1, len(panels)) // wide)
    with style():
        width = max(5.2, 2.7 * wide)
        columns = legend_columns(width, labels or [""])
        lines = -(-len(labels) // columns)
        figure = new_figure(width, 0.5 + 2.3 * rows + 0.17 * lines)
        grid = figure.subplots(rows, wide, squeeze=False)
        for axes, (title, series) in zip(grid.flat, panels.items(), strict=False):
            draw(axes, {label: series.get(label, np.empty(0)) for label in labels})
            axes.set_title(title)
            axes.set_xlabel(below)
        for row in grid:
            row[0].set_ylabel(beside)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        handles = [
            grid.flat[0].plot([], [], **_look(i), label=label)[0] for i, label in enumerate(labels)
        ]
        if handles:
            figure.legend(handles, labels, loc="outside upper center", ncols=columns)
        return laid_out(figure)
