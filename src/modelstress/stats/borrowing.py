"""Variances borrowed across comparisons: three starts say little about their own spread.

Each comparison has a variance of few differences. Comparisons of one kind have similar variances,
so that each is drawn towards what all of them have in common, and gains degrees of freedom.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import digamma, polygamma
from scipy.stats import f as fisher

from modelstress.stats.results import Values

LEAST = 10
"""Comparisons below which nothing is borrowed: each has its own variance."""
LOWER, UPPER = 0.05, 0.10
"""Shares of the smallest and the largest variances that do not say what is common."""
TINY = 1e-5
"""A variance of 0, relative to the median one: equal values are a clock's doing."""
ENDLESS = 1e8
"""Degrees of freedom that count as infinitely many."""
_NODES, _WEIGHTS = leggauss(128)


@dataclass(frozen=True)
class Prior:
    """The variance that comparisons have in common, and what it is worth.

    Attributes:
        variance: in the squared unit of the differences.
        degrees: of freedom that each comparison gains; infinite where the variances scatter no
            more than chance explains; one value per comparison, lower for those that deviate.
    """

    variance: float
    degrees: Values


def prior_of(variances: Values, degrees: Values) -> Prior | None:
    """Fits what variances have in common, so that single large ones do not count.

    Variances follow a scaled F distribution whose two parameters are found from the moments of
    their logs (Smyth 2004, Linear models and empirical Bayes methods, section 6.2), here of the
    winsorized logs, and those far out gain fewer degrees of freedom (Phipson et al. 2016, Robust
    hyperparameter estimation protects against hypervariable genes, sections 3 and 4).

    Args:
        variances: of the comparisons, at least ``LEAST`` of them with degrees of freedom.
        degrees: of freedom of each variance, 0 where there is none.

    Returns:
        None where there are too few comparisons.

    Raises:
        ValueError: arrays of different lengths, or negative or infinite values.
    """
    squares, freedom = np.asarray(variances, float), np.asarray(degrees, float)
    if squares.shape != freedom.shape or squares.ndim != 1:
        raise ValueError("variances and degrees must be arrays of the same length")
    told = freedom > 0
    if not np.isfinite(freedom).all() or (freedom < 0).any():
        raise ValueError("degrees of freedom must be finite and not negative")
    if not np.isfinite(squares[told]).all() or (squares[told] < 0).any():
        raise ValueError("variances must be finite and not negative")
    if np.count_nonzero(told) < LEAST or not squares[told].any():
        return None
    positive = np.maximum(squares[told], TINY * np.median(squares[told][squares[told] > 0]))
    variance, common = _robust(positive, freedom[told])
    gained = np.full(squares.size, common)
    gained[told] = _of_deviating(positive / variance, freedom[told], common)
    return Prior(variance, gained)


def moderated(variances: Values, degrees: Values, prior: Prior | None) -> tuple[Values, Values]:
    """Variances drawn towards the common one, and their degrees of freedom.

    A comparison without a variance of its own, such as one with a single start, has the common one.

    Args:
        variances: of the comparisons.
        degrees: of freedom of each variance; 0 where there is none.
        prior: fitted to them, or before; None: each has its own.
    """
    freedom = np.asarray(degrees, float)
    squares = np.where(freedom > 0, np.asarray(variances, float), 0.0)
    if prior is None:
        return np.where(freedom > 0, squares, np.nan), freedom
    total = freedom + prior.degrees
    endless = np.isinf(total)
    with np.errstate(invalid="ignore"):
        drawn = (freedom * squares + prior.degrees * prior.variance) / total
    return np.where(endless, prior.variance, drawn), total


def _robust(squares: Values, freedom: Values) -> tuple[float, float]:
    """Common variance and its degrees of freedom, from winsorized logs."""
    most = float(freedom.max())
    logs = np.log(squares)
    # logs of variances with fewer degrees of freedom scatter more: bring all to the same number
    start, common = _moments(logs, freedom)
    if (freedom < most).any():
        logs = np.log(start * _with_degrees(squares / start, freedom, most, common))
    low, high = np.quantile(logs, [LOWER, 1 - UPPER])
    if low == high:
        return start, common
    clipped = np.clip(logs, low, high)
    mean, spread = float(clipped.mean()), float(clipped.var(ddof=1))

    def excess(share: float) -> float:
        return float(np.log(spread) - np.log(_winsorized(most, share / (1 - share))[1]))

    most_share = ENDLESS / (1 + ENDLESS)
    least = most_share if np.isinf(common) else common / (1 + common)
    if excess(most_share) <= 0:
        degrees = np.inf
    elif np.isinf(common):
        return start, common
    elif excess(least) >= 0:
        degrees = common  # the tails that were cut make it no smaller
    else:
        share = float(brentq(excess, least, most_share, xtol=1e-12))
        degrees = share / (1 - share)
    expected = _winsorized(most, degrees)[0]
    return float(np.exp(mean - expected)), float(degrees)


