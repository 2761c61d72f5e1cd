"""Intervals over invocations: what would other starts of the same cell have measured?"""

from collections.abc import Sequence

import numpy as np

from modelstress.stats.centre import clean
from modelstress.stats.results import Caveat, Interval, Median, Values

ROUNDS = 2000
BLOCK_VALUES = 4_000_000
"""Values drawn at once, to bound memory (32 MB of float64)."""


def median_over_invocations(
    invocations: Sequence[Values],
    confidence: float = 0.99,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Median:
    """Median of all executions with a hierarchical bootstrap interval.

    `invocations` holds one array of values per invocation. Each round draws as many
    invocations as there are, with replacement, then as many executions as each has, with
    replacement, and takes the median of the pool; the interval is the percentile interval
    (Davison and Hinkley, Bootstrap Methods and their Application, section 3.8). No interval is
    given for fewer than two invocations. `coverage` is the bound 1 - 2^(1-k) that k
    invocations allow: the extremes of k starts cannot promise more about another start.
    Raises ValueError unless 0 < confidence < 1 and rounds is positive.
    """
    if not 0 < confidence < 1 or rounds < 1:
        raise ValueError("confidence must lie between 0 and 1, rounds must be positive")
    groups = [clean(values) for values in invocations]
    groups = [group for group in groups if group.size]
    if not groups:
        return Median(0, float("nan"), None, (Caveat("empty", "there are no values"),))
    pool = np.concatenate(groups)
    value, n, k = float(np.median(pool)), pool.size, len(groups)
    if k < 2:
        text = "one invocation says nothing about the next start: no interval over invocations"
        return Median(n, value, None, (Caveat("one-invocation", text),))
    medians = _resampled_medians(groups, rounds, np.random.default_rng(seed))
    tail = (1 - confidence) / 2
    low, high = (float(q) for q in np.quantile(medians, (tail, 1 - tail)))
    coverage = min(confidence, 1 - 2.0 ** (1 - k))
    caveats: tuple[Caveat, ...] = ()
    if coverage < confidence:
        text = (
            f"{k} invocations bound the coverage of the {confidence:.0%} interval by {coverage:.1%}"
        )
        caveats = (Caveat("few-invocations", text),)
    return Median(n, value, Interval(low, high, confidence, coverage), caveats)


def _resampled_medians(groups: list[Values], rounds: int, rng: np.random.Generator) -> Values:
    """Medians of `rounds` pools drawn by invocation, then by execution."""
    sizes = np.array([group.size for group in groups])
    if (sizes == sizes[0]).all():
        return _equal_sizes(np.stack(groups), rounds, rng)
    medians = np.empty(rounds)
    for i in range(rounds):
        drawn = rng.integers(len(groups), size=len(groups))
        parts = [groups[j][rng.integers(sizes[j], size=sizes[j])] for j in drawn]
        medians[i] = np.median(np.concatenate(parts))
    return medians


def _equal_sizes(table: Values, rounds: int, rng: np.random.Generator) -> Values:
    """The same for invocations of equal size (k × n), many rounds at a time."""
    k, n = table.shape
    flat = table.ravel()
    block = max(1, BLOCK_VALUES // flat.size)
    medians = np.empty(rounds)
    for begin in range(0, rounds, block):
        count = min(block, rounds - begin)
        drawn = rng.integers(k, size=(count, k, 1))
        picked = drawn * n + rng.integers(n, size=(count, k, n))
        pools = flat[picked.reshape(count, -1)]
        medians[begin : begin + count] = np.median(pools, axis=1, overwrite_input=True)
    return medians
