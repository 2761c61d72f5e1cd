"""Counts of combinations and the reasons why none is left, held against making them all."""

from __future__ import annotations

import random
import re

import pytest
from small_spaces import drawn, implies

from modelstress.design.candidates import Candidates, Space
from modelstress.design.conflicts import why_empty
from modelstress.design.space_size import size


@pytest.mark.parametrize("seed", range(200))
def test_counts_are_those_of_all_combinations(seed: int) -> None:
    candidates = drawn(random.Random(seed), rules=4)
    assert size(candidates) == sum(1 for _ in candidates.all())


def test_fourteen_options_with_three_rules_are_made_at_once() -> None:
    factors = {f"f{i}": [0, 1] for i in range(14)}
    rules = [implies(str(n), {f"f{n}": 1}, {f"f{n + 1}": [0], f"f{n + 5}": [1]}) for n in range(3)]
    candidates = Candidates([Space(factors)], rules)
    assert size(candidates) == sum(1 for _ in candidates.all()) < 2**14


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
