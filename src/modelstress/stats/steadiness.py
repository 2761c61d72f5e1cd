"""Was the warm-up enough? A robust look at latencies in the order of their starts."""

import numpy as np
import ruptures
from scipy.stats import chi2, kendalltau, norm, rankdata

from modelstress.stats.centre import series as in_order
from modelstress.stats.results import Caveat, Steadiness, Values
from modelstress.stats.thresholds import THRESHOLDS

MINIMUM = 20
"""Values below which nothing is said."""
POINTS = 100
"""A longer series is reduced to the medians of this many stretches of equal length."""
MATERIAL = 0.10
"""Changes of level smaller than this fraction do not matter, however significant."""
LAGS = 10
"""Distances up to which executions are looked at for correlation."""


def steadiness(values: Values, material: float = MATERIAL, noun: str = "execution") -> Steadiness:
    """Judge a series of latencies (start order): change points and a trend.

    Change points are found on the normal scores of the ranks (outliers then weigh no more
    than other extremes) by PELT with squared error and a penalty of 3 ln n per point. A change
    matters when the median of a stretch differs from that of the last stretch by more than
    `material`; a trend matters when Kendall's tau against the order is significant at 0.01
    and the medians of the first and last quarter differ by more than `material`.

    Whether neighbours are alike is told apart from that: `correlation_p` is Ljung and Box's of
    the normal scores of all executions, at distances of 1 to 10 of them (a fifth of a short
    series). A steady series may be correlated; intervals within its start are then too narrow.

    `noun` is what one value is of, for the caveats: an execution, or the median of a second.

    Raises:
        ValueError: NaN or infinity, or what is no series of numbers.
    """
    series = in_order(values)
    n = series.size
    if n < MINIMUM:
        text = f"{n} {noun}s are too few to judge steadiness (at least {MINIMUM})"
        nan = float("nan")
        return Steadiness(n, None, 0, nan, nan, (), (Caveat("too-few", text),))
    correlation_p, correlated = _correlation(series, noun)
    points, width = _stretches(series)
    if np.all(points == points[0]):
        return Steadiness(n, True, 0, 0.0, 1.0, (), correlated, correlation_p)
    breaks = _change_points(points)
    medians = [float(np.median(part)) for part in np.split(points, breaks)]
    settled = _settled_index(medians, material)
    change = _relative(medians[-1], medians[0])
    trend_p = float(kendalltau(np.arange(points.size), points).pvalue)
    quarter = max(1, points.size // 4)
    drift = _relative(float(np.median(points[-quarter:])), float(np.median(points[:quarter])))
    caveats = []
    if settled:
        at = breaks[settled - 1] * width
        text = f"the level changed by {change:+.0%} and settled at {noun} {at} of {n}"
        caveats.append(Caveat("change-point", text))
    if trend_p < THRESHOLDS.alpha and abs(drift) > material:
        text = f"latencies drift: last quarter {drift:+.0%} against the first"
        caveats.append(Caveat("trend", text))
    settled_at = breaks[settled - 1] * width if settled else 0
    change_points = tuple(point * width for point in breaks)
    all_caveats = (*caveats, *correlated)
    return Steadiness(
        n, not caveats, settled_at, change, trend_p, change_points, all_caveats, correlation_p
    )


def _correlation(series: Values, noun: str) -> tuple[float, tuple[Caveat, ...]]:
    """Ljung and Box's p; NaN for a constant series, of which there is nothing to say."""
    if np.all(series == series[0]):
        return float("nan"), ()
    lags = min(LAGS, series.size // 5)
    p = _ljung_box(_scores(series), lags)
    if not p < THRESHOLDS.alpha:
        return p, ()
    text = f"{noun}s up to {lags} apart are correlated (Ljung–Box p {p:.2g})"
    return p, (Caveat("autocorrelation", text),)


def _ljung_box(scores: Values, lags: int) -> float:
    """Ljung and Box's p for correlations at distances of 1 to ``lags`` (Biometrika 1978).

    statsmodels' own function of this name computes the correlations at all distances, quadratic in
    the number of executions; its covariances are products by BLAS, whose last digits depend on the
    number of CPUs that are free.
    """
    n = scores.size
    centred = scores - scores.mean()
    products = [float(np.sum(centred[lag:] * centred[: n - lag])) for lag in range(lags + 1)]
    shares = np.array(products[1:]) / products[0]
    statistic = n * (n + 2) * np.sum(shares**2 / (n - np.arange(1, lags + 1)))
    return float(chi2.sf(statistic, lags))


def _scores(values: Values) -> Values:
    """Normal scores of the ranks."""
    scores: Values = norm.ppf((rankdata(values) - 0.5) / values.size)
    return scores


def _stretches(series: Values) -> tuple[Values, int]:
    """Medians of consecutive stretches (at most POINTS of them) and the length of a stretch."""
    width = max(1, series.size // POINTS)
    usable = series.size // width * width
    return np.median(series[:usable].reshape(-1, width), axis=1), width


def _change_points(points: Values) -> list[int]:
    # The linear kernel is squared error; this implementation of PELT is in C.
    search = ruptures.KernelCPD(kernel="linear", min_size=5).fit(_scores(points))
    return [int(at) for at in search.predict(pen=3 * float(np.log(points.size)))[:-1]]


def _settled_index(medians: list[float], material: float) -> int:
    """Index of the first stretch from which on all levels agree with the last one."""
    settled = len(medians) - 1
    while settled > 0 and abs(_relative(medians[settled - 1], medians[-1])) <= material:
        settled -= 1
    return settled


def _relative(value: float, reference: float) -> float:
    return value / reference - 1 if reference > 0 else float("nan")
