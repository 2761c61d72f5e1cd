"""Combinations of levels, made factor by factor, so that what is not allowed never multiplies."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass

from modelstress.config.base import Level

Levels = dict[str, Level]
"""Factor to level."""
Keeps = Callable[[Mapping[str, Level]], bool]


@dataclass(frozen=True)
class Rule:
    """What a combination of levels must keep.

    Attributes:
        factors: that it looks at; a factor that a combination does not have is none of its levels.
        keeps: whether these levels are allowed; it may be asked before other factors are chosen.
        name: for people.
    """

    factors: frozenset[str]
    keeps: Keeps
    name: str = "what the kind of workload knows of its operations"


Conditions = Mapping[str, Mapping[str, Collection[Level]]]
"""Factor to the levels of other factors beside which alone it means something."""


def combinations(
    factors: Mapping[str, Sequence[Level]],
    conditions: Conditions,
    rules: Iterable[Rule],
    slowest: Sequence[str] = (),
) -> Iterator[Levels]:
    """Make all combinations of levels that the rules allow, each once.

    They come as from nested loops, one per factor: first those over the ``slowest`` factors, and
    those over factors that a condition asks for outside of those that it is about.

    Args:
        factors: to their levels.
        conditions: a factor whose condition a combination does not fulfil is left out of it; a
            factor that is not there fulfils none.
        rules: applied as soon as the last of their factors is chosen.
        slowest: factors of the outermost loops.
    """
    order = _nested([*slowest, *factors], factors, conditions)
    due = _due(order, rules)
    once = {name: list(dict.fromkeys(levels)) for name, levels in factors.items()}
    in_order = order == list(factors)

    def chosen(depth: int, levels: Levels) -> Iterator[Levels]:
        if depth == len(order):
            yield levels if in_order else {name: levels[name] for name in factors if name in levels}
            return
        name = order[depth]
        keep = due[name]
        if meant(levels, conditions.get(name, {})):
            each = [{**levels, name: level} for level in once[name]]
        else:
            each = [levels]
        for extended in each:
            if all(keeps(extended) for keeps in keep):
                yield from chosen(depth + 1, extended)

    yield from chosen(0, {})


def meant(levels: Mapping[str, Level], condition: Mapping[str, Collection[Level]]) -> bool:
    """Whether a factor means something beside levels: they fulfil its condition."""
    return all(name in levels and levels[name] in wanted for name, wanted in condition.items())


def _nested(names: Iterable[str], factors: Container[str], conditions: Conditions) -> list[str]:
    """The factors, each once, after those that its condition asks for."""
    order: dict[str, None] = {}

    def add(name: str) -> None:
        if name in factors and name not in order:
            for parent in conditions.get(name, {}):
                add(parent)
            order[name] = None

    for name in names:
        add(name)
    return list(order)


def _due(order: Sequence[str], rules: Iterable[Rule]) -> dict[str, list[Keeps]]:
    """Each factor's rules that can be asked once it is chosen."""
    due: dict[str, list[Keeps]] = {name: [] for name in order}
    for rule in rules:
        places = [order.index(name) for name in rule.factors if name in due]
        due[order[max(places, default=0)]].append(rule.keeps)
    return due
