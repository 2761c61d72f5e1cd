"""The front figure: which decision matters, and beside it what happens under load."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from modelstress.analysis.estimates import MARGIN
from modelstress.analysis.projection import Projection
from modelstress.analysis.within_starts import FEW
from modelstress.config.base import Level
from modelstress.report import claims_words, grouping
from modelstress.report.claims_decisions import DECIDED
from modelstress.report.front_curves import Curves
from modelstress.report.front_decisions import AtLoad, Decision
from modelstress.report.style import (
    GREY,
    fine_grid,
    in_numbers,
    laid_out,
    load_axis,
    log_axis,
    new_figure,
    style,
)

CLAIMED, SEEN, MEAN, BAND = "#0072B2", "#b0b0b0", "#D55E00", "#cccccc"
"""Colours of what is claimed, of what is only seen, of means and of the margin."""
IN_TURNS = "†"
ASIDE = 0.19
"""How far the dots of the least load are above the middle of a row, and those of the most below."""
WIDEST = 36
"""Characters of a line of a row's title."""
STEP = 44
"""Width of a column of numbers, points."""


def front(
    decisions: Sequence[Decision],
    curves: Curves | None,
    projection: Projection,
    finding: Sequence[str],
) -> Figure:
    """The left part of decisions and the right part of curves, as far as there are any.

    Args:
        decisions: a row each, in this order from the top.
        curves: over the load.
        projection: of the study.
        finding: the title, a line each.

    Raises:
        ValueError: there is neither.
    """
    if not decisions and curves is None:
        raise ValueError("a front figure needs decisions or curves")
    widths = [7.8] * bool(decisions) + [4.2] * (curves is not None)
    lines = 4 if decisions else len(curves.curves) if curves else 0
    with style():
        height = 0.9 + 0.19 * (len(finding) + lines) + max(2.6, 0.3 * len(decisions))
        figure = new_figure(sum(widths), height)
        # Labels and numbers take half of the left part.
        ratios = [5.0, 4.2] if len(widths) == 2 else [1.0]
        panels = figure.subplots(1, len(widths), squeeze=False, width_ratios=ratios)[0]
        figure.suptitle("\n".join(finding), x=0.008, ha="left", fontsize=11, fontweight="bold")
        if decisions:
            _decisions(figure, panels[0], decisions, projection)
        if curves is not None:
            _curves(figure, panels[-1], curves, projection)
        return laid_out(figure)


def _decisions(
    figure: Figure, axes: Axes, decisions: Sequence[Decision], projection: Projection
) -> None:
    loads = extremes(decisions, projection)
    for place, one in enumerate(decisions):
        if place % 2:
            axes.axhspan(place - 0.5, place + 0.5, color="#f6f6f6", linewidth=0, zorder=0)
        for column, at in _columns(one, loads):
            aside = 0.0 if len(loads) == 1 else -ASIDE if column == 0 else ASIDE
            _dots(axes, place + aside, at, column == 0, one)
    axes.axvspan(1 / (1 + MARGIN), 1 + MARGIN, color=BAND, linewidth=0, zorder=0.5)
    axes.axvline(1, color="black", linewidth=0.8)
    ratios = np.concatenate([at.ratios for one in decisions for at in one.at])
    log_axis(axes, min(0.5, ratios.min()), max(2.0, ratios.max()), horizontal=True)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"×{value:g}"))
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("← faster      ratio of median latencies (log scale)      slower →")
    axes.set_ylim(len(decisions) - 0.5, -0.5)
    axes.set_yticks(range(len(decisions)), [_label(one) for one in decisions], linespacing=1.05)
    axes.tick_params(axis="y", length=0, labelsize=8.5)
    axes.set_title("Which decision matters", loc="left", fontweight="bold", pad=24)
    _numbers(axes, decisions, loads, projection)
    marks = _marks(decisions, loads, projection)
    figure.legend(handles=marks, loc="outside lower left", ncols=3, handletextpad=0.6)


def _label(one: Decision) -> str:
    """The title of a row on lines that leave room for the dots."""
    mark = f"\N{NO-BREAK SPACE}{IN_TURNS}" if one.in_turns else ""
    return textwrap.fill(f"{one.title}{mark}", WIDEST)


def extremes(decisions: Sequence[Decision], projection: Projection) -> list[Level]:
    """The least and the most load of all decisions, or the only one."""
    rows = pd.concat([one.rows for one in decisions])
    loads = grouping.loads(rows, projection)
    return list(dict.fromkeys((loads[0], loads[-1])))


def _columns(one: Decision, loads: Sequence[Level]) -> list[tuple[int, AtLoad]]:
    """What a decision has at its loads, by column: the least in the first, the most in the last.

    One that has a single load is in the first column, but where that is the most of all.
    """
    if len(one.at) == 1:
        return [(len(loads) - 1 if one.at[0].load == loads[-1] else 0, one.at[0])]
    return list(enumerate(one.at))


def _dots(axes: Axes, place: float, at: AtLoad, first: bool, one: Decision) -> None:
    """The ratios of a decision at a load: filled at the least load, else hollow."""
    # Grey ones first, so that what is decided lies above them.
    for decided, colour in ((False, SEEN), (True, CLAIMED)):
        chosen = at.ratios[at.decided == decided]
        axes.scatter(
            chosen, np.full(len(chosen), place), s=16, facecolors=colour if first else "none",
            edgecolors=colour, linewidths=0.9, zorder=2 + decided, alpha=0.85,
        )  # fmt: skip
    ends = [place - 0.8 * ASIDE, place + 0.8 * ASIDE]
    axes.plot([at.mean] * 2, ends, color=_mean(one), lw=2.4, zorder=2.5, solid_capstyle="butt")


