"""The latency columns of a cell, or of a part of it."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.stats import Caveat
from modelstress.stats.results import Values


def shortest(timeouts_ms: Iterable[float]) -> float:
    """The shortest of some timeouts, ms; NaN where none is known."""
    return min((each for each in timeouts_ms if each == each), default=np.nan)


def described(
    ranked: Sequence[Values], confidence: float, timeout_ms: float = np.nan
) -> tuple[dict[str, Any], tuple[Caveat, ...], list[float]]:
    """The latency columns of `columns.CELLS`, what must be said about them, and the outliers.

    Args:
        ranked: latencies of each invocation, ms, with infinities for timeouts
            (``censoring.ranked``); without any there are no columns.
        confidence: of the median's interval.
        timeout_ms: how long every timeout lasted at least; NaN without any.
    """
    pool = np.concatenate(ranked) if ranked else np.empty(0)
    if not pool.size:
        return {}, (), []
    lasted = 0.0 if np.isnan(timeout_ms) else timeout_ms
    over = stats.median_over_invocations(ranked, confidence, lasted=lasted)
    within = stats.median(pool, confidence)
    centre = over if over.interval else within
    interval, drawn = centre.interval, stats.box(pool)
    summary: dict[str, Any] = {
        "median_ms": _known(centre.value),
        "cod": _dispersion(pool),
        "q1_ms": _known(drawn.q1),
        "q3_ms": _known(drawn.q3),
        "notch_low_ms": drawn.notch_low,
        "notch_high_ms": drawn.notch_high,
        "whisker_low_ms": drawn.whisker_low,
        "whisker_high_ms": drawn.whisker_high,
    }
    if interval:
        summary |= {
            "median_low_ms": interval.low if np.isfinite(interval.low) else lasted,
            "median_high_ms": interval.high,
            "median_confidence": interval.confidence,
            "median_coverage": interval.coverage,
            "median_interval": "over invocations" if over.interval else "within one start",
        }
    caveats = over.caveats if over.interval else (*over.caveats, *within.caveats)
    return summary, caveats, [float(value) for value in drawn.outliers]


def _known(value: float) -> float:
    """Blank where a quantile lies among timeouts."""
    return value if np.isfinite(value) else np.nan


def _dispersion(pool: Values) -> float:
    """Of answers in time; blank where these are not most executions."""
    if not np.isfinite(np.median(pool)):
        return np.nan
    return stats.coefficient_of_dispersion(pool[np.isfinite(pool)])
