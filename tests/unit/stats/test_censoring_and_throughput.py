"""Timeouts and rates."""

import math

import numpy as np
import pytest

from modelstress import stats
from modelstress.stats import censoring


@pytest.mark.parametrize(
    ("ok", "timeouts", "share"), [(10, 0, 0.0), (3, 1, 0.25), (1, 1, 0.5), (0, 4, 1.0)]
)
def test_timeout_share(ok, timeouts, share):
    assert stats.timeout_share(ok, timeouts) == share


def test_timeout_share_of_nothing_is_blank_and_of_a_negative_count_an_error():
    assert math.isnan(stats.timeout_share(0, 0))
    with pytest.raises(ValueError, match="negative"):
        stats.timeout_share(-1, 0)


@pytest.mark.parametrize(
    ("share", "codes"),
    [
        (0.0, []),
        (math.nan, []),
        (0.2, ["censored"]),
        (0.49, ["censored"]),
        (0.5, ["median-censored"]),
    ],
)
def test_caveats_of_censoring(share, codes):
    assert [caveat.code for caveat in censoring.caveats(share)] == codes


def test_throughput_counts_what_ended_inside_the_window():
    # measured: 0-1, 1-2 (failed), 1-4; cool-down: 2-3 counts, 3-5 ended after the window
    start = np.array([0.0, 1, 1, 2, 3])
    end = np.array([1.0, 2, 4, 3, 5])
    measured = np.array([True, True, True, False, False])
    ok = np.array([True, False, True, True, True])
    result = stats.throughput(start, end, ok, measured)
    assert result.window_s == 4
    assert result.all_per_s == 4 / 4
    assert result.ok_per_s == 3 / 4


def test_warmup_before_the_window_does_not_count():
    start, end = np.array([0.0, 5.0]), np.array([1.0, 7.0])
    result = stats.throughput(start, end, np.array([True, True]), np.array([False, True]))
    assert result.all_per_s == 0.5


def test_throughput_without_measured_executions_or_without_length_is_blank():
    one, yes, no = np.array([1.0]), np.array([True]), np.array([False])
    assert stats.throughput(one, one + 1, yes, no).caveats[0].code == "empty"
    assert stats.throughput(one, one, yes, yes).caveats[0].code == "no-window"
    with pytest.raises(ValueError, match="same length"):
        stats.throughput(one, one, yes, np.array([True, True]))


def test_clients_at_the_same_time_add_up():
    a = stats.throughput(*_client(ends=[1.0, 2.0]))
    b = stats.throughput(*_client(ends=[1.0, 4.0]))
    both = stats.total([a, b])
    assert both.window_s == 4
    assert both.ok_per_s == 2 / 2 + 2 / 4
    assert stats.total([]).caveats[0].code == "empty"


def _client(ends):
    end = np.array(ends)
    return end * 0, end, end > 0, end > 0