def _mean(one: Decision) -> str:
    return MEAN if one.status in DECIDED else GREY


def _numbers(
    axes: Axes, decisions: Sequence[Decision], loads: Sequence[Level], projection: Projection
) -> None:
    """Columns at the right: means at the least and at the most load and over all, and statuses."""
    last = len(loads) if len(loads) > 1 else 0
    for column, load in enumerate(loads[:last]):
        head = grouping.loaded(projection, load).replace(" ", "\n", 1)
        _beside(axes, column, head, None, GREY)
    _beside(axes, last, "mean\nof all" if last else "mean", None, GREY)
    for place, one in enumerate(decisions):
        colour = "black" if one.status in DECIDED else GREY
        for column, at in _columns(one, loads) if last else ():
            away = f" ({at.load})" if at.load != loads[column] else ""
            _beside(axes, column, f"{_times(at.mean)}{away}", place, colour)
        _beside(axes, last, _times(one.mean), place, colour)
        status = "too few starts" if one.status == FEW else one.status
        _beside(axes, last, status, place, colour, after=True)


def _beside(
    axes: Axes, column: int, text: str, row: int | None, colour: str, after: bool = False
) -> None:
    """A text at the right of the panel, in a row or over all: in a column, or after it."""
    axes.annotate(
        text, (1, 1 if row is None else row), (STEP * (column + 1) + 6 * after, 3 * (row is None)),
        xycoords="axes fraction" if row is None else ("axes fraction", "data"),
        textcoords="offset points", va="bottom" if row is None else "center",
        ha="left" if after else "right", fontsize=8, color=colour, annotation_clip=False,
    )  # fmt: skip


def _times(ratio: float) -> str:
    return f"×{claims_words.times(ratio)}"


def _marks(
    decisions: Sequence[Decision], loads: Sequence[Level], projection: Projection
) -> list[Line2D | Patch]:
    """What the marks of the left part are."""
    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 5}
    named = [grouping.loaded(projection, load) for load in loads]
    article = "an" if projection.row_title[:1] in "aeiou" else "a"
    a_dot = f"{article} {projection.row_title} and configuration"
    words = [f"{a_dot}, {load}" for load in named] if len(loads) > 1 else [a_dot]
    marks: list[Line2D | Patch] = [
        Line2D([], [], color=GREY, markerfacecolor=face, label=word, **dot)
        for word, face in zip(words, (GREY, "none"), strict=False)
    ]  # fmt: skip
    decided = np.concatenate([at.decided for one in decisions for at in one.at])
    colours = ((True, CLAIMED, "decided over starts"), (False, SEEN, "seen, undecided over starts"))
    marks += [
        Line2D([], [], color=colour, label=label, **dot)
        for known, colour, label in colours if (decided == known).any()
    ]  # fmt: skip
    bar: dict[str, Any] = {
        "linestyle": "none", "marker": "|", "markersize": 9, "markeredgewidth": 2.4,
    }  # fmt: skip
    there = {_mean(one) for one in decisions}
    named_means = {MEAN: "mean, decided over starts", GREY: "mean, no claim"}
    marks += [
        Line2D([], [], color=colour, label=label, **bar)
        for colour, label in named_means.items() if colour in there
    ]  # fmt: skip
    marks.append(Patch(facecolor=BAND, label=f"margin of ±{100 * MARGIN:.0f} %"))
    if any(one.in_turns for one in decisions):
        # not a marker: where texts are no formulas, neither are markers made of text
        said = f"{IN_TURNS} on a server that served both in turns"
        marks.append(Line2D([], [], linestyle="none", label=said))
    return marks


def _curves(figure: Figure, axes: Axes, shown: Curves, projection: Projection) -> None:
    """Medians over the load with bands from the first to the third quartile."""
    loads = list(shown.curves[0].points.index)
    places = [float(str(load)) for load in loads] if in_numbers(loads) else range(len(loads))
    handles = []
    ends = []
    for curve in shown.curves:
        points = curve.points
        low, high = (points[name].to_numpy(np.float64) for name in ("q1_ms", "q3_ms"))
        middle = points["median_ms"].to_numpy(np.float64)
        axes.fill_between(places, low, high, color=curve.look.colour, alpha=0.15, linewidth=0)
        handles += axes.plot(places, middle, label=curve.label, **curve.look.line())
        ends += [low, middle, high]
    load_axis(axes, loads, projection.load_title)
    every = np.concatenate(ends)
    every = every[np.isfinite(every) & (every > 0)]
    log_axis(axes, every.min(), every.max())
    fine_grid(axes)
    axes.yaxis.set_major_formatter(FuncFormatter(duration))
    axes.set_ylabel("median latency and quartiles (log scale)")
    axes.set_title("What happens under load", loc="left", fontweight="bold", pad=24)
    axes.annotate(
        shown.task, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points",
        annotation_clip=False,
    )  # fmt: skip
    figure.legend(handles=handles, loc="outside lower right", ncols=1 + (len(handles) > 3))


def duration(ms: float, _: object = None) -> str:
    """A latency in ms with the unit that a reader takes: `500 µs`, `20 ms`, `1.5 s`."""
    for unit, size in (("s", 1000.0), ("ms", 1.0)):
        if ms >= size:
            return f"{ms / size:g} {unit}"
    return f"{1000 * ms:g} µs"
