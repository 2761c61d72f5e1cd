"""Small spaces of factors, and random ones with rules and conditions."""

from __future__ import annotations

import random
from functools import partial

from modelstress.config.base import Level
from modelstress.config.study import has_levels
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Rule

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
