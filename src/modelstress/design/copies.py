"""Placebos measured on purpose: cells that are measured a second time, beside themselves.

A copy has its cell's levels and one more, ``placebo``, which says how it is measured; nothing that
runs looks at it. What a rule says of a cell and its copy, it says of equals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from modelstress.config.factors import ONE_START, PLACEBO, TWO_STARTS
from modelstress.config.study import Study
from modelstress.design.cell import Cell
from modelstress.design.sharing import sharing


def with_copies(study: Study, cells: Sequence[Cell], starts: int, seed: int) -> list[Cell]:
    """The cells, and copies of those of so many starts.

    Starts are drawn from each tool and load in turn. Of every other start one cell has a copy that
    is measured in turns with it. The other starts are copied whole, since a cell that is measured
    in turns waits between its slices. Where no start has several cells, all are copied so.

    Args:
        study: of the cells.
        cells: of a profile; each keeps its place.
        starts: how many have copies: as many pairs of equals, for every number of the start.
        seed: of the project.
    """
    key = sharing(study) or (lambda cell: cell.id)
    groups: dict[Hashable, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    made = list(cells)
    for in_turns, start in _drawn(study, list(groups.values()), starts, seed):
        if in_turns and len(start) > 1:
            made.append(_copy(min(start, key=_digest(seed)), ONE_START))
        else:
            made += [_copy(cell, TWO_STARTS) for cell in start]
    return made


def _copy(cell: Cell, kind: str) -> Cell:
    return replace(cell, levels={**cell.levels, PLACEBO: kind})


def _digest(seed: int) -> Callable[[Cell], str]:
    """Random order of cells that does not depend on what else is in the plan."""
    return lambda cell: hashlib.sha256(f"{seed}/{PLACEBO}/{cell.id}".encode()).hexdigest()


def _drawn(
    study: Study, starts: Sequence[list[Cell]], number: int, seed: int
) -> list[tuple[bool, list[Cell]]]:
    """So many starts, from each tool and load in turn, in random order; every other one is true."""
    digest, load = _digest(seed), study.projected.load
    drawn: dict[Hashable, list[list[Cell]]] = {}
    for start in sorted(starts, key=lambda start: min(map(digest, start))):
        first = start[0]
        drawn.setdefault((first.tool.tool, first.levels.get(load)), []).append(start)
    turns = sorted(
        ((turn, place) for place, group in enumerate(drawn.values()) for turn in range(len(group)))
    )
    groups = list(drawn.values())
    return [((turn + place) % 2 == 0, groups[place][turn]) for turn, place in turns[:number]]
