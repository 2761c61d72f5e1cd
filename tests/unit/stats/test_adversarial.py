"""What an attack on the statistics found: samples that are none, coarse clocks, tiny samples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from modelstress import stats
from modelstress.stats.steadiness import steadiness

OF_ONE: list[Callable[..., Any]] = [stats.median, stats.box, stats.shapiro_wilk, steadiness]


@pytest.mark.parametrize("function", OF_ONE)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ma.masked_array([1.0, 2.0], [True, False]), "masked"),
        (np.ones((3, 2)), "2 dimensions"),
        (np.array(3.0), "0 dimensions"),
        (np.array([True, False]), "bool"),
        (np.array(["1", "2"]), "real numbers"),
        (np.array(["2026-01-01"], "datetime64[D]"), "datetime64"),
        (np.array([1 + 2j]), "complex"),
        (np.array([1.0, "x"], object), "object"),
        (np.array([1.0, np.nan]), "finite"),
        (np.array([1.0, -np.inf]), "finite"),
    ],
)
def test_what_is_no_sample_is_refused(function: Any, values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(values)


def test_numbers_of_any_width_are_a_sample() -> None:
    for values in ([1, 2, 3], np.array([1, 2, 3], np.int8), np.array([1.0, 2, 3], object)):
        assert stats.median(values).value == 2.0


@pytest.mark.parametrize("confidence", [99, 1.0, 0, -1, 2.0, float("nan")])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    values = np.arange(1.0, 40)
    for function in (stats.hodges_lehmann, stats.cliffs_delta, stats.median_ratio):
        with pytest.raises(ValueError, match="between 0 and 1"):
            function(values, values, confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        stats.median(values, confidence)


def test_a_coarse_clock_widens_the_shift() -> None:
    """Latencies floored to a tick of about the quartiles' distance: covered all the same."""
    rng = np.random.default_rng(2)
    shift, tick, hits, rounds = 0.3, 1.0, 0, 200
    for _ in range(rounds):
        first = np.floor((rng.normal(10 + shift, 0.74, 300)) / tick) * tick
        second = np.floor((rng.normal(10, 0.74, 300)) / tick) * tick
        found = stats.hodges_lehmann(first, second)
        assert found.caveats[0].code == "coarse-clock"
        assert found.interval is not None
        hits += found.interval.low <= shift <= found.interval.high
    assert hits == rounds  # 47 % without


def test_a_fine_clock_leaves_the_shift_as_it_is() -> None:
    rng = np.random.default_rng(3)
    first = np.append(rng.normal(0, 1, 100), [0.5, 0.5])  # a tie or two
    assert stats.hodges_lehmann(first, rng.normal(0, 1, 100)).caveats == ()


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (5, 5), (2, 6)])
def test_ratios_of_tiny_samples_have_no_interval(n: int, m: int) -> None:
    rng = np.random.default_rng(4)
    found = stats.median_ratio(rng.lognormal(size=n), rng.lognormal(size=m))
    assert found.interval is None and found.caveats[0].code == "too-few" and found.value > 0


def test_dunn_tells_apart_what_underflows() -> None:
    rng = np.random.default_rng(5)
    groups = [rng.normal(place, 0.1, 3000) for place in (0, 1, 50)]
    pairs = stats.dunn(groups, "bonferroni")
    assert [pair.p for pair in pairs][1] == 0.0
    assert pairs[1].z < pairs[0].z < 0, "the third is farther from the first than the second"
    small = stats.dunn([group[:20] for group in groups], "bonferroni")
    for pair in small:
        assert pair.raw_p == pytest.approx(2 * norm.sf(abs(pair.z)))
        assert pair.p == pytest.approx(min(1.0, 3 * pair.raw_p))


def test_dunn_of_equal_and_of_empty_groups() -> None:
    same = stats.dunn([np.ones(5), np.ones(4)])
    assert (same[0].p, same[0].z) == (1.0, 0.0)
    pairs = stats.dunn([np.array([1.0, 2, 3]), np.array([]), np.array([2.0, 3, 4])])
    assert np.isnan(pairs[0].z) and np.isfinite(pairs[1].z)


def test_steadiness_is_not_quadratic() -> None:
    rng = np.random.default_rng(6)
    small, large = rng.lognormal(size=20_000), rng.lognormal(size=200_000)
    steadiness(small)

    def seconds(values: Any) -> float:
        begin = time.process_time()
        steadiness(values)
        return time.process_time() - begin

    # ten times as many: about ten times as long, not a hundred (a ratio in one run)
    assert seconds(large) < 40 * max(seconds(small), 0.005)


def test_huge_and_tiny_values() -> None:
    huge = np.array([1.0, 2, 3, 4]) * 1e307
    assert stats.coefficient_of_dispersion(huge) == pytest.approx(0.4)
    rng = np.random.default_rng(7)
    values = rng.normal(size=50)
    assert stats.shapiro_wilk(values * 1e-300).w == pytest.approx(stats.shapiro_wilk(values).w)


def test_no_library_warns_through() -> None:
    rng = np.random.default_rng(8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = stats.shapiro_wilk(rng.normal(size=5001))
    assert found.caveats[0].code == "approximate"


def test_advice_says_when_it_knows_nothing() -> None:
    zeros = [np.zeros(40), np.zeros(40)]
    assert stats.advice(zeros, 1.0).caveats[0].code == "no-centre"
    alike = stats.advice([np.full(40, 5.0), np.full(40, 5.0)], 100.0)
    assert "starts-alike" in [caveat.code for caveat in alike.caveats]


@pytest.mark.parametrize(
    "function", [stats.shapiro_wilk, steadiness, stats.coefficient_of_dispersion]
)
def test_what_is_of_answers_only_refuses_timeouts(function: Any) -> None:
    with pytest.raises(ValueError, match="finite"):
        function(np.array([1.0, 2.0, np.inf]))


def test_differences_of_medians_refuse_timeouts() -> None:
    starts = [np.array([1.0, 2.0, np.inf])] * 2
    with pytest.raises(ValueError, match="do not rank timeouts"):
        stats.difference_over_invocations(starts, starts)
