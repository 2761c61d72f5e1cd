"""Two samples beside each other: is one larger, by how much, and how often?

Timeouts may be infinities and rank as longest, tied among themselves (``censoring``). All
intervals and p-values here take the values of a sample as independent. Executions of one
start are not independent of that start: such statements are to be labelled "within one start".
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit
from scipy.stats import beta, mannwhitneyu, norm

from modelstress.stats.censoring import UNKNOWN
from modelstress.stats.centre import check_confidence, clean
from modelstress.stats.pairwise import DIFFERENCES, RATIOS, Pairing, bounds
from modelstress.stats.results import Caveat, Delta, Interval, RankTest, Ratio, Shift, Values
from modelstress.stats.thresholds import THRESHOLDS

Integers = NDArray[np.int64]

EXACT_BELOW = 50
"""Sizes of samples without ties below which the distribution of U is used as it is."""
TIED = 0.5
"""Share of distinct values among all below which most are tied."""
LEAST_OF_RATIOS = 6
"""Random pairs below which an interval of ratios does not cover what it promises."""
ADDED = 0.25
"""Values longer than all others, and as many shorter, that Cliff's interval adds to a sample."""


def mann_whitney(first: Values, second: Values) -> RankTest:
    """Mann–Whitney U test, two-sided: are values of one sample larger more often?

    U counts the pairs in which the first value is larger, a tie as half. Exact without ties and
    below 50 values in both samples; otherwise normal with corrections for ties and continuity
    (Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, section 4.1).
    """
    a, b = clean(first, censored=True), clean(second, censored=True)
    if not a.size or not b.size:
        return RankTest("mann-whitney", float("nan"), float("nan"), "none", _empty())
    if a[0] == b[-1] and a[-1] == b[0]:
        text = "all values are the same"
        half = a.size * b.size / 2
        return RankTest("mann-whitney", half, 1.0, "none", (Caveat("constant", text),))
    exact = max(a.size, b.size) < EXACT_BELOW and not _ties(a, b)
    method = "exact" if exact else "asymptotic"
    # only ranks matter, and the library need not know how long a timeout is
    test = mannwhitneyu(
        *(np.nan_to_num(x, posinf=np.finfo(float).max) for x in (a, b)), method=method
    )
    said = _ties(*(values[np.isfinite(values)] for values in (a, b)))  # timeouts always are
    caveats = (Caveat("ties", "values are tied; p is corrected for it"),) if said else ()
    distribution = "exact" if exact else "normal, corrected for ties and continuity"
    return RankTest(
        "mann-whitney", float(test.statistic), float(test.pvalue), distribution, caveats
    )


def hodges_lehmann(first: Values, second: Values, confidence: float = 0.99) -> Shift:
    """Hodges–Lehmann shift: the median of all differences first - second, in their unit.

    The interval inverts the Mann–Whitney test: its ends are differences whose ranks are
    quantiles of U, exact or normal under the same conditions as ``mann_whitney`` (Hollander,
    Wolfe, Chicken, sections 4.2 and 4.3). None where no two differences have the confidence. Where
    a clock is so coarse that most values are tied, the ends are moved out by one of its ticks, the
    smallest distance of two values: a shift below a tick is otherwise covered by chance only.
    An end among timeouts is infinite, and the shift is NaN.
    """
    check_confidence(confidence)
    a, b = clean(first, censored=True), clean(second, censored=True)
    pairs = a.size * b.size
    if not pairs:
        return Shift(float("nan"), None, "none", _empty())
    value, caveats = _middle(DIFFERENCES, a, b)
    exact = max(a.size, b.size) < EXACT_BELOW and not _ties(a, b)
    rank, coverage = _exact_rank(a, b, confidence) if exact else _normal_rank(a, b, confidence)
    if min(a.size, b.size) < 20 and 2 / math.comb(a.size + b.size, a.size) > 1 - confidence:
        rank = 0  # not even the extremes have it
    method = "exact" if exact else "normal, corrected for ties and continuity"
    if rank < 1:
        text = f"{a.size} and {b.size} values are too few for a {confidence:.0%} interval"
        return Shift(value, None, method, (*caveats, Caveat("too-few", text)))
    low, high = _ends(DIFFERENCES, a, b, rank)
    if np.isinf(low) and np.isinf(high):
        return Shift(value, None, method, caveats)
    tick = _tick(a, b)
    if tick:
        text = f"most values are tied; the interval is wider by the smallest distance, {tick:g}"
        caveats = (*caveats, Caveat("coarse-clock", text))
    known = Interval(low - tick, high + tick, confidence, coverage)
    return Shift(value, known, method, caveats)


