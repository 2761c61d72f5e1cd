"""The field's usual effect sizes and equivalence test, by pingouin, beside this package's own.

They are for readers who know them. Decisions are made by this package's: pingouin has no Cliff's
delta, no Hodges–Lehmann shift, and no interval that borrows variances.
"""

import math
from dataclasses import dataclass

import numpy as np

from modelstress.stats.centre import clean
from modelstress.stats.results import Caveat, Values


@dataclass(frozen=True)
class EffectSizes:
    """Sizes of a difference of means and of ranks, first against second.

    Attributes:
        hedges_g: difference of the means in pooled standard deviations, corrected for small
            samples (Hedges 1981); NaN where nothing varies.
        common_language: P(first > second) + P(first = second) / 2 (McGraw and Wong 1992, Vargha
            and Delaney's A), 0 to 1; Cliff's delta is twice it minus 1.
    """

    hedges_g: float
    common_language: float
    caveats: tuple[Caveat, ...] = ()


def effect_sizes(first: Values, second: Values) -> EffectSizes:
    """Hedges' g and the common-language effect size; NaN where a sample has fewer than two values.

    Latencies are skewed: their logarithms are what g should be asked of.
    """
    a, b = clean(first), clean(second)
    if min(a.size, b.size) < 2:
        text = f"{a.size} and {b.size} values are too few (at least 2)"
        return EffectSizes(math.nan, math.nan, (Caveat("too-few", text),))
    import pingouin  # takes a second

    often = float(pingouin.compute_effsize(a, b, eftype="CLES"))
    if a[0] == a[-1] and b[0] == b[-1]:
        return EffectSizes(math.nan, often, (Caveat("constant", "no value differs from another"),))
    return EffectSizes(float(pingouin.compute_effsize(a, b, eftype="hedges")), often)


def equivalence_p(differences: Values, margin: float) -> float:
    """P of two one-sided t-tests (Schuirmann 1987) that the mean difference is within ±margin.

    Below half of what an interval leaves out, the interval by the sample's own variance lies inside
    the margin, and the other way round. NaN for fewer than two differences, or all the same.

    Raises:
        ValueError: the margin is not positive.
    """
    if not margin > 0:
        raise ValueError("the margin must be positive")
    values = clean(differences)
    if values.size < 2 or np.ptp(values) == 0:
        return math.nan
    import pingouin  # takes a second

    return float(pingouin.tost(values, 0, bound=float(margin)).at["TOST", "pval"])
