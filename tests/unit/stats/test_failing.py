"""Regions that fail more often than the rest."""

import itertools

import numpy as np
import pytest
from scipy.stats import fisher_exact

from modelstress.stats.failing import failing_regions

CODES = np.array(list(itertools.product(range(2), repeat=7)), np.int16)


def test_a_pair_that_fails_is_found_with_its_counts():
    failed = (CODES[:, 1] == 1) & (CODES[:, 4] == 0)
    first = failing_regions(CODES, failed, 0.01)[0]
    assert first.settings == ((1, 1), (4, 0))
    assert (first.cells, first.failed, first.other_cells, first.other_failed) == (32, 32, 96, 0)


def test_a_level_that_fails_is_not_repeated_with_every_other_option():
    failed = CODES[:, 3] == 1
    failed[np.flatnonzero(failed)[:3]] = False
    assert [one.settings for one in failing_regions(CODES, failed, 0.01)] == [((3, 1),)]


def test_the_p_is_that_of_fishers_exact_test():
    rng = np.random.default_rng(1)
    failed = rng.random(128) < np.where(CODES[:, 0] == 1, 0.5, 0.05)
    found = next(r for r in failing_regions(CODES, failed, 0.01) if r.settings == ((0, 1),))
    table = [
        [found.failed, found.cells - found.failed],
        [found.other_failed, found.other_cells - found.other_failed],
    ]
    tests = 14 + 4 * 21  # levels, and pairs of levels of two options
    assert found.p == pytest.approx(tests * fisher_exact(table, alternative="greater").pvalue)


def test_cells_that_fail_at_random_are_no_region():
    rng = np.random.default_rng(2)
    found = sum(bool(failing_regions(CODES, rng.random(128) < 0.2, 0.05)) for _ in range(100))
    assert found <= 11


def test_nothing_and_everything_are_no_region():
    for failed in (np.zeros(128, bool), np.ones(128, bool)):
        assert failing_regions(CODES, failed, 0.05) == []
    assert failing_regions(np.empty((0, 3), np.int16), np.empty(0, bool), 0.05) == []
    with pytest.raises(ValueError, match="each cell"):
        failing_regions(CODES, np.ones(3, bool), 0.05)
