"""Estimates over starts: comparisons that are paired by start or block, and what they decide.

A difference is one number per block: of logs for ratios, as it is for shares. Executions within a
start never count as replicates.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import t as student

from modelstress.stats.borrowing import Prior, moderated
from modelstress.stats.centre import check_confidence, clean
from modelstress.stats.results import Caveat, Interval, Values


@dataclass(frozen=True)
class Estimate:
    """The mean of a comparison's differences over blocks.

    Attributes:
        value: in the unit of the differences; NaN without any.
        interval: None where no variance is known.
        blocks: how many differences there are.
        error: standard error of the value, in its unit.
        degrees: of freedom of the error, what was borrowed included.
        caveats: what a reader must know.
    """

    value: float
    interval: Interval | None
    blocks: int
    error: float
    degrees: float
    caveats: tuple[Caveat, ...] = ()


def spreads(differences: Sequence[Values]) -> tuple[Values, Values]:
    """Variance of each comparison's differences, and its degrees of freedom (0: none)."""
    samples = [clean(sample) for sample in differences]
    degrees = np.array([max(0, sample.size - 1) for sample in samples], float)
    variances = np.array([sample.var(ddof=1) if sample.size > 1 else 0.0 for sample in samples])
    return variances, degrees


def estimates(
    differences: Sequence[Values],
    confidence: float = 0.99,
    prior: Prior | None = None,
    floors: Values | None = None,
    own_confidence: float | None = None,
) -> list[Estimate]:
    """Estimates every comparison with a Student interval and a moderated variance.

    Variances are drawn towards the common one (Smyth 2004, section 4: the moderated t statistic).
    Without a prior each comparison has its own variance, and none with a single block.

    A comparison that scatters far more than the others, and by chance does not show it, would get
    an interval that is far too narrow. With ``own_confidence`` each interval has the one of this
    confidence by its own variance inside, which covers that much whatever the others do.

    Args:
        differences: one array per comparison, one value per block.
        confidence: between 0 and 1.
        own_confidence: of the interval by the comparison's own variance, lower; None: none.
        prior: of ``borrowing.prior_of``, fitted to these comparisons or before.
        floors: variance of one difference that the noise within starts alone makes, per
            comparison: blocks that agree by chance do not make an interval of no width.

    Raises:
        ValueError: confidence is not between 0 and 1, or a value is not finite.
    """
    check_confidence(confidence)
    if own_confidence is not None:
        check_confidence(own_confidence)
    samples = [clean(sample) for sample in differences]
    variances, degrees = moderated(*spreads(samples), prior)
    if floors is not None:
        variances = np.fmax(variances, floors)
    moderate = [
        _estimate(sample, float(variance), float(freedom), confidence)
        for sample, variance, freedom in zip(samples, variances, degrees, strict=True)
    ]
    if own_confidence is None or prior is None:
        return moderate
    own = estimates(samples, own_confidence, None, floors)
    return [_wider(estimate, alone.interval) for estimate, alone in zip(moderate, own, strict=True)]


def _wider(estimate: Estimate, own: Interval | None) -> Estimate:
    """With an interval that has another one inside, too; one block has none of its own."""
    known = estimate.interval
    if known is None or own is None:
        return estimate
    low, high = min(known.low, own.low), max(known.high, own.high)
    return replace(estimate, interval=replace(known, low=low, high=high))


def _estimate(sample: Values, variance: float, degrees: float, confidence: float) -> Estimate:
    if not sample.size:
        nothing = (Caveat("empty", "there is no block with both sides"),)
        return Estimate(float("nan"), None, 0, float("nan"), 0.0, nothing)
    value = float(sample.mean())
    if not degrees > 0:
        text = "one block says nothing about the next, and there is no variance to borrow"
        return Estimate(value, None, 1, float("nan"), 0.0, (Caveat("one-block", text),))
    error = float(np.sqrt(variance / sample.size))
    interval = _student(value, error, degrees, confidence)
    return Estimate(value, interval, sample.size, error, degrees)


def _student(value: float, error: float, degrees: float, confidence: float) -> Interval:
    reach = float(student.ppf((1 + confidence) / 2, degrees)) * error
    return Interval(value - reach, value + reach, confidence, confidence)


def overall(
    parts: Sequence[Estimate], starts: Sequence[Hashable], confidence: float = 0.99
) -> Estimate:
    """Mean of the estimates of a decision, such as those of all queries and numbers of clients.

    The comparisons are fixed, starts are drawn: the interval says what other starts would have
    measured, not what other queries would. Comparisons that share starts are taken to err
    together, which is the worst case; degrees of freedom are Satterthwaite's.

    Args:
        parts: with intervals; others are left out, with a caveat.
        starts: what comparisons that share starts have in common, one per part.
        confidence: between 0 and 1.

    Raises:
        ValueError: parts and starts differ in number, or confidence is not between 0 and 1.
    """
    if len(parts) != len(starts):
        raise ValueError("there must be as many starts as parts")
    check_confidence(confidence)
    kept = [(part, key) for part, key in zip(parts, starts, strict=True) if part.interval]
    caveats: tuple[Caveat, ...] = ()
    if len(kept) < len(parts):
        text = f"{len(parts) - len(kept)} of {len(parts)} comparisons have no interval"
        caveats = (Caveat("left-out", text),)
    if not kept:
        return Estimate(float("nan"), None, 0, float("nan"), 0.0, caveats)
    together: dict[Hashable, list[Estimate]] = {}
    for part, key in kept:
        together.setdefault(key, []).append(part)
    n = len(kept)
    variances = [(sum(part.error for part in group) / n) ** 2 for group in together.values()]
    freedom = [min(part.degrees for part in group) for group in together.values()]
    whole = float(sum(variances))
    weights = sum(v**2 / f for v, f in zip(variances, freedom, strict=True))
    degrees = whole**2 / weights if weights else float(min(freedom))
    value = float(np.mean([part.value for part, _ in kept]))
    error = float(np.sqrt(whole))
    interval = _student(value, error, degrees, confidence)
    blocks = min(part.blocks for part, _ in kept)
    return Estimate(value, interval, blocks, error, degrees, caveats)
