"""Laws, exponents and periods of growth, on costs of which they are known."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from modelstress.stats.growth import MINIMUM, Growth, growth, slopes
from modelstress.stats.results import Values

SIZES = np.arange(100) * 1e5 + 5e4
PERIOD = 7.5e5


def costs(shape: Values, seed: int, alike: float = 0.6, saw: float = 0.0) -> Values:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=SIZES.size) * 0.05
    for i in range(1, noise.size):
        noise[i] = alike * noise[i - 1] + np.sqrt(1 - alike**2) * noise[i]
    return shape * np.exp(noise + saw * ((SIZES / PERIOD) % 1 - 0.5))


SHAPES = {
    0.0: np.ones_like(SIZES), 0.1: SIZES**0.1, 0.5: np.sqrt(SIZES), 1.0: SIZES,
}  # fmt: skip


@pytest.mark.parametrize("exponent", SHAPES)
@pytest.mark.parametrize("saw", [0.0, 0.2])
def test_known_exponents_are_in_their_intervals(exponent: float, saw: float) -> None:
    found = [growth(SIZES, costs(SHAPES[exponent], seed, saw=saw)) for seed in range(20)]
    covered = [g.interval is not None and g.interval.low <= exponent <= g.interval.high
               for g in found]  # fmt: skip
    assert sum(covered) >= 19
    assert np.median([g.exponent for g in found]) == pytest.approx(exponent, abs=0.02)


def test_slopes_are_those_of_statsmodels() -> None:
    x, ys = np.log(SIZES), np.log([costs(SHAPES[0.5], 1), costs(SHAPES[1.0], 2, saw=0.2)])
    found, errors, rest = slopes(x, ys)
    for i, y in enumerate(ys):
        fit = sm.OLS(y, sm.add_constant(x - x.mean())).fit(
            cov_type="HAC", cov_kwds={"maxlags": SIZES.size // 2, "use_correction": True}
        )
        assert found[i] == pytest.approx(fit.params[1], rel=1e-9)
        assert errors[i] == pytest.approx(fit.bse[1], rel=1e-9)
        assert rest[i] == pytest.approx(fit.resid, rel=1e-6, abs=1e-12)


def test_what_is_alike_longer_has_wider_intervals_and_a_line_has_none() -> None:
    def width(alike: float) -> float:
        found = [growth(SIZES, costs(SHAPES[0.1], seed, alike)).interval for seed in range(10)]
        return float(np.median([i.high - i.low for i in found if i is not None]))

    assert width(0.0) < 0.7 * width(0.8)
    exact = growth(SIZES, SIZES).interval
    assert exact is not None and exact.low == pytest.approx(1) and exact.high == pytest.approx(1)


def test_laws_that_differ_are_told_apart_and_others_are_not() -> None:
    def plausible(shape: Values) -> tuple[str, ...]:
        return growth(SIZES, costs(shape, 5)).plausible

    linear = plausible(SHAPES[1.0])
    assert "n" in linear and not {"constant", "log n"} & set(linear)
    assert {"log n", "power"} <= set(plausible(np.log(SIZES))), "n^0.1 and log n look alike"
    assert "n" not in plausible(SHAPES[0.5]) and "power" in plausible(SHAPES[0.5])
    assert "constant" in plausible(SHAPES[0.0])


def test_less_than_the_logarithm_is_tested() -> None:
    constant = growth(SIZES, costs(SHAPES[0.0], 1)).over_logarithm_interval
    assert constant is not None and constant.high < 1
    log = growth(SIZES, costs(np.log(SIZES), 1)).over_logarithm_interval
    assert log is not None and log.low < 1 < log.high
    root = growth(SIZES, costs(SHAPES[0.5], 1)).over_logarithm_interval
    assert root is not None and root.low > 1


def test_a_sawtooth_has_its_period_and_noise_has_none() -> None:
    with_saw = [growth(SIZES, costs(SHAPES[0.1], seed, saw=0.3)) for seed in range(10)]
    assert all(g.period == pytest.approx(PERIOD, rel=0.1) for g in with_saw)
    without = [growth(SIZES, costs(SHAPES[0.1], seed)) for seed in range(20)]
    assert sum(g.period is not None for g in without) <= 1
    assert growth(SIZES, SHAPES[0.0]).period is None


def test_few_stretches_say_nothing() -> None:
    few: Growth = growth(SIZES[: MINIMUM - 1], SHAPES[0.0][: MINIMUM - 1])
    assert few.interval is None and few.plausible == ()
    assert [caveat.code for caveat in few.caveats] == ["too-few"]


@pytest.mark.parametrize(
    ("sizes", "values", "message"),
    [
        (SIZES[::-1], SHAPES[0.0], "rise"),
        (SIZES, SHAPES[0.0] - 1, "above 0"),
        (SIZES, SHAPES[0.0][1:], "one length"),
        (SIZES * 1e-5, SHAPES[0.0], "above 1"),
    ],
)
def test_what_makes_no_sense_is_refused(sizes: Values, values: Values, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        growth(sizes, values)
    with pytest.raises(ValueError, match="confidence"):
        growth(SIZES, SHAPES[0.0], confidence=0.999)
