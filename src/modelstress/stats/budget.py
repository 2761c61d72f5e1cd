"""How much to measure, from what was measured."""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from modelstress.stats.centre import clean, median
from modelstress.stats.results import Advice, Caveat, Values

MOST = 100_000
"""Executions or invocations beyond which nothing is advised."""


def advice(
    invocations: Sequence[Values],
    start_cost: float,
    precision: float = 0.05,
    confidence: float = 0.99,
) -> Advice:
    """Executions per invocation and invocations for a median known to a share of itself.

    The variance of a cell's median has two parts: between starts, b / k, and within them,
    w / (k n) with n executions in each of k starts. w comes from the widths of the medians'
    order-statistic intervals, b from the scatter of the starts' medians less w's share. The
    number of executions per start is the cheapest one, the square root of (cost of a start × w) /
    (cost of an execution × b); then k is the smallest number whose Student interval is narrow
    enough (Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, 2013, sections 4 and 6).

    Args:
        invocations: latencies of each start, in any unit; at least two starts with the values
            that an interval of a median needs.
        start_cost: what a start costs beside its executions, in the unit of the latencies.
        precision: half the width of the wanted interval, as a share of the median.
        confidence: of that interval.
    """
    groups = [ordered for ordered in map(clean, invocations) if ordered.size]
    estimates = [median(group, confidence) for group in groups]
    intervals = [
        (estimate, estimate.interval) for estimate in estimates if estimate.interval is not None
    ]
    if len(intervals) < 2:
        text = f"{len(intervals)} invocations with enough executions are too few (at least 2)"
        return Advice(None, None, (Caveat("too-few", text),))
    values = np.array([estimate.value for estimate, _ in intervals])
    if not np.median(values) > 0:
        text = "the medians are not positive: a share of them says nothing"
        return Advice(None, None, (Caveat("no-centre", text),))
    errors = np.array(
        [(i.high - i.low) / (2 * norm.ppf((1 + i.coverage) / 2)) for _, i in intervals]
    )
    sizes = np.array([estimate.n for estimate, _ in intervals])
    within = float(np.mean(errors**2 * sizes))
    between = max(0.0, float(np.var(values, ddof=1) - np.mean(errors**2)))
    wanted = precision * float(np.median(values))
    executions = _executions(within, between, start_cost / float(values.mean()), wanted, confidence)
    variance = between + within / executions
    invocations_ = next(
        (k for k in range(2, MOST) if _half(k, variance, confidence) <= wanted), MOST
    )
    caveats = []
    if not between:
        text = f"{len(intervals)} starts differ no more than by chance: more of them may differ"
        caveats.append(Caveat("starts-alike", text))
    if MOST in (executions, invocations_):
        text = f"more than {MOST:,} executions or invocations; ask for less precision"
        caveats.append(Caveat("too-many", text))
    return Advice(executions, invocations_, tuple(caveats))


def _executions(
    within: float, between: float, cost: float, wanted: float, confidence: float
) -> int:
    """Executions per start; where starts do not differ, as many as two starts need."""
    if between > 0:
        best = sqrt(max(cost, 1.0) * within / between)
    else:
        best = within / 2 * (float(student.ppf((1 + confidence) / 2, 1)) / wanted) ** 2
    return max(1, min(MOST, ceil(best)))


def _half(invocations: int, variance: float, confidence: float) -> float:
    """Half the width of Student's interval of a mean."""
    quantile = float(student.ppf((1 + confidence) / 2, invocations - 1))
    return quantile * sqrt(variance / invocations)