def _moments(logs: Values, freedom: Values) -> tuple[float, float]:
    """Common variance and its degrees of freedom from plain moments of the logs (Smyth 2004)."""
    centred = logs - digamma(freedom / 2) + np.log(freedom / 2)
    mean = float(centred.mean())
    excess = float(centred.var(ddof=1) - polygamma(1, freedom / 2).mean())
    if excess <= 0:
        return float(np.exp(logs).mean()), np.inf
    half = float(brentq(lambda x: polygamma(1, np.exp(x)) - excess, -50, 50))
    degrees = 2 * float(np.exp(half))
    if degrees > ENDLESS:
        return float(np.exp(logs).mean()), np.inf
    return float(np.exp(mean + digamma(degrees / 2) - np.log(degrees / 2))), degrees


def _with_degrees(ratios: Values, freedom: Values, most: float, common: float) -> Values:
    """Ratios of variances as they would be with the most degrees of freedom, at the same chance."""
    second = min(common, ENDLESS)
    upper, lower = fisher.sf(ratios, freedom, second), fisher.cdf(ratios, freedom, second)
    values: Values = np.where(
        upper < lower, fisher.isf(upper, most, second), fisher.ppf(lower, most, second)
    )
    return np.where(freedom < most, values, ratios)


def _log_tail(ratios: Values, freedom: Values, common: float) -> Values:
    """Log of the chance of a larger F."""
    logs: Values = fisher.logsf(ratios, freedom, min(common, ENDLESS))
    return logs


def _winsorized(first: float, second: float) -> tuple[float, float]:
    """Mean and variance of the log of a winsorized F variable, by Gauss and Legendre."""
    second = min(second, ENDLESS)
    ends = fisher.ppf([LOWER, 1 - UPPER], first, second)
    low, high = np.log(ends)
    shares = (LOWER + (1 - UPPER)) / 2 + _NODES * (1 - UPPER - LOWER) / 2
    inside = np.log(fisher.ppf(shares, first, second))
    weights = _WEIGHTS * (1 - UPPER - LOWER) / 2
    mean = float(weights @ inside + LOWER * low + UPPER * high)
    deviations = weights @ np.square(inside - mean)
    tails = LOWER * (low - mean) ** 2 + UPPER * (high - mean) ** 2
    return mean, float(deviations + tails)


def _of_deviating(ratios: Values, freedom: Values, common: float) -> Values:
    """Degrees of freedom that each comparison gains: fewer where its variance is far too large."""
    n = ratios.size
    tails = _log_tail(ratios, freedom, common)
    ranks = np.empty(n)
    ranks[np.argsort(-ratios, kind="stable")] = np.arange(n)
    expected = np.log((ranks + 0.5) / n)
    chance = np.exp(np.minimum(tails - expected, 0))
    if (chance >= 1).all():
        return np.full(n, common)
    least = float(tails.min())
    if np.isinf(common):
        gained = chance * n * freedom.max()
    else:  # those far out gain what makes the largest variance a middling one
        outlier = 0.0
        if np.isfinite(least):
            outlier = float(np.log(0.5) / least * common)
            again = float(_log_tail(ratios.max(), freedom[np.argmax(ratios)], outlier))
            outlier *= float(np.log(0.5) / again)
        gained = chance * common + (1 - chance) * outlier
    gained[chance >= 1] = common
    order = np.argsort(tails, kind="stable")
    ordered = gained[order]
    means = np.cumsum(ordered) / np.arange(1, n + 1)
    lowest = int(np.argmin(means))
    ordered[: lowest + 1] = means[lowest]
    raised: Values = np.maximum.accumulate(ordered)  # a larger variance never gains more
    return raised[np.argsort(order)]
