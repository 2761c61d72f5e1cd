"""The kinds that count, and those that were counted elsewhere."""

from dataclasses import replace

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.grouped import medians
from modelstress.analysis.replication import choose
from modelstress.analysis.replication.choose import Key, Scope
from modelstress.analysis.replication.measured import (
    UNCLEAR,
    Measured,
    Missing,
    both_of,
    flags,
    flags_of,
    key,
    measure,
    one,
    pool,
    share,
    some,
    starts_of,
    tested,
)
from modelstress.config import published_values
from modelstress.config.levels import written
from modelstress.stats.effects import OR, named
from modelstress.stats.thresholds import THRESHOLDS
from modelstress.stats.trees import worst_of


@measure.register
def _(how: published_values.CountOfOutcomes, scope: Scope) -> Measured:
    cells = some(scope.pick(how.cells))
    of = int(cells["executions"].sum())
    count = int(sum(cells[outcome].fillna(0).sum() for outcome in how.outcomes))
    low, high = share(count, of, scope)
    return Measured(
        count, low * of, high * of, of=of, direction="some" if count else "none",
        cells=choose.keys(cells), flags=flags_of(cells),
    )  # fmt: skip


@measure.register
def _(how: published_values.NormalCells, scope: Scope) -> Measured:
    cells = some(scope.pick(how.cells))
    rows = tested(choose.among(scope.derived.shapes, choose.keys(cells)), "p")
    return _counts(rows, rows["p"] >= THRESHOLDS.alpha, choose.keys(rows), scope)


@measure.register
def _(how: published_values.DunnNotRejected, scope: Scope) -> Measured:
    rows = tested(scope.compared(how.comparison, how.cells), "dunn_p")
    return _counts(rows, rows["dunn_p"] >= THRESHOLDS.alpha, both_of(rows), scope)


@measure.register
def _(how: published_values.GroupsThatDiffer, scope: Scope) -> Measured:
    rows = scope.derived.groups
    rows = rows[rows["comparison"] == how.comparison]
    if (dataset := scope.projection.dataset) in rows:
        rows = rows[rows[dataset].map(written).isin(scope.models.values())]
    rows = tested(rows[choose.having(rows, how.cells)], "p")
    cells = both_of(scope.compared(how.comparison, how.cells))
    return _counts(rows, rows["p"] < THRESHOLDS.alpha, cells, scope)


@measure.register
def _(how: published_values.DunnPair, scope: Scope) -> Measured:
    group = some(scope.pick(how.group))
    inside = group.reset_index(drop=True)
    first, second = (
        one(inside[choose.having(inside, side)]).name for side in (how.cells, how.beside)
    )
    pools = [pool(starts_of(scope, cell)) for _, cell in inside.iterrows()]
    wanted = {first, second}
    p = next(
        pair.p for pair in stats.dunn(pools, "bonferroni") if {pair.first, pair.second} == wanted
    )
    if p != p:
        raise Missing("one of the cells has no latencies")
    least = min(values.size for values in pools)
    return Measured(
        p, direction="alike" if p >= THRESHOLDS.alpha else "different",
        detail=f"in a group of {len(inside)} cells of {least} executions and more",
        cells=choose.keys(inside), flags=flags_of(inside),
    )  # fmt: skip


@measure.register
def _(how: published_values.AnatomyCount, scope: Scope) -> Measured:
    if scope.wire is None:
        raise Missing("no execution was captured")
    cells = scope.wire.cells
    cells = cells[(cells["captured"].fillna(0) > 0) & choose.having(cells, how.cells)]
    cell = one(cells)
    if pd.isna(cell[how.measure]):
        raise Missing(f"the capture has no {how.measure}")
    low, high = float(cell[f"{how.measure}_low"]), float(cell[f"{how.measure}_high"])
    return Measured(
        float(cell[how.measure]), low, high, cells=key(cell), flags=flags(cell),
        detail=f"{written(cell[scope.projection.operation])}, captured under {scope.wire.profile}; "
        f"executor {cell['executor']}; {cell['topology']}",
    )  # fmt: skip


@measure.register
def _(how: published_values.CountOfCells, scope: Scope) -> Measured:
    cells = some(scope.pick(how.cells))
    return Measured(float(len(cells)), cells=choose.keys(cells), flags=flags_of(cells))


@measure.register
def _(how: published_values.EffectOf, scope: Scope) -> Measured:
    rows, cells = scope.derived.effects, some(scope.chosen())
    if rows is None or "likely" not in rows:
        raise Missing("no effects were asked for")
    operation = scope.projection.operation
    there = rows[rows[operation].isin(cells[operation])] if operation in rows else rows
    wanted = {named([tuple(how.options)]), named([tuple(reversed(how.options))])}
    of_options = [bool(wanted & set(str(terms).split(OR))) for terms in there["likely"]]
    row = one(there[np.array(of_options, dtype=bool)])
    ratio, margin = float(row["ratio"]), float(row["margin_ratio"])
    side = "slower" if ratio > 1 else "faster"
    return Measured(
        ratio, ratio / margin, ratio * margin, direction=side if row["strong"] else UNCLEAR,
        detail=f"{row['likely']}, {int(row['cells'])} cells", cells=choose.keys(cells),
        flags=flags_of(cells),
    )  # fmt: skip


@measure.register
def _(how: published_values.ShareOfWorst, scope: Scope) -> Measured:
    cells = scope.pick(how.among)
    values = medians(cells)
    cells, values = cells[~np.isnan(values)], values[~np.isnan(values)]
    if not len(cells):
        raise Missing("no cell has a median")
    worst = cells[worst_of(values, how.worst)[0]]
    found = _counts(worst, choose.having(worst, how.cells), choose.keys(cells), scope)
    return replace(found, direction=side_of_half(found.low / len(worst), found.high / len(worst)))


def side_of_half(low: float, high: float) -> str:
    """Return whether an interval of a share lies on one side of a half: few cells say nothing."""
    return "many" if low > 0.5 else "few" if high < 0.5 else UNCLEAR


@measure.register
def _(how: published_values.ModelConstant, scope: Scope) -> Measured:
    model = scope.models.get(how.case)
    if model is None:
        raise Missing(f"no model of {how.case} was measured")
    value = scope.setting.models.get(model, {}).get(how.constant)
    if value is None:
        raise Missing(f"{model}: {how.constant} was not counted")
    return Measured(value, detail=model)


def _counts(
    rows: pd.DataFrame, true: "pd.Series[bool]", cells: tuple[Key, ...], scope: Scope
) -> Measured:
    """Some of all rows, as a number with the interval of its share."""
    count, of = int(true.sum()), len(rows)
    low, high = share(count, of, scope)
    return Measured(
        count, low * of, high * of, of=of, direction="few" if 2 * count < of else "many",
        cells=cells, flags=flags_of(rows),
    )  # fmt: skip
