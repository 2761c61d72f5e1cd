"""The kinds about throughput and outcomes of operations."""

import numpy as np
import pandas as pd

from modelstress.analysis import measures, selection
from modelstress.analysis.replication import choose
from modelstress.analysis.replication.choose import Scope
from modelstress.analysis.replication.measured import (
    UNCLEAR,
    Measured,
    Missing,
    flags,
    flags_of,
    key,
    load_of,
    majority,
    measure,
    one,
    share,
    some,
    tally,
)
from modelstress.config import published_values
from modelstress.config.measures import THROUGHPUT


@measure.register
def _(how: published_values.ThroughputOf, scope: Scope) -> Measured:
    cell = one(scope.pick(how.cells))
    if pd.isna(cell["throughput_per_s"]):
        raise Missing("the cell has no throughput")
    names = selection.COLUMNS["throughput"]
    value, low, high = (float(cell[name]) * how.times for name in names)
    return Measured(value, low, high, cells=key(cell), flags=flags(cell))


@measure.register
def _(how: published_values.RatioOfThroughputs, scope: Scope) -> Measured:
    of = measures.starts_of(scope.derived, THROUGHPUT)
    paired = choose.pairs(
        some(scope.pick(how.cells)), some(scope.pick(how.beside)), how.match or load_of(scope)
    )
    rows, values, ends, sides = [], [], [], []
    for cell, beside in paired:
        mine, other = (of({"tool": side["tool"], "cell": side["cell"]}) for side in (cell, beside))
        found, _ = measures.beside(THROUGHPUT, mine, other, scope.derived.confidence)
        if np.isfinite(found["ratio"]):
            rows += [cell, beside]
            values.append(float(found["ratio"]))
            ends.append((float(found["ratio_low"]), float(found["ratio_high"])))
            sides.append(_side(*ends[-1]))
    if not values:
        raise Missing("no two cells that belong beside each other have throughputs")
    frame = pd.DataFrame(rows)
    low, high = ends[0] if len(values) == 1 else (min(values), max(values))
    return Measured(
        float(np.median(values)), low, high, direction=majority(sides),
        detail=tally(sides, "pairs") if len(values) > 1 else "",
        cells=choose.keys(frame), flags=flags_of(frame),
    )  # fmt: skip


def _side(low: float, high: float) -> str:
    return "higher" if low > 1 else "lower" if high < 1 else UNCLEAR


@measure.register
def _(how: published_values.ShareOfOutcomes, scope: Scope) -> Measured:
    cells = some(scope.pick(how.cells))
    of = int(cells["executions"].sum() - sum(cells[one].fillna(0).sum() for one in how.without))
    count = int(sum(cells[outcome].fillna(0).sum() for outcome in how.outcomes))
    if of <= 0:
        raise Missing("no execution counts")
    low, high = share(count, of, scope)
    direction = "many" if low > 0.5 else "few" if high < 0.5 else UNCLEAR
    return Measured(
        100 * count / of, 100 * low, 100 * high, direction=direction,
        detail=f"{count} of {of}", cells=choose.keys(cells), flags=flags_of(cells),
    )  # fmt: skip
