"""Lines over thread counts: throughput, and medians with their dispersion.

`special` says in a figure what it is of besides: the levels that set it apart from its neighbours.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modelstress.report import frames
from modelstress.report.style import (
    bar_look,
    decade,
    in_logs,
    laid_out,
    legend_columns,
    line_look,
    log_axis,
    new_figure,
    reach,
    scaled,
    style,
    thread_axis,
    wrapped,
)

MANY = 6
"""More series of one query than these, and protocols have panels of their own."""


def throughput(cells: pd.DataFrame, factors: Sequence[str], special: str = "") -> Figure:
    """Throughput of `ok` executions against threads: a facet per query, a line per series.

    Where there are many series, a query has a facet per protocol. Points are medians over
    invocations, bars reach from the lowest to the highest invocation.
    """
    return _facets(
        cells, factors, special, "ok executions per second",
        ("throughput_per_s", "throughput_low_per_s", "throughput_high_per_s"),
    )  # fmt: skip


def medians(cells: pd.DataFrame, factors: Sequence[str], special: str = "") -> Figure:
    """Median latency against threads: a facet per query, a line per series.

    Bars are the intervals of the medians.
    """
    return _facets(
        cells, factors, special, "median latency (ms)",
        ("median_ms", "median_low_ms", "median_high_ms"),
    )  # fmt: skip


def dispersion(cells: pd.DataFrame, factors: Sequence[str], special: str = "") -> Figure:
    """Coefficient of dispersion against threads: a facet per query, a line per series."""
    return _facets(cells, factors, special, "coefficient of dispersion", ("cod", "cod", "cod"))


def _facets(
    cells: pd.DataFrame,
    factors: Sequence[str],
    special: str,
    unit: str,
    values: tuple[str, str, str],
) -> Figure:
    names = frames.series_factors(cells, factors)
    queries = list(dict.fromkeys(cells["query"]))
    columns: list[tuple[str, ...]] = [()]
    if "protocol" in names and _most(cells, queries, names) > MANY:
        protocols = frames.series(cells, ("protocol",))
        asked_over = frames.series(cells, ("query", "protocol"))
        if 2 * len(asked_over) > len(queries) * len(protocols):  # not mostly empty panels
            columns = protocols
            names = tuple(name for name in names if name != "protocol")
    series, counts = frames.series(cells, names), frames.threads(cells)
    panels = [(query, one) for query in queries for one in columns]
    wide = len(columns) if len(columns) > 1 else min(3, len(queries))
    rows = -(-len(panels) // wide)
    with style():
        labels = [frames.label(names, one) for one in series]
        width = max(5.2, 2.9 * wide)
        heading = "\n".join(filter(None, (special, wrapped(frames.titles(cells), width))))
        many = legend_columns(width, labels)
        lines = -(-len(series) // many) + heading.count("\n") + bool(heading)
        figure = new_figure(width, 0.45 + 2.4 * rows + 0.17 * lines)
        grid = figure.subplots(rows, wide, squeeze=False, sharex=True)
        log = in_logs(cells.loc[cells["query"] == q, values[0]].to_numpy(float) for q in queries)
        for i, (query, column) in enumerate(panels):
            axes = grid.flat[i]
            asked = cells[cells["query"] == query]
            here = frames.select(asked, ("protocol",)[: len(column)], column)
            for j, one in enumerate(series):
                mine = frames.select(here, names, one)
                _line(axes, mine, counts, values, labels[j], j)
            axes.set_title(", ".join((query, *column)))
            thread_axis(axes, counts)
            axes.tick_params(labelbottom=True)
            # Panels of one query have the same ends.
            _scale(axes, asked[list(values)].to_numpy(np.float64), log)
            if i % wide == 0:
                axes.set_ylabel(scaled(unit, log))
            if i + wide < len(panels):
                axes.set_xlabel("")
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        handles = {h.get_label(): h for ax in grid.flat for h in ax.get_legend_handles_labels()[0]}
        if handles:
            figure.legend(
                list(handles.values()), list(handles), loc="outside upper center",
                ncols=many, title=heading or None,
            )  # fmt: skip
        return laid_out(figure)


def _most(cells: pd.DataFrame, queries: Sequence[str], names: Sequence[str]) -> int:
    """Series of the query that has most."""
    return max(len(frames.series(cells[cells["query"] == query], names)) for query in queries)


def _line(
    axes: Axes,
    cells: pd.DataFrame,
    counts: list[int],
    columns: tuple[str, str, str],
    label: str,
    index: int,
) -> None:
    # A missing point leaves a gap: a line through it would claim what was not measured.
    points = cells.drop_duplicates("threads").set_index("threads").reindex(counts)
    if points[columns[0]].isna().all():
        return
    # Series lie beside each other where they would cover one another's bars.
    x = np.array(counts, dtype=np.float64) * 1.03 ** ((index + 1) // 2 * (-1) ** index)
    middle, low, high = (points[name].to_numpy(np.float64) for name in columns)
    bars = np.nan_to_num(np.vstack([middle - low, high - middle])).clip(min=0)
    axes.errorbar(
        x, middle, yerr=bars if bars.any() else None, label=label,
        **line_look(index), **bar_look(index),
    )  # fmt: skip


def _scale(axes: Axes, values: NDArray[np.float64], log: bool) -> None:
    """An axis that fits the points (first column) and, as far as they are near, their bars."""
    points = values[:, 0][np.isfinite(values[:, 0])]
    if not points.size:
        return
    if log:
        log_axis(axes, *decade(*reach(points, values[np.isfinite(values)])))
        return
    top = np.nanmax(np.where(np.isfinite(values), values, 0))
    axes.set_ylim(0, max(min(float(top), 3 * float(points.max())) * 1.12, 1e-9))
