"""Borrowed variances: limma's numbers, and what does not fit the others."""

import json
from pathlib import Path

import numpy as np
import pytest

from modelstress.stats.borrowing import LEAST, moderated, prior_of

FILE = Path(__file__).parents[2] / "reference" / "variances.json"
CASES = json.loads(FILE.read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_priors_are_limmas(case):
    prior = prior_of(np.array(case["variances"]), np.array(case["degrees"], float))
    assert prior is not None
    assert prior.variance == pytest.approx(case["variance"], rel=1e-6)
    expected = np.array(case["gained"], float)
    endless = expected < 0
    assert np.isinf(prior.degrees[endless]).all()
    # unequal degrees of freedom: limma judges what deviates after bringing all to the same number
    near = 1e-3 if case["case"] == "unequal" else 1e-6
    assert prior.degrees[~endless] == pytest.approx(expected[~endless], rel=near)


def test_a_variance_lies_between_its_own_and_the_common_one():
    case = CASES[0]
    variances, degrees = np.array(case["variances"]), np.array(case["degrees"], float)
    prior = prior_of(variances, degrees)
    drawn, freedom = moderated(variances, degrees, prior)
    assert ((drawn - variances) * (prior.variance - variances) >= 0).all()
    assert (np.abs(drawn - prior.variance) <= np.abs(variances - prior.variance)).all()
    assert (freedom > degrees).all()


def test_one_that_deviates_keeps_its_own_variance():
    rng = np.random.default_rng(3)
    variances = 0.01 * rng.chisquare(2, 60) / 2
    variances[0] = 4.0
    drawn, freedom = moderated(variances, np.full(60, 2.0), prior_of(variances, np.full(60, 2.0)))
    assert drawn[0] > 2.0 and freedom[0] < 4
    assert np.median(drawn[1:]) == pytest.approx(0.01, rel=0.5)


def test_what_has_no_variance_borrows_all_of_it():
    variances, degrees = np.full(12, 0.02), np.full(12, 2.0)
    variances[:6] = 0.03
    prior = prior_of(variances, degrees)
    drawn, freedom = moderated(np.append(variances, 9.0), np.append(degrees, 0.0), prior_of(
        np.append(variances, 9.0), np.append(degrees, 0.0)))  # fmt: skip
    assert drawn[-1] == pytest.approx(prior.variance) and freedom[-1] > 0


def test_equal_values_do_not_make_everything_certain():
    variances = np.append(np.zeros(3), 0.01 * np.arange(1, 20))
    prior = prior_of(variances, np.full(22, 2.0))
    drawn, _ = moderated(variances, np.full(22, 2.0), prior)
    assert (drawn > 0).all() and np.isfinite(drawn).all()


def test_few_comparisons_borrow_nothing():
    variances, degrees = np.full(LEAST - 1, 0.1), np.full(LEAST - 1, 2.0)
    assert prior_of(variances, degrees) is None
    drawn, freedom = moderated(np.append(variances, 1.0), np.append(degrees, 0.0), None)
    assert drawn[:-1] == pytest.approx(variances) and np.isnan(drawn[-1]) and freedom[-1] == 0


@pytest.mark.parametrize(
    ("variances", "degrees", "message"),
    [
        ([0.1], [1.0, 2.0], "same length"),
        ([-0.1], [1.0], "not negative"),
        ([np.nan], [1.0], "finite"),
        ([0.1], [np.inf], "degrees of freedom"),
    ],
)
def test_what_is_no_variance_is_refused(variances, degrees, message):
    with pytest.raises(ValueError, match=message):
        prior_of(np.array(variances), np.array(degrees))
