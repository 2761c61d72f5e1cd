"""Groups of cells that differ in options only: what is screened by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from modelstress.analysis.flags import flagged
from modelstress.analysis.projection import Projection
from modelstress.config.levels import written
from modelstress.stats.results import Values

SETTING = ("executor", "topology")
"""Columns of what never stands beside another."""
UNPLANNED = "unplanned"
"""Flag of cells that were measured under another plan."""
CENSORED = "median-censored"
"""Flag of cells the median of which lies among timeouts."""


class Group(NamedTuple):
    """Cells that stand beside one another.

    Attributes:
        shared: column to what all of them have.
        cells: rows of the derived table.
        options: the factors in which they differ, in the order of the study.
    """

    shared: dict[str, Any]
    cells: pd.DataFrame
    options: tuple[str, ...]


def groups(cells: pd.DataFrame, projection: Projection, two_levels: bool) -> Iterator[Group]:
    """Divide cells into those that differ in options only; cells of another plan do not count.

    Options are the factors without a role.

    Args:
        cells: the derived table of cells.
        projection: which factors have a role.
        two_levels: whether factors with more levels are no options, but set groups apart.
    """
    cells = cells[~flagged(cells["flags"], UNPLANNED)]
    placed = {
        "tool",
        projection.operation,
        projection.load,
        projection.dataset,
        *projection.position,
    }
    there = [name for name in projection.factors if name in cells]
    apart = [n for n in there if n in placed or (two_levels and _levels(cells[n]) > 2)]
    apart += SETTING
    for _, of_group in cells.groupby(apart, sort=False, dropna=False):
        varied = [n for n in there if n not in apart and _levels(of_group[n]) > 1]
        yield Group({name: of_group.iloc[0][name] for name in apart}, of_group, tuple(varied))


def medians(cells: pd.DataFrame) -> Values:
    """Return the medians (ms), infinite where one lies among timeouts, NaN where nothing is known.

    A cell that times out is among the slowest; leaving it out would make its options look fast.
    """
    values = cells["median_ms"].to_numpy(dtype=np.float64, na_value=np.nan)
    among = flagged(cells["flags"], CENSORED).to_numpy()
    filled: Values = np.where(np.isnan(values) & among, np.inf, values)
    return filled


def levels_of(cells: pd.DataFrame, options: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the level of each cell in words, for each option."""
    return {name: list(map(written, cells[name])) for name in options}


def _levels(column: pd.Series[Any]) -> int:
    return len(column.map(written).unique())
