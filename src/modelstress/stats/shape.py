"""The shape of one sample: is it normal, and how long is its tail?"""

import warnings

from scipy.stats import binom, shapiro

from modelstress.stats import censoring
from modelstress.stats.centre import clean
from modelstress.stats.results import Caveat, Interval, Normality, Percentile, Values

MOST = 5000
"""Values above which the approximation of Shapiro–Wilk's p was not checked (Royston 1995)."""

TINY = 1e-150
"""Range of values whose squares a double does not hold."""


def shapiro_wilk(values: Values) -> Normality:
    """Shapiro–Wilk test of normality (Royston 1995, algorithm AS R94).

    scipy takes approximate normal scores: W has nine digits, p seven down to 1e-20; of smaller
    ones it is the logarithm that has them.
    """
    ordered = clean(values)
    n, nan = ordered.size, float("nan")
    if n < 3:
        return Normality(n, nan, nan, (Caveat("too-few", f"{n} values are too few (at least 3)"),))
    if ordered[0] == ordered[-1]:
        return Normality(n, nan, nan, (Caveat("constant", "all values are the same"),))
    with warnings.catch_warnings():  # said by a caveat of our own
        warnings.filterwarnings("ignore", "scipy.stats.shapiro: For N > 5000", UserWarning)
        if ordered[-1] - ordered[0] < TINY:  # a unit does not matter, and squares would underflow
            ordered = (ordered - ordered[0]) / (ordered[-1] - ordered[0])
        test = shapiro(ordered)
    caveats: tuple[Caveat, ...] = ()
    if n > MOST:
        caveats = (Caveat("approximate", f"p is approximate for more than {MOST} values"),)
    return Normality(n, float(test.statistic), float(test.pvalue), caveats)


def percentile(values: Values, share: float, confidence: float = 0.99) -> Percentile:
    """A percentile, interpolated linearly, with a distribution-free interval.

    The number of values below the percentile of a continuous population is binomial (n, share);
    the interval's ends are the order statistics that leave at most half of the risk on either
    side (Conover, Practical Nonparametric Statistics, section 3.2). None where the sample is too
    small to have them: p99 at 99 % needs some 1,060 values. Timeouts may be infinities and rank as
    longest: the percentile, and an end of its interval, is infinite where it lies among them.

    Raises:
        ValueError: share or confidence is not between 0 and 1.
    """
    if not 0 < share < 1 or not 0 < confidence < 1:
        raise ValueError("share and confidence must lie between 0 and 1")
    ordered = clean(values, censored=True)
    n = ordered.size
    if n == 0:
        return Percentile(share, 0, float("nan"), None, (Caveat("empty", "there are no values"),))
    value = float(censoring.interpolated(ordered, [share])[0])
    tail = (1 - confidence) / 2
    # 1-based ranks; P(B <= low - 1) <= tail and P(B >= high) <= tail
    low = int(binom.ppf(tail, n, share))
    high = int(binom.isf(tail, n, share)) + 1
    if low < 1 or high > n:
        text = f"{n} values are too few for a {confidence:.0%} interval of the p{100 * share:g}"
        return Percentile(share, n, value, None, (Caveat("too-few", text),))
    coverage = float(binom.cdf(high - 1, n, share) - binom.cdf(low - 1, n, share))
    interval = Interval(float(ordered[low - 1]), float(ordered[high - 1]), confidence, coverage)
    return Percentile(share, n, value, interval)
