"""Estimates over starts, summaries of decisions, and what intervals decide."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, ttest_rel

from modelstress.stats.borrowing import prior_of
from modelstress.stats.deciding import (
    blocks_missing,
    confidence_at_looks,
    status_of_difference,
    status_of_ratio,
)
from modelstress.stats.estimates import estimates, overall, spreads
from modelstress.stats.results import Interval


def interval(low, high):
    return Interval(low, high, 0.99, 0.99)


def test_without_a_prior_it_is_the_paired_t_interval():
    rng = np.random.default_rng(1)
    first, second = rng.normal(1, 0.2, 8), rng.normal(0.7, 0.2, 8)
    [estimate] = estimates([first - second])
    known = ttest_rel(first, second).confidence_interval(0.99)
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx((known.low, known.high))
    assert estimate.blocks == 8 and estimate.degrees == 7


def test_one_block_needs_a_variance_to_borrow():
    rng = np.random.default_rng(2)
    samples = [rng.normal(0, 0.1, 3) for _ in range(15)] + [np.array([0.5])]
    [*_, alone] = estimates(samples)
    assert alone.interval is None and alone.caveats[0].code == "one-block"
    [*_, borrowing] = estimates(samples, prior=prior_of(*spreads(samples)))
    assert borrowing.interval.low < 0.5 < borrowing.interval.high


def test_nothing_measured_is_said():
    [estimate] = estimates([np.array([])])
    assert math.isnan(estimate.value) and estimate.caveats[0].code == "empty"


def test_blocks_that_agree_by_chance_have_an_interval():
    [plain] = estimates([np.full(4, 0.3)])
    assert plain.interval.low == plain.interval.high
    [floored] = estimates([np.full(4, 0.3)], floors=np.array([0.01]))
    assert floored.error == pytest.approx(0.05)


def test_borrowing_narrows_what_three_starts_leave_wide():
    rng = np.random.default_rng(3)
    samples = [rng.normal(0, 0.15, 3) for _ in range(60)]
    own = estimates(samples)
    shared = estimates(samples, prior=prior_of(*spreads(samples)))

    def width(found):
        return np.median([estimate.interval.high - estimate.interval.low for estimate in found])

    assert width(shared) < width(own) / 2


def test_one_that_deviates_has_its_own_interval_inside():
    rng = np.random.default_rng(5)
    samples = [rng.normal(0, 0.1, 5) for _ in range(30)]
    samples[0] = np.array([0.9, -0.8, 0.4, -0.6, 0.2])
    prior = prior_of(*spreads(samples))
    shared = estimates(samples, prior=prior)
    guarded = estimates(samples, prior=prior, own_confidence=0.97)
    own = estimates(samples, 0.97)
    for one, other, alone in zip(guarded, shared, own, strict=True):
        assert one.interval.low == min(other.interval.low, alone.interval.low)
        assert one.interval.high == max(other.interval.high, alone.interval.high)
    assert sum(a.interval != b.interval for a, b in zip(guarded, shared, strict=True)) < 20
    with pytest.raises(ValueError, match="between 0 and 1"):
        estimates(samples, prior=prior, own_confidence=97)


def test_an_overall_estimate_is_the_mean_and_knows_shared_starts():
    rng = np.random.default_rng(4)
    parts = estimates([rng.normal(0.2, 0.1, 5) for _ in range(6)])
    apart = overall(parts, range(6))
    together = overall(parts, ["one start"] * 6)
    assert apart.value == together.value == pytest.approx(np.mean([p.value for p in parts]))
    assert together.error == pytest.approx(np.mean([p.error for p in parts]))
    assert apart.error == pytest.approx(math.hypot(*(p.error for p in parts)) / 6)
    assert together.degrees == pytest.approx(4) and apart.degrees > 4


def test_an_overall_estimate_says_what_it_leaves_out():
    parts = estimates([np.array([0.1, 0.2, 0.3]), np.array([0.5])])
    whole = overall(parts, [0, 1])
    assert whole.value == pytest.approx(0.2) and whole.caveats[0].code == "left-out"
    assert overall([], []).interval is None
    with pytest.raises(ValueError, match="as many starts"):
        overall(parts, [0])


@pytest.mark.parametrize("confidence", [0, 1, 99, -1, float("nan")])
def test_no_confidence_is_refused(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        estimates([np.ones(3)], confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        overall(estimates([np.ones(3)]), [0], confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        confidence_at_looks([1, 2], confidence)


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        (-0.05, 0.05, "same"),
        (0.01, 0.05, "same"),  # it differs, by less than matters
        (0.01, 0.2, "more"),
        (-0.2, -0.01, "less"),
        (-0.2, 0.05, "undecided"),
        (-0.5, 0.5, "undecided"),
    ],
)
def test_what_an_interval_decides(low, high, status):
    assert status_of_ratio(interval(low, high), 0.10) == status
    assert status_of_difference(interval(low, high), math.log1p(0.10)) == status


def test_the_margin_of_a_ratio_is_as_far_either_way():
    assert status_of_ratio(interval(math.log(1 / 1.0999), math.log(1.0999)), 0.10) == "same"
    assert status_of_ratio(interval(math.log(0.9), 0.0), 0.10) == "undecided"  # 1/0.9 is above 1.1
    assert status_of_ratio(None, 0.10) == "undecided"
    with pytest.raises(ValueError, match="margin"):
        status_of_ratio(interval(0, 0), 0)


def test_looks_have_pococks_bound():
    # Jennison and Turnbull (2000), table 2.1: 2.986 for five looks at 1 %, 2.413 for five at 5 %
    def bound(confidence):
        return norm.ppf((1 + confidence_at_looks([1, 2, 3, 4, 5], confidence)) / 2)

    assert bound(0.99) == pytest.approx(2.986, abs=2e-3)
    assert bound(0.95) == pytest.approx(2.413, abs=2e-3)
    assert confidence_at_looks([7]) == 0.99


@settings(max_examples=12)  # each is an integral over four looks, a second of CPU time or more
@given(st.lists(st.integers(1, 60), min_size=2, max_size=4, unique=True).map(sorted))
def test_more_looks_need_more_confidence(blocks):
    first, whole = confidence_at_looks(blocks[:-1]), confidence_at_looks(blocks)
    assert first + 1e-4 >= 0.99 and first <= whole + 1e-4 and whole < 0.999


@pytest.mark.parametrize("blocks", [[], [0, 1], [3, 3], [5, 3], [1, 2, 3, 4, 5, 6]])
def test_looks_are_fixed_few_and_ascending(blocks):
    with pytest.raises(ValueError, match="ascending"):
        confidence_at_looks(blocks)


def test_missing_blocks_are_those_that_decide():
    rng = np.random.default_rng(6)
    [estimate] = estimates([rng.normal(0.02, 0.12, 6)])
    missing = blocks_missing(estimate, math.log1p(0.10), 0.99)
    assert missing is not None and 5 < missing < 100
    decided = estimates([rng.normal(0.8, 0.05, 6)])[0]
    assert blocks_missing(decided, math.log1p(0.10), 0.99) == 0
    assert blocks_missing(estimates([np.array([0.1])])[0], 0.1, 0.99) is None
    # exactly at the margin nothing is ever decided
    [edge] = estimates([np.array([0.0, 0.2, 0.1, 0.1]) + math.log1p(0.10) - 0.1 - 0.095])
    assert blocks_missing(edge, 1e-9, 0.99, most=20) is None
