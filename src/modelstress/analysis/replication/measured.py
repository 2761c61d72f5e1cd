"""Our side of an entry: one function for each kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from modelstress import stats
from modelstress.analysis.contrasts import lasted, ranked
from modelstress.analysis.replication import choose
from modelstress.analysis.replication.choose import Key, Scope
from modelstress.config import published_values
from modelstress.config.levels import written
from modelstress.stats.results import Ratio
from modelstress.stats.thresholds import THRESHOLDS

UNCLEAR = "no clear difference"
NAN = float("nan")


@dataclass(frozen=True)
class Measured:
    """What was found here.

    ``value`` with the interval or range ``low`` to ``high``, in the entry's unit; ``of``: how many
    it counts among. ``direction`` is one of the kind's, UNCLEAR, or empty where it has none.
    ``detail`` says in words what a number cannot. ``cells`` are all that it rests on.
    """

    value: float = NAN
    low: float = NAN
    high: float = NAN
    of: int | None = None
    direction: str = ""
    detail: str = ""
    cells: tuple[Key, ...] = ()
    flags: tuple[str, ...] = ()


class Missing(Exception):  # noqa: N818
    """There is nothing to hold against the paper; the message says what is not there."""


@singledispatch
def measure(how: published_values.Kind, scope: Scope) -> Measured:
    """Our side of an entry.

    Raises:
        Missing: the cells were not measured, or have no number.
    """
    raise NotImplementedError(type(how).__name__)


@measure.register
def _(how: published_values.MedianOf, scope: Scope) -> Measured:
    cell = one(scope.pick(how.cells))
    if pd.isna(cell["median_ms"]):
        raise Missing("the cell has no median")
    low, high = float(cell["median_low_ms"]), float(cell["median_high_ms"])
    return Measured(float(cell["median_ms"]), low, high, cells=key(cell), flags=flags(cell))


@measure.register
def _(how: published_values.LargestLatency, scope: Scope) -> Measured:
    cells = some(scope.pick(how.cells))
    largest = [_largest(scope, cell) for _, cell in cells.iterrows()]
    largest = [value for value in largest if value == value]
    if not largest:
        raise Missing("no execution was answered")
    return Measured(max(largest) / 1000, cells=choose.keys(cells), flags=flags_of(cells))


def _largest(scope: Scope, cell: "pd.Series[Any]") -> float:
    answered = [start[np.isfinite(start)] for start in starts_of(scope, cell)]
    return float(max((start.max() for start in answered if start.size), default=NAN))


@measure.register
def _(how: published_values.RatioOfMedians, scope: Scope) -> Measured:
    cells, partners = scope.pick(how.cells), scope.pick(how.beside)
    paired = choose.pairs(some(cells), some(partners), how.match or load_of(scope))
    if not paired:
        raise Missing("no cell has exactly one other beside it")
    ratio_pairs = [(cell, beside, *_ratio(scope, cell, beside)) for cell, beside in paired]
    finite_pairs = [pair for pair in ratio_pairs if np.isfinite(pair[2].value)]
    if not finite_pairs:
        raise Missing("one of the cells has no median")
    rows = pd.DataFrame([row for cell, beside, *_ in finite_pairs for row in (cell, beside)])
    cell_flags = tuple(
        dict.fromkeys((*flags_of(rows), *(f for pair in finite_pairs for f in pair[3])))
    )
    sides = [_side(pair[2]) for pair in finite_pairs]
    if len(finite_pairs) == 1:
        ratio, ends = finite_pairs[0][2], finite_pairs[0][2].interval
        low, high = (ends.low, ends.high) if ends else (NAN, NAN)
        return Measured(
            ratio.value, low, high, direction=sides[0], cells=choose.keys(rows), flags=cell_flags
        )
    values = [pair[2].value for pair in finite_pairs]
    return Measured(
        float(np.median(values)), min(values), max(values), direction=majority(sides),
        detail=tally(sides, "pairs"), cells=choose.keys(rows), flags=cell_flags,
    )  # fmt: skip


def _ratio(
    scope: Scope, cell: "pd.Series[Any]", beside: "pd.Series[Any]"
) -> tuple[Ratio, tuple[str, ...]]:
    """Over starts, paired, where the study compares the cells; else over invocations.

    With one start of each, that of random pairs within it.
    """
    claimed = scope.over_starts(key(cell)[0], key(beside)[0])
    if claimed is not None:
        return claimed, ()
    starts, beside_starts = starts_of(scope, cell), starts_of(scope, beside)
    first, second = pool(starts), pool(beside_starts)
    if not first.size or not second.size or min(first.min(), second.min()) <= 0:
        return Ratio(NAN, None), ()
    over = stats.ratio_over_invocations(
        starts, beside_starts, scope.derived.confidence,
        lasted=lasted(cell["timeout_ms"], beside["timeout_ms"]),
    )  # fmt: skip
    if over.interval is not None:
        return over, ()
    within = stats.median_ratio(first, second, scope.derived.confidence)
    return Ratio(over.value, within.interval), ("within-one-start",)


def starts_of(scope: Scope, cell: "pd.Series[Any]") -> Sequence[stats.Values]:
    """Latencies (ms) of each used invocation of a cell, with an infinity for each timeout."""
    return ranked(scope.derived, {"tool": cell["tool"], "cell": cell["cell"]})


def pool(starts: Sequence[stats.Values]) -> stats.Values:
    """All latencies of a cell, ms, with an infinity for each timeout."""
    return np.concatenate(starts) if len(starts) else np.empty(0)


def _side(ratio: Ratio) -> str:
    if ratio.interval is None:
        return UNCLEAR
    return _against_one(ratio.interval.low, ratio.interval.high)


def _against_one(low: float, high: float) -> str:
    return "slower" if low > 1 else "faster" if high < 1 else UNCLEAR


@measure.register
def _(how: published_values.ShiftInterval, scope: Scope) -> Measured:
    row = one(scope.compared(how.comparison, how.cells))
    if pd.isna(row["shift_ms"]):
        raise Missing("one of the cells has no latencies")
    low, high = float(row["shift_low_ms"]), float(row["shift_high_ms"])
    side = "slower" if low > 0 else "faster" if high < 0 else UNCLEAR
    return Measured(
        float(row["shift_ms"]), low, high, direction=side, cells=_both(row), flags=flags(row)
    )


@measure.register
def _(how: published_values.SignOfDelta, scope: Scope) -> Measured:
    rows = tested(scope.compared(how.comparison, how.cells), "p")
    sides = [_decided(row) for _, row in rows.iterrows()]
    slower = sides.count("slower")
    low, high = share(slower, len(sides), scope)
    return Measured(
        slower / len(sides), low, high, direction=majority(sides),
        detail=tally(sides, "cells"), cells=both_of(rows), flags=flags_of(rows),
    )  # fmt: skip


def _decided(row: "pd.Series[Any]") -> str:
    """As the papers decide: p below 0.01, then the sign of Cliff's delta."""
    if not row["p"] < THRESHOLDS.alpha or row["delta"] == 0:
        return UNCLEAR
    return "slower" if row["delta"] > 0 else "faster"


