"""Figures of effect sizes: where a level is slower, and how many times as slow a tool is."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.report import frames
from modelstress.report.comparisons import SIGNIFICANCE, UNDECIDED
from modelstress.report.style import laid_out, new_figure, style

DIVERGING = "PuOr_r"
"""Orange: slower, purple: faster; both ends differ for the colour-blind, signs tell in grey."""
DARK = 0.6
"""|delta| from which on a field is so dark that its number is white."""


def heat_map(
    compared: pd.DataFrame, factor: tuple[str, str, str], factors: Sequence[str]
) -> Figure:
    """Cliff's delta of a level against another: a row per query and series, a column per threads.

    Fields where Mann–Whitney's p is 0.01 or more have a dot and no colour, fields that were not
    measured are hatched.
    """
    name, level, base = factor
    rest = [each for each in factors if each != name]
    names = tuple(n for n in frames.series_factors(compared, rest) if n != name)
    counts = frames.threads(compared)
    rows = [
        (str(query), one, frames.select(here, names, one))
        for query, here in compared.groupby("query", sort=False)
        for one in frames.series(here, names)
    ]
    with style():
        labels = [f"{query}  {frames.label(names, one)}" for query, one, _ in rows]
        width = 1.4 + 0.06 * max((len(label) for label in labels), default=1) + 0.55 * len(counts)
        figure = new_figure(max(4.0, width), 1.3 + 0.24 * len(rows))
        axes = figure.subplots()
        values = np.full((len(rows), len(counts)), np.nan)
        for i, (_, _, mine) in enumerate(rows):
            for j, count in enumerate(counts):
                values[i, j] = _field(axes, i, j, mine[mine["threads"] == count])
        image = axes.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
        axes.set_yticks(range(len(rows)), labels)
        axes.set_xticks(range(len(counts)), [str(count) for count in counts])
        axes.set_xlabel("client threads")
        axes.grid(visible=False)
        bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02)
        bar.set_label(f"Cliff's delta: {level} against {base}\nfaster  ←   → slower")
        return laid_out(figure)


def _field(axes: Axes, row: int, column: int, here: pd.DataFrame) -> float:
    """Write what stands in a field; its value, NaN for one without colour."""
    if here.empty or pd.isna(here.iloc[0]["p"]):
        axes.fill(
            [column - 0.5, column + 0.5, column + 0.5, column - 0.5],
            [row - 0.5, row - 0.5, row + 0.5, row + 0.5],
            facecolor="none", edgecolor="#bbbbbb", hatch="////", linewidth=0,
        )  # fmt: skip
        return np.nan
    one = here.iloc[0]
    decided = one["p"] < SIGNIFICANCE
    delta = float(one["delta"])
    text = f"{delta:+.2f}".replace("-", "−") if decided else UNDECIDED
    colour = "white" if decided and abs(delta) > DARK else "black"
    axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)
    return delta if decided else np.nan
