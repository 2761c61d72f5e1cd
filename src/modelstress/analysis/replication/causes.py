"""Data that may explain why a direction is not the paper's: computed for any entry alike."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import cell_record, raw
from modelstress.analysis.replication.choose import KEY, Key, Scope, among

NAN = float("nan")
NS_PER_MS = 1e6
USED_UP = 0.9
"""Busy share of the server's CPU set from which on it is used up."""
WAITS = 0.5
"""Busy share below which the server waits more than it works."""
GC_MATTERS = 0.05
"""Share of the time in which garbage collection stopped the server."""
CUT_MATTERS = 0.01
"""Share of executions that were cut by their deadline."""
OTHER_SIZE = 2.0
"""Factor between the models' sizes from which on they are of different size."""
FEW = 0.5
"""Share of the paper's executions per cell below which ours are few."""

BY_NUMBERS = frozenset({
    "count of normal cells", "dunn not rejected", "groups that differ", "dunn of a pair",
    "sign of delta", "count of outcomes",
})  # fmt: skip
"""Kinds that say something else of the same cells when these have more executions."""

COLUMNS = [
    "entry", "executor", "topology", "executions", "paper_executions", "invocations",
    "server_cpu_low", "server_cpu_high", "client_cpu_high", "gc_share", "timeouts", "failed",
    "all_executions", "size_factor", "improved", "improved_verdict", "points_to",
]  # fmt: skip


def data(
    row: Mapping[str, Any],
    cells: Sequence[Key],
    scope: Scope,
    improved: Mapping[str, Any],
    data_dir: Path | None,
) -> dict[str, Any]:
    """What was recorded of the cells that an entry rests on.

    Args:
        row: of the entry.
        cells: tool and cell of each.
        scope: what the entry was held against.
        improved: the row of the same entry with fidelity ``improved``.
        data_dir: where the samples' records lie, which have the pauses of garbage collection.

    Returns:
        ``executions`` and ``invocations``: fewest of a cell; ``server_cpu_low`` and ``_high``:
        busy shares of the server's CPU set, lowest and highest median of a cell; ``gc_share``:
        share of all their windows in which the server was stopped; ``timeouts``,
        ``failed`` (any outcome but ok) of ``all_executions``; ``size_factor``: size of our model
        / theirs; ``improved``: our number under fidelity ``improved``, with its verdict, blank
        where that was not measured; ``points_to``: what in these data is out of the ordinary, as
        codes separated by ``;``.
    """
    entry_cells = among(scope.cells, cells)
    starts = _starts(scope.derived.invocations, cells)
    busy = starts.groupby(KEY)[["server_cpu", "client_cpu"]].median()
    executions, ok = int(entry_cells["executions"].sum()), int(entry_cells["ok"].sum())
    others = set(improved["rests_on"].split()) - set(row["rests_on"].split())
    measured = improved["verdict"] != "not measured" and bool(others)
    facts = {
        "entry": row["entry"], "executor": row["executor"], "topology": row["topology"],
        "executions": _least(entry_cells["executions"]),
        "paper_executions": scope.paper.executions,
        "invocations": _least(entry_cells["invocations"]),
        "server_cpu_low": busy["server_cpu"].min(),
        "server_cpu_high": busy["server_cpu"].max(),
        "client_cpu_high": busy["client_cpu"].max(),
        "gc_share": _gc_share(scope, starts, data_dir),
        "timeouts": int(entry_cells["timeout"].sum()), "failed": executions - ok,
        "all_executions": executions,
        "size_factor": _size_factor(scope, entry_cells),
        "improved": improved["ours"] if measured else NAN,
        "improved_verdict": improved["verdict"] if measured else "",
    }  # fmt: skip
    waits = row["topic"] in scope.paper.waits
    return facts | {"points_to": ";".join(_points(facts, row, waits))}


def _points(facts: Mapping[str, Any], row: Mapping[str, Any], waits: bool) -> list[str]:
    """What is out of the ordinary, by the thresholds above; a blank points to nothing."""
    size, executions = facts["size_factor"], facts["all_executions"]
    by_numbers = row["verdict"] == "no clear difference here" or row["kind"] in BY_NUMBERS
    told = {
        "fidelity": facts["improved_verdict"] == "same direction",
        "model-size": bool(size > OTHER_SIZE or size < 1 / OTHER_SIZE),
        "timeouts": executions > 0 and facts["timeouts"] / executions > CUT_MATTERS,
        "gc": bool(facts["gc_share"] > GC_MATTERS),
        "cpu-used-up": waits and bool(facts["server_cpu_low"] >= USED_UP),
        "server-waits": bool(facts["server_cpu_high"] < WAITS),
        "few-executions": by_numbers
        and bool(facts["executions"] < FEW * facts["paper_executions"]),
    }
    return [code for code, so in told.items() if so]


def _starts(invocations: pd.DataFrame, cells: Sequence[Key]) -> pd.DataFrame:
    """The invocations of some cells that are in their statistics."""
    rows = among(invocations, cells)
    return rows[rows["used"].fillna(False).astype(bool)]


def _least(values: "pd.Series[Any]") -> float:
    return float(values.min()) if len(values) else NAN


def _size_factor(scope: Scope, cells: pd.DataFrame) -> float:
    """Size of our model to the paper's, that farthest from 1 where there are several."""
    factors = [
        ours / theirs
        for case, model in scope.models.items()
        if model in set(cells[scope.projection.dataset])
        and (ours := scope.setting.models.get(model, {}).get("elements"))
        and (theirs := scope.paper.cases[case].constants.get("elements"))
    ]
    return max(factors, key=lambda factor: abs(np.log(factor)), default=NAN)


def _gc_share(scope: Scope, starts: pd.DataFrame, data_dir: Path | None) -> float:
    """Share of all measured windows of some invocations in which the server was stopped."""
    if data_dir is None:
        return NAN
    derived = scope.derived
    root = raw.profile_folder(data_dir, derived.study, derived.profile)
    times = [
        _times(root / tool / cell / f"i{number:02d}")
        for tool, cell, number in zip(
            starts["tool"], starts["cell"], starts["invocation"], strict=True
        )
    ]
    stopped, length = np.nansum(np.array([*times, (0.0, 0.0)]), axis=0)
    return float(stopped / length) if length > 0 else NAN


@cache
def _times(folder: Path) -> tuple[float, float]:
    """Pauses in the measured window, and the window (ms); NaN where either was not recorded.

    Kept, because many entries rest on the same invocations, which are written once.
    """
    try:
        record = json.loads((folder / "cell.json").read_text(encoding="utf-8"))
        window = record["window"]
        length_ms = (window["end_ns"] - window["begin_ns"]) / NS_PER_MS
        pauses_ms = cell_record.pauses_ms(record)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return NAN, NAN
    return (NAN, NAN) if pauses_ms is None else (pauses_ms, length_ms)
