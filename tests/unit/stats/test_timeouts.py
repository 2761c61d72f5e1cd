"""Timeouts rank as longest: properties, and scipy on the same ranks with large finite values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kruskal, mannwhitneyu

from modelstress import stats
from modelstress.stats import censoring
from modelstress.stats.pairwise import DIFFERENCES, RATIOS, bounds, nth

LATENCIES = st.lists(st.integers(1, 50).map(float), min_size=1, max_size=30)
TIMEOUTS = st.integers(0, 30)
LATE = 1e6
"""Longer than every latency here."""


def ranked(values: list[float], timeouts: int) -> stats.Values:
    return censoring.ranked(np.array(values), timeouts)


def late(values: stats.Values) -> stats.Values:
    return np.where(np.isinf(values), LATE, values)


def test_a_sample_of_a_histogram_has_timeouts_in_proportion() -> None:
    found = censoring.ranked(np.arange(1.0, 101), 500, 1000)
    assert np.isinf(found).sum() == 50 and found.size == 150
    assert censoring.ranked(np.empty(0), 3, 0).tolist() == [np.inf] * 3
    for counts in ((-1, None), (1, -1)):
        with pytest.raises(ValueError, match="negative"):
            censoring.ranked(np.ones(2), *counts)


@given(LATENCIES, TIMEOUTS, st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]))
def test_quantiles_are_those_of_late_answers_or_infinite(
    values: list[float], timeouts: int, share: float
) -> None:
    sample = np.sort(ranked(values, timeouts))
    [found] = censoring.interpolated(sample, [share])
    known = np.quantile(late(sample), share)
    assert found == pytest.approx(known) if known <= max(values) else np.isinf(found)
    assert stats.percentile(sample, share).value == found


@given(LATENCIES, TIMEOUTS)
def test_a_median_is_infinite_from_half_timeouts_on(values: list[float], timeouts: int) -> None:
    found = stats.median(ranked(values, timeouts))
    share = stats.timeout_share(len(values), timeouts)
    assert np.isinf(found.value) == (share >= censoring.BLANK_FROM)
    codes = [caveat.code for caveat in censoring.caveats(share)]
    assert ("median-censored" in codes) == bool(np.isinf(found.value))


@given(LATENCIES, TIMEOUTS)
def test_a_further_timeout_never_makes_a_cell_look_faster(
    values: list[float], timeouts: int
) -> None:
    fewer, more = ranked(values, timeouts), ranked(values, timeouts + 1)
    assert stats.median(more).value >= stats.median(fewer).value
    for first, second in ((fewer, more), (stats.box(fewer).q3, stats.box(more).q3)):
        assert np.max(second) >= np.max(first)


@given(LATENCIES, TIMEOUTS, LATENCIES, TIMEOUTS)
def test_delta_grows_with_the_timeouts_of_the_first(
    first: list[float], timeouts: int, second: list[float], others: int
) -> None:
    other = ranked(second, others)
    fewer = stats.cliffs_delta(ranked(first, timeouts), other).value
    replaced = stats.cliffs_delta(ranked(first[1:], timeouts + 1), other).value
    assert replaced >= fewer - 1e-12  # an execution that times out instead of being answered
    assert stats.cliffs_delta(other, ranked(first, timeouts)).value == pytest.approx(-fewer)


@settings(max_examples=30)  # exact tests by another library take a second
@given(LATENCIES, TIMEOUTS, LATENCIES, TIMEOUTS)
def test_rank_tests_are_those_of_large_finite_values(
    first: list[float], timeouts: int, second: list[float], others: int
) -> None:
    a, b = ranked(first, timeouts), ranked(second, others)
    if np.unique(np.concatenate([a, b])).size == 1:
        return
    found, known = stats.mann_whitney(a, b), mannwhitneyu(late(a), late(b))
    assert found.statistic == known.statistic
    if found.method.startswith("normal"):
        by_normal = mannwhitneyu(late(a), late(b), method="asymptotic")
        assert found.p == pytest.approx(by_normal.pvalue)
    test = stats.kruskal_wallis([a, b])
    assert (test.statistic, test.p) == pytest.approx(tuple(kruskal(late(a), late(b))))
    for ours, theirs in zip(stats.dunn([a, b, b]), stats.dunn(list(map(late, (a, b, b)))),
                            strict=True):  # fmt: skip
        assert (ours.p, ours.z, ours.raw_p) == pytest.approx((theirs.p, theirs.z, theirs.raw_p))


@given(LATENCIES, st.integers(0, 6), LATENCIES, st.integers(0, 6), st.data())
def test_bounds_hold_however_much_longer_timeouts_last(
    first: list[float], timeouts: int, second: list[float], others: int, data: st.DataObject
) -> None:
    a, b = np.sort(ranked(first, timeouts)), np.sort(ranked(second, others))
    rank = data.draw(st.integers(1, a.size * b.size))
    for pairing, few, most in ((DIFFERENCES, -1e3, 1e3), (RATIOS, 1e-3, 1e3)):
        low, high = bounds(pairing, a, b, rank)
        for mine, other in product((LATE, 1e12), repeat=2):
            x, y = np.where(np.isinf(a), mine, a), np.where(np.isinf(b), other, b)
            value = nth(pairing, x, y, rank)
            beyond = pairing.ends[0] if value < few else np.inf if value > most else value
            assert low <= beyond <= high
        if not (timeouts and others):
            assert low == high


@given(LATENCIES, LATENCIES, st.data())
def test_ranks_of_tied_pairs_are_those_of_all_pairs(
    first: list[float], second: list[float], data: st.DataObject
) -> None:
    a, b = np.sort(first), np.sort(second)
    rank = data.draw(st.integers(1, a.size * b.size))
    for pairing in (DIFFERENCES, RATIOS):
        every = np.sort(pairing.of(a[:, None], b[None, :]), axis=None)
        assert nth(pairing, a, b, rank) == every[rank - 1]


@pytest.mark.parametrize("levels", [3, 400, 20_000])
def test_many_tied_values(levels: int) -> None:
    """Levels so few that all pairs are built, and so many that a value is searched."""
    rng = np.random.default_rng(levels)
    a, b = (np.sort(rng.integers(1, levels + 1, 20_000).astype(float)) for _ in range(2))
    rank = int(0.3 * a.size * b.size)
    found = nth(DIFFERENCES, a, b, rank)
    below = np.searchsorted(b, a - found, side="right")  # b >= a - found is "at most found"
    less, upto = (b.size - below).sum(), (b.size - np.searchsorted(b, a - found, "left")).sum()
    assert less < rank <= upto


STARTS = [np.random.default_rng(k).lognormal(0, 0.1, 40) for k in range(9)]


@pytest.mark.parametrize("many", [3, 9])
def test_few_timeouts_change_a_median_over_starts_by_ranks_only(many: int) -> None:
    starts = [censoring.ranked(start, 10) for start in STARTS[:many]]
    found = stats.median_over_invocations(starts, lasted=5.0)
    known = stats.median_over_invocations(list(map(late, starts)))
    assert found.value == known.value > np.median(np.concatenate(STARTS[:many]))
    assert found.interval is not None and np.isfinite(found.interval.high)
    assert "censored" not in {caveat.code for caveat in found.caveats}


@pytest.mark.parametrize("many", [3, 9])
def test_a_start_that_mostly_timed_out_leaves_the_interval_open(many: int) -> None:
    starts = [*STARTS[: many - 1], censoring.ranked(STARTS[0], 60)]
    found = stats.median_over_invocations(starts, lasted=5.0)
    assert found.interval is not None and found.interval.high == np.inf
    assert 0 < found.interval.low < found.value and found.caveats[0].code == "censored"


@pytest.mark.parametrize("many", [3, 9])
def test_ratios_of_a_side_that_timed_out_are_one_sided(many: int) -> None:
    slow = [censoring.ranked(start, 60) for start in STARTS[:many]]
    quick = [start / 10 for start in STARTS[:many]]
    over = stats.ratio_over_invocations(slow, quick, lasted=20.0)
    assert np.isnan(over.value) and over.interval is not None
    assert 150 < over.interval.low < 200 < over.interval.high == np.inf
    back = stats.ratio_over_invocations(quick, slow, lasted=20.0)
    assert back.interval is not None and back.interval.low == 0
    assert back.interval.high == pytest.approx(1 / over.interval.low, rel=0.02)
    both = stats.ratio_over_invocations(slow, slow, lasted=20.0)
    assert np.isnan(both.value) and both.interval is None
    for found in (over, back, both):
        assert found.caveats[0].code == "censored"


def test_without_a_bound_nothing_is_made_up() -> None:
    nothing = [np.full(5, np.inf)] * 3
    assert stats.median_over_invocations(nothing).interval is None
    over = stats.ratio_over_invocations(nothing, STARTS[:3])
    assert np.isnan(over.value) and over.interval is None


def test_shifts_and_ratios_of_pairs_among_timeouts_are_unknown() -> None:
    mostly, all_late, quick = (censoring.ranked(STARTS[0], n) for n in (60, 4000, 0))
    for statistic in (stats.hodges_lehmann, stats.median_ratio):
        for sides in ((mostly, quick), (quick, mostly), (mostly, mostly), (all_late, quick)):
            found = statistic(*sides)
            assert np.isnan(found.value) and found.caveats[0].code == "censored"
        assert statistic(all_late, quick).interval is None
        assert statistic(mostly, mostly).interval is None
    quick = STARTS[1] / 10
    some = censoring.ranked(STARTS[0], 18)  # a median below, an end among the timeouts
    shift, ratio = stats.hodges_lehmann(some, quick), stats.median_ratio(some, quick)
    assert np.isfinite(shift.value) and np.isfinite(ratio.value)
    assert shift.interval is not None and ratio.interval is not None
    assert shift.interval.low > 0.5 and ratio.interval.low > 5


def test_a_box_among_timeouts_ends_where_answers_do() -> None:
    found = stats.box(censoring.ranked(np.arange(1.0, 8), 3))
    assert np.isinf(found.q3) and np.isfinite(found.median) and np.isnan(found.notch_high)
    assert (found.whisker_low, found.whisker_high, found.outliers.size) == (1, 7, 0)
    kept = stats.box(censoring.ranked(np.arange(1.0, 21), 1))
    assert np.isfinite(kept.q3) and kept.whisker_high == 20 and not kept.outliers.size
