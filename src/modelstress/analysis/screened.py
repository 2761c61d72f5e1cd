"""Effects of factors with two levels on the latency of cells of a fraction or a full design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.grouped import groups
from modelstress.analysis.projection import Projection
from modelstress.stats.effects import Effects, effects, named

IRREGULAR = "irregular"
"""Flag of cells that are no regular fraction, since some are missing or forbidden."""
UNMEASURED = "unmeasured"
"""Flag of cells some of which have no latency."""
LEAST_OPTIONS = 3
"""Factors with two levels below which cells are no screening."""


def screened(
    cells: pd.DataFrame, invocations: pd.DataFrame, projection: Projection, chance: float
) -> list[dict[str, Any]]:
    """Rows of the table `effects`: a row for each contrast, of cells that differ in options only.

    Options are the factors with two levels that have no role; cells that differ in any other factor
    stand apart, and cells of another plan do not count. What is estimated is the logarithm of the
    median latency.

    Args:
        cells: the derived table of cells.
        invocations: and of invocations, of which the used ones are starts.
        projection: which factors have a role.
        chance: that any effect of pure noise is called strong.
    """
    rows: list[dict[str, Any]] = []
    used = invocations[invocations["used"].fillna(False).astype(bool)]
    for group in groups(cells, projection, two_levels=True):
        if len(group.options) >= LEAST_OPTIONS:
            rows += [
                {**group.shared, **row} for row in _rows(group.cells, used, group.options, chance)
            ]
    return rows


def _rows(
    cells: pd.DataFrame, used: pd.DataFrame, options: Sequence[str], chance: float
) -> Iterator[dict[str, Any]]:
    runs = {"cells": len(cells), "options": len(options)}
    if cells["median_ms"].isna().any():
        yield {**runs, "flags": UNMEASURED}
        return
    seconds = {}
    for name in options:
        words = cells[name].map(str)
        seconds[name] = (words != _first(words)).to_numpy()
    of_cells = dict(list(used.groupby(["tool", "cell"])["median_ms"]))
    keys = zip(cells["tool"], cells["cell"], strict=True)
    starts = [np.log(of_cells[key].to_numpy(dtype=np.float64)) for key in keys]
    try:
        found = effects(seconds, starts, chance)
    except ValueError:
        yield {**runs, "flags": IRREGULAR}
        return
    if not found.effects:
        yield {**runs, "flags": ";".join(caveat.code for caveat in found.caveats)}
    yield from ({**runs, **row} for row in _effects(found))


def _first(words: pd.Series[str]) -> str:
    """The level that effects are held against: that of the first cell, which has them all."""
    return str(words.iloc[0])


def _effects(found: Effects) -> Iterator[dict[str, Any]]:
    for effect in found.effects:
        yield {
            "terms": named(effect.terms),
            "likely": named(found.likely(effect)),
            "terms_order": effect.order,
            "ratio": float(np.exp(effect.estimate)),
            "margin_ratio": float(np.exp(effect.margin)),
            "strong": effect.strong,
            "variance_share": effect.share,
            "flags": "",
        }
