"""Counts of combinations and the reasons why none is left, held against making them all."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter

import pytest
from small_spaces import drawn, implies

from modelstress.design.candidates import Candidates, Space
from modelstress.design.conflicts import why_empty
from modelstress.design.space_size import draws, size


@pytest.mark.parametrize("seed", range(200))
def test_counts_are_those_of_all_combinations(seed: int) -> None:
    candidates = drawn(random.Random(seed), rules=4)
    assert size(candidates) == sum(1 for _ in candidates.all())


def test_fourteen_options_with_three_rules_are_made_at_once() -> None:
    factors = {f"f{i}": [0, 1] for i in range(14)}
    rules = [implies(str(n), {f"f{n}": 1}, {f"f{n + 1}": [0], f"f{n + 5}": [1]}) for n in range(3)]
    candidates = Candidates([Space(factors)], rules)
    assert size(candidates) == sum(1 for _ in candidates.all()) < 2**14


def test_each_combination_is_drawn_as_often() -> None:
    candidates = drawn(random.Random(5), rules=2)
    every = [tuple(levels.items()) for levels in candidates.all()]
    assert 20 < len(every) < 500 and any(len(cell) != len(every[0]) for cell in every)
    number = 100 * len(every)
    count = Counter(tuple(cell.items()) for cell in itertools.islice(draws(candidates, 1), number))
    assert set(count) == set(every)
    assert max(abs(count[cell] - 100) for cell in every) < 50  # 5 standard deviations
    again = [tuple(cell.items()) for cell in itertools.islice(draws(candidates, 1), 9)]
    assert again == list(itertools.islice((tuple(c.items()) for c in draws(candidates, 1)), 9))


def test_two_tools_are_drawn_from_by_their_numbers_of_combinations() -> None:
    spaces = [Space({"tool": ["x"], "a": [1, 2, 3]}), Space({"tool": ["y"], "b": [1]})]
    count = Counter(c["tool"] for c in itertools.islice(draws(Candidates(spaces, []), 1), 4000))
    assert set(count) == {"x", "y"} and abs(count["y"] - 1000) < 140


@pytest.mark.parametrize("seed", range(40))
def test_what_is_drawn_keeps_rules_and_conditions(seed: int) -> None:
    candidates = drawn(random.Random(seed), rules=4)
    every = list(candidates.all())
    if every:
        assert all(cell in every for cell in itertools.islice(draws(candidates, seed), 50))


def test_forty_options_are_counted_without_making_them() -> None:
    factors = {f"f{i}": [0, 1, 2] for i in range(40)}
    rules = [implies(str(i), {f"f{i}": 1}, {f"f{i + 1}": [0, 1]}) for i in range(39)]
    ends = [1, 1, 1]  # combinations of the options so far by the last one's level
    for _ in range(39):
        ends = [sum(ends), sum(ends), ends[0] + ends[2]]
    assert size(Candidates([Space(factors)], rules)) == sum(ends) > 10**16


def test_the_reason_names_only_what_is_needed() -> None:
    found = 0
    for seed in range(300):
        candidates = drawn(random.Random(seed), rules=9)
        if next(candidates.all(), None) is not None:
            continue
        found += 1
        named = set(re.findall(r"rule \d+\.", why_empty(candidates)))
        core = [rule for rule in candidates.rules if rule.name in named]
        assert core and next(Candidates(candidates.spaces, core).all(), None) is None
        for rule in core:
            fewer = [other for other in core if other is not rule]
            assert next(Candidates(candidates.spaces, fewer).all(), None) is not None
    assert found >= 10


def test_a_tool_without_a_level_is_said() -> None:
    space = Space({"tool": ["x"], "backend": []})
    assert why_empty(Candidates([space], [])) == (
        "x supports none of the levels of backend that remain"
    )
    assert size(Candidates([space], [])) == 0
