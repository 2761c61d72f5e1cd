"""Timeouts are right-censored latencies: longer than every answer, not known how long.

A sample that is ranked holds one infinity per timeout. Medians, quantiles and rank tests are then
those of all executions, and exact, as long as a timeout lasts longer than every answer, which one
deadline for all executions ensures. A result that is infinite is itself longer than a timeout.
Means, dispersions and distributions are of answers only and refuse infinities.
"""

from collections.abc import Sequence

import numpy as np

from modelstress.stats.results import Caveat, Values

BLANK_FROM = 0.5
"""Share of timeouts from which on the median of the executions is not known."""
UNKNOWN = Caveat("censored", "a median lies among timeouts: how long it is, is not known")


def ranked(values: Values, timeouts: int, of: int | None = None) -> Values:
    """The latencies of answers, and an infinity for each timeout.

    Args:
        values: latencies of answers in time, finite, any unit.
        timeouts: how many executions timed out.
        of: answers that the values stand for, where they are fewer than the answers; timeouts are
            then as many in proportion.

    Raises:
        ValueError: a count is negative.
    """
    if timeouts < 0 or (of is not None and of < 0):
        raise ValueError("counts of outcomes cannot be negative")
    if of and 0 < len(values) < of:
        timeouts = round(timeouts * len(values) / of)
    return np.append(np.asarray(values, np.float64), np.full(timeouts, np.inf))


def interpolated(ordered: Values, shares: Sequence[float]) -> Values:
    """Quantiles of a ranked sample, interpolated linearly; infinite where a timeout takes part.

    Args:
        ordered: ascending, at least one value.
        shares: 0 to 1.
    """
    finite = ordered[np.isfinite(ordered)]
    if finite.size == ordered.size:
        return np.asarray(np.quantile(ordered, shares))
    if not finite.size:
        return np.full(len(shares), np.inf)
    at = np.asarray(shares) * (ordered.size - 1)
    known = np.ceil(at) < finite.size  # infinity times a weight of 0 is none
    found = np.quantile(np.append(finite, np.full(ordered.size - finite.size, finite[-1])), shares)
    return np.where(known, found, np.inf)


def timeout_share(ok: int, timeouts: int) -> float:
    """Timeouts as a share (0..1) of the executions that have or would have had a latency.

    Errors and incorrect answers have no latency to compare and do not count. NaN when there
    is neither an answer nor a timeout. Raises ValueError for negative counts.
    """
    if ok < 0 or timeouts < 0:
        raise ValueError("counts of outcomes cannot be negative")
    return timeouts / (ok + timeouts) if ok + timeouts else float("nan")


def caveats(share: float) -> tuple[Caveat, ...]:
    """What a share of timeouts says about a median in which they rank as longest."""
    if not share > 0:
        return ()
    if share >= BLANK_FROM:
        text = f"{share:.1%} timeouts: the median is longer than a timeout"
        return (Caveat("median-censored", text),)
    text = f"{share:.1%} timeouts, which rank as longest; the dispersion is of answers in time only"
    return (Caveat("censored", text),)
