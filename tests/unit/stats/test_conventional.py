"""pingouin's statistics beside this package's: what must agree does, what cannot be said is not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from modelstress.stats import pairs
from modelstress.stats.conventional import effect_sizes, equivalence_p

SAMPLES = st.lists(st.integers(1, 40).map(float), min_size=2, max_size=30).map(np.array)


@settings(max_examples=60, deadline=None)
@given(SAMPLES, SAMPLES)
def test_cliffs_delta_is_twice_the_common_language_effect_size_minus_1(first, second):
    often = effect_sizes(first, second).common_language
    assert 2 * often - 1 == pytest.approx(pairs.cliffs_delta(first, second).value, abs=1e-12)


def test_hedges_g_by_hand():
    """Means 2 apart, both variances 1, so d is 2; J is 1 - 3 / (4·(3 + 3) - 9)."""
    found = effect_sizes(np.array([3.0, 4, 5]), np.array([1.0, 2, 3]))
    assert found.hedges_g == pytest.approx(2 * (1 - 3 / 15))


@pytest.mark.parametrize(("first", "codes"), [([1.0], ["too-few"]), ([2.0, 2.0], ["constant"])])
def test_what_has_no_g_says_why(first, codes):
    found = effect_sizes(np.array(first), np.array([3.0, 3.0]))
    assert math.isnan(found.hedges_g)
    assert [caveat.code for caveat in found.caveats] == codes


@pytest.mark.parametrize("centre", [0.0, 0.05, 0.09, 0.2])
def test_the_equivalence_test_agrees_with_the_interval_inside_the_margin(centre):
    differences = centre + np.array([-0.02, 0.01, 0.0, 0.03, -0.01])
    n, confidence, margin = differences.size, 0.99, 0.1
    reach = student.ppf((1 + confidence) / 2, n - 1) * differences.std(ddof=1) / math.sqrt(n)
    inside = abs(differences.mean()) + reach < margin
    assert (equivalence_p(differences, margin) < (1 - confidence) / 2) == inside


def test_an_equivalence_test_needs_a_margin_and_a_spread():
    assert math.isnan(equivalence_p(np.array([0.1]), 0.1))
    assert math.isnan(equivalence_p(np.array([0.1, 0.1]), 0.1))
    with pytest.raises(ValueError, match="positive"):
        equivalence_p(np.array([0.1, 0.2]), 0.0)
