"""Intervals over invocations: what would other starts of the same cells have measured?

Timeouts may be infinities and rank as longest (``censoring``). A median among them is infinite, and
an interval that they leave open has an infinite end, or 0 where the second side does. The other end
takes each timeout as long as it is known to have lasted, which cannot make it too tight.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

from modelstress.stats.censoring import UNKNOWN
from modelstress.stats.centre import clean, order_statistic_interval
from modelstress.stats.results import Caveat, Interval, Median, Ratio, Shift, Values

ROUNDS = 10_000
TWO_KINDS = 0.85
"""What an interval of 99 % is worth at least where starts are of two kinds, a third of them half as
long again: their medians then say little about the median of all executions (simulated, from five
starts on)."""
MANY = 20
"""Starts from which on that does not matter."""

Integers = NDArray[np.int64]
Side = list[Values]
"""Sorted values of each start of a cell, at least one start, none of them empty."""


def median_over_invocations(
    invocations: Sequence[Values],
    confidence: float = 0.99,
    rounds: int = ROUNDS,
    seed: int = 0,
    lasted: float = 0.0,
) -> Median:
    """Median of all executions with an interval over invocations.

    `invocations` holds one array of values per invocation; at least two with values are needed
    for an interval. Where there are enough of them that the range of their medians covers the
    median with `confidence`, whatever their distribution (1 - 2^(1-k): eight for 99 %), the
    interval is a hierarchical bootstrap's: each round draws as many invocations as there are,
    with replacement, then as many executions as each has, with replacement, and takes the median
    of the pool (Davison and Hinkley, Bootstrap Methods and their Application, section 3.8). Its
    percentiles are those that make a normal distribution as wide as Student's interval of the
    starts' medians: plain ones of few starts are too narrow (Hesterberg, What Teachers Should
    Know About the Bootstrap, 2015, section 5.3), those of quiet starts too wide.

    No resampling leaves the range of fewer starts. There the interval is Student's of the logs of
    their medians (Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, 2013, section 6),
    at least the range of the starts: it has its confidence where starts differ log-normally, and
    `coverage` is what can be relied on without that. Logs need positive values; others are taken
    as they are. Starts that agree by chance do not make the interval narrower than executions
    alone leave it. `lasted` is how long every timeout lasted at least, in the unit of the values.

    Raises ValueError unless 0 < confidence < 1 and rounds is positive.
    """
    side = _side(invocations, confidence, rounds)
    if not side:
        return Median(0, float("nan"), None, _blank(side))
    pool = np.concatenate(side)
    value = float(np.median(pool))
    if len(side) < 2:
        return Median(pool.size, value, None, _blank(side))
    if pool.min() > 0:
        low, high = _open_ends([side], np.log, confidence, rounds, seed, lasted)
        low, high = low if np.isinf(low) else _exp(low), _exp(high)
    else:
        low, high = _open_ends([side], np.asarray, confidence, rounds, seed, lasted)
    caveats = (UNKNOWN,) if np.isinf(high) else ()
    if np.isinf(low):
        return Median(pool.size, value, None, caveats)
    interval = _interval(value, low, high, confidence, [side])
    return Median(pool.size, value, interval, (*caveats, *_few(interval, [side])))


def ratio_over_invocations(
    mine: Sequence[Values],
    other: Sequence[Values],
    confidence: float = 0.99,
    rounds: int = ROUNDS,
    seed: int = 0,
    lasted: float = 0.0,
) -> Ratio:
    """How many times as large the median of one cell is as another's, over invocations of both.

    Both hold one array of values per invocation. The interval is found as in
    ``median_over_invocations``, of the difference of logs: both sides are drawn independently,
    and Student's degrees of freedom are Welch's. Where the median of a side lies among timeouts,
    the ratio is NaN and its interval one-sided, at least or at most; there is none where those of
    both do.

    Raises:
        ValueError: a value is not positive, confidence not between 0 and 1, or rounds is not
            positive.
    """
    sides = [_side(mine, confidence, rounds), _side(other, confidence, rounds)]
    if any(group[0] <= 0 for side in sides for group in side):
        raise ValueError("ratios are of positive values")
    if not all(sides):
        return Ratio(float("nan"), None, _blank(min(sides, key=len)))
    medians = [float(np.median(np.concatenate(side))) for side in sides]
    known = all(map(np.isfinite, medians))
    value = medians[0] / medians[1] if known else float("nan")
    caveats = () if known else (UNKNOWN,)
    if min(map(len, sides)) < 2:
        return Ratio(value, None, (*caveats, *_blank(min(sides, key=len))))
    low, high = _open_ends(sides, np.log, confidence, rounds, seed, lasted)
    if np.isinf(low) or np.isinf(high):
        caveats = (UNKNOWN,)
    if np.isinf(low) and np.isinf(high):
        return Ratio(value, None, caveats)
    interval = _interval(value, _exp(low), _exp(high), confidence, sides)
    return Ratio(value, interval, (*caveats, *_few(interval, sides)))


def difference_over_invocations(
    mine: Sequence[Values],
    other: Sequence[Values],
    confidence: float = 0.99,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Shift:
    """By how much the median of one cell is larger than another's, in the unit of the values.

    As ``ratio_over_invocations``, of the medians as they are, which are finite.

    Raises:
        ValueError: confidence is not between 0 and 1, or rounds is not positive.
    """
    sides = [_side(mine, confidence, rounds), _side(other, confidence, rounds)]
    if any(group[-1] == np.inf for side in sides for group in side):
        raise ValueError("values must be finite; differences do not rank timeouts")
    if not all(sides):
        return Shift(float("nan"), None, "none", _blank(min(sides, key=len)))
    value = float(np.median(np.concatenate(sides[0])) - np.median(np.concatenate(sides[1])))
    if min(map(len, sides)) < 2:
        return Shift(value, None, "none", _blank(min(sides, key=len)))
    low, high = _ends(sides, np.asarray, confidence, rounds, seed)
    interval = _interval(value, low, high, confidence, sides)
    method = "hierarchical bootstrap" if _enough(sides, confidence) else "Student"
    return Shift(value, interval, method, _few(interval, sides))


def _side(invocations: Sequence[Values], confidence: float, rounds: int) -> Side:
    if not 0 < confidence < 1 or rounds < 1:
        raise ValueError("confidence must lie between 0 and 1, rounds must be positive")
    groups = (clean(group, censored=True) for group in invocations)
    return [group for group in groups if group.size]


def _exp(end: float) -> float:
    with np.errstate(over="ignore"):  # two starts that differ wildly say nothing: up to infinity
        return float(np.exp(end))


def _blank(side: Side) -> tuple[Caveat, ...]:
    """Why there is no interval."""
    if not side:
        return (Caveat("empty", "there are no values"),)
    text = "one invocation says nothing about the next start: no interval over invocations"
    return (Caveat("one-invocation", text),)


def _around(sides: Sequence[Side]) -> float:
    """Chance that the fewest starts do not all lie on one side of the median of starts."""
    return float(1 - 2.0 ** (1 - min(map(len, sides))))


def _reliable(sides: Sequence[Side]) -> float:
    """What can be relied on, of whichever kind the starts are."""
    return min(_around(sides), TWO_KINDS) if min(map(len, sides)) < MANY else _around(sides)


def _enough(sides: Sequence[Side], confidence: float) -> bool:
    return _around(sides) >= confidence


def _interval(
    value: float, low: float, high: float, confidence: float, sides: Sequence[Side]
) -> Interval:
    coverage = min(confidence, _reliable(sides))
    return Interval(min(low, value), max(high, value), confidence, coverage)


def _few(interval: Interval, sides: Sequence[Side]) -> tuple[Caveat, ...]:
    if interval.coverage == interval.confidence:
        return ()
    text = (
        f"{min(map(len, sides))} invocations: the {interval.confidence:.0%} interval takes starts "
        f"to be of one kind and to differ log-normally; without that it is one of "
        f"{interval.coverage:.1%}"
    )
    return (Caveat("few-invocations", text),)


def _open_ends(
    sides: Sequence[Side],
    scale: Callable[[Values], Values],
    confidence: float,
    rounds: int,
    seed: int,
    lasted: float,
) -> tuple[float, float]:
    """Both ends on a scale, infinite where timeouts leave them open."""
    if not any(group[-1] == np.inf for side in sides for group in side):
        return _ends(sides, scale, confidence, rounds, seed)
    left_open = [_is_open(side, confidence) for side in sides]
    above, below = left_open[0], len(sides) == 2 and left_open[1]
    filled = [_filled(side, lasted) for side in sides]
    low, high = -np.inf, np.inf
    with np.errstate(divide="ignore"):  # timeouts of which not even is known how long they lasted
        least = scale(np.array([min(group.min() for side in filled for group in side)]))
    if np.isfinite(least).all():
        low, high = _ends(filled, scale, confidence, rounds, seed)
    return -np.inf if below else low, np.inf if above else high


def _is_open(side: Side, confidence: float) -> bool:
    """Whether the median of a start, or an end that executions leave that of all, is a timeout."""
    within = order_statistic_interval(np.sort(np.concatenate(side)), confidence)
    medians = [np.median(group) for group in side]
    return bool(np.isinf([*medians, within.high if within else medians[0]]).any())


def _filled(side: Side, lasted: float) -> Side:
    """With every timeout as long as it is known to have lasted: as the longest answer, at least."""
    longest = max(float(group[np.isfinite(group)].max(initial=lasted)) for group in side)
    return [np.where(np.isinf(group), longest, group) for group in side]


def _ends(
    sides: Sequence[Side],
    scale: Callable[[Values], Values],
    confidence: float,
    rounds: int,
    seed: int,
) -> tuple[float, float]:
    """Both ends for the median of one side, or the first's less the second's, on a scale."""
    low, high = _between(sides, scale, confidence, rounds, seed)
    alone = [_within(side, scale, confidence) for side in sides]
    least = float(np.hypot.reduce([(w.high - w.low) / 2 for w in alone if w is not None] or [0.0]))
    if high - low >= 2 * least:
        return low, high
    if len(sides) == 1 and alone[0] is not None:
        return min(low, alone[0].low), max(high, alone[0].high)
    middle = (low + high) / 2
    return middle - least, middle + least


def _within(side: Side, scale: Callable[[Values], Values], confidence: float) -> Interval | None:
    """The interval that executions alone leave, as if all were of one start."""
    return order_statistic_interval(scale(np.sort(np.concatenate(side))), confidence)


def _between(
    sides: Sequence[Side],
    scale: Callable[[Values], Values],
    confidence: float,
    rounds: int,
    seed: int,
) -> tuple[float, float]:
    """Both ends as the starts' medians leave them."""
    signs = (1, -1)[: len(sides)]
    starts = [scale(np.array([np.median(group) for group in side])) for side in sides]
    errors = np.array([medians.var(ddof=1) / medians.size for medians in starts])
    error = float(np.sqrt(errors.sum()))
    reach = float(student.ppf((1 + confidence) / 2, _degrees(errors, starts))) * error
    if not _enough(sides, confidence):
        centre = float(sum(s * medians.mean() for s, medians in zip(signs, starts, strict=True)))
        low, high = centre - reach, centre + reach
        if len(starts) == 1:
            low, high = min(low, float(starts[0].min())), max(high, float(starts[0].max()))
        return low, high
    rng = np.random.default_rng(seed)
    drawn = [
        s * scale(resampled_medians(x, rounds, rng)) for s, x in zip(signs, sides, strict=True)
    ]
    together = np.sum(drawn, axis=0)
    deviation = float(together.std())
    tail = float(norm.cdf(-reach / deviation)) if deviation else (1 - confidence) / 2
    low, high = (float(q) for q in np.quantile(together, (tail, 1 - tail)))
    return low, high


