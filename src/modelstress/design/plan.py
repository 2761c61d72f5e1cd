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
        start: number of the fresh start of server and clients that it is measured in, from 0.
    """

    cell: Cell
    invocation: int
    position: int
    seed: int
    start: int = 0


def plan_of(cells: Sequence[Cell], seed: int, alike: Alike | None = None) -> list[Run]:
    """Invocation k of all cells before k + 1, in randomised order inside each block.

    The same cells and seed give the same plan; adding a cell does not change another one's seed.

    Args:
        cells: what is measured.
        seed: of all random choices.
        alike: cells with the same value stand beside one another in every block, in random order.
    """
    runs: list[Run] = []
    for invocation in range(max(cell.invocations for cell in cells)):
        block = sorted((c for c in cells if invocation < c.invocations), key=lambda c: c.id)
        chance = random.Random(f"{seed}/{invocation}")
        chance.shuffle(block)
        if alike is not None:
            block = _together(block, alike)
        for cell in block:
            run_seed = random.Random(f"{seed}/{invocation}/{cell.id}").getrandbits(31)
            runs.append(Run(cell, invocation, len(runs), run_seed, start=len(runs)))
    return runs


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
