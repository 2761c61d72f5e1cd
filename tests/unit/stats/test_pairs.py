"""Two samples: values worked out by hand, and everything against all pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, t

from modelstress.stats import pairs, pairwise

ORIGINAL = 1 << 16
samples = arrays(np.float64, st.integers(1, 40), elements=st.floats(0.001, 1e6))
# few distinct values: many ties
tied = arrays(np.float64, st.integers(1, 40), elements=st.sampled_from([1.0, 1.5, 2.0, 7.0]))


def test_ratios_are_as_exact_as_themselves_not_as_the_samples(monkeypatch):
    """Found by the property below: 7.3e-9 was taken for 6.9e-9 beside a sample of 5e5."""
    monkeypatch.setattr(pairwise, "ENUMERATED", 1)
    first, second = np.array([0.001, 524183.0]), np.array([136793.0, 145675.0])
    found = [pairwise.nth(pairwise.RATIOS, first, second, rank) for rank in (1, 2, 3, 4)]
    assert found == sorted(np.divide.outer(first, second).ravel())


@given(st.one_of(samples, tied), st.one_of(samples, tied), st.data())
@pytest.mark.parametrize("enumerated", [1, 20, ORIGINAL])
def test_ranks_among_all_pairs(enumerated, first, second, data):
    rank = data.draw(st.integers(1, first.size * second.size))
    before, pairwise.ENUMERATED = pairwise.ENUMERATED, enumerated
    try:
        a, b = np.sort(first), np.sort(second)
        difference = pairwise.nth(pairwise.DIFFERENCES, a, b, rank)
        ratio = pairwise.nth(pairwise.RATIOS, a, b, rank)
    finally:
        pairwise.ENUMERATED = before
    differences = np.sort(np.subtract.outer(a, b), axis=None)
    rounding = 1e-14 * max(a[-1], b[-1])
    assert difference == pytest.approx(differences[rank - 1], rel=0, abs=rounding)
    ratios = np.sort(np.divide.outer(a, b), axis=None)
    assert ratio == pytest.approx(
        ratios[rank - 1], rel=1e-14 * ratios[-1] / ratios[rank - 1] + 1e-14
    )


def test_there_is_no_rank_beyond_the_pairs():
    for rank in (0, 7):
        with pytest.raises(ValueError, match="of 6 pairs"):
            pairwise.nth(pairwise.DIFFERENCES, np.arange(2.0), np.arange(3.0), rank)


def test_mann_whitney_by_hand():
    # pairs in which the first is larger: 3 of (1, 4, 6) x (2, 3, 5): 4>2, 4>3, 6>2, 6>3, 6>5 = 5
    found = pairs.mann_whitney(np.array([1.0, 4.0, 6.0]), np.array([2.0, 3.0, 5.0]))
    # U <= 4 or U >= 5 is everything
    assert (found.statistic, found.p, found.method) == (5.0, 1.0, "exact")
    apart = pairs.mann_whitney(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    assert apart.statistic == 0 and apart.p == pytest.approx(2 / 20, rel=1e-14)


def test_mann_whitney_says_what_it_did():
    long = np.arange(50.0)
    assert pairs.mann_whitney(long, long + 0.5).method.startswith("normal")
    found = pairs.mann_whitney(np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0]))
    assert found.method.startswith("normal") and found.caveats[0].code == "ties"


@pytest.mark.parametrize(("n", "m"), [(3, 4), (7, 5), (12, 30), (40, 49)])
def test_distribution_of_u(n, m):
    chances = pairs._distribution_of_u(n, m)
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    assert chances[0] == pytest.approx(1 / math.comb(n + m, n), rel=1e-10)
    np.testing.assert_allclose(chances, chances[::-1], rtol=1e-9)
    a, b = np.arange(n) + 0.25, np.arange(m) * math.sqrt(1.02)
    found = pairs.mann_whitney(a, b)
    u = min(found.statistic, n * m - found.statistic)
    assert found.p == pytest.approx(min(1, 2 * chances[: int(u) + 1].sum()), rel=1e-9)


def test_hodges_lehmann_by_hand():
    # all differences of (1, 2, 4) and (0, 3): -2 -1 1 1 2 4
    found = pairs.hodges_lehmann(np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0]))
    assert found.value == 1.0
    assert found.interval is None and found.caveats[0].code == "too-few"


@given(samples, st.floats(1, 100))
def test_the_shift_is_found(values, shift):
    values = np.unique(values)
    found = pairs.hodges_lehmann(values + shift, values)
    everything = np.subtract.outer(values + shift, values)
    assert found.value == pytest.approx(np.median(everything), abs=1e-14 * values[-1] + 1e-14)
    back = pairs.hodges_lehmann(values, values + shift)
    assert back.value == pytest.approx(-found.value, abs=1e-13 * (values[-1] + shift))
    if found.interval is not None:
        assert found.interval.low <= found.value <= found.interval.high
        assert back.interval.low == pytest.approx(-found.interval.high, rel=1e-9, abs=1e-9)


@given(st.one_of(samples, tied), st.one_of(samples, tied))
def test_cliffs_delta_counts_pairs(first, second):
    found = pairs.cliffs_delta(first, second)
    everything = np.sign(np.subtract.outer(first, second))
    assert found.value == pytest.approx(everything.mean(), abs=1e-12)
    if found.interval is not None:
        assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1
        other = pairs.cliffs_delta(second, first).interval
        assert other.low == pytest.approx(-found.interval.high, abs=1e-12)


def test_cliffs_interval_by_hand():
    # d_ij of (2, 5) against (1, 3, 4): 1 -1 -1 / 1 1 1; delta 1/3; row means -1/3, 1; column
    # means 1, 0, 0. With a quarter of 1 and of -1 added, of the rows n 5/2, sum 2/3, mean 4/15,
    # squares 10/9 + 1/2 - 5/2 (4/15)²; of the columns n 7/2, mean 2/7, squares 3/2 - 7/2 (2/7)²
    found = pairs.cliffs_delta(np.array([2.0, 5.0]), np.array([1.0, 3.0, 4.0]), confidence=0.95)
    rows = (10 / 9 + 1 / 2 - 5 / 2 * (4 / 15) ** 2) / (3 / 2) / (5 / 2)
    columns = (3 / 2 - 7 / 2 * (2 / 7) ** 2) / (5 / 2) / (7 / 2)
    freedom = (rows + columns) ** 2 / (rows**2 / (3 / 2) + columns**2 / (5 / 2))
    reach = t.ppf(0.975, freedom) ** 2 * (rows + columns)
    assert found.value == pytest.approx(1 / 3)
    for end, delta, sign in ((found.interval.low, 4 / 15, -1), (found.interval.high, 1 / 3, 1)):
        spread = math.sqrt(reach * ((1 - delta**2) ** 2 + reach))
        expected = (delta - delta**3 + sign * spread) / (1 - delta**2 + reach)
        assert end == pytest.approx(min(1, expected))
    assert found.magnitude == "medium"


def test_a_rare_slow_execution_may_be_missing_in_a_small_sample():
    # 300 fast executions against 30 of which none is slow, or one of twenty would have been
    rng = np.random.default_rng(12)
    covered = 0
    for _ in range(300):
        first, second = 4 * rng.lognormal(0, 0.3, 300), rng.lognormal(0, 0.3, 30)
        second = np.where(rng.random(30) < 0.05, 100, second)
        truth = 0.95 * (2 * norm.cdf(math.log(4) / 0.3 / math.sqrt(2)) - 1) - 0.05
        interval = pairs.cliffs_delta(first, second).interval
        covered += interval.low <= truth <= interval.high
    assert covered / 300 > 0.9  # 78 % of them have a slow one


def test_samples_apart_have_an_interval_up_to_one():
    low, high = np.arange(30.0), np.arange(100.0, 140.0)
    found = pairs.cliffs_delta(high, low)
    assert found.value == 1 and found.interval.high == 1 and 0.5 < found.interval.low < 1
    assert pairs.cliffs_delta(low, high).interval.high == -found.interval.low


@pytest.mark.parametrize(("n", "m"), [(41, 60), (40, 40), (7, 300)])
def test_the_interval_of_the_ratio_is_that_of_the_bootstrap(n, m):
    rng = np.random.default_rng(n)
    a, b = rng.lognormal(0.5, 0.4, n), rng.lognormal(0, 0.6, m)
    drawn, rounds = 2 * n * m // (n + m), 40_000  # as many pairs as the harmonic mean
    ratios = rng.choice(a, (rounds, drawn)) / rng.choice(b, (rounds, drawn))
    ratios.sort(axis=1)
    middle = np.where(rng.random(rounds) < 0.5, (drawn - 1) // 2, drawn // 2)
    medians = ratios[np.arange(rounds), middle]
    found = pairs.median_ratio(a, b, confidence=0.95)
    assert found.value == pytest.approx(np.median(np.divide.outer(a, b)), rel=1e-12)
    for end, share in ((found.interval.low, 0.025), (found.interval.high, 0.975)):
        # five standard errors of a share of 40,000 rounds
        assert np.mean(medians <= end) == pytest.approx(share, abs=0.004)


def test_ratios_need_positive_values():
    with pytest.raises(ValueError, match="positive"):
        pairs.median_ratio(np.array([1.0, 0.0]), np.array([1.0]))


@pytest.mark.parametrize(
    "statistic",
    [pairs.mann_whitney, pairs.hodges_lehmann, pairs.cliffs_delta, pairs.median_ratio],
)
def test_sick_samples_give_blanks_and_reasons(statistic):
    empty, one, constant = np.array([]), np.array([2.0]), np.full(30, 3.0)
    for first, second in ((empty, one), (one, empty), (empty, empty)):
        found = statistic(first, second)
        assert found.caveats[0].code == "empty"
        assert math.isnan(getattr(found, "value", math.nan))
    alone = statistic(one, constant)
    assert getattr(alone, "interval", None) is None
    same = statistic(constant, constant)
    value = getattr(same, "value", None)
    assert value in (None, 0.0, 1.0)
    if statistic is pairs.mann_whitney:
        assert same.p == 1 and same.caveats[0].code == "constant"
