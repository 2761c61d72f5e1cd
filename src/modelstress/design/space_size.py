"""How many combinations of levels there are, without making them."""

from __future__ import annotations

from collections.abc import Sequence

from dd import autoref

from modelstress.config.base import Level
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Rule
from modelstress.design.tables import tables, values_of


def size(candidates: Candidates) -> int:
    """Combinations that tools support and constraints allow.

    A binary decision diagram has them all; a space of forty options that few rules connect is
    counted in milliseconds.

    Raises:
        ConfigError: a rule looks at too many combinations.
    """
    return sum(_size(space, candidates.rules) for space in candidates.spaces)


def _size(space: Space, rules: Sequence[Rule]) -> int:
    values = values_of(space)
    if not all(values.values()):
        return 0
    diagram = _Diagram(values)
    allowed = diagram.each_is_one()
    for table in tables(space, rules):
        for row in table.rows:
            allowed &= ~diagram.all_are(dict(zip(table.factors, row, strict=True)))
    return diagram.count(allowed)


class _Diagram:
    """Factors as numbers in binary: a variable of the diagram for each digit."""

    def __init__(self, values: dict[str, list[Level | None]]) -> None:
        self._values = values
        self._digits = {
            name: [f"v{place}_{digit}" for digit in range((len(levels) - 1).bit_length())]
            for place, (name, levels) in enumerate(values.items())
        }
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
