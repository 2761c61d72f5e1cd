"""Centre and spread of one sample."""

import numpy as np
from scipy.stats import binom

from modelstress.stats.censoring import interpolated
from modelstress.stats.results import Box, Caveat, Interval, Median, Values


def clean(values: Values, censored: bool = False) -> Values:
    """The values as a sorted one-dimensional float array.

    Raises:
        ValueError: as ``series``.
    """
    return np.sort(series(values, censored))


def series(values: Values, censored: bool = False) -> Values:
    """The values as a one-dimensional float array, in their order.

    Args:
        values: a sample.
        censored: whether infinity may stand for a timeout (``censoring.ranked``).

    Raises:
        ValueError: NaN or infinity, since a missing latency has to be left out by the caller, who
            knows why it is missing; a masked array; more than one dimension; or what is no real
            number, such as a truth value, a text or a date.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError("values are a masked array; pass values.compressed() to leave them out")
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"values have {array.ndim} dimensions; pass one")
    if array.dtype.kind == "O" and all(type(value) in (int, float) for value in array.tolist()):
        array = array.astype(np.float64)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"values are of type {array.dtype}; pass real numbers")
    array = array.astype(np.float64)
    allowed = np.isfinite(array) | (array == np.inf) if censored else np.isfinite(array)
    if not allowed.all():
        raise ValueError("values must be finite; leave out what was not measured")
    return array


def check_confidence(confidence: float) -> None:
    """Refuses a confidence such as 99, which means 0.99.

    Raises:
        ValueError: it is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")


def order_statistic_interval(ordered: Values, confidence: float) -> Interval | None:
    """Distribution-free interval of the median: the narrowest symmetric pair of order statistics.

    The number of values below the median of a continuous population is binomial (n, 1/2), so
    the pair (k, n + 1 - k) covers it with probability 1 - 2 P(B <= k - 1), whatever the
    distribution (Conover, Practical Nonparametric Statistics, section 3.2). None when not even
    the extremes reach `confidence`.
    """
    n = ordered.size
    # Largest k with 2 P(B <= k-1) <= 1 - confidence; ppf may return a k one too large.
    k = int(binom.ppf((1 - confidence) / 2, n, 0.5))
    while k > 0 and 2 * binom.cdf(k - 1, n, 0.5) > 1 - confidence:
        k -= 1
    if k < 1:
        return None
    coverage = 1 - 2 * float(binom.cdf(k - 1, n, 0.5))
    return Interval(float(ordered[k - 1]), float(ordered[n - k]), confidence, coverage)


def median(values: Values, confidence: float = 0.99) -> Median:
    """Median of independent values of any shape, with its order-statistic interval.

    Timeouts may be infinities and rank as longest (``censoring``): the median, and an end of its
    interval, is infinite where it lies among them. Executions inside one start are not independent
    of the start: for a statement about the tool use `bootstrap.median_over_invocations`.
    """
    check_confidence(confidence)
    ordered = clean(values, censored=True)
    n = ordered.size
    if n == 0:
        return Median(0, float("nan"), None, (Caveat("empty", "there are no values"),))
    interval = order_statistic_interval(ordered, confidence)
    caveats: tuple[Caveat, ...] = ()
    if interval is None:
        text = f"{n} values are too few for a {confidence:.0%} interval of the median"
        caveats = (Caveat("too-few", text),)
    return Median(n, float(np.median(ordered)), interval, caveats)


def coefficient_of_dispersion(values: Values) -> float:
    """Mean absolute deviation from the median, divided by the median (dimensionless).

    NaN when there are no values or their median is not positive.
    """
    ordered = clean(values)
    if ordered.size == 0:
        return float("nan")
    centre = float(np.median(ordered))
    if centre <= 0:
        return float("nan")
    with np.errstate(over="ignore"):
        dispersion = float(np.mean(np.abs(ordered - centre)) / centre)
    # sums of huge values overflow, shares of the median do not
    return dispersion if np.isfinite(dispersion) else float(np.mean(np.abs(ordered / centre - 1)))


def box(values: Values) -> Box:
    """Quartiles, notch, whiskers and outliers of a notched box plot.

    Quartiles interpolate linearly. The notch is median ± IQR / √n; it may reach beyond the
    quartiles when n is small. Outliers lie more than 1.5 IQR outside the quartiles, whiskers
    end at the extreme values that are not outliers. Timeouts may be infinities and rank as longest
    (``censoring``): quartiles among them are infinite, the notch then has no ends, and no timeout
    is a whisker's end or an outlier.
    """
    ordered = clean(values, censored=True)
    n = ordered.size
    if n == 0:
        nan = float("nan")
        return Box(0, nan, nan, nan, nan, nan, nan, nan, ordered)
    q1, centre, q3 = (float(q) for q in interpolated(ordered, (0.25, 0.5, 0.75)))
    ordered = ordered[np.isfinite(ordered)]
    if not np.isfinite(q3):
        low, high = (ordered[0], ordered[-1]) if ordered.size else (np.nan, np.nan)
        nan = float("nan")
        return Box(n, q1, centre, q3, nan, nan, float(low), float(high), ordered[:0])
    iqr = q3 - q1
    inside = (ordered >= q1 - 1.5 * iqr) & (ordered <= q3 + 1.5 * iqr)
    kept = ordered[inside]
    # With interpolated quartiles no value need lie between a quartile and its fence.
    low, high = min(float(kept[0]), q1), max(float(kept[-1]), q3)
    half = iqr / float(np.sqrt(n))
    return Box(n, q1, centre, q3, centre - half, centre + half, low, high, ordered[~inside])
