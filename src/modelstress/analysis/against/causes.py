"""Data that may explain why a direction is not the paper's: computed for any entry alike."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import raw
from modelstress.analysis.against.choose import KEY, Scope, keys
from modelstress.analysis.against.measured import Key

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
        highest share of a cell's window in which the server was stopped; ``timeouts``,
        ``failed`` (any outcome but ok) of ``all_executions``; ``size_factor``: size of our model
        / theirs; ``improved``: our number under fidelity ``improved``, with its verdict, blank
        where that was not measured; ``points_to``: what in these data is out of the ordinary, as
        codes separated by ``;``.
    """
    mine = scope.cells[[each in set(cells) for each in keys(scope.cells)]]
    starts = _starts(scope.derived.invocations, cells)
    busy = starts.groupby(KEY)[["server_cpu", "client_cpu"]].median()
    every, ok = int(mine["executions"].sum()), int(mine["ok"].sum())
    measured = improved["verdict"] != "not measured" and improved["rests_on"] != row["rests_on"]
    found = {
        "entry": row["entry"], "executor": row["executor"], "topology": row["topology"],
        "executions": _least(mine["executions"]),
        "paper_executions": scope.paper.executions,
        "invocations": _least(mine["invocations"]),
        "server_cpu_low": busy["server_cpu"].min(),
        "server_cpu_high": busy["server_cpu"].max(),
        "client_cpu_high": busy["client_cpu"].max(),
        "gc_share": _gc_share(scope, starts, data_dir),
        "timeouts": int(mine["timeout"].sum()), "failed": every - ok, "all_executions": every,
        "size_factor": _size_factor(scope, mine),
        "improved": improved["ours"] if measured else NAN,
        "improved_verdict": improved["verdict"] if measured else "",
    }  # fmt: skip
    return found | {"points_to": ";".join(_points(found, str(row["verdict"])))}


def _points(found: Mapping[str, Any], verdict: str) -> list[str]:
    """What is out of the ordinary, by the thresholds above; a blank points to nothing."""
    size, every = found["size_factor"], found["all_executions"]
    told = {
        "fidelity": found["improved_verdict"] == "same direction",
        "model-size": bool(size > OTHER_SIZE or size < 1 / OTHER_SIZE),
        "timeouts": every > 0 and found["timeouts"] / every > CUT_MATTERS,
        "gc": bool(found["gc_share"] > GC_MATTERS),
        "cpu-used-up": bool(found["server_cpu_low"] >= USED_UP),
        "server-waits": bool(found["server_cpu_high"] < WAITS),
        "few-executions": verdict == "no clear difference here"
        and bool(found["executions"] < FEW * found["paper_executions"]),
    }
    return [code for code, so in told.items() if so]


def _starts(invocations: pd.DataFrame, cells: Sequence[Key]) -> pd.DataFrame:
    """The complete invocations of some cells."""
    wanted = set(cells)
    there = [each in wanted for each in keys(invocations)]
    return invocations[np.array(there, dtype=bool) & (invocations["state"] == "complete")]


def _least(values: "pd.Series[Any]") -> float:
    return float(values.min()) if len(values) else NAN


def _size_factor(scope: Scope, cells: pd.DataFrame) -> float:
    """Size of our model to the paper's, that farthest from 1 where there are several."""
    factors = [
        ours / theirs
        for case, model in scope.models.items()
        if model in set(cells["model"])
        and (ours := scope.setting.models.get(model, {}).get("elements"))
        and (theirs := scope.paper.cases[case].constants.get("elements"))
    ]
    return max(factors, key=lambda factor: abs(np.log(factor)), default=NAN)


def _gc_share(scope: Scope, starts: pd.DataFrame, data_dir: Path | None) -> float:
    """Highest share of an invocation's window in which its server was stopped."""
    if data_dir is None:
        return NAN
    derived = scope.derived
    root = raw.profile_folder(data_dir, derived.study, derived.profile)
    shares = [
        _stopped(root / tool / cell / f"i{number:02d}")
        for tool, cell, number in zip(
            starts["tool"], starts["cell"], starts["invocation"], strict=True
        )
    ]
    known = [share for share in shares if share == share]
    return max(known, default=NAN)


def _stopped(folder: Path) -> float:
    """Pauses in the measured window / the window; NaN where either was not recorded."""
    try:
        found = json.loads((folder / "cell.json").read_text(encoding="utf-8"))
        stopped_ms = float(found["server"]["gc_window"]["total_ms"])
        window = found["window"]
        length_ms = (window["end_ns"] - window["begin_ns"]) / NS_PER_MS
    except (OSError, ValueError, LookupError, TypeError):
        return NAN
    return stopped_ms / length_ms if length_ms > 0 else NAN
