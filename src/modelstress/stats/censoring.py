"""Timeouts are censored latencies: known to be long, not known how long."""

from modelstress.stats.results import Caveat

BLANK_ABOVE = 0.5
"""Share of timeouts above which the median of the executions is not known."""


def timeout_share(ok: int, timeouts: int) -> float:
    """Timeouts as a share (0..1) of the executions that have or would have had a latency.

    Errors and incorrect answers have no latency to compare and do not count. NaN when there
    is neither an answer nor a timeout. Raises ValueError for negative counts.
    """
    if ok < 0 or timeouts < 0:
        raise ValueError("counts of outcomes cannot be negative")
    return timeouts / (ok + timeouts) if ok + timeouts else float("nan")


def caveats(share: float) -> tuple[Caveat, ...]:
    """What a share of timeouts says about a median over the answers that came in time."""
    if not share > 0:
        return ()
    if share > BLANK_ABOVE:
        return (Caveat("median-censored", f"{share:.1%} timeouts: the median is not known"),)
    return (Caveat("censored", f"{share:.1%} timeouts: the median is over answers in time only"),)
