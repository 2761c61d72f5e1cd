"""The order of measurement: blocks of invocations, each in a random order of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby

from modelstress.config.factors import PLACEBO
from modelstress.config.study import TASK, Comparison, Study
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
    cells: Sequence[Cell],
    seed: int,
    alike: Sequence[Alike] = (),
    sharing: Alike | None = None,
) -> list[Run]:
    """Invocation k of all cells before k + 1, in randomised order inside each block.

    The same cells and seed give the same plan; adding a cell does not change another one's seed.

    Args:
        cells: what is measured.
        seed: of all random choices.
        alike: cells with the same value stand beside one another, in random order; the nearest
            first (``compared_alike``).
        sharing: cells with the same value share a start; without it, each has its own.
    """
    runs: list[Run] = []
    count = 0
    for invocation in range(max(cell.invocations for cell in cells)):
        block = _ordered([c for c in cells if invocation < c.invocations], seed, invocation, alike)
        if sharing is not None:
            block = _by_start(block, seed, invocation, sharing)
        for place, cell in enumerate(block):
            before = block[place - 1] if place else None
            count += sharing is None or before is None or sharing(cell) != sharing(before)
            run_seed = _seed(seed, invocation, cell)
            runs.append(Run(cell, invocation, len(runs), run_seed, start=count - 1))
    return runs


def _ordered(
    cells: Sequence[Cell], seed: int, invocation: int, alike: Sequence[Alike]
) -> list[Cell]:
    """The cells in random order, those that are alike together."""
    order = sorted(cells, key=lambda cell: cell.id)
    random.Random(f"{seed}/{invocation}").shuffle(order)
    for nearer in alike:
        order = _together(order, nearer)
    return order


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


def starts(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs of each start, which stand beside one another, in the plan's order."""
    return [list(group) for _, group in groupby(runs, key=lambda run: run.start)]


def start_of(run: Run, runs: Sequence[Run]) -> list[Run]:
    """The runs of a plan that share a run's start, in the plan's order."""
    return [other for other in runs if other.start == run.start]


def _together(block: Sequence[Cell], alike: Alike) -> list[Cell]:
    """The cells with those that are alike beside the first of them."""
    groups: dict[Hashable, list[Cell]] = {}
    for cell in block:
        groups.setdefault(alike(cell), []).append(cell)
    return [cell for group in groups.values() for cell in group]


def compared_alike(study: Study, cells: Sequence[Cell]) -> list[Alike]:
    """What cells agree in that are compared, the nearest first.

    First what the study's first comparison with such cells compares, then all that comparisons
    link, directly or by other cells: a block, which is measured without anything in between. So
    little else has time to change between cells that are compared.
    """
    keys = [_key(study, comparison) for comparison in study.comparisons.values()]
    pairs = next((key for key in keys if len({key(cell) for cell in cells}) < len(cells)), None)
    if pairs is None:
        return [_uncopied] if any(PLACEBO in cell.levels for cell in cells) else []
    taking_part = [
        (key, [cell for cell in cells if comparison.takes_part(cell.levels)])
        for key, comparison in zip(keys, study.comparisons.values(), strict=True)
    ]
    blocks = _linked(cells, [*taking_part, (_uncopied, cells)])
    return [pairs, lambda cell: blocks[cell.id]]


def _uncopied(cell: Cell) -> Hashable:
    """What a cell has in common with its copies."""
    return tuple((name, level) for name, level in cell.levels.items() if name != PLACEBO)


def _key(study: Study, comparison: Comparison) -> Alike:
    names = tuple(comparison.matched(study.factors))
    operation = study.projected.operation

    def key(cell: Cell) -> Hashable:
        levels = cell.levels
        if TASK not in names:
            return tuple(map(levels.get, names))  # plans have many thousands of cells
        return tuple(
            study.task(levels.get(operation)) if name == TASK else levels.get(name)
            for name in names
        )

    return key


def _linked(
    cells: Sequence[Cell], comparisons: Sequence[tuple[Alike, Sequence[Cell]]]
) -> dict[str, int]:
    """Id of each cell to the number of its block, by joining all that are compared."""
    from scipy.sparse import coo_array  # a plan that is read does without
    from scipy.sparse.csgraph import connected_components

    number = {cell.id: place for place, cell in enumerate(cells)}
    first_of: list[int] = []
    joined: list[int] = []
    for key, members in comparisons:
        first: dict[Hashable, int] = {}
        for cell in members:
            joined.append(number[cell.id])
            first_of.append(first.setdefault(key(cell), joined[-1]))
    links = coo_array(([True] * len(joined), (first_of, joined)), shape=(len(cells), len(cells)))
    blocks = connected_components(links, directed=False)[1]
    return dict(zip(number, blocks.tolist(), strict=True))
