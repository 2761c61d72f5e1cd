"""Throughput–latency curves: what answering more per second costs each execution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.report import frames
from modelstress.report.grids import Latencies
from modelstress.report.style import laid_out, legend_columns, line_look, log_axis, new_figure, style

WIDE = 3
"""Panels beside each other."""
SHARE = 0.95


@dataclass(frozen=True)
class Curve:
    """Points in the order of threads: threads, throughput (1/s), median and p95 (ms)."""

    threads: tuple[int, ...]
    rate: tuple[float, ...]
    median: tuple[float, ...]
    tail: tuple[float, ...]


Panels = Mapping[str, Mapping[str, Curve]]
"""Curves by panel (a configuration) and protocol."""


def panels(cells: pd.DataFrame, factors: Sequence[str], latencies: Latencies) -> Panels:
    """The curves of all configurations that have at least two points.

    A cell without a median or without an answer in time has no point.
    """
    known = cells[(cells["median_ms"] > 0) & (cells["throughput_per_s"] > 0)]
    if known.empty:
        return {}
    names = frames.series_factors(cells, factors)
    rest = tuple(name for name in names if name != "protocol")
    told = rest if cells["query"].nunique() == 1 else ("query", *rest)
    found: dict[str, dict[str, Curve]] = {}
    for one in frames.series(known, told):
        here = frames.select(known, told, one)
        title = frames.label(rest, one[len(told) - len(rest) :])
        title = f"{one[0]}: {title}" if len(told) > len(rest) else title
        protocols = here["protocol"].map(frames.words) if "protocol" in here else None
        for protocol in dict.fromkeys(protocols) if protocols is not None else ("",):
            mine = here if protocols is None else here[protocols == protocol]
            curve = _curve(mine.drop_duplicates("threads").sort_values("threads"), latencies)
            if len(curve.threads) > 1:
                found.setdefault(title, {})[protocol] = curve
    return found


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
    """A panel per configuration with a pair of lines per protocol, all on the same log axes."""
    protocols = list(dict.fromkeys(name for each in made.values() for name in each))
    wide = min(WIDE, len(made))
    rows = -(-len(made) // wide)
    heading = ", ".join(filter(None, (task, special)))
    with style():
        labels = [
            f"{name} {what}".strip() for name in protocols for what in ("median", "95th percentile")
        ]
        width = max(5.2, 2.9 * wide)
        columns = legend_columns(width, labels)
        lines = -(-len(labels) // columns) + 1
        figure = new_figure(width, 0.5 + 2.5 * rows + 0.17 * lines)
        grid = figure.subplots(rows, wide, squeeze=False, sharex=True, sharey=True)
        for axes in grid.flat[len(made) :]:
            axes.set_visible(False)
        for axes, (title, each) in zip(grid.flat, made.items(), strict=False):
            for protocol, curve in each.items():
                _draw(axes, curve, protocols.index(protocol))
            axes.set_title(title)
            axes.tick_params(labelbottom=True)
        _axes(grid.flat[0], made)
        for row in grid:
            row[0].set_ylabel("latency (ms)")
        for i, axes in enumerate(grid.flat[: len(made)]):
            if i + wide >= len(made):
                axes.set_xlabel("ok executions per second")
        looks = [look for i in range(len(protocols)) for look in _looks(i)]
        handles = [grid.flat[0].plot([], [], **look)[0] for look in looks]
        figure.legend(
            handles, labels, loc="outside upper center", ncols=columns, title=heading or None
        )
        return laid_out(figure)


def _looks(index: int) -> tuple[dict[str, object], dict[str, object]]:
    """Median and tail of a protocol."""
    look = line_look(index)
    return look, look | {"linestyle": "--", "linewidth": 0.8, "markerfacecolor": "white"}


def _draw(axes: Axes, curve: Curve, index: int) -> None:
    median, tail = _looks(index)
    axes.plot(curve.rate, curve.median, **median)
    axes.plot(curve.rate, curve.tail, **tail)
    # The first protocol's numbers stand below its points, the next one's above.
    side = -1 if index % 2 == 0 else 1
    for count, x, y in zip(curve.threads, curve.rate, curve.median, strict=True):
        axes.annotate(
            str(count), (x, y), xytext=(5, 6 * side), textcoords="offset points", ha="center",
            va="center", fontsize=6.5, color=median["color"],
        )  # fmt: skip


def _axes(axes: Axes, made: Panels) -> None:
    every = [curve for each in made.values() for curve in each.values()]
    rates = np.concatenate([curve.rate for curve in every])
    times = np.concatenate([[*curve.median, *curve.tail] for curve in every])
    times = times[times > 0]
    log_axis(axes, float(rates.min()), float(rates.max()), horizontal=True)
    log_axis(axes, float(times.min()), float(times.max()))
