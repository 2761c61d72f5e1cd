"""Throughput–latency curves: what answering more per second costs each execution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from modelstress.report import frames
from modelstress.report.grids import Latencies
from modelstress.report.style import laid_out, line_look, log_axis, new_figure, style

WIDE = 4
"""Panels beside each other."""
SHARE = 0.95
OUTLINE = [withStroke(linewidth=1.5, foreground="white")]
"""Numbers of threads can be read where a line goes through them."""


@dataclass(frozen=True)
class Curve:
    """Points in the order of threads: threads, throughput (1/s), median and p95 (ms)."""

    threads: tuple[int, ...]
    rate: tuple[float, ...]
    median: tuple[float, ...]
    tail: tuple[float, ...]


Panels = Mapping[tuple[str, str], Curve]
"""Curves by configuration and protocol."""


def panels(cells: pd.DataFrame, factors: Sequence[str], latencies: Latencies) -> Panels:
    """The curves of all configurations that have at least two points.

    A cell without a median or without an answer in time has no point.
    """
    known = cells[(cells["median_ms"] > 0) & (cells["throughput_per_s"] > 0)]
    if known.empty:
        return {}
    rest = tuple(n for n in frames.series_factors(cells, factors) if n != "protocol")
    several = cells["query"].nunique() > 1
    told = [n for n in ("query", *rest, "protocol") if n in known]
    found = {}
    for one in frames.series(known, told):
        mine = frames.select(known, told, one).drop_duplicates("threads").sort_values("threads")
        if len(mine) > 1:
            levels = dict(zip(told, one, strict=True))
            title = frames.label(rest, [levels[name] for name in rest])
            title = f"{levels['query']}: {title}" if several else title
            found[title, levels.get("protocol", "")] = _curve(mine, latencies)
    # Protocols of one configuration beside each other.
    titles = list(dict.fromkeys(title for title, _ in found))
    return dict(sorted(found.items(), key=lambda item: titles.index(item[0][0])))


def _curve(cells: pd.DataFrame, latencies: Latencies) -> Curve:
    tails = []
    for key in frames.keys(cells):
        values = latencies.get(key, ())
        tails.append(float(np.quantile(np.concatenate(values), SHARE)) if len(values) else np.nan)
    return Curve(
        tuple(int(count) for count in cells["threads"]), tuple(cells["throughput_per_s"]),
        tuple(cells["median_ms"]), tuple(tails),
    )  # fmt: skip


def curves(made: Panels, task: str, special: str = "") -> Figure:
    """A panel per configuration and protocol, with one log axis of latency for all of them."""
    protocols = list(dict.fromkeys(protocol for _, protocol in made))
    each = max(1, len(protocols))
    wide = min(len(made), each * max(1, WIDE // each))
    rows = -(-len(made) // wide)
    heading = ", ".join(filter(None, (task, special)))
    with style():
        figure = new_figure(max(5.2, 2.3 * wide), 0.8 + 2.2 * rows)
        grid = figure.subplots(rows, wide, squeeze=False, sharey=True)
        for axes in grid.flat[len(made) :]:
            axes.set_visible(False)
        for axes, ((title, protocol), curve) in zip(grid.flat, made.items(), strict=False):
            _draw(axes, curve, protocols.index(protocol))
            axes.set_title("\n".join(filter(None, (title, protocol))), fontsize=8)
        times = np.concatenate([[*curve.median, *curve.tail] for curve in made.values()])
        times = times[times > 0]
        # Twice the room below: the lowest point has its number beside it.
        log_axis(grid.flat[0], float(times.min()) / 1.3, float(times.max()))
        for row in grid:
            row[0].set_ylabel("latency (ms, log scale)")
        figure.supxlabel("ok executions per second (log scale)", fontsize=9)
        handles = [grid.flat[0].plot([], [], **look)[0] for look in _looks(0)]
        labels = ("median", f"{SHARE:.0%} of the executions are faster")
        figure.legend(handles, labels, loc="outside upper center", ncols=2, title=heading or None)
        return laid_out(figure)


def _looks(index: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Median and tail of a protocol."""
    look = line_look(index)
    return look, look | {"linestyle": "--", "linewidth": 0.9, "marker": ""}


def _draw(axes: Axes, curve: Curve, index: int) -> None:
    median, tail = _looks(index)
    axes.plot(curve.rate, curve.tail, **tail)
    axes.plot(curve.rate, curve.median, **median)
    for count, x, y in zip(curve.threads, curve.rate, curve.median, strict=True):
        axes.annotate(
            str(count), (x, y), xytext=(5, -1), textcoords="offset points", ha="left",
            va="center", fontsize=7, path_effects=OUTLINE,
        ).set_in_layout(False)  # fmt: skip
    log_axis(axes, min(curve.rate), max(curve.rate) * 1.15, horizontal=True)
