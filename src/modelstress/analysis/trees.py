"""The combinations of options that the slowest cells have in common, as trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.grouped import groups, levels_of, medians
from modelstress.analysis.projection import Projection
from modelstress.stats.trees import Tree, tree

OR = " or "
"""Between the levels of an edge."""


def trees(
    cells: pd.DataFrame, projection: Projection, worst: Sequence[float], chance: float
) -> list[dict[str, Any]]:
    """Rows of the table `trees`: a row for each node of each tree.

    Cells that differ in options only have a tree for each share of the worst. Cells without a
    median are in none, but those that mostly timed out, which are among the worst.

    Args:
        cells: the derived table of cells.
        projection: which factors have a role.
        worst: shares of the cells that count as the worst.
        chance: that a tree of pure noise is told.
    """
    rows: list[dict[str, Any]] = []
    for group in groups(cells, projection, two_levels=False):
        values = medians(group.cells)
        known = ~np.isnan(values)
        if not known.any() or not group.options:
            continue
        there = group.cells[known]
        levels = levels_of(there, group.options)
        for share in worst:
            found = tree(levels, values[known], share, chance)
            about = {
                **group.shared, "worst_share": share, "cells": found.runs,
                "options": len(group.options), "left_out": int((~known).sum()),
            }  # fmt: skip
            rows += [{**about, **row} for row in _nodes(found)]
    return rows


def _nodes(found: Tree) -> Iterator[dict[str, Any]]:
    placebo = float(found.placebos.max()) if found.placebos.size else float("nan")
    about = {
        "cutoff_ms": found.cutoff, "quality": found.quality, "placebo_quality": placebo,
        "placebos": found.placebos.size, "told": found.told,
        "flags": ";".join(caveat.code for caveat in found.caveats),
    }  # fmt: skip
    for node in found.nodes:
        yield {
            **about, "node": node.number, "node_parent": node.parent if node.parent >= 0 else None,
            "node_depth": node.depth, "option": node.option, "level": OR.join(node.levels),
            "split": node.split, "node_cells": node.runs, "node_worst": node.worst,
            "node_share": node.share, "bad": node.bad and found.told,
        }  # fmt: skip
