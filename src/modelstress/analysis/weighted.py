"""What is expected of a setting when the rest of the space is used by known proportions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.grouped import groups
from modelstress.analysis.projection import Projection
from modelstress.analysis.subspace import inside
from modelstress.config.base import Level
from modelstress.config.levels import written
from modelstress.stats.results import Values
from modelstress.stats.weighted import Expected, expected

Weights = Mapping[str, Mapping[Level, float]]
"""Factor to its levels and how much each is used."""


def weighted(
    cells: pd.DataFrame, invocations: pd.DataFrame, projection: Projection, weights: Weights
) -> list[dict[str, Any]]:
    """Rows of the table `weighted`: the expected latency of each level, the rest by its use.

    Args:
        cells: the derived table of cells.
        invocations: and of invocations, of which the used ones are starts.
        projection: which factors have a role.
        weights: of the levels of some factors; others have equal weights.
    """
    rows: list[dict[str, Any]] = []
    for group in groups(cells, projection, two_levels=False):
        known = group.cells[group.cells["median_ms"].notna()]
        about = {**group.shared, "cells": len(known), "left_out": len(group.cells) - len(known)}
        for option in group.options:
            for level in dict.fromkeys(known[option].map(written)):
                found = expect(known, invocations, group.options, weights, {option: level})
                rows.append({**about, "option": option, "level": level, **_row(found)})
    return rows


def expect(
    cells: pd.DataFrame,
    invocations: pd.DataFrame,
    options: tuple[str, ...],
    weights: Weights,
    fixed: Mapping[str, Level],
) -> Expected:
    """Return what is expected of a setting of some options, weighted by the use of all others.

    A cell weighs the product of the weights of its levels, without those of the options that are
    fixed. It stands beside the cells with other levels of these. Combinations that were not
    measured have no part: their weight is shared by those that were.

    Args:
        cells: measured cells that differ in options only.
        invocations: of the same data.
        options: in which they differ.
        weights: of the levels of some options; others have equal weights.
        fixed: option to its level.

    Raises:
        ConfigError: an option or a level is unknown.
    """
    used = invocations[invocations["used"].fillna(False).astype(bool)]
    of_cells = dict(list(used.groupby(["tool", "cell"])["median_ms"]))
    keys = zip(cells["tool"], cells["cell"], strict=True)
    starts = [of_cells[key].to_numpy(dtype=np.float64) for key in keys]
    chosen = {name: written(level) for name, level in fixed.items()}
    kept = inside(cells, chosen, options)
    weight = _weight(cells, {name: weights[name] for name in weights if name not in chosen})
    sides = [[run for run, within in zip(starts, mask, strict=True) if within]
             for mask in (kept, ~kept)]  # fmt: skip
    return expected(sides[0], weight[kept], sides[1], weight[~kept])


def _weight(cells: pd.DataFrame, weights: Weights) -> Values:
    """Return the product of the weights of each cell's levels."""
    product = np.ones(len(cells))
    for name, levels in weights.items():
        if name in cells:
            by_word = {written(level): use for level, use in levels.items()}
            # a level that a cell does not have, as where a factor means nothing, weighs all
            product *= [by_word.get(written(level), 1.0) for level in cells[name]]
    return product


def _row(found: Expected) -> dict[str, Any]:
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return {
        "level_cells": found.runs, "expected_ms": found.value, "ratio": found.ratio,
        "ratio_low": ends[0], "ratio_high": ends[1],
        "flags": ";".join(caveat.code for caveat in found.caveats),
    }  # fmt: skip