def _degrees(errors: Values, starts: Sequence[Values]) -> float:
    """Welch's degrees of freedom; of one side, k - 1."""
    freedom = np.array([medians.size - 1 for medians in starts])
    if not errors.any():
        return float(freedom.min())
    return float(errors.sum() ** 2 / (errors**2 / freedom).sum())


def resampled_medians(groups: Sequence[Values], rounds: int, rng: np.random.Generator) -> Values:
    """Medians of `rounds` pools drawn by invocation, then by execution; `groups` are sorted.

    No pool is ever built. How many of a pool's values fall into the lower half of a range of
    ranks is binomial for each group, so the median is found by halving the range and drawing
    that number, about log2 of the number of values times. When a pool is even, one of its two
    middle values is taken by chance.
    """
    k = len(groups)
    values = np.unique(np.concatenate(groups))
    # below[i, j]: how many values of group j are smaller than values[i]
    below = np.stack(
        [np.searchsorted(group, values, side="left") for group in groups], axis=1
    ).astype(np.int64)
    below = np.vstack([below, [[group.size for group in groups]]])
    draws = rng.multinomial(k, np.full(k, 1 / k), size=rounds) * below[-1]
    total = draws.sum(axis=1)
    rank = (total + 1) // 2 + (total % 2 == 0) * rng.integers(2, size=rounds)
    return values[_descend(below, draws, rank, rng)]


def _descend(
    below: Integers, draws: Integers, rank: Integers, rng: np.random.Generator
) -> Integers:
    """Index of the value of the given rank (from 1) in every pool.

    `below` is (values + 1) × groups, `draws` pools × groups: how many values each pool takes
    from each group.
    """
    low = np.zeros(len(draws), dtype=np.int64)
    high = np.full(len(draws), len(below) - 1)
    while (open_ := high - low > 1).any():
        middle = (low + high) // 2
        width = below[high] - below[low]
        chance = (below[middle] - below[low]) / np.maximum(width, 1)
        lower = rng.binomial(draws, chance)
        count = lower.sum(axis=1)
        left, right = open_ & (rank <= count), open_ & (rank > count)
        draws = np.where(left[:, None], lower, np.where(right[:, None], draws - lower, draws))
        rank = np.where(right, rank - count, rank)
        high, low = np.where(left, middle, high), np.where(right, middle, low)
    return low
