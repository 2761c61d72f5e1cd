"""Anchors: a few fixed configurations that every machine measures again and again.

They tell machines, and hours of one machine, from settings. They are kept beside the samples, in
``data/steering/<study>/<profile>/anchors/<tool>/<cell>/i<NN>``: ordinary invocations of a profile
``<profile>-anchors``, so that no estimate of the study has more starts of some cells.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from modelstress.design.cell import Cell
from modelstress.design.plan import Run

SUFFIX = "-anchors"
ANCHORS = "anchors"
"""Folder of anchors among what a coordinator keeps."""


def choose(cells: Sequence[Cell], count: int) -> list[Cell]:
    """Cells that are spread over a plan: each next one differs in most factors from all before.

    The same cells give the same choice, in whatever order they come. Cells whose start is not
    their own, copies and faults are as good as others; an anchor has a start to itself.

    Args:
        cells: of the plan.
        count: how many; all of them where there are fewer.
    """
    ordered = sorted(cells, key=lambda cell: cell.id)
    if not ordered or count < 1:
        return []
    names = sorted({name for cell in ordered for name in cell.levels})
    codes = np.empty((len(ordered), len(names)), np.int32)
    for column, name in enumerate(names):
        known: dict[str, int] = {}
        codes[:, column] = [
            known.setdefault(repr(cell.levels.get(name)), len(known)) for cell in ordered
        ]
    chosen = [0]
    nearest = (codes != codes[0]).sum(axis=1)
    while len(chosen) < min(count, len(ordered)):
        nearest[chosen] = -1
        chosen.append(int(nearest.argmax()))  # the first by id where several are as far
        nearest = np.minimum(nearest, (codes != codes[chosen[-1]]).sum(axis=1))
    return [ordered[place] for place in chosen]


def anchor_run(cell: Cell, number: int, seed: int) -> Run:
    """One measurement of an anchor; its seed is its own."""
    own = random.Random(f"{seed}/anchor/{number}/{cell.id}").getrandbits(31)
    return Run(replace(cell, profile=f"{cell.profile}{SUFFIX}"), number, 0, own)
