"""A subspace beside the whole configuration space: a figure and a sentence."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.analysis import Derived
from modelstress.analysis.grouped import groups
from modelstress.analysis.subspace import Subspace, subspace
from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.report import screening
from modelstress.report.artifacts import Drawn, NotDrawn
from modelstress.report.style import (
    COLOURS,
    GREY,
    laid_out,
    log_axis,
    new_figure,
    style,
    wrapped,
)
from modelstress.stats.results import Values

WIDTH = 4.3
"""Inches: a narrow page shows the figure in its own size."""


def shown(
    derived: Derived, fixed: Mapping[str, Level], number: str, chance: float = 0.01
) -> tuple[Drawn | NotDrawn, ...]:
    """Return a subspace beside the whole, and the effects inside: for a notebook.

    The whole are the first cells of the data that differ in options only. Options that do not vary
    there are no part of the choice, so that a notebook can name more than a profile measured.

    Args:
        derived: the tables.
        fixed: option to its level.
        number: of the figures, such as ``10``.
        chance: that any effect of pure noise is called strong.
    """
    group = next(groups(derived.cells, derived.projection, two_levels=False))
    varied = {name: level for name, level in fixed.items() if name in group.options}
    try:
        found = subspace(
            group.cells, varied, invocations=derived.invocations, projection=derived.projection,
            chance=chance,
        )  # fmt: skip
    except ConfigError as error:
        return (NotDrawn("subspace", f"{str(error)[:1].upper()}{str(error)[1:]}."),)
    caption = f"{finding(found)} {options_left(found)}"
    drawn = Drawn(f"figure-{number}", "subspace", caption, partial(plot, found))
    if found.effects.empty or found.effects.get("terms", pd.Series(dtype=object)).isna().all():
        return (drawn,)
    inside = (
        f"Effects of the options that are open, {named(found)}: ratio of the median latencies, "
        "second level over first; strong ones are what the paper marks by a star."
    )
    draw = partial(screening.plot, found.effects)
    return drawn, Drawn(f"figure-{number}-effects", "screening", inside, draw)


def named(found: Subspace) -> str:
    """Return the levels of a subspace, in words."""
    return ", ".join(f"{name} = {level}" for name, level in found.fixed.items()) or "all options *"


def finding(found: Subspace) -> str:
    """Return how a subspace stands beside the other cells, in one sentence."""
    head = f"{found.fitting} of {found.cells} cells have {named(found)}"
    if not found.fixed or np.isnan(found.ratio):
        return f"{head}; they are not held against others."
    interval = f" ({found.ratio_low:.2f}–{found.ratio_high:.2f})" if found.ratio_low > 0 else ""
    told = (
        "the interval has 1 in it, so no difference is told"
        if not found.ratio_low > 0 or found.ratio_low <= 1 <= found.ratio_high
        else "they are slower"
        if found.ratio > 1
        else "they are faster"
    )
    p = "below 1e-300" if found.p < 1e-300 else f"{found.p:.2g}"
    return (
        f"{head}: {found.ratio:.2f} times the latency of the others{interval}; {told} "
        f"(Mann–Whitney's p over cells: {p})."
    )


def options_left(found: Subspace) -> str:
    """Return which of the options that are left open have an effect inside, in one sentence."""
    rows = found.effects
    if rows.empty or "terms" not in rows or rows["terms"].isna().all():
        return "Effects of the options that are left are not told: there are too few of them."
    strong = rows[rows["strong"].fillna(False).astype(bool)]
    if strong.empty:
        return f"None of the {len(found.left)} options that are left has a strong effect inside."
    told = [f"{row['likely']} (×{row['ratio']:.2f})" for _, row in strong.head(5).iterrows()]
    more = f" and {len(strong) - 5} more" if len(strong) > 5 else ""
    where = "inside" if found.fixed else "in the whole space"
    return f"Strong {where}: {', '.join(told)}{more}."


def plot(found: Subspace, unit: str = "ms") -> Figure:
    """Draw the cumulated shares of all cells and of those inside, with boxes below."""
    sides = [("all cells", found.whole, GREY, "-")]
    if found.fixed:
        sides.append(("inside", found.chosen, COLOURS[0], "--"))
    finite = found.whole[np.isfinite(found.whole)]
    with style():
        figure = new_figure(WIDTH, 3.4)
        curves, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        for place, (label, values, colour, dash) in enumerate(sides):
            _curve(curves, values, f"{label} ({values.size})", colour, dash)
            _box(below, values, place, colour)
        curves.set_ylim(0, 1.02)
        curves.set_ylabel("share of cells at most")
        curves.set_title(wrapped(named(found).replace(", ", "; "), WIDTH), fontsize=8)
        curves.legend(loc="lower right")
        curves.tick_params(labelbottom=False)
        below.set_yticks(range(len(sides)), [label for label, *_ in sides])
        below.set_ylim(len(sides) - 0.4, -0.6)
        if finite.size and finite.min() > 0:
            for axes in (curves, below):
                log_axis(axes, float(finite.min()), float(finite.max()) * 1.0001, horizontal=True)
        below.set_xlabel(f"median latency of a cell ({unit}, log scale)")
        return laid_out(figure)


def _curve(axes: Axes, values: Values, label: str, colour: str, dash: str) -> None:
    """Draw a step at each cell; a cell that timed out has no place, so that the curve ends."""
    finite = values[np.isfinite(values)]
    shares = np.arange(1, finite.size + 1) / values.size
    axes.step(finite, shares, where="post", label=label, color=colour, linestyle=dash)


def _box(axes: Axes, values: Values, place: int, colour: str) -> None:
    """Draw quartiles and the whole range of the cells."""
    finite = pd.Series(values[np.isfinite(values)])
    if finite.empty:
        return
    low, middle, high = finite.quantile([0.25, 0.5, 0.75])
    axes.hlines(place, finite.min(), finite.max(), color=colour, linewidth=1)
    axes.barh(place, high - low, left=low, height=0.5, color="white", edgecolor=colour)
    axes.vlines(middle, place - 0.25, place + 0.25, color=colour, linewidth=2)
