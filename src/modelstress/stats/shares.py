"""How often something happens, in one sample and in another."""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.stats import fisher_exact, ttest_ind

from modelstress.stats.centre import check_confidence
from modelstress.stats.results import Caveat, Interval, Shift

Counted = tuple[int, int]
"""How many of how many: hits and trials."""


def more_often(first: Counted, second: Counted) -> float:
    """Two-sided p of Fisher's exact test that two shares are equal; NaN without any trials.

    Each sample is (how many of them, of how many). Trials are taken as independent, which failures
    of one start often are not: p is a lower bound then.

    Raises:
        ValueError: more hits than trials, or a negative number.
    """
    (a, n), (b, m) = first, second
    if min(a, b) < 0 or a > n or b > m:
        raise ValueError("hits must lie between 0 and the number of trials")
    if not n or not m:
        return float("nan")
    return float(fisher_exact([[a, n - a], [b, m - b]]).pvalue)


def difference_of_shares(
    mine: Sequence[Counted], other: Sequence[Counted], confidence: float = 0.99
) -> Shift:
    """By how much the mean share of one cell's invocations is larger than another's.

    Both hold hits and trials of each invocation; those without trials are left out. Means are
    compared, since a median hides what happens in less than half of the invocations. The interval
    is Welch's over invocations, cut at -1 and 1; it has no width where on both sides all shares
    are the same, which says nothing of what other invocations would have.

    Raises:
        ValueError: confidence is not between 0 and 1, or more hits than trials.
    """
    check_confidence(confidence)
    if any(not 0 <= hits <= trials for hits, trials in (*mine, *other)):
        raise ValueError("hits must lie between 0 and the number of trials")
    first, second = (
        np.array([hits / trials for hits, trials in side if trials]) for side in (mine, other)
    )
    fewest = min(first.size, second.size)
    if not fewest:
        return Shift(float("nan"), None, "none", (Caveat("empty", "there are no values"),))
    value = float(first.mean() - second.mean())
    if fewest < 2:
        text = "one invocation says nothing about the next start: no interval over invocations"
        return Shift(value, None, "none", (Caveat("one-invocation", text),))
    low = high = value
    if np.ptp(first) or np.ptp(second):
        with warnings.catch_warnings():  # one side may have no spread, and that is meant
            warnings.simplefilter("ignore", RuntimeWarning)
            welch = ttest_ind(first, second, equal_var=False).confidence_interval(confidence)
        low, high = max(-1.0, float(welch.low)), min(1.0, float(welch.high))
    reliable = 1 - 2.0 ** (1 - fewest)
    interval = Interval(low, high, confidence, min(confidence, reliable))
    text = f"{fewest} invocations: the interval takes their shares to be normally distributed"
    few = (Caveat("few-invocations", text),) if reliable < confidence else ()
    return Shift(value, interval, "Welch", few)
