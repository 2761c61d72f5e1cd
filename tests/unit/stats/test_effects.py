"""Effects of factors with two levels: known ones are found, noise is none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from modelstress.stats import effects as module
from modelstress.stats.effects import (
    Effects,
    critical,
    largest_t,
    named,
    pseudo_errors,
    single_critical,
    terms_named,
)
from modelstress.stats.results import Values

CHANCE = 0.01
Columns = dict[str, "np.typing.NDArray[np.bool_]"]


def effects(columns: Columns, responses: Values, chance: float) -> Effects:
    """With one start of each run, or a row of starts."""
    return module.effects(columns, [np.atleast_1d(run) for run in responses], chance)


def full(factors: int) -> Columns:
    runs = np.array(list(itertools.product([False, True], repeat=factors)))
    return {f"f{i}": runs[:, i] for i in range(factors)}


def fraction(factors: int = 14, basic: int = 6) -> Columns:
    """Further factors are products of three basic ones: resolution IV."""
    columns = full(basic)
    for number, chosen in enumerate(itertools.combinations(range(basic), 3)):
        if basic + number == factors:
            break
        columns[f"f{basic + number}"] = np.logical_xor.reduce([columns[f"f{i}"] for i in chosen])
    return columns


def noise(seed: int, size: int) -> Values:
    return 0.05 * np.random.default_rng(seed).standard_t(4, size)


def test_a_known_response_has_its_effects() -> None:
    columns = full(5)
    same = columns["f2"] == columns["f4"]
    responses = 3.0 + 0.4 * columns["f1"] + 0.2 * same
    estimates = {e.terms: e.estimate for e in effects(columns, responses, CHANCE).effects}
    assert estimates[("f1",),] == pytest.approx(0.4)
    assert estimates[("f2", "f4"),] == pytest.approx(0.2)
    found = effects(columns, responses + 0.1 * noise(0, 32), CHANCE)
    assert [effect.terms for effect in found.strong] == [(("f1",),), (("f2", "f4"),)]
    assert sum(effect.share for effect in found.effects) == pytest.approx(1, abs=0.01)


def test_two_options_and_their_interaction_are_found_at_a_256th_of_the_runs() -> None:
    columns = fraction()
    right = 0
    for seed in range(50):
        corner = np.log(2.08) * (columns["f3"] & columns["f9"])
        found = effects(columns, corner + noise(seed, 64), CHANCE)
        likely = {found.likely(effect) for effect in found.strong}
        right += likely == {(("f3",),), (("f9",),), (("f3", "f9"),)}
    assert right >= 49


def test_an_interaction_without_main_effects_is_told_with_its_aliases() -> None:
    columns = fraction()
    found = effects(columns, 0.5 * (columns["f3"] ^ columns["f9"]) + noise(1, 64), CHANCE)
    (effect,) = found.strong
    assert ("f3", "f9") in found.likely(effect) and len(effect.terms) > 1
    assert "f3 × f9" in named(effect.terms) and " or " in named(effect.terms)


def test_an_interaction_of_three_strong_options_is_told_and_likelier_than_an_aliased_pair() -> None:
    columns = full(5)
    columns["f5"] = np.logical_xor.reduce([columns[f"f{i}"] for i in range(4)])
    parity = columns["f0"] ^ columns["f1"] ^ columns["f2"]
    alone = 0.4 * columns["f0"] + 0.3 * columns["f1"] + 0.35 * columns["f2"]
    found = effects(columns, alone + 0.3 * parity + 0.2 * noise(4, 32), CHANCE)
    of_three = next(effect for effect in found.strong if effect.order > 1)
    assert set(of_three.terms) == {("f3", "f5"), ("f0", "f1", "f2")}
    assert found.likely(of_three) == (("f0", "f1", "f2"),)
    assert abs(of_three.estimate) == pytest.approx(0.3, abs=0.05)
    assert found.alone == {"f0", "f1", "f2"}
    without = effects(columns, alone + 0.2 * noise(4, 32), CHANCE)
    assert all(effect.order == 1 for effect in without.strong)


def test_terms_are_told_and_read_again() -> None:
    terms = [("f0",), ("f1", "f2"), ("f1", "f3", "f4")]
    assert terms_named(named(terms)) == terms


def test_noise_has_no_strong_option() -> None:
    columns = fraction()
    found = [effects(columns, noise(seed, 64), CHANCE) for seed in range(200)]
    assert sum(bool(one.strong) for one in found) <= 4


def test_repeated_starts_tell_effects_where_many_matter() -> None:
    """Eight options of which five matter, in 16 runs: the middle contrast is not noise."""
    columns = fraction(8, 4)
    sizes = {"f0": 0.4, "f1": 0.3, "f2": 0.25, "f3": 0.2, "f5": 0.35}
    truth = sum(size * columns[name] for name, size in sizes.items()) + 0.3 * (
        columns["f0"] & columns["f1"]
    )
    starts = np.array([truth + noise(seed, 16) for seed in range(3)]).T
    found = {e.terms[0] for e in effects(columns, starts, CHANCE).strong}
    assert found >= {(name,) for name in sizes} and len(found) <= 6
    none = [
        effects(columns, np.array([noise(3 * s + i, 16) for i in range(3)]).T, CHANCE)
        for s in range(200)
    ]
    assert sum(bool(one.strong) for one in none) <= 5


def test_one_wild_response_makes_no_effect() -> None:
    columns = full(5)
    responses = noise(3, 32)
    responses[7] += 5
    assert effects(columns, responses, CHANCE).strong == ()


def test_main_effects_that_are_aliased_are_told_together() -> None:
    columns = full(4)
    columns["f4"] = columns["f0"] ^ columns["f1"]  # resolution III
    found = effects(columns, 1.0 * columns["f4"] + noise(2, 16), CHANCE)
    assert found.effects[0].terms == (("f4",), ("f0", "f1"))
    assert found.likely(found.effects[0]) == (("f4",),)


def test_critical_values_are_those_of_tables() -> None:
    """Ye and Hamada for 15 contrasts: 4.24 for the largest, 2.16 for a single one, at 5 %."""
    assert critical(15, 0.05) == pytest.approx(4.24, abs=0.12)
    assert largest_t(1, 10, 0.05) == pytest.approx(2.228, abs=0.05)
    assert single_critical(15, 0.05) == pytest.approx(2.16, abs=0.05)


def test_exact_responses_have_no_error() -> None:
    assert pseudo_errors(np.array([[0.0] * 9 + [1.0]])).tolist() == [0.0]


def test_what_makes_no_sense_is_refused() -> None:
    columns = full(4)
    with pytest.raises(ValueError, match="level for each run"):
        effects(columns, np.zeros(3), CHANCE)
    with pytest.raises(ValueError, match="finite"):
        effects(columns, np.full(16, np.nan), CHANCE)
    with pytest.raises(ValueError, match="chance"):
        effects(columns, np.zeros(16), 0)
    broken = {name: np.delete(column, 3) for name, column in columns.items()}
    with pytest.raises(ValueError, match="not regular"):
        effects(broken, np.zeros(15), CHANCE)
    few: Effects = effects(full(2), np.zeros(4), CHANCE)
    assert few.effects == () and few.caveats[0].code == "too-few"
