"""Expected responses of runs that are used by known proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student_t

from modelstress.stats.effects import LEAST_FREEDOM
from modelstress.stats.results import Caveat, Interval, Values


@dataclass(frozen=True)
class Expected:
    """A weighted mean over runs.

    Attributes:
        runs: with a weight above 0.
        value: weighted mean of the runs, in the unit of the responses.
        ratio: to that of the other runs; NaN without others.
        interval: of the ratio, over starts; None where the noise cannot be told.
        caveats: why there is none.
    """

    runs: int
    value: float
    ratio: float
    interval: Interval | None
    caveats: tuple[Caveat, ...] = ()


def expected(
    starts: Sequence[Values],
    weights: Values,
    others: Sequence[Values],
    other_weights: Values,
    confidence: float = 0.99,
) -> Expected:
    """Return the weighted mean of some runs, and its ratio to that of others.

    A run's response is the geometric mean of its starts; runs are averaged arithmetically, since
    what is expected of a mixture of uses is a mean of times. The ratio's interval is Student's by
    the delta method: the noise is that of logarithms between the starts of a run, pooled over all
    runs, so that it is over starts; the runs themselves are all there are.

    Args:
        starts: responses above 0 of each run, one for each start.
        weights: of each run, 0 or more, in any unit.
        others: of what they stand beside.
        other_weights: of these.
        confidence: of the interval.

    Raises:
        ValueError: numbers differ, a weight is negative, or a response is not above 0.
    """
    sides = ((starts, weights), (others, other_weights))
    for runs, of_runs in sides:
        if len(runs) != of_runs.size or (of_runs < 0).any():
            raise ValueError("each run has a weight of 0 or more")
        if any(not run.size or run.min() <= 0 for run in runs):
            raise ValueError("each run has responses above 0")
    count = int((weights > 0).sum())
    if not count:
        nan = float("nan")
        return Expected(0, nan, nan, None, (Caveat("unused", "no run is used"),))
    value, spread = _mean(starts, weights)
    if not (other_weights > 0).any():
        return Expected(count, value, float("nan"), None, (Caveat("all", "there are no others"),))
    other, other_spread = _mean(others, other_weights)
    free = sum(run.size - 1 for runs, _ in sides for run in runs)
    if free < LEAST_FREEDOM:
        text = f"{free} degrees of freedom between starts are too few for an interval"
        return Expected(count, value, value / other, None, (Caveat("too-few", text),))
    logs = [np.log(run) for runs, _ in sides for run in runs]
    noise = sum(float(((run - run.mean()) ** 2).sum()) for run in logs) / free
    beyond = float(student_t.ppf(0.5 + confidence / 2, free))
    aside = float(np.exp(beyond * np.sqrt(noise * (spread + other_spread))))
    ratio = value / other
    return Expected(
        count, value, ratio, Interval(ratio / aside, ratio * aside, confidence, confidence)
    )


def _mean(starts: Sequence[Values], weights: Values) -> tuple[float, float]:
    """Return the weighted mean, and its variance as a logarithm, in that of one start."""
    responses = np.array([np.exp(np.log(run).mean()) for run in starts])
    sizes = np.array([run.size for run in starts])
    parts = weights * responses / float(weights @ responses)
    return float(weights @ responses / weights.sum()), float((parts**2 / sizes).sum())
