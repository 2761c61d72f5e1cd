"""A part of a configuration space against the whole of it (use case 1 of skoll-ccmperf)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelstress import stats
from modelstress.analysis.grouped import medians
from modelstress.analysis.projection import Projection
from modelstress.analysis.screened import screened
from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.config.levels import written
from modelstress.stats.results import Caveat, Values

ANY = "*"
"""Level of an option that is left open."""


@dataclass(frozen=True)
class Subspace:
    """The cells that have some levels, beside all cells.

    Attributes:
        fixed: option to its level, as it is written.
        left: options that are open, and vary inside.
        cells: how many of the whole have a value.
        fitting: how many of them are inside.
        unmeasured: cells of the whole without a value.
        whole: values of all cells, ascending; infinite where a median lies among timeouts.
        chosen: values of the cells inside, ascending.
        ratio: inside over all other cells: of the median of all their ratios; NaN where it cannot
            be stated.
        ratio_low: lower end of its 99 % interval over cells.
        ratio_high: upper end.
        p: of Mann–Whitney's test, two-sided, of the cells inside against all others.
        effects: those of the options that are left, as rows of the derived table `effects`; empty
            where they were not asked for, or fewer than three options are left.
        caveats: what a reader must know.
    """

    fixed: dict[str, str]
    left: tuple[str, ...]
    cells: int
    fitting: int
    unmeasured: int
    whole: Values = field(repr=False)
    chosen: Values = field(repr=False)
    ratio: float
    ratio_low: float
    ratio_high: float
    p: float
    effects: pd.DataFrame = field(repr=False)
    caveats: tuple[Caveat, ...] = ()


def subspace(
    cells: pd.DataFrame,
    fixed: Mapping[str, Level],
    *,
    invocations: pd.DataFrame | None = None,
    projection: Projection | None = None,
    chance: float = 0.01,
    measure: str = "median_ms",
) -> Subspace:
    """Hold the cells with some levels against the whole space.

    The cells are those of a designed experiment: each stands for one setting of all options, so
    that a distribution over cells says how settings differ, and nothing of single executions.
    Cells inside are tested against those outside, for the whole contains both.

    Args:
        cells: rows of `Derived.cells` that are held against one another.
        fixed: option to its level; an option that is not named, or has the level ``*``, is open.
        invocations: of the same data; with it and `projection` there are effects inside.
        projection: of the same data.
        chance: that any effect of pure noise is called strong.
        measure: a column of the cells with numbers above 0.

    Raises:
        ConfigError: an option, level or measure is unknown, or no cell has these levels.
    """
    if measure not in cells:
        raise ConfigError(f"cells have no column {measure!r}{nearest(measure, cells.columns)}")
    chosen = {name: written(level) for name, level in fixed.items() if written(level) != ANY}
    kept = inside(cells, chosen, projection.factors if projection else cells.columns)
    values = _values(cells, measure)
    known = ~np.isnan(values)
    whole, within = values[known], values[known & kept]
    if not within.size:
        told = " and ".join(f"{name} {level}" for name, level in chosen.items())
        raise ConfigError(f"no measured cell has {told}; leave more options open (*)")
    part = cells[kept]
    options = [n for n in (projection.factors if projection else ()) if n in cells]
    left = [n for n in options if n not in chosen and part[n].map(written).nunique() > 1]
    found = pd.DataFrame()
    if invocations is not None and projection is not None:
        found = pd.DataFrame(screened(part, invocations, projection, chance))
    ratio, low, high, p, caveats = _against(within, values[known & ~kept])
    return Subspace(
        chosen, tuple(left), whole.size, within.size, int((~known).sum()), np.sort(whole),
        np.sort(within), ratio, low, high, p, found, caveats,
    )  # fmt: skip


def inside(
    cells: pd.DataFrame, chosen: Mapping[str, str], known: Iterable[str]
) -> NDArray[np.bool_]:
    """Return which cells have all of these levels.

    Raises:
        ConfigError: an option is not among those that are known, or no cell has its level.
    """
    kept = np.ones(len(cells), dtype=bool)
    options = list(known)
    for name, level in chosen.items():
        if name not in options or name not in cells:
            raise ConfigError(f"there is no option {name!r}{nearest(name, options)}")
        words = cells[name].map(written)
        if level not in set(words):
            raise ConfigError(f"option {name!r} has no level {level!r}{nearest(level, set(words))}")
        kept &= (words == level).to_numpy()
    return kept


def _values(cells: pd.DataFrame, measure: str) -> Values:
    if measure == "median_ms":
        return medians(cells)
    values: Values = cells[measure].to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _against(
    inside: Values, outside: Values
) -> tuple[float, float, float, float, tuple[Caveat, ...]]:
    """Return the ratio of the cells inside to the others, its interval, p, and what to know."""
    nan = float("nan")
    if not outside.size:
        return nan, nan, nan, nan, (Caveat("all", "all cells are inside"),)
    p = stats.mann_whitney(inside, outside).p
    if min(inside.min(), outside.min()) <= 0:
        return nan, nan, nan, p, (Caveat("not-positive", "a value is 0 and has no ratio"),)
    shift = stats.hodges_lehmann(np.log(inside), np.log(outside))
    if shift.interval is None:
        return float(np.exp(shift.value)), nan, nan, p, shift.caveats
    ends = np.exp([shift.value, shift.interval.low, shift.interval.high])
    return float(ends[0]), float(ends[1]), float(ends[2]), p, shift.caveats
