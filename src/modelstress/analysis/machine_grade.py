"""Grade of a machine: how small a difference its starts can tell, by a placebo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, expm1
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.config.errors import MeasureError
from modelstress.measure.placebo import LEAST_PAIRS
from modelstress.stats.estimates import estimates
from modelstress.stats.results import Values

GRADES = {"A": 0.01, "B": 0.03, "C": 0.10}
"""Grade to the largest difference between equals; anything larger is a D."""
WORST = "D"
LETTERS = (*GRADES, WORST)
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Grade:
    """Grade of a machine with what it was found from.

    Attributes:
        letter: ``A`` to ``D``.
        within: a difference as large as this (0.02: 2 %) can be the machine's.
        ratio: of the median latencies of equal starts, geometric mean over pairs.
        low, high: its interval.
        confidence: of the interval.
        pairs: of equal starts.
        starts_differ: standard deviation of the logarithms of all starts' medians.
        median_ms: median latency of the placebo's executions, of the middle start.
    """

    letter: str
    within: float
    ratio: float
    low: float
    high: float
    confidence: float
    pairs: int
    starts_differ: float
    median_ms: float

    def reaches(self, letter: str) -> bool:
        """Whether it is at least as good as another grade."""
        return LETTERS.index(self.letter) <= LETTERS.index(letter)

    def record(self) -> dict[str, Any]:
        """As JSON has it, six digits."""
        return {
            name: float(f"{value:.6g}") if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }

    def sentence(self) -> str:
        """What it means, for people."""
        low, high = _percent(self.low - 1), _percent(self.high - 1)
        return (
            f"grade {self.letter}: quiet enough for ±{_percent(self.within).lstrip('+')} % "
            f"({self.pairs} pairs of equal starts differ by {_percent(self.ratio - 1)} %, "
            f"{self.confidence:.0%} interval {low} to {high} %)"
        )


def _percent(share: float) -> str:
    """Two digits, and all of those before the point."""
    return f"{100 * share:+.0f}" if abs(share) >= 0.1 else f"{100 * share:+.2g}"


def grade_of(pairs: Sequence[tuple[Values, Values]]) -> Grade:
    """Grade by the rule over starts: Student's interval of the mean difference of paired starts.

    Args:
        pairs: latencies (ms) of both starts of each pair.

    Raises:
        MeasureError: there are fewer than ``LEAST_PAIRS``.
    """
    if len(pairs) < LEAST_PAIRS:
        raise MeasureError(
            f"{len(pairs)} pairs of starts are too few for a grade (at least {LEAST_PAIRS}); "
            "stop what else runs here, or raise --seconds"
        )
    medians = np.array([[stats.median(side).value for side in pair] for pair in pairs])
    logs = np.log(medians)
    [estimate] = estimates([logs[:, 0] - logs[:, 1]], CONFIDENCE)
    assert estimate.interval is not None  # noqa: S101 - there are several pairs
    low, high = estimate.interval.low, estimate.interval.high
    within = expm1(max(high, -low))
    letter = next((name for name, most in GRADES.items() if within <= most), WORST)
    return Grade(
        letter, within, exp(estimate.value), exp(low), exp(high), CONFIDENCE, len(pairs),
        float(logs.std(ddof=1)), float(np.median(medians)),
    )  # fmt: skip
