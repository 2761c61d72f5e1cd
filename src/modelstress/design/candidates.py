"""Candidates: the combinations of levels among which a design chooses its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from modelstress.config.base import Level
from modelstress.design.combinations import Conditions, Levels, Rule, combinations

TOOL = "tool"
"""Factor that every study has; it tells to which space a combination belongs."""


@dataclass(frozen=True)
class Space:
    """Levels that the cells of one tool may combine.

    Attributes:
        factors: to their levels.
        conditions: factor to the levels of others beside which alone it means something.
        slowest: factors of the outermost loops.
    """

    factors: Mapping[str, Sequence[Level]]
    conditions: Conditions = field(default_factory=dict)
    slowest: Sequence[str] = ()

    def has(self, levels: Mapping[str, Level]) -> bool:
        """Whether each of the levels is one of its factor's."""
        return all(level in self.factors.get(name, ()) for name, level in levels.items())


@dataclass(frozen=True)
class Candidates:
    """All combinations of levels that tools support and constraints allow.

    Attributes:
        spaces: one for each tool.
        rules: that every combination keeps.
    """

    spaces: Sequence[Space]
    rules: Sequence[Rule]

    def all(self) -> Iterator[Levels]:
        """Every combination, tool by tool."""
        for space in self.spaces:
            yield from self.within(space)

    def within(
        self, space: Space, more: Iterable[Rule] = (), first: Iterable[str] = ()
    ) -> Iterator[Levels]:
        """Combinations of one space that keep ``more`` rules too; loops over ``first`` outside."""
        slowest = [*first, *space.slowest]
        return combinations(space.factors, space.conditions, [*self.rules, *more], slowest)

    def possible(self, levels: Mapping[str, Level]) -> bool:
        """Whether a combination has all these levels; every space must have a combination."""
        return any(_possible(space, self.rules, levels) for space in self.spaces)

    def inhabited(self) -> Candidates:
        """The same without the spaces that have no combination."""
        spaces = [space for space in self.spaces if next(self.within(space), None) is not None]
        return Candidates(spaces, self.rules)


def given(levels: Mapping[str, Level]) -> list[Rule]:
    """Rules that a combination has all these levels."""

    def has(name: str, level: Level, combined: Mapping[str, Level]) -> bool:
        return name in combined and combined[name] == level

    return [Rule(frozenset({name}), partial(has, name, level)) for name, level in levels.items()]


def _possible(space: Space, rules: Sequence[Rule], levels: Mapping[str, Level]) -> bool:
    """Whether a combination of a space that has any has these levels.

    Only factors are tried that rules and conditions connect with these: the other factors have
    the levels that they have in any combination.
    """
    if not space.has(levels):
        return False
    near = _near(space, rules, levels)
    factors = {
        name: [levels[name]] if name in levels else factor_levels
        for name, factor_levels in space.factors.items()
        if name in near
    }
    kept = [rule for rule in rules if rule.factors & space.factors.keys() <= near]
    made = combinations(factors, space.conditions, [*kept, *given(levels)], [*levels])
    return next(made, None) is not None


def _near(space: Space, rules: Sequence[Rule], names: Iterable[str]) -> set[str]:
    """Some factors and those that are connected with them, through factors with several levels."""
    links = [rule.factors for rule in rules]
    links += [frozenset({name, *condition}) for name, condition in space.conditions.items()]
    near = set(names)
    left = list(near)
    while left:
        name = left.pop()
        for link in links:
            if name in link:
                more = (link & space.factors.keys()) - near
                near |= more
                left += [factor for factor in more if _varies(space, factor)]
    return near


def _varies(space: Space, name: str) -> bool:
    return len(space.factors[name]) != 1 or bool(space.conditions.get(name))
