"""How many combinations of levels there are, and some of them drawn, without making all."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from modelstress.config.base import Level
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Levels, Rule
from modelstress.design.tables import ABSENT, tables, values_of

if TYPE_CHECKING:
    from dd import autoref


def size(candidates: Candidates) -> int:
    """Combinations that tools support and constraints allow.

    A binary decision diagram has them all; a space of forty options that few rules connect is
    counted in milliseconds.

    Raises:
        ConfigError: a rule looks at too many combinations.
    """
    return sum(_size(space, candidates.rules) for space in candidates.spaces)


def draws(candidates: Candidates, seed: int) -> Iterator[Levels]:
    """Draw combinations without end, each with the same chance, again and again.

    Args:
        candidates: one combination at least.
        seed: the same one draws the same.

    Raises:
        ConfigError: a rule looks at too many combinations.
    """
    chance = random.Random(seed)
    spaces = [_allowed(space, candidates.rules) for space in candidates.spaces]
    sizes = [diagram.count(allowed) for diagram, allowed in spaces]
    drawers = [diagram.drawer(allowed, chance) for diagram, allowed in spaces]
    while True:
        [draw] = chance.choices(drawers, sizes)
        yield draw()


def _size(space: Space, rules: Sequence[Rule]) -> int:
    diagram, allowed = _allowed(space, rules)
    return diagram.count(allowed)


def _allowed(space: Space, rules: Sequence[Rule]) -> tuple[_Diagram, autoref.Function]:
    """A diagram and its combinations that keep all rules and conditions."""
    values = values_of(space)
    diagram = _Diagram(values)
    allowed = diagram.each_is_one()
    for table in tables(space, rules) if all(values.values()) else ():
        for row in table.rows:
            allowed &= ~diagram.all_are(dict(zip(table.factors, row, strict=True)))
    return diagram, allowed


class _Diagram:
    """Factors as numbers in binary: a variable of the diagram for each digit."""

    def __init__(self, values: dict[str, list[Level | None]]) -> None:
        self._values = values
        self._digits = {
            name: [f"v{place}_{digit}" for digit in range((len(levels) - 1).bit_length())]
            for place, (name, levels) in enumerate(values.items())
        }
        from dd import autoref  # readers of archives do without

        self._bdd = autoref.BDD()
        self._names = [digit for digits in self._digits.values() for digit in digits]
        self._bdd.declare(*self._names)

    def each_is_one(self) -> autoref.Function:
        """Numbers beyond the last level are none."""
        allowed = self._bdd.true
        for name, levels in self._values.items():
            one_of = self._bdd.false
            for number in range(len(levels)):
                one_of |= self._number(name, number)
            allowed &= one_of
        return allowed

    def all_are(self, levels: dict[str, Level | None]) -> autoref.Function:
        """These factors have these levels."""
        found = self._bdd.true
        for name, level in levels.items():
            found &= self._number(name, self._values[name].index(level))
        return found

    def _number(self, name: str, number: int) -> autoref.Function:
        digits = self._digits[name]
        return self._bdd.cube({digit: bool(number >> i & 1) for i, digit in enumerate(digits)})

    def count(self, allowed: autoref.Function) -> int:
        """Combinations for which it is true."""
        return int(self._bdd.count(allowed, nvars=len(self._names)))

    def drawer(self, allowed: autoref.Function, chance: random.Random) -> Callable[[], Levels]:
        """A function that draws one of the combinations for which it is true."""
        steps: dict[tuple[int, int], tuple[float, autoref.Function, autoref.Function]] = {}

        def step(depth: int, left: autoref.Function) -> tuple[float, Any, Any]:
            """The share of combinations in which a digit is 1, and what is left with 0 and 1."""
            key = depth, left.node
            if key not in steps:
                zero, one = (
                    self._bdd.let({self._names[depth]: bit}, left) for bit in (False, True)
                )
                share = self.count(one) / (self.count(zero) + self.count(one))
                steps[key] = share, zero, one
            return steps[key]

        def draw() -> Levels:
            digits, left = {}, allowed
            for depth, name in enumerate(self._names):
                share, zero, one = step(depth, left)
                digits[name] = chance.random() < share
                left = one if digits[name] else zero
            return self._levels(digits)

        return draw

    def _levels(self, digits: Mapping[str, bool]) -> Levels:
        chosen = {
            name: self._values[name][sum(digits[d] << i for i, d in enumerate(own))]
            for name, own in self._digits.items()
        }
        return {name: level for name, level in chosen.items() if level is not ABSENT}
