"""Effects of factors with two levels on the latency of cells of a fraction or a full design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelstress.analysis.grouped import groups
from modelstress.analysis.projection import Projection
from modelstress.stats.effects import Effects, effects, named
from modelstress.stats.fitted_effects import fitted
from modelstress.stats.machines import linear_fit, within_machines
from modelstress.stats.results import Values

IRREGULAR = "irregular"
"""Flag of cells that are no regular fraction, since some are missing or forbidden."""
UNMEASURED = "unmeasured"
"""Flag of cells some of which have no latency."""
CONTRASTS, LEAST_SQUARES = "contrasts", "least squares"
"""How effects are estimated."""
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
    found, method = _estimated(_seconds(cells, options), *_starts(cells, used), chance)
    if found is None:
        yield {**runs, "flags": IRREGULAR}
        return
    if not found.effects:
        yield {**runs, "flags": ";".join(caveat.code for caveat in found.caveats)}
    yield from ({**runs, **row, "method": method} for row in _effects(found))


def _seconds(cells: pd.DataFrame, options: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Return whether each cell has the second level of an option."""
    words = {name: cells[name].map(str) for name in options}
    return {name: (column != _first(column)).to_numpy() for name, column in words.items()}


def _starts(cells: pd.DataFrame, used: pd.DataFrame) -> tuple[list[Values], list[list[str]]]:
    """Return logarithms of the medians of each cell's starts, and the machines of these."""
    of_cells = dict(list(used.groupby(["tool", "cell"])))
    rows = [of_cells[key] for key in zip(cells["tool"], cells["cell"], strict=True)]
    starts = [np.log(one["median_ms"].to_numpy(dtype=np.float64)) for one in rows]
    return starts, [list(map(str, one["machine"])) for one in rows]


def _estimated(
    seconds: dict[str, NDArray[np.bool_]],
    starts: list[Values],
    machines: list[list[str]],
    chance: float,
) -> tuple[Effects | None, str]:
    """Return the effects, None where the design has none, and how they were estimated.

    By contrasts on one machine and where the design is regular, else by least squares.
    """
    several = len({name for names in machines for name in names}) > 1
    if not several:
        try:
            return effects(seconds, starts, chance), CONTRASTS
        except ValueError:
            pass  # some cells are missing or forbidden
    try:
        found, fit = fitted(seconds, starts, machines, chance)
    except ValueError:
        return None, ""
    return found, f"{LEAST_SQUARES}, {fit.method}" if fit and fit.method else LEAST_SQUARES


def machines(
    cells: pd.DataFrame, invocations: pd.DataFrame, projection: Projection
) -> list[dict[str, Any]]:
    """Rows of the table `machines`: how much each is slower than all of them, cell by cell.

    Cells that differ in options only have rows where their starts are from several machines.
    """
    rows: list[dict[str, Any]] = []
    used = invocations[invocations["used"].fillna(False).astype(bool)]
    for group in groups(cells, projection, two_levels=True):
        there = group.cells[group.cells["median_ms"].notna()]
        starts, names = _starts(there, used)
        flat = [name for of_cell in names for name in of_cell]
        if len(set(flat)) < 2:
            continue
        each = np.repeat(np.eye(len(there)), [len(of_cell) for of_cell in names], axis=0)
        each[:, 0] = 1.0  # the constant, and each other cell's difference from the first
        responses = np.concatenate(starts)
        if not np.isfinite(responses).all():
            continue  # the median of a start lies among timeouts
        fit = linear_fit(each, responses, flat)
        apart = within_machines(each, flat).all()
        about = {
            **group.shared, "cells": len(there), "method": fit.method if apart else "",
            "reason": fit.reason if apart else "too few cells were measured by several machines",
        }  # fmt: skip
        rows += [
            {**about, "machine": one.name, "starts": one.starts,
             "ratio": float(np.exp(one.offset)) if apart else None}
            for one in fit.machines
        ]  # fmt: skip
    return rows


def _first(words: pd.Series[str]) -> str:
    """The level that effects are held against: that of the first cell, which has them all."""
    return str(words.iloc[0])


def _effects(found: Effects) -> Iterator[dict[str, Any]]:
    for effect in found.effects:
        likely = found.likely(effect)
        # The first cell has the first level of all options. So what is aliased with the estimate's
        # own term, and has an odd number of options where that has an even one, is its opposite.
        opposite = (len(likely[0]) - len(effect.terms[0])) % 2
        yield {
            "terms": named(effect.terms),
            "likely": named(likely),
            "terms_order": effect.order,
            "ratio": float(np.exp(-effect.estimate if opposite else effect.estimate)),
            "margin_ratio": float(np.exp(effect.margin)),
            "strong": effect.strong,
            "variance_share": effect.share,
            "partly": "; ".join(f"{named([term])} ({by:+.2f})" for term, by in effect.partly),
            "flags": "",
        }
