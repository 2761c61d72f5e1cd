"""Grades of machines: from placebos whose noise is known."""

from __future__ import annotations

import numpy as np
import pytest

from modelstress.analysis.machine_grade import GRADES, LETTERS, Grade, grade_of
from modelstress.config.errors import MeasureError
from modelstress.measure.placebo import LEAST_PAIRS
from modelstress.stats.results import Values


def pairs(
    spread: float, number: int = 20, shift: float = 0.0, seed: int = 1
) -> list[tuple[Values, Values]]:
    """Pairs of starts whose levels scatter by ``spread``; the first of each is shifted."""
    rng = np.random.default_rng(seed)

    def start(level: float) -> Values:
        return np.asarray(level * rng.lognormal(rng.normal(0, spread), 0.05, 401))

    return [(start(1 + shift), start(1)) for _ in range(number)]


@pytest.mark.parametrize(("spread", "letter"), [(0.004, "A"), (0.02, "B"), (0.06, "C"), (0.3, "D")])
def test_the_noise_of_starts_makes_the_grade(spread: float, letter: str) -> None:
    grade = grade_of(pairs(spread))
    assert grade.letter == letter and grade.pairs == 20
    # Student's quantile for 19 degrees, of a mean of differences of two starts
    expected = np.expm1(2.861 * spread * np.sqrt(2 / 20))
    assert expected / 2 < grade.within < 2 * expected + 0.02
    assert grade.sentence().startswith(f"grade {letter}: quiet enough for ±")


def test_the_interval_covers_what_there_is() -> None:
    """Of equals it has 1 inside, in as many placebos as it promises."""
    missed = 0
    for seed in range(200):
        grade = grade_of(pairs(0.05, number=8, seed=seed))
        missed += not grade.low <= 1 <= grade.high
    assert missed <= 8  # 2 are expected of 200


def test_a_difference_between_equals_counts_as_noise() -> None:
    grade = grade_of(pairs(0.001, shift=0.2))
    assert grade.letter == "D" and grade.within > 0.19 and grade.low > 1


def test_few_pairs_are_no_grade() -> None:
    with pytest.raises(MeasureError, match="5 pairs of starts are too few .* raise --seconds"):
        grade_of(pairs(0.01, number=LEAST_PAIRS - 1))


def test_grades_are_ordered() -> None:
    def of(letter: str) -> Grade:
        return Grade(letter, 0.0, 1.0, 1.0, 1.0, 0.99, 20, 0.0, 1.0)

    reached = {a: [b for b in LETTERS if of(a).reaches(b)] for a in LETTERS}
    assert reached == {"A": ["A", "B", "C", "D"], "B": ["B", "C", "D"], "C": ["C", "D"], "D": ["D"]}
    assert sorted(GRADES.values()) == list(GRADES.values())