def cliffs_delta(first: Values, second: Values, confidence: float = 0.99) -> Delta:
    """Cliff's delta: P(first > second) - P(first < second), from -1 to 1.

    The interval is Cliff's asymmetric one (Cliff, Ordinal Methods for Behavioral Data Analysis,
    1996, equation 5.14) with two changes, without which it covers 99 % in as few as 83 % of
    samples of skewed latencies (benchmarks/stats/coverage.py). The degrees of freedom are Brunner
    and Munzel's (2000) instead of n + m - 2: the smaller sample may have most of the variance. And
    a part of a value longer than all others and of one shorter are added to each sample, as Agresti
    and Coull (1998) do for proportions: thirty executions may lack the rare slow ones. They move
    the end at the side of 0 only. Where the samples do not overlap at all, the interval is that of
    a proportion: (n - z²) / (n + z²) with n the smaller sample (Feng and Cliff 2004).
    O((n + m) log(n + m)).
    """
    check_confidence(confidence)
    a, b = clean(first, censored=True), clean(second, censored=True)
    n, m = a.size, b.size
    if not n or not m:
        return Delta(float("nan"), None, "none", _empty())
    of_first, of_second = _dominances(a, b)
    value = float(of_first.sum() / (n * m))
    if min(n, m) < 2:
        text = f"{n} and {m} values are too few for an interval"
        return Delta(value, None, THRESHOLDS.magnitude(value), (Caveat("too-few", text),))
    low, high = _delta_interval(value, of_first / m, of_second / n, confidence)
    return Delta(value, Interval(low, high, confidence, confidence), THRESHOLDS.magnitude(value))


def median_ratio(first: Values, second: Values, confidence: float = 0.99) -> Ratio:
    """Median of the ratios first / second of random pairs, with its bootstrap interval.

    The bootstrap resamples both samples and pairs them at random, as many pairs as the harmonic
    mean of their sizes: that of either where they are equal, and fewer would make the interval of
    samples of unequal size far too wide (benchmarks/stats/coverage.py). Such pairs are independent
    draws from all n × m ratios, and the median of N draws has the rank of a quantile of Beta(h, h),
    h = (N + 1) // 2 (of two middle ones, one by chance). So the percentile interval is known
    exactly, as of infinitely many rounds, and no random number is drawn. Values must be positive.
    An end among timeouts is 0 or infinite, and the ratio is NaN.

    Raises:
        ValueError: a value is not positive.
    """
    check_confidence(confidence)
    a, b = clean(first, censored=True), clean(second, censored=True)
    if not a.size or not b.size:
        return Ratio(float("nan"), None, _empty())
    if a[0] <= 0 or b[0] <= 0:
        raise ValueError("ratios are of positive values")
    pairs = a.size * b.size
    drawn = 2 * pairs // (a.size + b.size)
    value, caveats = _middle(RATIOS, a, b)
    if drawn < LEAST_OF_RATIOS:
        text = f"{a.size} and {b.size} values are too few for an interval"
        return Ratio(value, None, (*caveats, Caveat("too-few", text)))
    half = (drawn + 1) // 2
    tail = float(beta.ppf((1 - confidence) / 2, half, half))
    rank = max(1, int(np.ceil(pairs * tail)))
    low, high = _ends(RATIOS, a, b, rank)
    if {low, high} <= set(RATIOS.ends):
        return Ratio(value, None, caveats)
    return Ratio(value, Interval(low, high, confidence, confidence), caveats)


