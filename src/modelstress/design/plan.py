"""The order of measurement: blocks of invocations, each in a random order of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from modelstress.config.study import TASK, Study
from modelstress.design.cell import Cell

Alike = Callable[[Cell], Hashable]
"""What cells have in common that are measured one after the other."""


@dataclass(frozen=True)
class Run:
    """One invocation of one cell.

    Attributes:
        cell: what is measured.
        invocation: number of the block, from 0.
        position: place in the whole plan, from 0.
        seed: of the client's random choices.
        start: number of the fresh start of the servers that it is measured in, from 0. Runs of
            one start stand beside one another.
    """

    cell: Cell
    invocation: int
    position: int
    seed: int
    start: int = 0


def plan_of(
    cells: Sequence[Cell], seed: int, alike: Alike | None = None, sharing: Alike | None = None
) -> list[Run]:
    """Invocation k of all cells before k + 1, in randomised order inside each block.

    The same cells and seed give the same plan; adding a cell does not change another one's seed.

    Args:
        cells: what is measured.
        seed: of all random choices.
        alike: cells with the same value stand beside one another in every block, in random order.
        sharing: cells with the same value share a start; without it, each has its own.
    """
    runs: list[Run] = []
    starts = 0
    for invocation in range(max(cell.invocations for cell in cells)):
        block = _block([c for c in cells if invocation < c.invocations], seed, invocation, alike)
        if sharing is not None:
            block = _by_start(block, seed, invocation, sharing)
        for place, cell in enumerate(block):
            before = block[place - 1] if place else None
            starts += sharing is None or before is None or sharing(cell) != sharing(before)
            run_seed = _seed(seed, invocation, cell)
            runs.append(Run(cell, invocation, len(runs), run_seed, start=starts - 1))
    return runs


def _block(cells: Sequence[Cell], seed: int, invocation: int, alike: Alike | None) -> list[Cell]:
    """The cells in random order, those that are alike together."""
    block = sorted(cells, key=lambda cell: cell.id)
    random.Random(f"{seed}/{invocation}").shuffle(block)
    return block if alike is None else _together(block, alike)


def _by_start(block: Sequence[Cell], seed: int, invocation: int, sharing: Alike) -> list[Cell]:
    """Those of a start together, in an order that does not depend on what else is in the plan."""
    order = dict.fromkeys(sharing(cell) for cell in block)
    groups: dict[Hashable, list[Cell]] = {key: [] for key in order}
    for cell in sorted(block, key=lambda cell: _seed(seed, invocation, cell)):
        groups[sharing(cell)].append(cell)
    return [cell for group in groups.values() for cell in group]


def _seed(seed: int, invocation: int, cell: Cell) -> int:
    """The seed of one invocation: whatever else there is in the plan, the same."""
    return random.Random(f"{seed}/{invocation}/{cell.id}").getrandbits(31)


def start_of(run: Run, runs: Sequence[Run]) -> list[Run]:
    """The runs of a plan that share a run's start, in the plan's order."""
    first = last = run.position
    while first > 0 and runs[first - 1].start == run.start:
        first -= 1
    while last + 1 < len(runs) and runs[last + 1].start == run.start:
        last += 1
    return list(runs[first : last + 1])


def _together(block: Sequence[Cell], alike: Alike) -> list[Cell]:
    """The cells with those that are alike beside the first of them."""
    groups: dict[Hashable, list[Cell]] = {}
    for cell in block:
        groups.setdefault(alike(cell), []).append(cell)
    return [cell for group in groups.values() for cell in group]


def compared_alike(study: Study, cells: Sequence[Cell]) -> Alike | None:
    """What cells agree in that the study's first comparison with such cells compares.

    Cells that are compared are measured in the same block one after the other, so that little
    else has time to change between them. None: no comparison has two cells here.
    """
    operation = study.projected.operation
    for comparison in study.comparisons.values():
        names = comparison.matched(study.factors)

        def key(cell: Cell, names: Sequence[str] = tuple(names)) -> Hashable:
            return tuple(
                study.task(cell.levels.get(operation)) if name == TASK else cell.levels.get(name)
                for name in names
            )

        if len({key(cell) for cell in cells}) < len(cells):
            return key
    return None
