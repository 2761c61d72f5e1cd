"""Order statistics of all differences or ratios of two samples, without building them all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modelstress.stats.results import Values

ENUMERATED = 1 << 13
"""Pairs that may be built at once."""
RESOLUTION = 4 * float(np.finfo(np.float64).eps)
"""Values closer than this, relative to the largest, are one: the rounding of a single pair."""


@dataclass(frozen=True)
class Pairing:
    """What is made of a pair: an operation that grows with its first and falls with its second.

    Attributes:
        of: the value of a pair.
        second: for a first element and a value, the second one that gives the value.
        rounded: largest of the numbers that a value is rounded like, beside itself.
        ends: of the scale.
    """

    of: Callable[[Values, Values], Values]
    second: Callable[[Values, float], Values]
    rounded: Callable[[Values], float]
    ends: tuple[float, float]


DIFFERENCES = Pairing(
    np.subtract, np.subtract, lambda first: float(abs(first).max()), (-np.inf, np.inf)
)
RATIOS = Pairing(np.divide, np.divide, lambda first: 0.0, (0.0, np.inf))
"""Of positive samples."""


def bounds(pairing: Pairing, first: Values, second: Values, rank: int) -> tuple[float, float]:
    """The least and the largest value of a rank among pairs with timeouts; without any, ``nth``.

    Timeouts are infinities at the end of a sample and last as if for ever: a pair with one has an
    end of the scale as its value, a pair of two may have any.

    Args:
        pairing: ``DIFFERENCES`` or ``RATIOS``.
        first: n values, sorted.
        second: m values, sorted.
        rank: from 1 to n × m, in ascending order.
    """
    n, m = (int(np.isfinite(values).sum()) for values in (first, second))
    least, largest = pairing.ends

    def at(place: int) -> float:
        if place < 1:
            return least
        return largest if place > n * m else nth(pairing, first[:n], second[:m], place)

    low = at(rank - first.size * (second.size - m))
    both = (first.size - n) * (second.size - m)
    return low, at(rank - n * (second.size - m)) if both else low


def nth(pairing: Pairing, first: Values, second: Values, rank: int) -> float:
    """The value of a given rank among all pairs of two sorted samples.

    Narrows a range of values and counts its pairs by binary search, until few enough are left to
    build them. Where to look is guessed from a small sample of the pairs, then by interpolation;
    every third step halves the range, whatever its pairs are. Equal values are one, with a weight:
    each step takes O((u + v) log v) with u and v distinct values, and samples of few levels are
    built at once.

    Args:
        pairing: ``DIFFERENCES`` or ``RATIOS``.
        first: n values, sorted.
        second: m values, sorted.
        rank: from 1 to n × m, in ascending order.

    Raises:
        ValueError: there is no such rank.
    """
    if not 1 <= rank <= first.size * second.size:
        raise ValueError(f"rank {rank} of {first.size * second.size} pairs")
    guesses = _guesses(pairing, first, second, rank / (first.size * second.size))
    (first, weights), (second, others) = _levels(first), _levels(second)
    # upwards[k]: how many values are among the k largest levels of the second sample
    upwards = np.concatenate([[0], np.cumsum(others[::-1])])
    n, m, tied = first.size, second.size, bool(max(weights.max(), others.max()) > 1)
    low = float(pairing.of(first[:1], second[-1:])[0])
    high = float(pairing.of(first[-1:], second[:1])[0])
    fewer, more = np.zeros(n, dtype=np.int64), np.full(n, m)
    least = RESOLUTION * max(abs(low), abs(high), pairing.rounded(first))
    below, above, left, step = 0, int(weights.sum() * upwards[-1]), n * m, 0
    while left > ENUMERATED and high - low > least:
        middle = low + (high - low) / 2
        if step < len(guesses):
            guess = guesses[step]
        else:
            aim = rank + (-1 if rank - below > above - rank else 1) * ENUMERATED // 3
            guess = low + (high - low) * ((aim - below) / (above - below) if step % 3 else 0.5)
        if low < guess < high:
            middle = guess
        step += 1
        counts = m - np.searchsorted(second, pairing.second(first, middle), side="left")
        count = int((weights * upwards[counts] if tied else counts).sum())
        if count >= rank:
            high, more, above = middle, counts, count
        else:
            low, fewer, below = middle, counts, count
        left = int((more - fewer).sum())
    if left > ENUMERATED:  # they are all alike, so one of them stands for all
        at = int(np.argmax(more > fewer))
        fewer, more = more.copy(), more
        fewer[at] -= 1
        return float(_values(pairing, first, second, fewer, more)[0][0])
    values, rows, columns = _values(pairing, first, second, fewer, more)
    order = np.argsort(values, kind="stable")
    ends = below + np.cumsum((weights[rows] * others[columns])[order])
    # A pair within the rounding of a bound may have been counted on its other side.
    return float(values[order[min(int(np.searchsorted(ends, rank)), order.size - 1)]])


def _levels(ordered: Values) -> tuple[Values, NDArray[np.int64]]:
    """The distinct values of a sorted sample, and how often each is there."""
    begins = np.flatnonzero(np.append(True, np.diff(ordered) != 0))
    return ordered[begins], np.diff(np.append(begins, ordered.size))


def _guesses(pairing: Pairing, first: Values, second: Values, share: float) -> tuple[float, float]:
    """Values a little below and above that of a share (0..1) of all pairs."""
    a, b = (values[_places(values.size)] for values in (first, second))
    sample = np.sort(pairing.of(a[:, None], b[None, :]), axis=None)
    at, reach = int(share * sample.size), max(a.size, b.size)
    low, high = sample[max(at - reach, 0)], sample[min(at + reach, sample.size - 1)]
    return float(low), float(high)


def _places(size: int) -> NDArray[np.int64]:
    """Evenly spaced places in a sorted sample, at most 64."""
    count = min(size, 64)
    return ((np.arange(count) + 0.5) * size / count).astype(np.int64)


def _values(
    pairing: Pairing,
    first: Values,
    second: Values,
    fewer: NDArray[np.int64],
    more: NDArray[np.int64],
) -> tuple[Values, NDArray[np.int64], NDArray[np.int64]]:
    """The pairs that are among the ``more`` and not among the ``fewer``: values and both places.

    The pairs of a first element ascend from the last second one downwards.
    """
    counts = more - fewer
    rows = np.repeat(np.arange(first.size), counts)
    within = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
    columns = second.size - 1 - fewer[rows] - within
    return pairing.of(first[rows], second[columns]), rows, columns
