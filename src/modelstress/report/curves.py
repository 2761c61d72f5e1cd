"""Throughput–latency curves: what answering more per second costs each execution."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.config.measures import LATENCY, THROUGHPUT
from modelstress.report import grouping
from modelstress.report.grids import Latencies
from modelstress.report.style import laid_out, line_look, log_axis, new_figure, scaled, style
from modelstress.stats import percentile

WIDE = 4
"""Panels beside each other."""
SHARE = 0.95
OUTLINE = [withStroke(linewidth=1.5, foreground="white")]
"""Loads can be read where a line goes through them."""


@dataclass(frozen=True)
class Curve:
    """Points in the order of loads: load, throughput (1/s), median and p95 (ms)."""

    loads: tuple[Level, ...]
    rate: tuple[float, ...]
    median: tuple[float, ...]
    tail: tuple[float, ...]


Panels = Mapping[tuple[str, str], Curve]
"""Curves by configuration and level of the panel's factor."""


def panels(cells: pd.DataFrame, projection: Projection, ranked: Latencies) -> Panels:
    """The curves of all configurations that have at least two points.

    A cell without a median or without an answer in time has no point; a tail among timeouts is NaN.
    `ranked` are latencies with an infinity for each timeout.
    """
    measured_cells = cells[(cells["median_ms"] > 0) & (cells["throughput_per_s"] > 0)]
    if measured_cells.empty:
        return {}
    rest = tuple(n for n in grouping.series_factors(cells, projection) if n != projection.panel)
    several = cells[projection.operation].nunique() > 1
    told = [n for n in (projection.operation, *rest, projection.panel) if n in measured_cells]
    curve_of = {}
    for series_levels in grouping.series(measured_cells, told):
        series_cells = _in_order(grouping.select(measured_cells, told, series_levels), projection)
        if len(series_cells) > 1:
            levels = dict(zip(told, series_levels, strict=True))
            title = grouping.label(rest, [levels[name] for name in rest], projection)
            title = f"{levels[projection.operation]}: {title}" if several else title
            curve_of[title, levels.get(projection.panel, "")] = _curve(
                series_cells, projection, ranked
            )
    # Panels of one configuration beside each other.
    titles = list(dict.fromkeys(title for title, _ in curve_of))
    return dict(sorted(curve_of.items(), key=lambda item: titles.index(item[0][0])))


def _in_order(cells: pd.DataFrame, projection: Projection) -> pd.DataFrame:
    """One cell per load, in the order of loads."""
    if not projection.load:
        return cells.head(1)
    order = grouping.loads(cells, projection)
    once = cells.drop_duplicates(projection.load)
    places = once[projection.load].map(order.index)
    return once.loc[places.sort_values(kind="stable").index]


def _curve(cells: pd.DataFrame, projection: Projection, ranked: Latencies) -> Curve:
    tails = []
    for key in grouping.keys(cells):
        starts = ranked.get(key, ())
        tail = percentile(np.concatenate(starts), SHARE).value if len(starts) else np.nan
        tails.append(tail if np.isfinite(tail) else np.nan)
    return Curve(
        tuple(grouping.loads(cells, projection)), tuple(cells["throughput_per_s"]),
        tuple(cells["median_ms"]), tuple(tails),
    )  # fmt: skip


def curves(made: Panels, task: str, special: str = "") -> Figure:
    """A panel per configuration and panel's level, with one log axis of latency for all of them."""
    levels = list(dict.fromkeys(level for _, level in made))
    level_count = max(1, len(levels))
    wide = min(len(made), level_count * max(1, WIDE // level_count))
    rows = -(-len(made) // wide)
    heading = ", ".join(filter(None, (task, special)))
    with style():
        figure = new_figure(max(5.2, 2.3 * wide), 0.8 + 2.2 * rows)
        grid = figure.subplots(rows, wide, squeeze=False, sharey=True)
        for axes in grid.flat[len(made) :]:
            axes.set_visible(False)
        for axes, ((title, level), curve) in zip(grid.flat, made.items(), strict=False):
            _draw(axes, curve, levels.index(level))
            axes.set_title("\n".join(filter(None, (title, level))), fontsize=8)
        times = np.concatenate([[*curve.median, *curve.tail] for curve in made.values()])
        times = times[times > 0]
        # Twice the room below: the lowest point has its number beside it.
        log_axis(grid.flat[0], float(times.min()) / 1.3, float(times.max()))
        for row in grid:
            row[0].set_ylabel(scaled(LATENCY.axis, log=True))
        figure.supxlabel(scaled(THROUGHPUT.axis, log=True), fontsize=9)
        handles = [grid.flat[0].plot([], [], **look)[0] for look in _looks(0)]
        labels = ("median", f"{SHARE:.0%} of the executions are faster")
        figure.legend(handles, labels, loc="outside upper center", ncols=2, title=heading or None)
        return laid_out(figure)


def _looks(index: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Median and tail of a panel's level."""
    look = line_look(index)
    return look, look | {"linestyle": "--", "linewidth": 0.9, "marker": ""}


def _draw(axes: Axes, curve: Curve, index: int) -> None:
    median, tail = _looks(index)
    axes.plot(curve.rate, curve.tail, **tail)
    axes.plot(curve.rate, curve.median, **median)
    for load, x, y in zip(curve.loads, curve.rate, curve.median, strict=True):
        axes.annotate(
            str(load), (x, y), xytext=(5, -1), textcoords="offset points", ha="left",
            va="center", fontsize=7, path_effects=OUTLINE,
        ).set_in_layout(False)  # fmt: skip
    log_axis(axes, min(curve.rate), max(curve.rate) * 1.15, horizontal=True)
