"""Counts of combinations and the reasons why none is left, held against making them all."""

from __future__ import annotations

import random
import re
from functools import partial

import pytest

from modelstress.config.base import Level
from modelstress.config.study import has_levels
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Rule
from modelstress.design.conflicts import why_empty
from modelstress.design.space_size import size

Wanted = dict[str, Level | list[Level]]


def implies(name: str, when: Wanted, only: Wanted) -> Rule:
    def keeps(when: Wanted, only: Wanted, levels: dict[str, Level]) -> bool:
        return not has_levels(levels, when) or has_levels(levels, only, missing=True)

    return Rule(frozenset({*when, *only}), partial(keeps, when, only), name)


def drawn(chance: random.Random, rules: int) -> Candidates:
    """Some factors with one to four levels, some of which mean something beside others only."""
    factors = {f"f{i}": list(range(chance.randint(1, 4))) for i in range(chance.randint(2, 6))}
    names = list(factors)
    conditions = {
        name: {names[i - 1]: [chance.choice(factors[names[i - 1]])]}
        for i, name in enumerate(names) if i and chance.random() < 0.3
    }  # fmt: skip

    def some(count: int) -> Wanted:
        return {
            name: chance.sample(factors[name], chance.randint(1, len(factors[name])))
            for name in chance.sample(names, count)
        }

    return Candidates(
        [Space({"tool": ["x"], **factors}, conditions)],
        [implies(f"rule {n}.", some(chance.randint(0, 2)), some(1)) for n in range(rules)],
    )


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
