"""The comparisons that a study asks for, and the shape of every cell's latencies."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.contrasts import (
    Group,
    Record,
    adjusted,
    compared,
    flags,
    groups,
    latencies,
)
from modelstress.analysis.derived import Derived
from modelstress.config.study import Comparison, Study

Row = dict[str, Any]


def compare(derived: Derived, study: Study) -> tuple[list[Row], list[Row]]:
    """Rows of the tables `comparisons` and `groups`; a comparison without cells has none."""
    rows: list[Row] = []
    tested: list[Row] = []
    for name, comparison in study.comparisons.items():
        match = [column for column in comparison.matched(study.factors) if column in derived.cells]
        found = _groups(derived, comparison, match)
        mine = _rows(derived, comparison, found)
        if not mine:
            continue
        p = adjusted(pd.Series([row["p"] for row in mine]), "holm")
        rows += [
            {"comparison": name, **row, "p_adjusted": each}
            for row, each in zip(mine, p, strict=True)
        ]
        if comparison.groups:
            tested += [
                {"comparison": name, **_tested(derived, group, match)}
                for group in found
                if len(group.members) > 1
            ]
    return rows, tested


def _groups(derived: Derived, comparison: Comparison, match: Sequence[str]) -> list[Group]:
    """None where no cell has a factor that is compared."""
    if not {*comparison.baseline, *comparison.level} <= set(derived.cells):
        return []
    only = {name: level for name, level in comparison.only.items() if name in derived.cells}
    return groups(derived.cells, match, comparison.baseline, comparison.level, only)


def _rows(derived: Derived, comparison: Comparison, found: Sequence[Group]) -> list[Row]:
    """Compared cells in the order of the cells, with Dunn's p where groups are tested."""
    rows: dict[int, Row] = {}
    for group in found:
        if len(group.baselines) != 1:
            continue
        [base] = group.baselines.values()
        dunn = _dunn(derived, group) if comparison.groups else {}
        for place, cell in group.compared.items():
            rows[place] = compared(derived, cell, base) | {"dunn_p": dunn.get(place, np.nan)}
    return [rows[place] for place in sorted(rows)]


def _pool(derived: Derived, cell: Record) -> stats.Values:
    """All latencies of a cell, ms."""
    found = latencies(derived, cell)
    return np.concatenate(found) if len(found) else np.empty(0)


def _dunn(derived: Derived, group: Group) -> dict[int, float]:
    """Dunn's p of each cell against the baseline, adjusted by Bonferroni over all pairs."""
    pairs = stats.dunn([_pool(derived, cell) for cell in group.members], "bonferroni")
    # the baseline is the first member
    return dict(zip(group.compared, (pair.p for pair in pairs if pair.first == 0), strict=True))


def _tested(derived: Derived, group: Group, match: Sequence[str]) -> Row:
    """Kruskal–Wallis over all cells of a group."""
    cells = group.members
    pools = [_pool(derived, cell) for cell in cells]
    test = stats.kruskal_wallis(pools)
    return {
        **{name: cells[0][name] for name in (*match, "executor", "topology")},
        "cells": len(cells), "n": sum(pool.size for pool in pools), "h": test.statistic,
        "p": test.p, "flags": flags(test.caveats, *cells),
    }  # fmt: skip


def shapes(derived: Derived) -> Iterator[Row]:
    """Shapiro–Wilk and skewness of every cell's latencies."""
    for cell in derived.cells.to_dict("records"):
        pool = _pool(derived, cell)
        normal = stats.shapiro_wilk(pool)
        skewness = float(pd.Series(pool).skew()) if normal.w == normal.w else np.nan
        yield {
            **{name: cell[name] for name in ("tool", "cell", *derived.factors)},
            "n": pool.size, "w": normal.w, "p": normal.p, "skewness": skewness,
            "flags": flags(normal.caveats, cell),
        }  # fmt: skip
