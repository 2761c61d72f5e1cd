"""Intervals over invocations: what would other starts of the same cell have measured?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

from modelstress.stats.centre import clean
from modelstress.stats.results import Caveat, Interval, Median, Values

ROUNDS = 10_000

Integers = NDArray[np.int64]


def median_over_invocations(
    invocations: Sequence[Values],
    confidence: float = 0.99,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Median:
    """Median of all executions with a hierarchical bootstrap interval.

    `invocations` holds one array of values per invocation. Each round draws as many invocations
    as there are, with replacement, then as many executions as each has, with replacement, and
    takes the median of the pool (Davison and Hinkley, Bootstrap Methods and their Application,
    section 3.8). The interval is the expanded percentile interval of these medians: percentiles
    lie further out by the factor that turns normal quantiles into Student's with k - 1 degrees
    of freedom, because plain percentiles of k starts are too narrow (Hesterberg, What Teachers
    Should Know About the Bootstrap, 2015, section 5.3). Needs at least two invocations.

    `coverage` is what can be relied on when the starts differ much more than the executions
    inside them: the interval then hardly leaves the range of k starts, which covers the median
    with probability 1 - 2^(1-k).

    Raises ValueError unless 0 < confidence < 1 and rounds is positive.
    """
    if not 0 < confidence < 1 or rounds < 1:
        raise ValueError("confidence must lie between 0 and 1, rounds must be positive")
    groups = [clean(values) for values in invocations]
    groups = [group for group in groups if group.size]
    if not groups:
        return Median(0, float("nan"), None, (Caveat("empty", "there are no values"),))
    pool, k = np.concatenate(groups), len(groups)
    value = float(np.median(pool))
    if k < 2:
        text = "one invocation says nothing about the next start: no interval over invocations"
        return Median(pool.size, value, None, (Caveat("one-invocation", text),))
    medians = resampled_medians(groups, rounds, np.random.default_rng(seed))
    wide = np.sqrt(k / (k - 1)) * student.ppf((1 - confidence) / 2, k - 1)
    tail = float(norm.cdf(wide))
    low, high = (float(q) for q in np.quantile(medians, (tail, 1 - tail)))
    coverage = min(confidence, 1 - 2.0 ** (1 - k))
    caveats: tuple[Caveat, ...] = ()
    if coverage < confidence:
        text = (
            f"{k} invocations: where starts differ, the {confidence:.0%} interval may cover "
            f"the median in only {coverage:.1%} of cases"
        )
        caveats = (Caveat("few-invocations", text),)
    return Median(pool.size, value, Interval(low, high, confidence, coverage), caveats)


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
