"""How a cost grows with a size: by which law, how steeply, and whether it rises and falls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import toeplitz
from scipy.optimize import nnls
from scipy.signal import periodogram
from scipy.stats import t as student_t
from statsmodels.regression.linear_model import burg
from statsmodels.tsa.arima_process import arma_generate_sample

from modelstress.stats.results import Caveat, Interval, Values

MINIMUM = 20
"""Stretches below which nothing is said."""
FOLDS = 10
"""Neighbouring parts of the sizes, each of which is predicted from the others in turn."""
EXACT = 1e-16
"""Mean square below which a law is right: smaller ones are rounding."""
UNTOLD = float(student_t.ppf(0.975, FOLDS - 1))
"""Standard errors of the mean log ratio of two errors up to which laws are not told apart."""
BANDWIDTH = 0.5
"""Lags of the long-run variance, as a share of the number of stretches."""
MOST_ORDER = 8
"""Of the autoregression that stands for the noise: a sawtooth needs some, more cost coverage."""
SAMPLES = 2000
"""Series of noise of which the critical value of a slope's t is a quantile."""
SETTLING = 300
"""Values that a series of noise has before its first one that is used."""
SHORTEST_PERIOD = 4
"""Stretches that a period has at least; shorter ones cannot be told from noise."""
MOST_OF_RANGE = 1 / 3
"""Share of the range of sizes that a period has at most: it must be seen three times."""


@dataclass(frozen=True)
class Law:
    """A law of growth that was fitted.

    `error` is the root mean square of the logarithm of cost over prediction, on sizes that the
    fit had not seen; `plausible` is whether the parts do not tell it from the least one.
    """

    name: str
    error: float
    plausible: bool


@dataclass(frozen=True)
class Growth:
    """How a cost grows.

    Attributes:
        n: stretches.
        exponent: slope of the logarithm of the cost over that of the size: 0 is constant, 1 linear;
            NaN where nothing is said.
        interval: of the exponent.
        over_logarithm: the same slope over the logarithm of the logarithm: below 1, the cost grows
            less than the logarithm of the size does.
        over_logarithm_interval: of that.
        laws: those that were fitted, the least error first.
        period: of a cost that rises and falls, in the unit of the size; None where there is none.
        period_p: probability that noise with neighbours alike has so strong a period anywhere.
    """

    n: int
    exponent: float
    interval: Interval | None
    over_logarithm: float
    over_logarithm_interval: Interval | None
    laws: tuple[Law, ...]
    period: float | None
    period_p: float
    caveats: tuple[Caveat, ...] = ()

    @property
    def plausible(self) -> tuple[str, ...]:
        """Names of the laws that the data do not tell apart, the best one first."""
        return tuple(law.name for law in self.laws if law.plausible)


def growth(sizes: Values, costs: Values, confidence: float = 0.99) -> Growth:
    """Fit laws of growth to the costs of stretches of equal length.

    The exponent's interval has a long-run variance (Newey and West's, over half of the stretches),
    since neighbouring stretches are alike and costs rise and fall. How far its t strays from 0 by
    noise alone is simulated for these very sizes: noise is an autoregression that was fitted to the
    residuals (the sieve bootstrap; Bühlmann, Sieve bootstrap for time series, Bernoulli 3, 1997).
    Laws are
    compared by errors on neighbouring sizes that they were not fitted to; those of which the mean
    ratio to the best has 1 in its 95 % interval over these parts are not told apart.

    Args:
        sizes: rising, above 1.
        costs: of a unit at each size, above 0.
        confidence: of the intervals, up to 0.99.

    Raises:
        ValueError: sizes or costs are out of range, or of different numbers.
    """
    _check(sizes, costs, confidence)
    if sizes.size < MINIMUM:
        text = f"{sizes.size} stretches are too few to tell how costs grow (at least {MINIMUM})"
        nan = float("nan")
        caveats = (Caveat("too-few", text),)
        return Growth(sizes.size, nan, None, nan, None, (), None, nan, caveats)
    exponent, interval = _slope(np.log(sizes), np.log(costs), confidence)
    double = np.log(np.log(sizes))
    over_logarithm, over_interval = _slope(double, np.log(costs), confidence)
    period, p = _period(sizes, costs)
    return Growth(
        sizes.size, exponent, interval, over_logarithm, over_interval,
        _compared(sizes, costs), period, p,
    )  # fmt: skip


def _check(sizes: Values, costs: Values, confidence: float) -> None:
    if sizes.ndim != 1 or sizes.shape != costs.shape:
        raise ValueError("sizes and costs are series of one length")
    rising = np.all(np.isfinite(sizes)) and np.all(np.diff(sizes) > 0)
    if sizes.size and not (rising and sizes[0] > 1):
        raise ValueError("sizes rise and are above 1")
    if not (np.all(np.isfinite(costs)) and np.all(costs > 0)):
        raise ValueError("costs are above 0")
    if not 0.5 <= confidence <= 0.99:
        raise ValueError(f"the confidence is between 0.5 and 0.99, not {confidence}")


def _slope(x: Values, y: Values, confidence: float) -> tuple[float, Interval]:
    (slope,), (error,), (rest,) = slopes(x, y[np.newaxis])
    if not rest.any():
        return float(slope), Interval(float(slope), float(slope), confidence, confidence)
    noise = arma_generate_sample(
        _autoregression(rest), [1.0], (SAMPLES, x.size), axis=1, burnin=SETTLING,
        distrvs=lambda size: np.random.default_rng(0).normal(size=size),
    )  # fmt: skip
    by_noise, errors, _ = slopes(x, noise)
    half = float(np.quantile(np.abs(by_noise) / errors, confidence) * error)
    return float(slope), Interval(float(slope - half), float(slope + half), confidence, confidence)


