"""The interval over invocations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelstress import stats
from modelstress.stats import bootstrap


def test_exact_distribution_of_a_tiny_case():
    # Invocations {1} and {3}: a pool is {1,1}, {1,3} or {3,3} with chances 1/4, 1/2, 1/4.
    groups = [np.array([1.0]), np.array([3.0])]
    medians = bootstrap._resampled_medians(groups, 40_000, np.random.default_rng(1))
    share = [float(np.mean(medians == value)) for value in (1.0, 2.0, 3.0)]
    assert share == pytest.approx([0.25, 0.5, 0.25], abs=0.012)  # five standard errors


def test_both_ways_of_drawing_have_the_same_distribution():
    rng = np.random.default_rng(2)
    groups = [rng.lognormal(0, 1, 15) + shift for shift in (0, 1, 4)]
    ragged = [*groups[:2], np.append(groups[2], np.median(groups[2]))]
    even = bootstrap._resampled_medians(groups, 8000, np.random.default_rng(3))
    loop = bootstrap._resampled_medians(ragged, 8000, np.random.default_rng(3))
    for q in (0.1, 0.5, 0.9):
        assert np.quantile(even, q) == pytest.approx(np.quantile(loop, q), rel=0.15)


def test_blocks_do_not_change_the_shape(monkeypatch):
    monkeypatch.setattr(bootstrap, "BLOCK_VALUES", 100)
    groups = [np.arange(1.0, 31.0), np.arange(11.0, 41.0)]
    result = stats.median_over_invocations(groups, rounds=501)
    assert result.n == 60
    assert result.interval.low < result.value < result.interval.high


def test_one_invocation_has_a_median_and_no_interval():
    result = stats.median_over_invocations([np.array([1.0, 2.0, 9.0])])
    assert (result.value, result.interval) == (2.0, None)
    assert result.caveats[0].code == "one-invocation"


def test_nothing_is_blank_and_bad_arguments_are_refused():
    result = stats.median_over_invocations([np.array([]), np.array([])])
    assert math.isnan(result.value)
    assert result.caveats[0].code == "empty"
    with pytest.raises(ValueError, match="confidence"):
        stats.median_over_invocations([np.array([1.0])], confidence=1.0)


@pytest.mark.parametrize(("k", "coverage", "warned"), [(3, 0.75, True), (9, 0.99, False)])
def test_few_invocations_are_owned_up_to(k, coverage, warned):
    rng = np.random.default_rng(4)
    result = stats.median_over_invocations([rng.lognormal(0, 1, 30) for _ in range(k)], rounds=200)
    assert result.interval.coverage == coverage
    assert ([caveat.code for caveat in result.caveats] == ["few-invocations"]) is warned


def test_differences_between_starts_widen_the_interval():
    rng = np.random.default_rng(5)
    executions = [rng.normal(100, 1, 200) for _ in range(8)]
    same = stats.median_over_invocations(executions).interval
    shifted = [values + 10 * i for i, values in enumerate(executions)]
    different = stats.median_over_invocations(shifted).interval
    assert different.high - different.low > 10 * (same.high - same.low)


@settings(max_examples=25)
@given(st.lists(st.lists(st.floats(0.1, 1e5), min_size=1, max_size=12), min_size=2, max_size=6))
def test_interval_stays_inside_the_values_and_repeats(data):
    groups = [np.array(values) for values in data]
    first = stats.median_over_invocations(groups, rounds=100, seed=11)
    again = stats.median_over_invocations(groups, rounds=100, seed=11)
    assert first == again
    pool = np.concatenate(groups)
    assert pool.min() <= first.interval.low <= first.interval.high <= pool.max()
