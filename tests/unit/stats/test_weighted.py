"""Weighted expectations: the truth of a known mixture, and intervals that cover it."""

from __future__ import annotations

import numpy as np
import pytest

from modelstress.stats.results import Values
from modelstress.stats.weighted import expected


def starts(levels: list[float], rng: np.random.Generator, noise: float = 0.05) -> list[Values]:
    return [level * np.exp(rng.normal(0, noise, 4)) for level in levels]


def test_a_mixture_is_the_weighted_mean() -> None:
    exact = [np.array([2.0, 2.0]), np.array([10.0, 10.0])]
    found = expected(exact, np.array([8.0, 2.0]), [np.array([1.0])], np.array([1.0]))
    assert found.value == pytest.approx(3.6) and found.ratio == pytest.approx(3.6)
    assert found.runs == 2 and found.interval is None and found.caveats[0].code == "too-few"


def test_the_interval_over_starts_covers_the_truth() -> None:
    weights, others = np.array([0.7, 0.2, 0.1, 0.0]), np.array([0.25] * 4)
    truth = (0.7 * 1 + 0.2 * 2 + 0.1 * 5) / (0.25 * (1 + 1 + 3 + 3))
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        found = expected(
            starts([1, 2, 5, 99], rng), weights, starts([1, 1, 3, 3], rng), others, confidence=0.9
        )
        assert found.interval is not None and found.runs == 3
        covered += found.interval.low < truth < found.interval.high
    assert 165 <= covered <= 194  # of 200 at 90 %, within four standard errors


def test_what_is_not_used_or_has_no_others_says_so() -> None:
    one = [np.array([1.0])]
    assert expected(one, np.array([0.0]), one, np.array([1.0])).caveats[0].code == "unused"
    assert expected(one, np.array([1.0]), [], np.empty(0)).caveats[0].code == "all"


def test_wrong_arguments_are_refused() -> None:
    one = [np.array([1.0])]
    with pytest.raises(ValueError, match="weight"):
        expected(one, np.array([-1.0]), one, np.array([1.0]))
    with pytest.raises(ValueError, match="above 0"):
        expected([np.array([0.0])], np.array([1.0]), one, np.array([1.0]))
