"""The latency columns of a cell, or of a part of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.stats import Caveat
from modelstress.stats.results import Values


def described(
    latencies: Sequence[Values], confidence: float
) -> tuple[dict[str, Any], tuple[Caveat, ...], list[float]]:
    """The latency columns of `columns.CELLS`, what must be said about them, and the outliers.

    Args:
        latencies: of each invocation, ms; without any there are no columns.
        confidence: of the median's interval.
    """
    pool = np.concatenate(latencies) if latencies else np.empty(0)
    if not pool.size:
        return {}, (), []
    over = stats.median_over_invocations(latencies, confidence)
    within = stats.median(pool, confidence)
    centre = over if over.interval else within
    interval, drawn = centre.interval, stats.box(pool)
    summary: dict[str, Any] = {
        "median_ms": centre.value,
        "cod": stats.coefficient_of_dispersion(pool),
        "q1_ms": drawn.q1,
        "q3_ms": drawn.q3,
        "notch_low_ms": drawn.notch_low,
        "notch_high_ms": drawn.notch_high,
        "whisker_low_ms": drawn.whisker_low,
        "whisker_high_ms": drawn.whisker_high,
    }
    if interval:
        summary |= {
            "median_low_ms": interval.low,
            "median_high_ms": interval.high,
            "median_confidence": interval.confidence,
            "median_coverage": interval.coverage,
            "median_interval": "over invocations" if over.interval else "within one start",
        }
    caveats = over.caveats if over.interval else (*over.caveats, *within.caveats)
    return summary, caveats, [float(value) for value in drawn.outliers]
