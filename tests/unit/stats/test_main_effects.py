"""Main effects by least squares, of any set of cells."""

import itertools

import numpy as np
import pytest

from modelstress.stats.effects import effects
from modelstress.stats.main_effects import main_effects


def full(levels):
    return np.array(list(itertools.product(*map(range, levels))), np.int16)


def test_an_effect_is_recovered_where_cells_are_missing():
    rng = np.random.default_rng(1)
    codes = full((2,) * 7)[rng.random(128) < 0.6]
    responses = 3 + 0.5 * codes[:, 2] - 0.2 * codes[:, 5] + rng.normal(0, 0.05, len(codes))
    found = {effect.option: effect for effect in main_effects(codes, responses, 0.01).effects}
    assert {option for option, effect in found.items() if effect.strong} == {2, 5}
    assert found[2].levels[1] - found[2].levels[0] == pytest.approx(0.5, abs=0.05)
    assert found[5].levels[1] - found[5].levels[0] == pytest.approx(-0.2, abs=0.05)


def test_a_regular_design_has_the_estimates_of_its_contrasts():
    rng = np.random.default_rng(2)
    codes = full((2,) * 5)
    responses = rng.normal(size=32) + codes[:, 0]
    contrasts = effects(
        {str(o): codes[:, o] == 1 for o in range(5)}, [np.array([r]) for r in responses], 0.01
    )
    alone = {e.terms[0][0]: e.estimate for e in contrasts.effects if e.order == 1}
    for effect in main_effects(codes, responses, 0.01).effects:
        difference = effect.levels[1] - effect.levels[0]
        assert difference == pytest.approx(alone[str(effect.option)])
        assert effect.levels.mean() == pytest.approx(responses.mean())


def test_an_option_may_have_several_levels_and_cells_without_it():
    rng = np.random.default_rng(3)
    codes = full((3, 2, 4))
    responses = np.array([0.0, 0.3, 0.9])[codes[:, 0]] + rng.normal(0, 0.02, len(codes))
    codes[codes[:, 1] == 0, 2] = -1  # it means something beside another level only
    first, second, third = main_effects(codes, responses, 0.01).effects
    assert first.strong and not second.strong and not third.strong
    assert first.levels - first.levels[0] == pytest.approx([0, 0.3, 0.9], abs=0.03)


def test_what_changes_together_is_not_told_apart():
    codes = full((2,) * 5)
    codes[:, 1] = codes[:, 0]
    responses = codes[:, 0] + np.random.default_rng(4).normal(0, 0.1, 32)
    found = main_effects(codes, responses, 0.01).effects
    assert [effect.confounded for effect in found] == [True, True, False, False, False]
    assert not any(effect.strong for effect in found)


def test_few_cells_tell_nothing_and_say_so():
    codes = full((2, 2))
    found = main_effects(codes, np.array([0.0, 0, 1, 1]), 0.01)
    assert [caveat.code for caveat in found.caveats] == ["too-few"]
    assert found.effects[0].size == pytest.approx(1) and not found.effects[0].strong


def test_one_wild_response_makes_no_option_strong():
    codes = full((2,) * 7)
    responses = np.random.default_rng(5).normal(0, 0.01, 128)
    responses[0] = 50
    assert not any(effect.strong for effect in main_effects(codes, responses, 0.01).effects)


def test_noise_alone_is_hardly_ever_strong():
    rng = np.random.default_rng(6)
    codes = full((2,) * 7)[:100]
    wrong = sum(
        any(e.strong for e in main_effects(codes, rng.lognormal(size=100), 0.01).effects)
        for _ in range(300)
    )
    assert wrong <= 9  # three standard deviations above 3


def test_equal_responses_have_no_effect():
    codes = full((2,) * 5)
    assert not any(effect.strong for effect in main_effects(codes, np.ones(32), 0.01).effects)


def test_exact_responses_have_a_strong_one():
    codes = full((2,) * 5)
    first, *others = main_effects(codes, codes[:, 0].astype(float), 0.01).effects
    assert first.strong and not any(effect.strong for effect in others)


def test_no_cells_have_no_effects_and_wrong_shapes_are_refused():
    assert main_effects(np.empty((0, 3), np.int16), np.empty(0), 0.01).effects == ()
    with pytest.raises(ValueError, match="one finite response"):
        main_effects(full((2, 2)), np.array([1.0, np.nan, 1, 1]), 0.01)
