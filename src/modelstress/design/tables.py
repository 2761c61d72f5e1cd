"""Rules of a space as tables: which combinations of the levels of few factors they forbid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Space
from modelstress.design.combinations import Levels, Rule, meant

MOST_ROWS = 200_000
"""Combinations of the factors of one rule that are tried."""
ABSENT = None
"""Level of a factor that a combination is without, for it means nothing there."""


@dataclass(frozen=True)
class Table:
    """What a rule forbids.

    Attributes:
        rule: that it is of; None: that a factor is there exactly where it means something.
        factors: the columns.
        rows: forbidden combinations, levels in the order of the factors.
    """

    rule: Rule | None
    factors: tuple[str, ...]
    rows: tuple[tuple[Level | None, ...], ...]


def values_of(space: Space) -> dict[str, list[Level | None]]:
    """Factor to what it may be: its levels, each once, and absent where it has a condition."""
    return {
        name: [*dict.fromkeys(levels), *([ABSENT] if space.conditions.get(name) else [])]
        for name, levels in space.factors.items()
    }


def tables(space: Space, rules: Sequence[Rule]) -> Iterator[Table]:
    """Tables of all rules, and of the conditions beside which factors mean something.

    Raises:
        ConfigError: a rule looks at so many factors that its combinations cannot be tried.
    """
    values = values_of(space)
    for rule in rules:
        factors = tuple(name for name in values if name in rule.factors)
        rows = tuple(row for row in _rows(values, factors, rule.name)
                     if not rule.keeps(_levels(factors, row)))  # fmt: skip
        if rows:
            yield Table(rule, factors, rows)
    for name, condition in space.conditions.items():
        if name in values and condition:
            factors = (name, *(other for other in condition if other in values))
            rows = tuple(
                row for row in _rows(values, factors, name)
                if (row[0] is not ABSENT) != meant(_levels(factors[1:], row[1:]), condition)
            )  # fmt: skip
            yield Table(None, factors, rows)


def _rows(
    values: Mapping[str, list[Level | None]], factors: Sequence[str], name: str
) -> Iterator[tuple[Level | None, ...]]:
    if prod(len(values[factor]) for factor in factors) > MOST_ROWS:
        raise ConfigError(
            f"{name} is about too many levels of {', '.join(factors)} at once to be looked through"
        )
    return product(*(values[factor] for factor in factors))


def _levels(factors: Sequence[str], row: Sequence[Level | None]) -> Levels:
    pairs = zip(factors, row, strict=True)
    return {name: level for name, level in pairs if level is not ABSENT}