def _middle(pairing: Pairing, a: Values, b: Values) -> tuple[float, tuple[Caveat, ...]]:
    """The median of all pairs; NaN with a caveat where it lies among timeouts."""
    pairs = a.size * b.size
    middles = {(pairs + 1) // 2, pairs // 2 + 1}
    found = [value for rank in middles for value in bounds(pairing, a, b, rank)]
    if set(found) & set(pairing.ends):
        return float("nan"), (UNKNOWN,)
    low, high = np.mean(found[::2]), np.mean(found[1::2])
    return (float(low), ()) if low == high else (float("nan"), (UNKNOWN,))


def _ends(pairing: Pairing, a: Values, b: Values, rank: int) -> tuple[float, float]:
    """The values of a rank from below and from above, as far apart as timeouts allow."""
    low, _ = bounds(pairing, a, b, rank)
    _, high = bounds(pairing, a, b, a.size * b.size + 1 - rank)
    return low, high


def _empty() -> tuple[Caveat, ...]:
    return (Caveat("empty", "a sample has no values"),)


def _ties(a: Values, b: Values) -> bool:
    return bool(np.unique(np.concatenate([a, b])).size < a.size + b.size)


def _tick(a: Values, b: Values) -> float:
    """The smallest distance of two values where most are tied, 0 otherwise."""
    distinct = np.unique(np.concatenate([a, b]))
    distinct = distinct[np.isfinite(distinct)]
    if distinct.size < 2 or distinct.size > TIED * (a.size + b.size):
        return 0.0
    return float(np.diff(distinct).min())


def _exact_rank(a: Values, b: Values, confidence: float) -> tuple[int, float]:
    """Rank of the lower end: the quantile of U without ties, and its coverage."""
    frequencies = _distribution_of_u(a.size, b.size)
    cumulated = np.cumsum(frequencies)
    tail = (1 - confidence) / 2
    # the smallest u with P(U <= u) >= tail, as R's qwilcox; the rank is u itself
    rank = int(np.searchsorted(cumulated, tail * (1 - 1e-12)))
    covered = 1 - 2 * float(cumulated[rank - 1]) if rank else 0.0
    return rank, covered


def _distribution_of_u(n: int, m: int) -> Values:
    """P(U = u) for u from 0 to n × m, without ties, by the recurrence of its generating function.

    The number of arrangements with a given U is a Gaussian binomial coefficient: the product of
    (1 - q^(m + i)) / (1 - q^i) for i from 1 to n. Only the lower half is computed so: the upper
    one, which is the same backwards, would be the difference of large numbers.
    """
    chances = np.zeros(n * m // 2 + 1)
    chances[0] = 1.0
    for i in range(1, n + 1):
        grown = chances.copy()
        if m + i < chances.size:
            grown[m + i :] -= chances[: chances.size - m - i]
        for u in range(i, grown.size):
            grown[u] += grown[u - i]
        chances = grown
    distribution: Values = np.concatenate([chances, chances[: n * m + 1 - chances.size][::-1]])
    distribution /= distribution.sum()
    return distribution


def _normal_rank(a: Values, b: Values, confidence: float) -> tuple[int, float]:
    """Rank of the lower end by the normal approximation; ties are those within a sample.

    Shifted by a difference that is no pair's own, no values of the two samples are tied.
    """
    n, m = a.size, b.size
    total = n + m
    ties = sum(float((c.astype(np.float64) ** 3 - c).sum()) for c in (_counts(a), _counts(b)))
    deviation = np.sqrt(n * m / 12 * (total + 1 - ties / (total * (total - 1))))
    most = n * m / 2 + 0.5 + float(norm.ppf((1 + confidence) / 2)) * deviation
    return int(np.ceil(n * m - most)), confidence


def _counts(values: Values) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.unique(values, return_counts=True)[1]


def _dominances(a: Values, b: Values) -> tuple[Integers, Integers]:
    """For each value of the first sample, how many of the second are smaller minus larger.

    And for each of the second, how many of the first are larger minus smaller; both are sorted.
    """
    below = upto = np.searchsorted(b, a, side="left")
    if (b[np.minimum(below, b.size - 1)] == a).any():
        upto = np.searchsorted(b, a, side="right")
    # b[j] is larger than a[i] where it is not among the upto[i] that are not: upto[i] <= j
    smaller = np.cumsum(np.bincount(upto, minlength=b.size)[: b.size])
    not_larger = np.cumsum(np.bincount(below, minlength=b.size)[: b.size])
    return below + upto - b.size, a.size - smaller - not_larger


def _delta_interval(
    delta: float, of_first: Values, of_second: Values, confidence: float
) -> tuple[float, float]:
    """Cliff's interval from the mean dominance of each value; see ``cliffs_delta``."""
    least = min(of_first.size, of_second.size)
    if abs(delta) == 1:
        z = float(ndtri((1 + confidence) / 2)) ** 2
        inner = (least - z) / (least + z)
        return (inner, 1.0) if delta > 0 else (-1.0, -inner)
    near = delta * least / (least + 2 * ADDED)
    (first, n), (second, m) = _variance(of_first), _variance(of_second)
    freedom = (first + second) ** 2 / (first**2 / (n - 1) + second**2 / (m - 1))
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) ** 2 * (first + second)
    # the end at 0's side is of the delta with what was added, the other one without
    low, high = _end(min(delta, near), reach, -1), _end(max(delta, near), reach, 1)
    return max(-1.0, low), min(1.0, high)


def _end(delta: float, reach: float, sign: int) -> float:
    spread = math.sqrt(reach * ((1 - delta**2) ** 2 + reach))
    return (delta - delta**3 + sign * spread) / (1 - delta**2 + reach)


def _variance(dominances: Values) -> tuple[float, float]:
    """Variance of a sample's mean dominance, and its size, with what is added at either end."""
    n = dominances.size + 2 * ADDED
    mean = float(dominances.sum()) / n
    # not a product of matrices: BLAS starts threads for it, here on CPUs that measure
    squares = float(np.square(dominances).sum()) + 2 * ADDED - n * mean**2
    return squares / (n - 1) / n, n
