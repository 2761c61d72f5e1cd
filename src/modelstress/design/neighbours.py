"""Neighbours: the cells that differ from a given one in few factors."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping

from modelstress.config.base import Level
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Levels


def neighbours(
    candidates: Candidates,
    levels: Mapping[str, Level],
    distance: int = 1,
    planned: Iterable[Mapping[str, Level]] = (),
) -> list[Levels]:
    """Find the candidates that differ from a cell in some factors, one to ``distance`` of them.

    A factor that only one of both cells has does not count: another one decides whether it means
    something. It takes the first level that remains.

    Args:
        candidates: among which neighbours are.
        levels: of the cell, which need not be a candidate itself.
        distance: in how many factors a neighbour differs, at most.
        planned: levels of cells that are left out.

    Returns:
        Levels of the neighbours, the nearest first, and then in the order of the factors.

    Raises:
        ValueError: the distance is less than 1.
    """
    if distance < 1:
        raise ValueError(f"neighbours differ in one factor at least, not in {distance}")
    seen = {frozenset(cell.items()) for cell in planned}
    found: list[Levels] = []
    for number in range(1, distance + 1):
        for space in candidates.spaces:
            for cell in _changed(candidates, space, levels, number):
                if (key := frozenset(cell.items())) not in seen:
                    seen.add(key)
                    found.append(cell)
    return found


def _changed(
    candidates: Candidates, space: Space, levels: Mapping[str, Level], number: int
) -> Iterator[Levels]:
    """Combinations of a space in which exactly so many of the cell's factors are changed."""
    shared = [name for name in space.factors if name in levels]
    must = {name for name in shared if levels[name] not in space.factors[name]}
    others = {
        name: [level for level in dict.fromkeys(space.factors[name]) if level != levels[name]]
        for name in shared
    }
    free = [name for name in shared if name not in must and others[name]]
    for more in itertools.combinations(free, max(0, number - len(must))):
        chosen = [name for name in shared if name in must or name in more]
        if len(chosen) != number:
            return
        for new in itertools.product(*(others[name] for name in chosen)):
            changed = dict(zip(chosen, new, strict=True))
            cell = _with(candidates, space, {**levels, **changed}, changed)
            if cell is not None:
                yield cell


def _with(
    candidates: Candidates,
    space: Space,
    levels: Mapping[str, Level],
    changed: Collection[str],
) -> Levels | None:
    """The first combination with these levels of the factors that mean something in it.

    None where there is none, or where one of the changed factors means nothing.
    """
    factors = {
        name: [levels[name]] if name in levels else every for name, every in space.factors.items()
    }
    one = Space(factors, space.conditions, space.slowest)
    cell = next(candidates.within(one), None)
    return cell if cell is not None and all(name in cell for name in changed) else None
