"""The comparisons that a study asks for, and the shape of every cell's latencies."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.contrasts import (
    Group,
    Record,
    adjusted,
    beside,
    compared_row,
    flags,
    groups,
    lasted,
    ranked,
    records,
)
from modelstress.analysis.derived import Derived
from modelstress.analysis.workers import Apply, plain
from modelstress.config.measures import LATENCY
from modelstress.config.study import Comparison, Study

Row = dict[str, Any]


def compare(derived: Derived, study: Study, apply: Apply = plain) -> tuple[list[Row], list[Row]]:
    """Rows of the tables `comparisons` and `groups`; a comparison without cells has none.

    Those of other measures than latency have a table of their own (`contrasted`). All pairs of
    cells are computed together, by `apply`.
    """
    requests = [request for request in asked_of(derived, study) if request.comparison.of == LATENCY]
    groups_of = {request.name: _groups(derived, request) for request in requests}
    pairs = [pair for request in requests for pair in _pairs(request.name, groups_of[request.name])]
    pairs.sort(key=lambda pair: pair.place)
    results = apply(
        beside,
        [ranked(derived, pair.cell) for pair in pairs],
        [ranked(derived, pair.baseline) for pair in pairs],
        repeat(derived.confidence),
        [lasted(pair.cell["timeout_ms"], pair.baseline["timeout_ms"]) for pair in pairs],
    )
    made: dict[str, dict[int, Row]] = {request.name: {} for request in requests}
    for pair, result in zip(pairs, results, strict=True):
        row = compared_row(derived, pair.cell, pair.baseline, *result)
        made[pair.comparison][pair.place] = {"comparison": pair.comparison, **row}
    tested: list[Row] = []
    for request in requests:
        rows = made[request.name]
        p = adjusted(pd.Series([row["p"] for row in rows.values()], dtype="float64"), "holm")
        for row, p_adjusted in zip(rows.values(), p, strict=True):
            row["p_adjusted"] = p_adjusted
        if request.comparison.groups and rows:
            several = [group for group in groups_of[request.name] if len(group.members) > 1]
            tested += [
                {"comparison": request.name, **_tested(derived, group, request.match)}
                for group in several
            ]
            _add_dunn(derived, several, rows, apply)
    return [row for rows in made.values() for row in rows.values()], tested


class Asked(NamedTuple):
    """A comparison of the study, and the columns that its cells agree in."""

    name: str
    comparison: Comparison
    match: list[str]


class Pair(NamedTuple):
    """A cell, by its place in all cells, and its baseline."""

    comparison: str
    place: int
    cell: Record
    baseline: Record


def asked_of(derived: Derived, study: Study) -> list[Asked]:
    """The comparisons of a study, whatever their measure."""
    return [
        Asked(name, comparison, _match(derived, study, comparison))
        for name, comparison in study.comparisons.items()
    ]


def pairs_of(derived: Derived, asked: Asked) -> list[Pair]:
    """The cells that a comparison is of, each with its one baseline."""
    return _pairs(asked.name, _groups(derived, asked))


def _pairs(name: str, groups_of_cells: Sequence[Group]) -> list[Pair]:
    return [
        Pair(name, place, cell, base)
        for group in groups_of_cells
        if len(group.baselines) == 1
        for base in group.baselines.values()
        for place, cell in group.compared.items()
    ]


def _match(derived: Derived, study: Study, comparison: Comparison) -> list[str]:
    """Without factors that no cell has: all agree in them."""
    return [name for name in comparison.matched(study.factors) if name in derived.cells]


def _groups(derived: Derived, request: Asked) -> list[Group]:
    """None where no cell has a factor that is compared."""
    comparison = request.comparison
    if not {*comparison.baseline, *comparison.level} <= set(derived.cells):
        return []
    only = {name: level for name, level in comparison.only.items() if name in derived.cells}
    return groups(derived.cells, request.match, comparison.baseline, comparison.level, only)


def _pool(derived: Derived, cell: Record) -> stats.Values:
    """All latencies of a cell, ms, with an infinity for each timeout."""
    by_invocation = ranked(derived, cell)
    return np.concatenate(by_invocation) if len(by_invocation) else np.empty(0)


def _add_dunn(
    derived: Derived, several: Sequence[Group], rows: dict[int, Row], apply: Apply
) -> None:
    """Dunn's p of each row against its baseline, adjusted by Bonferroni over all pairs."""
    named = [group for group in several if len(group.baselines) == 1]
    pools = [[_pool(derived, cell) for cell in group.members] for group in named]
    for group, pairs in zip(named, apply(stats.dunn, pools, repeat("bonferroni")), strict=True):
        against = [pair.p for pair in pairs if pair.first == 0]  # the baseline is the first member
        for place, p in zip(group.compared, against, strict=True):
            rows[place]["dunn_p"] = p


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
    """Shapiro–Wilk and skewness of every cell's answers in time; none where most timed out."""
    for cell in records(derived.cells):
        pool = _pool(derived, cell)
        answered = pool[np.isfinite(pool)]
        pool = answered if 2 * answered.size > pool.size else np.empty(0)
        normal = stats.shapiro_wilk(pool)
        skewness = cast("float", pd.Series(pool).skew()) if normal.w == normal.w else np.nan
        yield {
            **{name: cell[name] for name in ("tool", "cell", *derived.factors)},
            "n": pool.size, "w": normal.w, "p": normal.p, "skewness": skewness,
            "flags": flags(normal.caveats, cell),
        }  # fmt: skip
