"""Throughput of windows that were measured in slices."""

import math

from hypothesis import given
from hypothesis import strategies as st

from modelstress import stats
from modelstress.stats import Throughput

rates = st.floats(0.1, 1e5)
lengths = st.floats(0.01, 1e3)


@given(st.lists(st.tuples(lengths, rates), min_size=1, max_size=8))
def test_it_lies_between_the_slices_and_counts_all_that_was_done(slices):
    parts = [Throughput(window, rate, 2 * rate) for window, rate in slices]
    whole = stats.in_turns(parts)
    done = sum(window * rate for window, rate in slices)
    assert math.isclose(whole.window_s, sum(window for window, _ in slices))
    assert math.isclose(whole.ok_per_s * whole.window_s, done)
    assert math.isclose(whole.all_per_s, 2 * whole.ok_per_s)
    low, high = min(rate for _, rate in slices), max(rate for _, rate in slices)
    assert low * (1 - 1e-9) <= whole.ok_per_s <= high * (1 + 1e-9)


def test_slices_without_length_say_nothing():
    instant = stats.Throughput(0.0, math.nan, math.nan)
    assert math.isnan(stats.in_turns([instant, instant]).ok_per_s)
    assert stats.in_turns([instant, Throughput(2.0, 3.0, 4.0)]).ok_per_s == 3.0
    assert math.isnan(stats.in_turns([]).ok_per_s)
