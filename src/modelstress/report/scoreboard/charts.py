"""Charts of the scoreboard as numbers for SVG: places in percent, so that they fit any width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from modelstress.report.style import plain
from modelstress.stats.results import Values

MOST_TICKS = 6
POINTS = 200
"""Of a curve; more are not seen."""
ASIDE = 0.06
"""Of a scale, beyond its lowest and highest value."""


@dataclass(frozen=True)
class Tick:
    """A label of an axis, at so many percent."""

    at: float
    text: str


@dataclass(frozen=True)
class Scale:
    """A log scale."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Where a value is, in percent."""
        return round(100 * math.log(value / self.low) / math.log(self.high / self.low), 2)

    def ticks(self) -> tuple[Tick, ...]:
        """A few labels between the ends."""
        return tuple(Tick(self.at(value), plain(value)) for value in _round(self.low, self.high))


def scale_of(values: Values) -> Scale:
    """A log scale of positive values, a little beyond them; of one value, around it."""
    known = values[np.isfinite(values) & (values > 0)]
    low, high = np.log([known.min(initial=np.inf), known.max(initial=0)]) if known.size else (0, 0)
    aside = max(ASIDE * (high - low), 0.02)
    return Scale(float(np.exp(low - aside)), float(np.exp(high + aside)))


def _round(low: float, high: float) -> list[float]:
    """Round numbers between two: powers of ten where they are far apart."""
    if high / low < 10:
        steps = MaxNLocator(nbins=MOST_TICKS - 2, steps=[1, 2, 5, 10]).tick_values(low, high)
        return [float(value) for value in steps if low <= value <= high]
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [d * 10.0**p for p in powers for d in digits if low <= d * 10.0**p <= high]
        if len(found) <= MOST_TICKS:
            return found
    return found[:: -(-len(found) // MOST_TICKS)]


@dataclass(frozen=True)
class Distribution:
    """Shares of cells below each value: the whole space, and the chosen part.

    Attributes:
        whole, part: points of a path in a square of 1000; the part's is empty where it is the
            whole, or has no cell.
        ticks: of the values.
    """

    whole: str
    part: str
    ticks: tuple[Tick, ...]


def distribution(whole: Values, part: Values | None) -> Distribution:
    """Draw the distribution of all cells, and of a part of them beside it."""
    scale = scale_of(whole)
    drawn = _path(part, scale) if part is not None and part.size else ""
    return Distribution(_path(whole, scale) if whole.size else "", drawn, scale.ticks())


def _path(values: Values, scale: Scale) -> str:
    """Steps of the share of values up to each."""
    ordered = np.sort(values)
    shares = np.arange(1, ordered.size + 1) / ordered.size
    if ordered.size > POINTS:
        kept = np.unique(np.linspace(0, ordered.size - 1, POINTS).round().astype(int))
        ordered, shares = ordered[kept], shares[kept]
    words, y = [f"M0 1000H{10 * scale.at(ordered[0]):.1f}"], 1000.0
    for value, share in zip(ordered, shares, strict=True):
        y = 1000 - 1000 * float(share)
        words.append(f"H{10 * scale.at(float(value)):.1f}V{y:.1f}")
    return "".join(words) + "H1000"


@dataclass(frozen=True)
class Point:
    """A level of an option in its chart, in percent from the left and from the top."""

    x: float
    y: float


def points(values: Sequence[float], scale: Scale) -> tuple[Point | None, ...]:
    """The levels of an option from left to right; None where a value is not known."""
    gap = 100 / len(values)
    return tuple(
        Point(round(gap * (place + 0.5), 2), round(100 - scale.at(value), 2))
        if np.isfinite(value) else None
        for place, value in enumerate(values)
    )  # fmt: skip


def number(value: float) -> str:
    r"""A number with three digits that matter, without exponent; a dash where there is none.

    >>> [number(value) for value in (1234.56, 12.345, 0.0123456, float("nan"))]
    ['1\u202f235', '12.3', '0.0123', '–']
    """
    if not np.isfinite(value):
        return "–"
    if value == 0 or abs(value) >= 1000:
        return plain(round(value))
    digits = max(0, 2 - int(np.floor(np.log10(abs(value)))))
    return f"{value:.{min(digits, 12)}f}"
