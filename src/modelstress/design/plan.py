"""The order of measurement: blocks of invocations, each in a random order of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from modelstress.design.cells import Cell


@dataclass(frozen=True)
class Run:
    """One invocation of one cell.

    Attributes:
        cell: what is measured.
        invocation: number of the block, from 0.
        position: place in the whole plan, from 0.
        seed: of the client's random choices.
    """

    cell: Cell
    invocation: int
    position: int
    seed: int


def plan_of(cells: Sequence[Cell], seed: int) -> list[Run]:
    """Invocation k of all cells before k + 1, in randomised order inside each block.

    The same cells and seed give the same plan; adding a cell does not change another one's seed.
    """
    runs: list[Run] = []
    for invocation in range(max(cell.invocations for cell in cells)):
        block = sorted((c for c in cells if invocation < c.invocations), key=lambda c: c.id)
        random.Random(f"{seed}/{invocation}").shuffle(block)
        for cell in block:
            own = random.Random(f"{seed}/{invocation}/{cell.id}").getrandbits(31)
            runs.append(Run(cell, invocation, len(runs), own))
    return runs
