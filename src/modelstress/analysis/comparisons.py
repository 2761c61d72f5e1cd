"""The comparisons that a study asks for, and the shape of every cell's latencies."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.contrasts import Group, adjusted, compared, flags, groups, latencies
from modelstress.analysis.derived import Derived
from modelstress.config.study import Comparison, Study

Row = dict[str, Any]


def compare(derived: Derived, study: Study) -> tuple[list[Row], list[Row]]:
    """Rows of the tables `comparisons` and `groups`; a comparison without cells has none."""
    rows: list[Row] = []
    tested: list[Row] = []
    for name, comparison in study.comparisons.items():
        found = _groups(derived, study, comparison)
        mine = _rows(derived, comparison, found)
        if not mine:
            continue
        p = adjusted(pd.Series([row["p"] for row in mine]), "holm")
        rows += [
            {"comparison": name, **row, "p_adjusted": each}
            for row, each in zip(mine, p, strict=True)
        ]
        if comparison.groups:
            columns = [*_present(derived, matched(study, comparison)), "executor", "topology"]
            tested += [
                {"comparison": name, **{c: group.cells[c].iloc[0] for c in columns}, **row}
                for group in found
                for row in _tested(derived, group)
            ]
    return rows, tested


def matched(study: Study, comparison: Comparison) -> list[str]:
    """Columns in which the cells of a comparison agree."""
    return comparison.matched(study.factors)


def _groups(derived: Derived, study: Study, comparison: Comparison) -> list[Group]:
    """Groups with one baseline; none where no cell has a factor that is compared."""
    if not {*comparison.baseline, *comparison.level} <= set(derived.cells):
        return []
    only = {name: level for name, level in comparison.only.items() if name in derived.cells}
    match = _present(derived, matched(study, comparison))
    return groups(derived.cells, match, comparison.baseline, comparison.level or None, only)


def _present(derived: Derived, names: Sequence[str]) -> list[str]:
    """Without factors that no cell has: all agree in them."""
    return [name for name in names if name in derived.cells]


def _rows(derived: Derived, comparison: Comparison, found: Sequence[Group]) -> list[Row]:
    """Compared cells in the order of the cells, with Dunn's p where groups are tested."""
    places = {index: place for place, index in enumerate(derived.cells.index)}
    rows: dict[int, Row] = {}
    for group in found:
        if group.chosen.sum() != 1:
            continue
        base = group.cells[group.chosen].iloc[0]
        dunn = _dunn(derived, group) if comparison.groups else {}
        for index, cell in group.cells[group.compared].iterrows():
            row = compared(derived, cell, base)
            rows[places[index]] = row | {"dunn_p": dunn.get(index, np.nan)}
    return [rows[place] for place in sorted(rows)]


def _members(group: Group) -> pd.DataFrame:
    """The cells of a group that are compared with one another."""
    return group.cells[group.chosen | group.compared]


def _pools(derived: Derived, cells: pd.DataFrame) -> list[stats.Values]:
    """All latencies of each cell, ms."""
    found = [latencies(derived, cell) for _, cell in cells.iterrows()]
    return [np.concatenate(each) if len(each) else np.empty(0) for each in found]


def _dunn(derived: Derived, group: Group) -> dict[Any, float]:
    """Dunn's p of each cell against the baseline, adjusted by Bonferroni over all pairs."""
    cells = _members(group)
    base = int(np.flatnonzero(group.chosen[cells.index])[0])
    found: dict[Any, float] = {}
    for pair in stats.dunn(_pools(derived, cells), "bonferroni"):
        if base in (pair.first, pair.second):
            other = pair.second if pair.first == base else pair.first
            found[cells.index[other]] = pair.p
    return found


def _tested(derived: Derived, group: Group) -> Iterator[Row]:
    """Kruskal–Wallis over a group of two cells and more."""
    cells = _members(group)
    if len(cells) < 2:
        return
    pools = _pools(derived, cells)
    test = stats.kruskal_wallis(pools)
    codes = flags(test.caveats, *(cell for _, cell in cells.iterrows()))
    yield {
        "cells": len(cells), "n": sum(pool.size for pool in pools), "h": test.statistic,
        "p": test.p, "flags": codes,
    }  # fmt: skip


def shapes(derived: Derived) -> Iterator[Row]:
    """Shapiro–Wilk and skewness of every cell's latencies."""
    for _, cell in derived.cells.iterrows():
        found = latencies(derived, cell)
        pool = np.concatenate(found) if len(found) else np.empty(0)
        normal = stats.shapiro_wilk(pool)
        shown = {name: cell[name] for name in ("tool", "cell", *derived.factors)}
        skewness = float(pd.Series(pool).skew()) if normal.w == normal.w else np.nan
        yield shown | {
            "n": pool.size, "w": normal.w, "p": normal.p, "skewness": skewness,
            "flags": flags(normal.caveats, cell),
        }  # fmt: skip
