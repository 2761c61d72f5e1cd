"""Throughput–latency curves: what answering more per second costs each execution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.config.measures import LATENCY, THROUGHPUT
from modelstress.report import grouping
from modelstress.report.grids import Latencies
from modelstress.report.looks import Look, Looks, looks_of
from modelstress.report.style import (
    fine_grid,
    in_logs,
    laid_out,
    log_axis,
    new_figure,
    plain,
    scaled,
    style,
)
from modelstress.stats import percentile

WIDE = 4
"""Panels beside each other."""
SHARE = 0.95
BEHIND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4}
"""Loads can be read where a line goes through them; an outline would make shapes of the words."""


@dataclass(frozen=True)
class Curve:
    """Points in the order of loads: load, throughput (1/s), median and p95 (ms)."""

    loads: tuple[Level, ...]
    rate: tuple[float, ...]
    median: tuple[float, ...]
    tail: tuple[float, ...]
    look: Look


Panels = Mapping[tuple[str, str], Curve]
"""Curves by configuration and level of the panel's factor."""


def panels(
    cells: pd.DataFrame, projection: Projection, ranked: Latencies, looks: Looks | None = None
) -> Panels:
    """The curves of all configurations that have at least two points.

    A cell without a median or without an answer in time has no point; a tail among timeouts is NaN.
    `ranked` are latencies with an infinity for each timeout.
    """
    measured_cells = cells[(cells["median_ms"] > 0) & (cells["throughput_per_s"] > 0)]
    if measured_cells.empty:
        return {}
    known = looks or looks_of(cells, projection)
    rest = tuple(n for n in grouping.series_factors(cells, projection) if n != projection.panel)
    told = [n for n in (projection.operation, *rest, projection.panel) if n in cells]
    curve_of = {}
    for series_levels in grouping.series(measured_cells, told):
        series_cells = _in_order(grouping.select(measured_cells, told, series_levels), projection)
        if len(series_cells) > 1:
            levels = dict(zip(told, series_levels, strict=True))
            place = _place(levels, rest, cells, projection)
            look = known.one({name: levels[name] for name in told[1:]})
            curve_of[place] = _curve(series_cells, projection, ranked, look)
    # Panels of one configuration beside each other.
    titles = list(dict.fromkeys(title for title, _ in curve_of))
    return dict(sorted(curve_of.items(), key=lambda item: titles.index(item[0][0])))


def _place(
    levels: Mapping[str, str], rest: Sequence[str], cells: pd.DataFrame, projection: Projection
) -> tuple[str, str]:
    """Configuration and panel's level, the title of a panel."""
    title = grouping.label(rest, [levels[name] for name in rest], projection)
    if cells[projection.operation].nunique() > 1:
        title = f"{levels[projection.operation]}: {title}"
    return title, levels.get(projection.panel, "")


def _in_order(cells: pd.DataFrame, projection: Projection) -> pd.DataFrame:
    """One cell per load, in the order of loads."""
    if not projection.load:
        return cells.head(1)
    order = grouping.loads(cells, projection)
    once = cells.drop_duplicates(projection.load)
    places = once[projection.load].map(order.index)
    return once.loc[places.sort_values(kind="stable").index]


def _curve(cells: pd.DataFrame, projection: Projection, ranked: Latencies, look: Look) -> Curve:
    tails = []
    for key in grouping.keys(cells):
        starts = ranked.get(key, ())
        tail = percentile(np.concatenate(starts), SHARE).value if len(starts) else np.nan
        tails.append(tail if np.isfinite(tail) else np.nan)
    return Curve(
        tuple(grouping.loads(cells, projection)), tuple(cells["throughput_per_s"]),
        tuple(cells["median_ms"]), tuple(tails), look,
    )  # fmt: skip


def curves(made: Panels, task: str, special: str = "") -> Figure:
    """A panel per configuration and panel's level; all panels have the same two axes.

    Throughput starts at 0, unless there are values far apart: then it is on a log scale.
    """
    levels = list(dict.fromkeys(level for _, level in made))
    level_count = max(1, len(levels))
    wide = min(len(made), level_count * max(1, WIDE // level_count))
    rows = -(-len(made) // wide)
    heading = ", ".join(filter(None, (task, special)))
    log = in_logs([np.concatenate([curve.rate for curve in made.values()])])
    with style():
        figure = new_figure(max(5.2, 2.3 * wide), 0.8 + 2.2 * rows)
        grid = figure.subplots(rows, wide, squeeze=False, sharex=True, sharey=True)
        for axes in grid.flat[len(made) :]:
            axes.set_visible(False)
        for axes, (place, curve) in zip(grid.flat, made.items(), strict=False):
            _draw(axes, curve)
            axes.set_title("\n".join(filter(None, place)), fontsize=8)
            axes.tick_params(labelbottom=True)
        _throughputs(grid.flat[0], made, log)
        times = np.concatenate([[*curve.median, *curve.tail] for curve in made.values()])
        times = times[times > 0]
        # Twice the room below: the lowest point has its number beside it.
        log_axis(grid.flat[0], float(times.min()) / 1.3, float(times.max()))
        for row in grid:
            row[0].set_ylabel(scaled(LATENCY.axis, log=True))
            for axes in row:
                axes.grid(visible=True, axis="x")
                fine_grid(axes)
                if log:
                    fine_grid(axes, horizontal=True)
        figure.supxlabel(scaled(THROUGHPUT.axis, log), fontsize=9)
        if heading:
            figure.suptitle(heading, fontsize=9)
        return laid_out(figure)


def _throughputs(axes: Axes, made: Panels, log: bool) -> None:
    """The x axis of all panels, with room for the number beside the last point."""
    rates = np.concatenate([curve.rate for curve in made.values()])
    if log:
        log_axis(axes, float(rates.min()), float(rates.max()) * 1.8, horizontal=True)
        return
    axes.set_xlim(0, float(rates.max()) * 1.2)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))


def _draw(axes: Axes, curve: Curve) -> None:
    """Medians joined by a line; a bar from each up to the 95th percentile."""
    median, tail = np.array(curve.median), np.array(curve.tail)
    up = np.nan_to_num(tail - median).clip(min=0)
    axes.errorbar(
        curve.rate,
        median,
        yerr=np.vstack([np.zeros_like(up), up]),
        **curve.look.line(),
        **curve.look.bars(),
    )
    for load, x, y in zip(curve.loads, curve.rate, curve.median, strict=True):
        axes.annotate(
            str(load), (x, y), xytext=(5, -1), textcoords="offset points", ha="left",
            va="center", fontsize=7, bbox=BEHIND,
        ).set_in_layout(False)  # fmt: skip
