"""Decisions: slower, faster, the same within a margin, or undecided; and when to look."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

from modelstress.stats.centre import check_confidence
from modelstress.stats.estimates import Estimate
from modelstress.stats.results import Interval

Status = Literal["more", "less", "same", "undecided"]
MOST_LOOKS = 5


def status_of_ratio(interval: Interval | None, margin: float) -> Status:
    """What the interval of a ratio's logarithm decides.

    *Same* comes first: the interval lies inside ±log(1 + margin), which is the equivalence test of
    two one-sided tests (Schuirmann 1987), each at half of what the interval leaves out. Otherwise
    *more* or *less*: the interval excludes a ratio of 1.

    Args:
        interval: of the logarithm; None: nothing is known.
        margin: 0.10 for ±10 %.
    """
    return status_of_difference(interval, math.log1p(margin))


def status_of_difference(interval: Interval | None, margin: float) -> Status:
    """What the interval of a difference decides; as ``status_of_ratio``, with ±margin.

    Raises:
        ValueError: the margin is not positive.
    """
    if not margin > 0:
        raise ValueError("the margin must be positive")
    if interval is None:
        return "undecided"
    if -margin <= interval.low and interval.high <= margin:
        return "same"
    if interval.low > 0:
        return "more"
    return "less" if interval.high < 0 else "undecided"


def confidence_at_looks(blocks: Sequence[int], confidence: float = 0.99) -> float:
    """Confidence of the interval at each look, so that all looks together have ``confidence``.

    The same for every look (Pocock 1977); for small numbers of blocks the nominal levels are used
    with Student's quantiles (Jennison and Turnbull, Group Sequential Methods, 2000, section 4.4).
    Blocks of a look are part of the next one's, so that the statistics have the correlation
    √(n_i / n_j).

    Args:
        blocks: numbers of blocks at which it is looked, ascending, fixed beforehand.
        confidence: of all looks together.

    Raises:
        ValueError: the numbers are not positive and ascending, or more than ``MOST_LOOKS``.
    """
    numbers = np.asarray(blocks, float)
    ascending = numbers.size > 0 and numbers[0] > 0 and bool((np.diff(numbers) > 0).all())
    if not ascending or numbers.size > MOST_LOOKS:
        raise ValueError(f"looks must be 1 to {MOST_LOOKS} ascending numbers of blocks")
    check_confidence(confidence)
    if numbers.size == 1:
        return confidence
    return _confidence_at_each(tuple(map(float, numbers)), confidence)


@lru_cache(maxsize=64)
def _confidence_at_each(looks: tuple[float, ...], confidence: float) -> float:
    """As ``confidence_at_looks``, of numbers that are right: seconds of integration, once."""
    numbers = np.asarray(looks)
    correlation = np.sqrt(np.minimum.outer(numbers, numbers) / np.maximum.outer(numbers, numbers))
    whole = multivariate_normal(cov=correlation, seed=0, maxpts=200_000, abseps=1e-7, releps=1e-7)

    def excess(bound: float) -> float:
        limits = np.full(numbers.size, bound)
        return float(whole.cdf(limits, lower_limit=-limits)) - confidence

    least = float(norm.ppf((1 + confidence) / 2))
    bound = float(brentq(excess, least, least + 2, xtol=1e-6))
    return float(1 - 2 * norm.sf(bound))


def blocks_missing(
    estimate: Estimate, margin: float, confidence: float, most: int = 1000
) -> int | None:
    """Blocks that are missing until a comparison is decided, if its estimate and spread stay.

    Args:
        estimate: on the log scale for ratios.
        margin: on that scale.
        confidence: of the interval at a look.
        most: blocks in all beyond which nothing is said.

    Returns:
        0 where it is decided, None where it is more than ``most``, or nothing is known.

    Raises:
        ValueError: the margin is not positive.
    """
    if estimate.interval is None:
        return None
    spread = estimate.error * math.sqrt(estimate.blocks)
    gained = estimate.degrees - (estimate.blocks - 1)
    for blocks in range(estimate.blocks, most + 1):
        quantile = float(student.ppf((1 + confidence) / 2, blocks - 1 + gained))
        reach = quantile * spread / math.sqrt(blocks)
        low, high = estimate.value - reach, estimate.value + reach
        known = Interval(low, high, confidence, confidence)
        if status_of_difference(known, margin) != "undecided":
            return blocks - estimate.blocks
    return None
