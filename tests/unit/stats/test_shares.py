"""How often something happens, in one sample and in another."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from modelstress.stats.shares import difference_of_shares, more_often


def test_fishers_tea():
    """3 of 4 against 1 of 4: (16 + 16 + 1 + 1) of 70 tables are as unlikely."""
    assert more_often((3, 4), (1, 4)) == pytest.approx(34 / 70, abs=1e-12)


def test_all_against_none():
    assert more_often((5, 5), (0, 5)) == pytest.approx(2 / 252, abs=1e-12)
    assert more_often((0, 50), (0, 70)) == 1


def test_nothing_tried_is_a_blank():
    assert math.isnan(more_often((0, 0), (1, 5)))


@pytest.mark.parametrize("wrong", [(2, 1), (-1, 4)])
def test_impossible_counts_are_refused(wrong):
    with pytest.raises(ValueError, match="between 0 and the number of trials"):
        more_often(wrong, (0, 1))


def test_difference_of_shares_is_welchs_over_invocations():
    # means 0.2 and 0.05; variances of the means 0.01 / 3 and 0.0025 / 3
    found = difference_of_shares([(1, 10), (2, 10), (3, 10)], [(0, 10), (1, 20), (1, 10)])
    freedom = (0.0125 / 3) ** 2 / (((0.01 / 3) ** 2 + (0.0025 / 3) ** 2) / 2)
    reach = student.ppf(0.995, freedom) * np.sqrt(0.0125 / 3)
    assert found.value == pytest.approx(0.15)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.15 - reach, 0.15 + reach))
    assert [caveat.code for caveat in found.caveats] == ["few-invocations"]
    assert (found.interval.confidence, found.interval.coverage) == (0.99, 0.75)


def test_a_difference_of_shares_is_at_most_one():
    found = difference_of_shares([(9, 10), (10, 10)], [(0, 10), (1, 10)])
    assert found.interval.high == 1 and found.interval.low > -1
    with pytest.raises(ValueError, match="confidence"):
        difference_of_shares([(1, 2)], [(1, 2)], 1.0)
