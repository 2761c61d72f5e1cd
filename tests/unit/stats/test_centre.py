"""Centre and spread against values worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from modelstress import stats

latencies = arrays(np.float64, st.integers(1, 80), elements=st.floats(0.001, 1e6))


def test_median_of_an_even_number_is_the_middle_of_two():
    assert stats.median(np.array([4.0, 1.0, 3.0, 2.0])).value == 2.5


@pytest.mark.parametrize(
    ("n", "low", "high", "coverage"),
    # 2 P(B <= k-1) for B binomial (n, 1/2), summed by hand from Pascal's triangle:
    # n=8, k=1: 1 - 2/256; n=11, k=2: 1 - 2(1+11)/2048; n=20, k=4: 1 - 2(1+20+190+1140)/2^20
    [(8, 1, 8, 1 - 2 / 256), (11, 1, 11, 1 - 2 / 2048), (20, 4, 17, 1 - 2702 / 2**20)],
)
def test_order_statistic_interval(n, low, high, coverage):
    interval = stats.median(np.arange(1.0, n + 1)).interval
    assert (interval.low, interval.high) == (low, high)
    assert interval.coverage == pytest.approx(coverage, abs=1e-12)


def test_seven_values_have_no_99_percent_interval_but_a_95_percent_one():
    seven = np.arange(1.0, 8.0)
    result = stats.median(seven)
    assert result.interval is None
    assert [caveat.code for caveat in result.caveats] == ["too-few"]
    wider = stats.median(seven, confidence=0.95).interval
    assert (wider.low, wider.high) == (1.0, 7.0)
    assert wider.coverage == pytest.approx(1 - 2 / 128)


def test_nothing_gives_a_blank_and_says_so():
    result = stats.median(np.array([]))
    assert math.isnan(result.value)
    assert result.interval is None
    assert result.caveats[0].code == "empty"
    assert math.isnan(stats.coefficient_of_dispersion(np.array([])))
    assert stats.box(np.array([])).n == 0


def test_a_missing_latency_is_refused():
    with pytest.raises(ValueError, match="finite"):
        stats.median(np.array([1.0, math.nan]))


def test_coefficient_of_dispersion():
    # median 3, deviations 2 1 0 1 7: mean 2.2, divided by 3
    values = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    assert stats.coefficient_of_dispersion(values) == pytest.approx(2.2 / 3)
    assert stats.coefficient_of_dispersion(np.full(5, 7.0)) == 0
    assert math.isnan(stats.coefficient_of_dispersion(np.zeros(3)))


def test_box_by_hand():
    # quartiles 3, 5, 7 by interpolation; IQR 4, fences -3 and 13; notch 5 ± 4/3
    drawn = stats.box(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 100]))
    assert (drawn.q1, drawn.median, drawn.q3) == (3, 5, 7)
    assert (drawn.whisker_low, drawn.whisker_high) == (1, 8)
    assert drawn.outliers.tolist() == [100]
    assert drawn.notch_low == pytest.approx(5 - 4 / 3)
    assert drawn.notch_high == pytest.approx(5 + 4 / 3)


@given(latencies)
def test_box_orders_its_parts_and_loses_no_value(values):
    drawn = stats.box(values)
    parts = [drawn.whisker_low, drawn.q1, drawn.median, drawn.q3, drawn.whisker_high]
    assert parts == sorted(parts)
    outside = (values < drawn.whisker_low) | (values > drawn.whisker_high)
    assert outside.sum() <= drawn.outliers.size < max(2, values.size)


@given(latencies, st.floats(0.01, 100))
def test_dispersion_does_not_depend_on_the_unit(values, factor):
    scaled = stats.coefficient_of_dispersion(values * factor)
    assert scaled == pytest.approx(stats.coefficient_of_dispersion(values), rel=1e-9, abs=1e-9)


@given(latencies, st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_holds_the_median_and_keeps_its_promise(values, confidence):
    result = stats.median(values, confidence)
    if result.interval is not None:
        assert result.interval.low <= result.value <= result.interval.high
        assert result.interval.coverage >= confidence


def test_interval_covers_the_true_median_of_a_skewed_population():
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(2000):
        interval = stats.median(rng.lognormal(0, 1.5, 40), 0.95).interval
        covered += interval.low <= 1.0 <= interval.high
    assert covered / 2000 >= 0.94  # four standard errors below the exact 0.9615
