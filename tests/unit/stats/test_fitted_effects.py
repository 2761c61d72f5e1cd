"""Least squares: known truth on irregular designs and on several machines; noise claims nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from modelstress.stats.effects import effects
from modelstress.stats.fitted_effects import fitted
from modelstress.stats.machines import MIXED, PAIRED, linear_fit
from modelstress.stats.results import Values

NAMES = [f"o{i}" for i in range(5)]
SLOW = 0.4


def design(without: int = 0) -> dict[str, NDArray[np.bool_]]:
    """The full design of five options, without some runs at the end."""
    bits = ((np.arange(32)[:, np.newaxis] >> np.arange(5)) & 1).astype(bool)
    kept = bits[: 32 - without]
    return {name: kept[:, i] for i, name in enumerate(NAMES)}


def truth(seconds: dict[str, NDArray[np.bool_]]) -> Values:
    """Slow where o1 and o3 have their second levels: two main effects and their pair."""
    return SLOW * (seconds["o1"] & seconds["o3"])


def measured(
    seconds: dict[str, NDArray[np.bool_]], rng: np.random.Generator, count: int, spread: float,
    slow: bool = True,
) -> tuple[list[Values], list[list[str]]]:  # fmt: skip
    """Three starts of each run, each on a machine at random."""
    offsets = rng.normal(0, spread, count)
    levels = truth(seconds) if slow else np.zeros(seconds["o1"].size)
    starts, machines = [], []
    for level in levels:
        on = rng.integers(0, count, 3)
        starts.append(level + offsets[on] + rng.normal(0, 0.03, 3))
        machines.append([f"m{one}" for one in on])
    return starts, machines


def strong(found: object) -> set[str]:
    return {" × ".join(effect.terms[0]) for effect in found.strong}  # type: ignore[attr-defined]


def test_on_a_regular_design_least_squares_are_the_contrasts() -> None:
    seconds = design()
    starts, _ = measured(seconds, np.random.default_rng(1), 1, 0)
    by_contrasts = effects(seconds, starts, 0.01)
    by_squares, _ = fitted(seconds, starts, [["m"] * 3] * 32, 0.01)
    one, other = (
        {e.terms: e.estimate for e in found.effects} for found in (by_contrasts, by_squares)
    )
    assert one.keys() == other.keys()
    assert [one[k] for k in one] == pytest.approx([other[k] for k in one], abs=1e-12)
    assert strong(by_contrasts) == strong(by_squares) == {"o1", "o3", "o1 × o3"}


def test_a_design_with_runs_missing_has_effects() -> None:
    seconds = design(without=5)
    starts, machines = measured(seconds, np.random.default_rng(2), 1, 0)
    with pytest.raises(ValueError, match="regular"):
        effects(seconds, starts, 0.01)
    found, _ = fitted(seconds, starts, machines, 0.01)
    assert strong(found) == {"o1", "o3", "o1 × o3"}
    estimates = {e.terms[0]: e.estimate for e in found.effects}
    assert estimates[("o1",)] == pytest.approx(SLOW / 2, abs=0.03)


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_machines_are_told_from_options(count: int) -> None:
    """They differ by more than options do."""
    seconds = design()
    starts, machines = measured(seconds, np.random.default_rng(10 + count), count, 0.3)
    found, fit = fitted(seconds, starts, machines, 0.01)
    assert strong(found) == {"o1", "o3", "o1 × o3"}
    assert fit is not None
    assert fit.method == (PAIRED if count == 2 else MIXED), fit.reason
    assert len(fit.machines) == count
    assert sum(machine.starts for machine in fit.machines) == 96


def test_noise_on_several_machines_has_no_effect() -> None:
    told = 0
    for seed in range(12):
        seconds = design(without=seed % 3)
        rng = np.random.default_rng(100 + seed)
        starts, machines = measured(seconds, rng, 2 + seed % 4, 0.3, slow=False)
        told += bool(fitted(seconds, starts, machines, 0.01).effects.strong)
    assert told <= 1


def test_few_runs_have_main_effects_and_pairs_of_strong_ones() -> None:
    """Ten options in 24 random runs: 45 pairs do not fit, and are in the main effects."""
    rng = np.random.default_rng(5)
    seconds = {f"o{i}": rng.permutation(np.arange(24) % 2 == 0) for i in range(10)}
    levels = 0.5 * seconds["o2"] + 0.5 * seconds["o7"] + 0.5 * (seconds["o2"] & seconds["o7"])
    starts = [level + rng.normal(0, 0.02, 3) for level in levels]
    found, _ = fitted(seconds, starts, [["m"] * 3] * 24, 0.01)
    assert {"o2", "o7", "o2 × o7"} <= strong(found)
    assert len(found.effects) < 10 + 45
    partly = [by for effect in found.effects for _, by in effect.partly]
    assert partly and all(0.25 <= abs(by) <= 1.5 for by in partly)


def test_a_design_whose_options_go_together_is_refused() -> None:
    seconds = design()
    seconds["o4"] = seconds["o3"] ^ (np.arange(32) == 0)
    with pytest.raises(ValueError, match="apart"):
        fitted(seconds, [np.zeros(3)] * 32, [["m"] * 3] * 32, 0.01)


def test_machines_without_variance_fall_back_and_say_so() -> None:
    rng = np.random.default_rng(7)
    columns = np.column_stack([np.ones(60), np.arange(60) % 2])
    machines = [f"m{i % 3}" for i in range(60)]
    residual = rng.normal(0, 1, 60)
    for one in range(3):
        residual[one::3] -= residual[one::3].mean()
    fit = linear_fit(columns, residual, machines)
    assert fit.method == PAIRED and fit.reason
    assert max(abs(machine.offset) for machine in fit.machines) < 0.1


@pytest.mark.parametrize("count", [2, 4])
def test_an_option_that_goes_with_the_machine_is_not_told(count: int) -> None:
    """All starts of a level were on machines of their own: there is nothing to pair."""
    rng = np.random.default_rng(8)
    place = np.arange(60) % count
    columns = np.column_stack([np.ones(60), place % 2, rng.normal(0, 1, 60)])
    responses = place % 2 + rng.normal(0, 0.3, count)[place] + rng.normal(0, 0.01, 60)
    fit = linear_fit(columns, responses, [f"m{one}" for one in place])
    assert np.isinf(fit.errors[1]) and fit.errors[2] < 0.01


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="machine"):
        linear_fit(np.ones((3, 1)), np.zeros(3), ["m"])
    with pytest.raises(ValueError, match="determined"):
        linear_fit(np.ones((3, 2)), np.zeros(3), ["m"] * 3)
