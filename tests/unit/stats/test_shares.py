"""How often something happens, in one sample and in another."""

import math

import pytest

from modelstress.stats.shares import more_often


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