@measure.register
def _(how: published_values.LargestDelta, scope: Scope) -> Measured:
    rows = tested(scope.compared(how.comparison, how.cells), "p")
    decided = rows[rows["p"] < THRESHOLDS.alpha]
    if decided.empty:
        detail = f"none of {len(rows)} cells is told from its baseline"
        return Measured(0.0, detail=detail, cells=both_of(rows), flags=flags_of(rows))
    worst = decided.loc[decided["delta"].abs().idxmax()]
    sign = 1 if worst["delta"] > 0 else -1
    low, high = sorted((sign * float(worst["delta_low"]), sign * float(worst["delta_high"])))
    return Measured(
        float(abs(worst["delta"])), low, high, cells=both_of(rows), flags=flags_of(rows),
        detail=f"{len(decided)} of {len(rows)} cells are told from their baselines",
    )  # fmt: skip


@measure.register
def _(how: published_values.Trend, scope: Scope) -> Measured:
    rows = scope.compared(how.comparison, how.cells)
    if how.threads is not None:
        rows = rows[rows[scope.projection.load].isin(how.threads)]
    load = scope.projection.load
    names = [f for f in scope.projection.factors if f in rows and f != load]
    moves, used = [], []
    for _, series in rows.groupby([rows[name].map(written) for name in names], sort=False):
        ordered = series.sort_values(load)
        move = _move(ordered.iloc[0], ordered.iloc[-1], how, scope) if len(ordered) > 1 else None
        if move is not None:
            moves.append(move)
            used += [ordered.iloc[0], ordered.iloc[-1]]
    if not moves:
        raise Missing("no configuration has numbers for two numbers of threads")
    ends = pd.DataFrame(used)
    return Measured(
        direction=majority(moves), detail=tally(moves, "configurations"),
        cells=both_of(ends), flags=flags_of(ends),
    )  # fmt: skip


def load_of(scope: Scope) -> list[str]:
    """The factor of the load, as what a cell and the one beside it agree in."""
    return [scope.projection.load] if scope.projection.load else []


def _move(
    first: "pd.Series[Any]", last: "pd.Series[Any]", how: published_values.Trend, scope: Scope
) -> str | None:
    """Whether the number rises or falls by more than its intervals; None without numbers."""
    begin, end = _ends(first, how.of, scope), _ends(last, how.of, scope)
    load = scope.projection.load
    if begin is None or end is None or first[load] == last[load]:
        return None
    return "rises" if end[0] > begin[1] else "falls" if end[1] < begin[0] else UNCLEAR


