"""When a warm-up is steady: the same rule as the Java harness'."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from modelstress.driver.steady import LEAST, SteadyRule


def steady_after(
    rule: SteadyRule, executions: int, ns: Callable[[int], float], least: int = 0
) -> int | None:
    """The execution after which the rule says steady; it is asked from the least one on."""
    for place in range(executions):
        rule.add(0, int(ns(place)))
        if place >= least and rule.steady():
            return place
    return None


def test_equal_latencies_are_steady_at_the_second_look() -> None:
    after = steady_after(SteadyRule(0.05), 1000, lambda i: 1e6)
    assert after is not None and LEAST <= after < 60


def test_what_becomes_faster_is_not_steady_before_it_has_settled() -> None:
    # halves every 200 executions until 1,000, as code that is compiled
    falling = [1e6 * (1 + 31 * 0.5 ** (min(i, 1000) / 200)) for i in range(10_000)]
    after = steady_after(SteadyRule(0.05), 10_000, falling.__getitem__, least=200)
    assert after is not None and after > 1000


def test_what_keeps_growing_is_never_steady() -> None:
    rule = SteadyRule(0.05)
    assert steady_after(rule, 20_000, lambda i: 1e6 + 1000 * i, least=500) is None
    assert rule.change > 0.05


def test_noise_around_a_level_is_steady_soon() -> None:
    chance = random.Random(5)
    after = steady_after(SteadyRule(0.05), 10_000, lambda i: 1e6 * chance.lognormvariate(0, 0.3))
    assert after is not None and after < 3000


def test_operations_are_compared_each_with_itself() -> None:
    rule, chance, steady = SteadyRule(0.05), random.Random(6), False
    for place in range(2000):  # more and more of the slow one
        slow = chance.randrange(2000) < place
        rule.add(int(slow), 50_000_000 if slow else 1_000_000)
        steady |= rule.steady()
    assert steady and rule.change == pytest.approx(0, abs=1e-9)


def test_nothing_is_said_of_few_executions_or_of_many_different_operations() -> None:
    assert steady_after(SteadyRule(0.05), LEAST - 1, lambda i: 1000) is None
    many = SteadyRule(0.05)
    for operation in range(500):
        many.add(operation, 1000)
        assert not many.steady()
    assert math.isnan(many.change)


def test_only_the_last_executions_are_remembered() -> None:
    rule = SteadyRule(0.05, most=256)
    after = steady_after(rule, 100_000, lambda i: 1e10 * math.exp(-min(i, 5000) / 500), least=500)
    assert after is not None and 5000 < after < 6500
