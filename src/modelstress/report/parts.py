"""Where the time of executions goes: a bar for each cell whose tool tells parts of them."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from modelstress.analysis.parted import REST
from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.style import (
    COLOURS,
    GREY,
    laid_out,
    legend_columns,
    new_figure,
    readable,
    style,
)

MOST = 24
"""Bars of a figure; of more cells, the slowest."""
NARROWEST = 0.06
"""Share of a bar from which on its number is written into it."""


def pages(
    parts: pd.DataFrame, cells: pd.DataFrame, projection: Projection
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Operation, its cells that have parts, the slowest first, and their rows of the table."""
    with_parts = cells[cells["cell"].isin(parts["cell"]) & cells["median_ms"].notna()]
    for operation, rows in grouping.by_operation(with_parts, projection):
        shown = rows.sort_values("median_ms", ascending=False).head(MOST)
        yield operation, shown, parts[parts["cell"].isin(shown["cell"])]


def shares(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Mean share of each part over the starts of a cell: a row per cell, a column per part."""
    mean = rows.groupby(["cell", "part"])["share"].mean().unstack("part")
    order = rows.sort_values("number")["part"].drop_duplicates()
    return mean.reindex(index=list(cells["cell"]), columns=list(order)).fillna(0.0)


def finding(table: pd.DataFrame) -> str:
    """What takes most of the time, as a title."""
    mean = table.mean().sort_values(ascending=False)
    return f"{mean.index[0]} takes {mean.iloc[0]:.0%} of the time, {_second(mean)}".replace(
        "%", " %"
    )


def _second(mean: pd.Series) -> str:
    return f"{mean.index[1]} {mean.iloc[1]:.0%}" if len(mean) > 1 else "nothing else does"


def plot(rows: pd.DataFrame, cells: pd.DataFrame, projection: Projection) -> Figure:
    """Draw shares of the mean latency, stacked in the order in which the parts happen."""
    table = shares(rows, cells)
    names, width = [*table.columns], 7.2
    labels = _labels(cells, projection)
    with style():
        columns = legend_columns(width, names)
        figure = new_figure(width, 1.3 + 0.26 * len(table) + 0.17 * -(-len(names) // columns))
        axes = figure.subplots()
        left = np.zeros(len(table))
        for number, name in enumerate(names):
            colour = GREY if name == REST else COLOURS[number % (len(COLOURS) - 1)]
            share = table[name].to_numpy()
            axes.barh(range(len(table)), 100 * share, left=100 * left, color=colour, label=name)
            for place in np.flatnonzero(share >= NARROWEST):
                middle = 100 * (left[place] + share[place] / 2)
                axes.text(
                    middle, float(place), f"{100 * share[place]:.0f}",
                    ha="center", va="center", fontsize=7, color=readable(np.array(to_rgb(colour))),
                )  # fmt: skip
            left = left + share
        axes.set_yticks(range(len(table)), labels)
        axes.invert_yaxis()
        axes.grid(visible=False)
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of the mean latency (%)")
        figure.legend(loc="outside lower center", ncols=columns, title=finding(table))
        return laid_out(figure)


def _labels(cells: pd.DataFrame, projection: Projection) -> Sequence[str]:
    """What sets each cell apart from the others, and its median latency."""
    varied = [n for n in projection.factors if n in cells and cells[n].map(str).nunique() > 1]
    told = [
        ", ".join(grouping.words(row[name]) for name in varied if not pd.isna(row[name]))
        for row in cells.to_dict("records")
    ]
    return [f"{one or 'all'} ({1000 * ms:.0f} µs)" if ms < 1 else f"{one or 'all'} ({ms:.1f} ms)"
            for one, ms in zip(told, cells["median_ms"], strict=True)]  # fmt: skip