def _ends(row: "pd.Series[Any]", of: str, scope: Scope) -> tuple[float, float] | None:
    """Interval of a number; a ratio's is over starts, else over invocations or within a start."""
    if of != "delta":
        cell, baseline = _both(row)
        sides = (baseline, cell) if of == "baseline ratio" else (cell, baseline)
        claimed = scope.over_starts(*sides)
        if claimed is not None and claimed.interval is not None:
            return claimed.interval.low, claimed.interval.high
    names = ("delta",) if of == "delta" else ("over_ratio", "ratio")
    for name in names:
        low, high = float(row[f"{name}_low"]), float(row[f"{name}_high"])
        if low == low and high == high:
            return (1 / high, 1 / low) if of == "baseline ratio" else (low, high)
    return None


@measure.register
def _(how: published_values.Crossover, scope: Scope) -> Measured:
    paired = choose.pairs(some(scope.pick(how.cells)), some(scope.pick(how.beside)), load_of(scope))
    points = [(int(a[scope.projection.load]), a, b, *_ratio(scope, a, b)) for a, b in paired]
    finite_points = sorted(
        (point for point in points if np.isfinite(point[3].value)), key=lambda e: e[0]
    )
    if len(finite_points) < 2:
        raise Missing("fewer than two numbers of threads have both cells")
    sides = {count: _side(ratio) for count, _, _, ratio, _ in finite_points}
    faster = [count for count, side in sides.items() if side == "faster"]
    slower = [count for count, side in sides.items() if side == "slower"]
    begin = min((count for count in slower if count > max(faster, default=0)), default=None)
    if not slower:
        direction = "never slower" if faster else UNCLEAR
    elif not faster:
        direction = "always slower"
    else:
        direction = "crosses" if begin is not None else UNCLEAR
    detail = "; ".join(f"{count}: {side}" for count, side in sides.items())
    rows = pd.DataFrame([row for _, a, b, *_ in finite_points for row in (a, b)])
    cell_flags = tuple(
        dict.fromkeys((*flags_of(rows), *(f for point in finite_points for f in point[4])))
    )
    value = float(begin) if direction == "crosses" and begin else NAN
    return Measured(
        value, direction=direction, detail=detail, cells=choose.keys(rows), flags=cell_flags
    )


def share(count: int, of: int, scope: Scope) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share."""
    interval = binomtest(count, of).proportion_ci(scope.derived.confidence)
    return float(interval.low), float(interval.high)


def majority(sides: Sequence[str]) -> str:
    """What more than half of them say."""
    for side in dict.fromkeys(sides):
        if 2 * sides.count(side) > len(sides):
            return side
    return UNCLEAR


def tally(sides: Sequence[str], what: str) -> str:
    """How many say what, such as `3 slower, 1 faster of 4 cells`."""
    counts = {side: sides.count(side) for side in dict.fromkeys(sides)}
    return ", ".join(f"{n} {side}" for side, n in counts.items()) + f" of {len(sides)} {what}"


def one(rows: pd.DataFrame) -> "pd.Series[Any]":
    """The only row there is."""
    if len(rows) > 1:
        raise Missing(f"{len(rows)} cells stand for the paper's one")
    return some(rows).iloc[0]


def some(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, one at least."""
    if rows.empty:
        raise Missing("the cells were not measured")
    return rows


def tested(rows: pd.DataFrame, p: str) -> pd.DataFrame:
    """The rows whose test has a result."""
    some(rows)
    if rows[p].isna().all():
        raise Missing("nothing could be tested")
    return rows[rows[p].notna()]


def key(row: "pd.Series[Any]") -> tuple[Key, ...]:
    """Tool and cell of a row."""
    return ((str(row["tool"]), str(row["cell"])),)


def _both(row: "pd.Series[Any]") -> tuple[Key, ...]:
    return (*key(row), (str(row["baseline_tool"]), str(row["baseline_cell"])))


def both_of(rows: pd.DataFrame) -> tuple[Key, ...]:
    """The cells of a comparison and their baselines, each once."""
    cell_keys: Iterable[Key] = (cell_key for _, row in rows.iterrows() for cell_key in _both(row))
    return tuple(dict.fromkeys(cell_keys))


def flags(row: "pd.Series[Any]") -> tuple[str, ...]:
    """The codes of a row."""
    return tuple(filter(None, str(row["flags"]).split(";")))


def flags_of(rows: pd.DataFrame) -> tuple[str, ...]:
    """All flags of some rows, each once."""
    return tuple(dict.fromkeys(code for _, row in rows.iterrows() for code in flags(row)))
