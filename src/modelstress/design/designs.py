"""Designs: which of the possible combinations of levels become cells."""

from __future__ import annotations

import hashlib
import heapq
import json
import math
from collections.abc import Iterable

from modelstress.config.base import Level, nearest, shown
from modelstress.config.designs import (
    CoveringDesign,
    Design,
    FractionDesign,
    ListDesign,
    NeighboursDesign,
    OptimalDesign,
    SampleDesign,
)
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, given
from modelstress.design.combinations import Levels
from modelstress.design.covering import covering
from modelstress.design.fractions import fraction
from modelstress.design.neighbours import neighbours
from modelstress.design.space_size import draws
from modelstress.design.space_size import size as number_of

MOST_DIGESTS = 1_000_000
"""Candidates that are made to draw some."""
MOST_CELLS = 200_000
"""Of a full design: a hundred days at 45 seconds each, and a gigabyte of memory."""


def designed(design: Design, candidates: Candidates, seed: int, where: str) -> Iterable[Levels]:
    """The combinations that a design chooses; none where there are no candidates.

    Args:
        design: of the profile.
        candidates: among which it chooses.
        seed: of the project.
        where: file and field of the design, as messages begin: ``f.yaml: field 'design``.

    Raises:
        ConfigError: the design cannot be made of the candidates.
    """
    if next(candidates.all(), None) is None:
        return []
    if isinstance(design, FractionDesign):
        return fraction(candidates, design, where)
    if isinstance(design, CoveringDesign):
        return covering(candidates, design.strength, where)
    if isinstance(design, SampleDesign):
        return _sample(candidates, design.cells, seed, where)
    if isinstance(design, OptimalDesign):
        from modelstress.design.optimal import optimal  # takes numpy

        return optimal(candidates, design, seed, where)
    if isinstance(design, NeighboursDesign):
        return _around(candidates.inhabited(), design, where)
    if isinstance(design, ListDesign):
        return _listed(candidates.inhabited(), design.cells, f"{where}.cells")
    if (cells := _more_than(MOST_CELLS, candidates)) is not None:
        raise ConfigError(
            f"{where}.kind' is full, and these would be {cells:,} cells, more than {MOST_CELLS:,}; "
            "name fewer levels or take another kind of design"
        )
    return candidates.all()


def _sample(candidates: Candidates, cells: int, seed: int, where: str) -> list[Levels]:
    """The cells with the smallest digests: most stay drawn when levels are added elsewhere.

    Where candidates are too many to make each, cells are drawn from a diagram of them.
    """
    if _more_than(MOST_DIGESTS, candidates) is not None:
        return _drawn(candidates, cells, seed)

    def digest(numbered: tuple[int, Levels]) -> bytes:
        levels = json.dumps(numbered[1], sort_keys=True)
        return hashlib.sha256(f"{seed}/{levels}".encode()).digest()

    drawn = heapq.nsmallest(cells, enumerate(candidates.all()), key=digest)
    if len(drawn) < cells:
        raise ConfigError(
            f"{where}.cells' is {cells}, but only {len(drawn)} cells are possible; ask for at most "
            "as many or take kind: full"
        )
    return [levels for _, levels in sorted(drawn, key=lambda numbered: numbered[0])]


def _more_than(most: int, candidates: Candidates) -> int | None:
    """How many candidates there are; None where they are no more than ``most``."""
    if sum(math.prod(map(len, space.factors.values())) for space in candidates.spaces) <= most:
        return None
    try:
        number = number_of(candidates)
    except ConfigError:  # a rule looks at too much to be counted by
        return None
    return number if number > most else None


def _drawn(candidates: Candidates, cells: int, seed: int) -> list[Levels]:
    """So many different ones of far more candidates; a factor's levels in their order."""
    drawn: dict[tuple[int, ...], Levels] = {}
    for cell in draws(candidates, seed):
        if len(drawn) == cells:
            break
        drawn.setdefault(_place(candidates, cell), cell)
    return [drawn[place] for place in sorted(drawn)]


def _place(candidates: Candidates, cell: Levels) -> tuple[int, ...]:
    """Place of a cell in nested loops over the factors, tool by tool."""
    number, space = next(
        (number, space) for number, space in enumerate(candidates.spaces) if space.has(cell)
    )
    places = (
        list(levels).index(cell[name]) if name in cell else -1
        for name, levels in space.factors.items()
    )
    return (number, *places)


def _listed(
    candidates: Candidates, entries: Iterable[dict[str, Level]], where: str
) -> list[Levels]:
    """For each entry the first combination that has its levels."""
    cells: list[Levels] = []
    for number, entry in enumerate(entries):
        cell = _first(candidates, entry)
        if cell is None:
            raise ConfigError(_impossible(candidates, entry, f"{where}.{number}"))
        if cell in cells:
            raise ConfigError(
                f"{where}.{number}' is the same cell as entry {cells.index(cell)}, "
                f"{shown(cell)}; give it another level or take it out"
            )
        cells.append(cell)
    return cells


def _around(candidates: Candidates, design: NeighboursDesign, where: str) -> list[Levels]:
    """The given cells, and after each of them those of its neighbours that are not there yet."""
    given_cells = _listed(candidates, design.of, f"{where}.of")
    planned = list(given_cells)
    cells: list[Levels] = []
    for cell in given_cells:
        near = neighbours(candidates, cell, design.distance, planned)
        cells += [cell, *near]
        planned += near
    return cells


def _first(candidates: Candidates, entry: dict[str, Level]) -> Levels | None:
    for space in candidates.spaces:
        if space.has(entry):
            for levels in candidates.within(space, given(entry), first=entry):
                return levels
    return None


def _impossible(candidates: Candidates, entry: dict[str, Level], where: str) -> str:
    """A sentence why no cell has an entry's levels; names the last that the others exclude."""
    levels_of: dict[str, dict[Level, None]] = {}
    for space in candidates.spaces:
        for name, levels in space.factors.items():
            levels_of.setdefault(name, {}).update(dict.fromkeys(levels))
    for name, level in entry.items():
        if name not in levels_of:
            return f"{where}' names unknown factor {name!r}{nearest(name, levels_of)}"
        if level not in levels_of[name]:
            return f"{where}.{name}': no cell has level {level!r}{nearest(level, levels_of[name])}"
    for name in reversed(entry):
        others = {other: entry[other] for other in entry if other != name}
        left = [level for level in levels_of[name] if candidates.possible({**others, name: level})]
        if left:
            beside = ", ".join(f"{other}: {level}" for other, level in others.items())
            no_cell = f"no cell has level {entry[name]!r} beside {beside}"
            return f"{where}.{name}': {no_cell}{nearest(entry[name], left)}"
    return f"{where}': no cell has {shown(dict(entry))}; change more than one of these levels"
