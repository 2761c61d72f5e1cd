"""One invocation of a cell over time, from its raw samples."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from modelstress.analysis import cell_record, raw
from modelstress.analysis.binned import Binned
from modelstress.analysis.derived import Derived
from modelstress.analysis.projection import Projection
from modelstress.config.errors import ConfigError
from modelstress.config.outcomes import ABORTED, OUTCOMES
from modelstress.samples.histograms import SECOND_NS


@dataclass(frozen=True)
class Timeline:
    """Executions and CPU of one invocation; time 0 is the start of the first execution.

    `executions` has the columns `start_s`, `latency_ms`, `end_s`, `phase`, `outcome`; `cpu` the
    columns `begin_s`, `end_s`, `server_cpu`, `client_cpu` (busy shares, 0..1), no rows where
    telemetry is missing. Executions of several clients are aligned by the recorded offsets of
    their clocks. `noun` is what one row is of: an execution, or of histograms a second, with the
    median of its right answers.
    """

    tool: str
    cell: str
    invocation: int
    executor: str
    topology: str
    executions: pd.DataFrame
    cpu: pd.DataFrame
    noun: str = "execution"


def notable(cells: pd.DataFrame, projection: Projection, limit: int = 3) -> list[tuple[str, str]]:
    """(tool, cell) of the cells that a reader will want to see over time.

    First the cell with the largest share of executions that failed or were wrong, then an
    unsteady one, then that with the most load; each at most once.
    """
    measured = cells[(cells["executions"] > 0) & (cells["invocations"] > 0)]
    share = 1 - (measured["ok"] + measured[ABORTED]) / measured["executions"]
    unsteady = measured["flags"].str.contains("change-point|trend")
    loads = measured[projection.load] if projection.load else pd.Series(0, measured.index)
    by_load = pd.to_numeric(loads, errors="coerce").sort_values(ascending=False, kind="stable")
    order = [
        *share[share > 0].sort_values(ascending=False, kind="stable").index[:1],
        *measured.index[unsteady][:1],
        *by_load.index,
    ]
    chosen = [(measured.at[i, "tool"], measured.at[i, "cell"]) for i in dict.fromkeys(order)]
    return [(str(tool), str(cell)) for tool, cell in chosen[:limit]]


def timelines(data_dir: Path, derived: Derived, limit: int = 3) -> list[Timeline]:
    """Timelines of the notable cells, of the first invocation in the statistics of each."""
    cell_timelines = []
    for tool, cell in notable(derived.cells, derived.projection, limit):
        rows = derived.invocations
        starts = rows[(rows["tool"] == tool) & (rows["cell"] == cell) & rows["used"].fillna(False)]
        number = int(starts["invocation"].min())
        cell_timelines.append(
            timeline(data_dir, derived.study, derived.profile, tool, cell, number)
        )
    return cell_timelines


def disturbed(data_dir: Path, derived: Derived) -> list[Timeline]:
    """Timelines of the cells with a fault, of the first invocation of each in the table."""
    first_faults = derived.faults.drop_duplicates(["tool", "cell"])
    places = first_faults[["tool", "cell", "invocation"]].itertuples(index=False, name=None)
    return [
        timeline(data_dir, derived.study, derived.profile, str(tool), str(cell), int(number))
        for tool, cell, number in places
    ]


def timeline(
    data_dir: Path, study: str, profile: str, tool: str, cell: str, number: int
) -> Timeline:
    """Read the timeline of one complete invocation of a cell.

    Raises:
        ConfigError: this invocation was not measured or has no samples.
    """
    folder = raw.profile_folder(data_dir, study, profile) / tool / cell / f"i{number:02d}"
    start = raw.read(folder, number)
    offsets = cell_record.clock_offsets(start.record)
    if start.histograms is None:
        executions, begin = _of_rows(start.samples, offsets)
    else:
        executions, begin = _of_seconds(start.histograms, offsets)
    if executions.empty:
        raise ConfigError(f"{folder}: no samples to show; choose an invocation that was measured")
    cpu = cell_record.telemetry(start.record)
    last = float(executions["end_s"].max())
    cpu.insert(0, "begin_s", (cpu.pop("begin_ns") - begin) / 1e9)
    cpu.insert(1, "end_s", (cpu.pop("end_ns") - begin) / 1e9)
    # A clock of another host has another origin: its telemetry cannot be drawn here.
    cpu = cpu[(cpu["end_s"] > 0) & (cpu["begin_s"] < last)].reset_index(drop=True)
    return Timeline(
        tool,
        cell,
        number,
        cell_record.executor(start.record),
        cell_record.topology(start.record),
        executions,
        cpu,
        start.executions.course_noun,
    )


def _of_rows(frame: pd.DataFrame, offsets: Mapping[int, int]) -> tuple[pd.DataFrame, int]:
    """Executions, and the start of the first on the controller's clock, which telemetry has."""
    intended_ns = frame["intended_start_ns"] - frame["client"].map(offsets).fillna(0).astype(
        "int64"
    )
    begin = int(intended_ns.min()) if len(frame) else 0
    latency_ms = frame["duration_ns"] / 1e6
    executions = pd.DataFrame(
        {
            "start_s": (intended_ns - begin) / 1e9,
            "latency_ms": latency_ms,
            "end_s": (intended_ns - begin) / 1e9 + (latency_ms + frame["think_ns"] / 1e6) / 1e3,
            "phase": frame["phase"],
            "outcome": frame["outcome"],
        }
    )
    return executions, begin


def _of_seconds(binned: Binned, offsets: Mapping[int, int]) -> tuple[pd.DataFrame, int]:
    """The same of histograms: the median of each second, and the other outcomes that it had.

    These have no latency here, as executions that never began.
    """
    at = [second.at_ns - offsets.get(second.client, 0) for second in binned.seconds]
    begin = min(at, default=0)
    rows = [
        ((ns - begin) / 1e9, second.right.median() / 1e6 if name == "ok" else 0.0,
         (ns + SECOND_NS - begin) / 1e9, second.phase, name)
        for ns, second in zip(at, binned.seconds, strict=True)
        for name, count in zip(OUTCOMES, second.counts, strict=True)
        if count
    ]  # fmt: skip
    names = ["start_s", "latency_ms", "end_s", "phase", "outcome"]
    return pd.DataFrame(rows, columns=names), begin
