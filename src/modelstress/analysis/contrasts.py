"""Cells beside a baseline: which is slower, by how much, and how often?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from modelstress import stats
from modelstress.analysis.derive import Derived
from modelstress.config.errors import ConfigError
from modelstress.stats.results import Caveat, Interval

SIGNIFICANCE = 0.01


def contrasts(
    derived: Derived, match: Sequence[str], baseline: Mapping[str, object], adjust: str = "holm"
) -> pd.DataFrame:
    """Compare every cell with the baseline's cell that agrees with it in the matched columns.

    Two shapes of question: what one factor does (``match`` has all other factors, ``baseline`` a
    level of it: HTTP beside TCP), and how configurations compare on one task (``match`` has the
    task and the threads, ``baseline`` names a tool). Groups with several baseline cells, and
    those with none, are left out; ``unmatched`` lists them.

    Args:
        derived: cells with their latencies.
        match: columns of ``derived.cells`` in which a cell and its baseline agree.
        baseline: level by column of the baseline cells.
        adjust: how p-values are adjusted over all rows: ``holm`` or ``bonferroni``.

    Returns:
        One row per compared cell, in the order of ``derived.cells``: ``tool``, ``cell``, the
        factors, title, executor and topology, ``baseline_tool``, ``baseline_cell``, both numbers
        of values, ``u``, ``p``, ``p_adjusted``, ``delta`` (Cliff's; +1: always slower than the
        baseline) with interval and magnitude, ``shift_ms`` with interval, ``ratio`` of random
        pairs with interval, and flags. Statistics are blank where a cell has no latencies. All
        of them take executions as independent: they hold within the starts that were measured.

    Raises:
        ConfigError: a column is unknown.
    """
    for name in (*match, *baseline):
        if name not in derived.cells:
            raise ConfigError(f"there is no column {name!r} in the derived cells")
    rows = [
        {**_identity(cell, derived.factors), **_compared(derived, cell, beside)}
        for beside, cell in _pairs(derived.cells, match, baseline)
    ]
    frame = pd.DataFrame(rows)
    if not frame.empty:
        frame["p_adjusted"] = adjusted(frame["p"], adjust)
    return frame


def unmatched(
    derived: Derived, match: Sequence[str], baseline: Mapping[str, object]
) -> pd.DataFrame:
    """The cells that have no baseline, or several, with the number of them (``baselines``)."""
    found = []
    for group, chosen in _groups(derived.cells, match, baseline):
        if chosen.sum() != 1:
            found.append(group.assign(baselines=int(chosen.sum())))
    return pd.concat(found) if found else derived.cells.iloc[:0].assign(baselines=0)


def adjusted(p: "pd.Series[float]", method: str) -> "pd.Series[float]":
    """P-values adjusted for their number; blanks stay blank and do not count."""
    known = p.notna()
    values = p.copy()
    if known.any():
        values[known] = multipletests(p[known], method=method)[1]
    return values


def _groups(
    cells: pd.DataFrame, match: Sequence[str], baseline: Mapping[str, object]
) -> Iterator[tuple[pd.DataFrame, "pd.Series[bool]"]]:
    """Cells that agree in the matched columns, and which of them are the baseline's."""
    keys = [cells[name].map(lambda level: (level != level, str(level))) for name in match]
    settings = [cells["executor"], cells["topology"]]
    for _, group in cells.groupby([*keys, *settings], sort=False):
        chosen = pd.Series(True, index=group.index)
        for name, level in baseline.items():
            chosen &= group[name] == level
        yield group, chosen


def _pairs(
    cells: pd.DataFrame, match: Sequence[str], baseline: Mapping[str, object]
) -> list[tuple["pd.Series[Any]", "pd.Series[Any]"]]:
    """Each cell with its baseline's, in the order of the cells."""
    pairs = {}
    for group, chosen in _groups(cells, match, baseline):
        if chosen.sum() == 1:
            beside = group[chosen].iloc[0]
            pairs.update({index: (beside, cell) for index, cell in group[~chosen].iterrows()})
    return [pairs[index] for index in cells.index if index in pairs]


def _identity(cell: "pd.Series[Any]", factors: Sequence[str]) -> dict[str, Any]:
    shown = ("tool", "cell", *factors, "tool_title", "executor", "topology")
    return {name: cell[name] for name in shown}


def _compared(derived: Derived, cell: "pd.Series[Any]", beside: "pd.Series[Any]") -> dict[str, Any]:
    """The statistics of a cell beside its baseline."""
    mine, other = _pool(derived, cell), _pool(derived, beside)
    test = stats.mann_whitney(mine, other)
    delta = stats.cliffs_delta(mine, other, derived.confidence)
    shift = stats.hodges_lehmann(mine, other, derived.confidence)
    ratio = stats.median_ratio(mine, other, derived.confidence)
    found = (*test.caveats, *delta.caveats, *shift.caveats, *ratio.caveats)
    return {
        "baseline_tool": beside["tool"],
        "baseline_cell": beside["cell"],
        "n": mine.size,
        "baseline_n": other.size,
        "u": test.statistic,
        "p": test.p,
        "delta": delta.value,
        **_ends("delta", delta.interval),
        "magnitude": delta.magnitude,
        "shift_ms": shift.value,
        **_ends("shift", shift.interval, "_ms"),
        "ratio": ratio.value,
        **_ends("ratio", ratio.interval),
        "flags": _flags(found, cell, beside),
    }


def _pool(derived: Derived, cell: "pd.Series[Any]") -> stats.Values:
    """All latencies of a cell's used invocations, ms."""
    found = derived.latencies.get((cell["tool"], cell["cell"]), ())
    return np.concatenate(found) if found else np.empty(0)


def _ends(name: str, interval: Interval | None, unit: str = "") -> dict[str, float]:
    low, high = (interval.low, interval.high) if interval else (np.nan, np.nan)
    return {f"{name}_low{unit}": low, f"{name}_high{unit}": high}


def _flags(caveats: Sequence[Caveat], *cells: "pd.Series[Any]") -> str:
    """Codes of the comparison, and those of both cells, each once."""
    codes = [caveat.code for caveat in caveats]
    for cell in cells:
        codes += filter(None, str(cell["flags"]).split(";"))
    return ";".join(dict.fromkeys(codes))
