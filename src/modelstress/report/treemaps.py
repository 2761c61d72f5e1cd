"""Treemap: all cells as tiles, nested by options, the darker the slower."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from modelstress.config.levels import written
from modelstress.report.style import laid_out, new_figure, plain, style, wrapped

WIDTH = 4.3
"""Inches: a narrow page shows the figure in its own size."""
COLOURS = "cividis_r"
"""Light: fast, dark: slow; the same to the colour-blind and in grey."""
TIMED_OUT = "black"
MOST_OPTIONS = 3
"""Options that rectangles are nested by."""
GAP = (0.022, 0.012, 0.006)
"""Between the parts of each depth, of a side of 1."""
Box = tuple[float, float, float, float]
"""Left, bottom, width, height."""


def nested_by(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the options of a tree, those nearer to the root first."""
    split = rows[rows["split"].fillna("") != ""].sort_values(["node_depth", "node"])
    return tuple(dict.fromkeys(split["split"]))[:MOST_OPTIONS]


def boxes(
    cells: pd.DataFrame, options: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Box, pd.DataFrame]]:
    """Divide a square by the levels of options in turns, beside one another and above one another.

    Each part is as large as its cells are many. The positions mean the same everywhere: a level of
    an option is on the same side in all parts, as in figure 17 of skoll-ccmperf. The level of the
    first of all cells is left, or above.

    Returns:
        The levels, the box and the cells of each innermost part.
    """
    sides = [(option, list(dict.fromkeys(cells[option].map(written)))) for option in options]
    return _divided(cells, sides, (0, 0, 1, 1), 0)


def _divided(
    cells: pd.DataFrame,
    sides: Sequence[tuple[str, Sequence[str]]],
    box: Box,
    depth: int,
) -> Iterator[tuple[tuple[str, ...], Box, pd.DataFrame]]:
    if not sides:
        yield (), box, cells
        return
    left, bottom, width, height = box
    (option, in_order), gap = sides[0], GAP[min(depth, len(GAP) - 1)]
    words = cells[option].map(written)
    there = set(words)
    levels = [level for level in in_order if level in there]
    beside = depth % 2 == 0
    room = (width if beside else height) - gap * (len(levels) - 1)
    at = left if beside else bottom + height
    for level in levels:
        part = cells[words == level]
        size = room * len(part) / len(cells)
        inner = (at, bottom, size, height) if beside else (left, at - size, width, size)
        at += (size + gap) if beside else -(size + gap)
        for names, place, inside in _divided(part, sides[1:], inner, depth + 1):
            yield (level, *names), place, inside


def tiles(box: Box, count: int) -> list[Box]:
    """Return as many tiles of one size as fill a box, as square as they can be."""
    import squarify

    left, bottom, width, height = box
    sizes = squarify.normalize_sizes([1] * count, width, height)
    placed = squarify.squarify(sizes, left, bottom, width, height)
    return [(one["x"], one["y"], one["dx"], one["dy"]) for one in placed]


def plot(cells: pd.DataFrame, options: Sequence[str], cutoff_ms: float) -> Figure:
    """Draw all cells with a median, or that mostly timed out, nested by options.

    Args:
        cells: with their levels and ``median_ms``; blank is black, for timeouts.
        options: the outermost first.
        cutoff_ms: from which median on a cell is among the worst: it has a frame.
    """
    ordered = cells.sort_values("median_ms", na_position="last", ascending=True)
    known = cells["median_ms"].dropna()
    norm = _scale(known)
    with style():
        figure = new_figure(WIDTH, WIDTH + 0.55)
        axes = figure.subplots()
        parts = list(boxes(ordered, options))
        _tiles(axes, parts, norm, cutoff_ms)
        for names, place, _ in parts:
            _name(axes, names, place)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        axes.axis("off")
        axes.set_title(wrapped(legend(options), WIDTH), fontsize=8)
        _colour_bar(figure, axes, norm)
        return laid_out(figure)


def legend(options: Sequence[str]) -> str:
    """Return how the options are laid out, in words."""
    ways = ("left to right", "top to bottom", "left to right within these")
    return "; ".join(f"{name}: {way}" for name, way in zip(options, ways, strict=False))


def _scale(known: "pd.Series[float]") -> Normalize:
    """Return the one colour scale: a log scale where all values are above 0."""
    low, high = float(known.min()), float(known.max())
    if low <= 0:
        return Normalize(low, max(high, low + 1))
    aside = 1.02 if high / low < 1.02 else 1.0  # equal cells have a colour too
    return LogNorm(low / aside, high * aside)


def _tiles(
    axes: Axes,
    parts: Sequence[tuple[tuple[str, ...], Box, pd.DataFrame]],
    norm: Normalize,
    cutoff_ms: float,
) -> None:
    places: list[Rectangle] = []
    values: list[float] = []
    for _, box, there in parts:
        for x, y, width, height in tiles(box, len(there)):
            places.append(Rectangle((x, y), width, height))
        values += there["median_ms"].to_list()
    medians = np.ma.masked_invalid(np.array(values, dtype=np.float64))
    fine = len(places) > 500
    worst = np.ma.filled(medians, np.inf) >= cutoff_ms
    tile: dict[str, Any] = {"linewidths": 0 if fine else 0.3, "edgecolors": "white"}
    drawn = PatchCollection(places, cmap=COLOURS, norm=norm, **tile)
    drawn.set_array(medians)
    drawn.cmap = drawn.cmap.with_extremes(bad=TIMED_OUT)
    axes.add_collection(drawn)
    framed = [place for place, bad in zip(places, worst, strict=True) if bad]
    axes.add_collection(
        PatchCollection(
            framed, facecolors="none", edgecolors="#D55E00", linewidths=0.4 if fine else 1.1
        )
    )


def _name(axes: Axes, names: Sequence[str], box: Box) -> None:
    """Write the levels of a part on it, in one line or below one another, where there is room."""
    left, bottom, width, height = box
    text = " / ".join(names)
    lines = 1
    if width < 0.014 * len(text) + 0.02:
        text, lines = " /\n".join(names), len(names)
    if not names or width < 0.014 * max(map(len, names)) + 0.02 or height < 0.04 * lines + 0.02:
        return
    axes.text(
        left + width / 2,
        bottom + height / 2,
        text,
        ha="center",
        va="center",
        fontsize=8,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
    ).set_in_layout(False)


def _colour_bar(figure: Figure, axes: Axes, norm: Normalize) -> None:
    bar = figure.colorbar(
        axes.collections[0], ax=axes, orientation="horizontal", fraction=0.04, pad=0.02, aspect=40
    )
    bar.ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    bar.ax.xaxis.set_major_formatter(FuncFormatter(plain))
    bar.ax.xaxis.set_minor_formatter(NullFormatter())
    bar.set_label("median latency (ms)" + (", log scale" if isinstance(norm, LogNorm) else ""))