def slopes(x: Values, ys: Values) -> tuple[Values, Values, Values]:
    """Regress each series on x.

    statsmodels does so for one series at a time, which takes seconds for thousands of them; a test
    compares.

    Args:
        x: n values.
        ys: m series of n values, m × n.

    Returns:
        m slopes, their standard errors by the long-run variance, and residuals, m × n.
    """
    centred = x - x.mean()
    square = centred @ centred
    found = ys @ centred / square
    rest = ys - ys.mean(axis=1, keepdims=True) - found[:, np.newaxis] * centred
    lags = int(BANDWIDTH * x.size)
    weights = toeplitz(np.clip(1 - np.arange(x.size) / (lags + 1), 0, None))
    scores = rest * centred
    variances = np.sum(scores @ weights * scores, axis=1) * x.size / (x.size - 2)
    return found, np.sqrt(variances) / square, rest


def _autoregression(rest: Values) -> Values:
    """The polynomial 1, -a1, -a2, … of the noise, of the order with the least corrected AIC."""
    best, least = np.ones(1), np.inf
    for order in range(MOST_ORDER + 1):
        coefficients, variance = burg(rest, order, demean=False) if order else ([], rest.var())
        free = order + 1
        criterion = rest.size * np.log(variance) + 2 * free * rest.size / (rest.size - free - 1)
        if criterion < least:
            best, least = np.concatenate(([1.0], -np.asarray(coefficients))), criterion
    return best


Predictor = Callable[[Values], Values]


def _above_constant(shape: Callable[[Values], Values]) -> Callable[[Values, Values], Predictor]:
    """A fit of a + b·shape(n), neither below 0, by least squares of relative errors."""

    def fit(sizes: Values, costs: Values) -> Predictor:
        scale = float(shape(sizes[-1:])[0])
        columns = np.column_stack([np.ones_like(sizes), shape(sizes) / scale]) / costs[:, None]
        (a, b), _ = nnls(columns, np.ones_like(sizes))
        return lambda n: a + b * shape(n) / scale

    return fit


def _constant(sizes: Values, costs: Values) -> Predictor:
    level = float(np.exp(np.log(costs).mean()))
    return lambda n: np.full_like(n, level)


def _power(sizes: Values, costs: Values) -> Predictor:
    slope, level = np.polyfit(np.log(sizes), np.log(costs), 1)
    return lambda n: np.exp(level + slope * np.log(n))


LAWS: Mapping[str, Callable[[Values, Values], Predictor]] = {
    "constant": _constant,
    "log n": _above_constant(np.log),
    "n": _above_constant(lambda n: n),
    "n log n": _above_constant(lambda n: n * np.log(n)),
    "power": _power,
}
"""Name to what fits it to sizes and costs."""


def _compared(sizes: Values, costs: Values) -> tuple[Law, ...]:
    """The laws by their errors on parts that they were not fitted to."""
    parts = np.array_split(np.arange(sizes.size), FOLDS)
    squares = {
        name: np.array([_squares(fit, sizes, costs, part) for part in parts])
        for name, fit in LAWS.items()
    }
    best = min(squares, key=lambda name: float(squares[name].mean()))
    laws = []
    for name, errors in squares.items():
        # in ratios: parts far from the others err more, whatever the law
        more = np.log(np.maximum(errors, EXACT) / np.maximum(squares[best], EXACT))
        spread = float(more.std(ddof=1)) / np.sqrt(FOLDS)
        plausible = name == best or float(more.mean()) <= UNTOLD * spread
        laws.append(Law(name, float(np.sqrt(errors.mean())), plausible))
    return tuple(sorted(laws, key=lambda law: law.error))


def _squares(
    fit: Callable[[Values, Values], Predictor],
    sizes: Values,
    costs: Values,
    part: NDArray[np.intp],
) -> float:
    """Mean square of the log of cost over prediction, on a part of the sizes."""
    seen = np.setdiff1d(np.arange(sizes.size), part)
    predicted = fit(sizes[seen], costs[seen])(sizes[part])
    return float(np.mean(np.log(costs[part] / predicted) ** 2))


def _period(sizes: Values, costs: Values) -> tuple[float | None, float]:
    """The strongest period, if noise with neighbours alike would hardly have it."""
    x = np.log(sizes)
    y = np.log(costs)
    rest = y - np.polyval(np.polyfit(x, y, 2), x)
    if not rest.any():
        return None, 1.0
    frequencies, power = periodogram(rest, detrend="linear")
    known = (frequencies <= 1 / SHORTEST_PERIOD) & (frequencies >= 1 / (MOST_OF_RANGE * sizes.size))
    alike = float(np.clip(np.corrcoef(rest[1:], rest[:-1])[0, 1], 0, 0.99))
    noise = (1 - alike**2) / (1 + alike**2 - 2 * alike * np.cos(2 * np.pi * frequencies[known]))
    noise *= power[1:].mean() / noise.mean() if noise.size else 1
    if not noise.size:
        return None, 1.0
    excess = power[known] / noise
    strongest = int(np.argmax(excess))
    p = float(-np.expm1(noise.size * np.log1p(-np.exp(-excess[strongest]))))
    step = float(np.diff(sizes).mean())
    return (step / float(frequencies[known][strongest]) if p < 0.01 else None), p
