"""Whether a cell's numbers may be used, and why not: reasons as data."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.outcomes import ANSWERED, FAILURES
from modelstress.samples import tables

MOST_BUSY = 0.80
"""Share of the client's CPU set; above it the client may be what was measured."""
MOST_LATE = 0.10
"""p99 of the lateness in an open loop, as a share of the median latency."""
MOST_VERIFYING = 0.02
"""Median of ``verify_ns`` as a share of the median latency."""
LEAST_OVERLAP = 0.80
"""Of the clients' windows, as a share of the longest."""
SHORTEST_WINDOW_S = 0.25
"""CPU times are counted in ticks of 10 ms: a shorter window cannot be told to be busy or not."""
MOST_DRIFT = 0.10
"""Between the spin calibrations before and after."""

FROM_OUTSIDE = {
    0: "exit code 0, as after SIGTERM",
    128 + signal.SIGTERM: "SIGTERM",
    128 + signal.SIGKILL: "SIGKILL, by somebody or by the kernel for want of memory",
    128 + signal.SIGINT: "SIGINT",
    128 + signal.SIGHUP: "SIGHUP",
}
"""Ends of a server that a program does not come to by itself (docs/contracts.md)."""
MACHINE_LIMITS = re.compile(
    r"unable to create (?:new )?native thread|pthread_create failed|can't start new thread"
    r"|fork\w*\b.*Resource temporarily unavailable|Too many open files"
    r"|No space left on device|Disk quota exceeded|Cannot allocate memory"
    r"|insufficient memory for the Java Runtime"
)
"""Threads, processes, descriptors, disk and memory that the machine does not give. A heap that is
full (``Java heap space``) is none: its size is the study's."""

Kind = Literal["invalid", "flag"]


@dataclass(frozen=True)
class Reason:
    """Why a cell is invalid, or only to be read with care.

    Attributes:
        code: a fixed word, for filters.
        kind: ``invalid`` takes the invocation out of every statistic, table and comparison (the
            rule is ``analysis.raw.read``'s); ``flag`` is shown beside its numbers.
        message: for people.
    """

    code: str
    kind: Kind
    message: str


def judged(reasons: Sequence[Reason]) -> dict[str, Any]:
    """``{"valid": bool, "reasons": [{code, kind, message}]}`` for ``cell.json``."""
    return {
        "valid": not any(reason.kind == "invalid" for reason in reasons),
        "reasons": [asdict(reason) for reason in reasons],
    }


def client_load(busy: float | None, window_s: float, *, has_tool: bool = False) -> list[Reason]:
    """Judge the CPU set of the clients during the window.

    Args:
        busy: share of its time, 0 to 1; None when unknown.
        window_s: length of the measured window.
        has_tool: whether the tool that is measured runs in the clients; they may be busy then.
    """
    if busy is None or window_s < SHORTEST_WINDOW_S:
        return [
            Reason(
                "client-load-unknown",
                "flag",
                f"the window of {window_s:.3g} s is too short to tell how busy the clients' CPUs "
                "were",
            )
        ]
    if busy > MOST_BUSY and has_tool:
        return [
            Reason(
                "client-has-tool",
                "flag",
                f"the clients' CPUs were {busy:.0%} busy, and the tool runs in the clients: the "
                "cost of the harness is a part of what was measured",
            )
        ]
    if busy > MOST_BUSY:
        return [
            Reason(
                "client-busy",
                "invalid",
                f"the clients' CPUs were {busy:.0%} busy (more than {MOST_BUSY:.0%}): the client "
                "may be what was measured",
            )
        ]
    return []


def killed(exit_code: int | None, *, own_limit: bool) -> list[Reason]:
    """Judge how a server ended by itself, while there was load on it and no fault was done to it.

    A tool that ends with an error, crashes or runs out of the heap that its study gave it is what
    is measured. One that was told to end, or killed, was stopped by somebody else: what failed from
    then on says nothing of it, however much had been answered.

    Args:
        exit_code: of the server; 128 + n for signal n.
        own_limit: the kernel killed it for a limit of memory that is the study's own.
    """
    how = FROM_OUTSIDE.get(exit_code if exit_code is not None else -1)
    if how is None or own_limit:
        return []
    message = f"the server was stopped from outside ({how}), not by its load"
    return [Reason("server-killed", "invalid", message)]


def unanswered(outcomes: Iterable[Mapping[str, int]], *, own_limit: bool) -> list[Reason]:
    """Judge an invocation whose server died: one that had answered nothing was not measured.

    Args:
        outcomes: of each phase.
        own_limit: the kernel killed the server for a limit of memory that is the study's own: then
            that nothing was answered is the result.
    """
    if own_limit or any(phase.get(outcome) for phase in outcomes for outcome in ANSWERED):
        return []
    return [Reason("no-answer", "invalid", "the server died before its first answer")]


def machine_limit(outcomes: Mapping[str, int], messages: Iterable[str]) -> list[Reason]:
    """Judge whether a limit of the machine, not of the tool, made executions fail.

    Args:
        outcomes: of the measured executions.
        messages: of failed executions, and lines of the programs' logs.
    """
    if not any(outcomes.get(outcome) for outcome in FAILURES):
        return []
    for text in messages:
        if limit := MACHINE_LIMITS.search(text):
            message = f"executions failed at a limit of the machine: {limit[0][:200]}"
            return [Reason("machine-limit", "invalid", message)]
    return []


def from_samples(table: pa.Table, *, open_loop: bool) -> list[Reason]:
    """Judge lateness (open loop) and the cost of verification, over ``ok`` measured executions."""
    good = pc.and_(
        pc.equal(table["phase"].cast(pa.string()), "measure"),
        pc.equal(table["outcome"].cast(pa.string()), "ok"),
    )
    rows = table.filter(good)
    if not len(rows):
        return [nothing_ok()]
    median = float(np.median(rows["duration_ns"].to_numpy()))
    late = rows["start_ns"].to_numpy() - rows["intended_start_ns"].to_numpy()
    cost = float(np.median(rows["verify_ns"].to_numpy()))
    judged_late = lateness(float(np.percentile(late, 99)), median) if open_loop else []
    return [*judged_late, *verification(cost, median)]


def nothing_ok() -> Reason:
    """The reason of a cell without any ``ok`` execution in its window."""
    return Reason("nothing-ok", "flag", "no measured execution was ok: there is no latency")


def lateness(p99_ns: float, median_ns: float) -> list[Reason]:
    """Judge how late executions of an open loop began, against their median latency."""
    if p99_ns <= MOST_LATE * median_ns:
        return []
    return [
        Reason(
            "late",
            "invalid",
            f"executions began up to {p99_ns / 1e6:.3g} ms late (p99), more than {MOST_LATE:.0%} "
            f"of the median latency of {median_ns / 1e6:.3g} ms",
        )
    ]


def verification(cost_ns: float, median_ns: float) -> list[Reason]:
    """Judge the cost of verifying one execution, against the median latency."""
    if cost_ns <= MOST_VERIFYING * median_ns:
        return []
    return [
        Reason(
            "verify-cost",
            "flag",
            f"verification took {cost_ns / 1e3:.3g} µs per execution, more than "
            f"{MOST_VERIFYING:.0%} of the median latency of {median_ns / 1e3:.4g} µs",
        )
    ]


def windows(table: pa.Table, offsets_ns: Mapping[int, int]) -> list[Reason]:
    """Judge whether all clients measured at the same time.

    What was begun last counts as long as most took: that one execution of a client is longer than
    others is no reason for invalidity, however long its window lasts then.

    Args:
        table: samples of all clients.
        offsets_ns: client to its clock minus the controller's.
    """
    rows = table.filter(pc.equal(table["phase"].cast(pa.string()), "measure"))
    clients = rows["client"].to_numpy()
    begin = rows["start_ns"].to_numpy()
    end = np.maximum(begin, tables.ends_ns(rows))
    spans = []
    for client in np.unique(clients):
        client_rows, offset = clients == client, offsets_ns.get(int(client), 0)
        first, last = begin[client_rows].min(), begin[client_rows].max()
        usual = np.median(end[client_rows] - begin[client_rows])
        spans.append((int(first) - offset, int(last + usual) - offset))
    return overlap(spans)


def overlap(spans: Sequence[tuple[int, int]]) -> list[Reason]:
    """Judge how much the clients' windows (begin, end in ns of one clock) have in common."""
    if len(spans) < 2:
        return []
    common = min(end for _, end in spans) - max(begin for begin, _ in spans)
    longest = max(end - begin for begin, end in spans)
    if common >= LEAST_OVERLAP * longest:
        return []
    return [
        Reason(
            "windows-apart",
            "invalid",
            f"the clients measured together for {max(0, common) / 1e9:.3g} s of "
            f"{longest / 1e9:.3g} s (less than {LEAST_OVERLAP:.0%}): the load was not what it says",
        )
    ]


def cpu_quota(cgroup: Mapping[str, str], cpus: int) -> list[Reason]:
    """Judge a control group's CPU quota: below the CPUs used, server and clients share it.

    Args:
        cgroup: limits as the kernel prints them (``cpu.max``, ``cpu.cfs_quota_us``).
        cpus: of server and clients together.
    """
    quota, _, period = cgroup.get("cpu.max", "max").partition(" ")
    if "cpu.cfs_quota_us" in cgroup:
        quota, period = cgroup["cpu.cfs_quota_us"], "100000"  # the period is hardly ever changed
    if not quota.isdecimal() or not period.isdecimal() or int(quota) >= cpus * int(period):
        return []
    share = int(quota) / int(period)
    return [
        Reason(
            "cpu-quota",
            "flag",
            f"the control group may use {share:g} CPUs of the {cpus} that server and clients were "
            "given: they slow one another down",
        )
    ]


def calibration(
    before: Mapping[str, float] | None, after: Mapping[str, float] | None
) -> list[Reason]:
    """Judge whether the machine was as fast after the cell as before."""
    if not before or not after:
        return [Reason("no-calibration", "flag", "a spin calibration is missing")]
    change = after["rounds_per_s"] / before["rounds_per_s"] - 1
    if abs(change) <= MOST_DRIFT:
        return []
    return [
        Reason(
            "machine-changed",
            "flag",
            f"the clients' CPUs were {abs(change):.0%} {'faster' if change > 0 else 'slower'} "
            "after the cell than before",
        )
    ]


def warm_up(warmed: Sequence[Mapping[str, Any]]) -> list[Reason]:
    """Flag of warm-ups that reached their most seconds before latencies were steady.

    Args:
        warmed: what each client said of its warm-up.
    """
    late = [said for said in warmed if said.get("steady") is False]
    if not late:
        return []
    changes = [float(said["change"]) for said in late if said.get("change") is not None]
    by = f"changed by {max(changes, key=abs):+.0%}" if changes else "were too few to tell"
    message = (
        f"the warm-up ended after its most seconds: latencies of its last quarter still {by} "
        f"({len(late)} of {len(warmed)} clients)"
    )
    return [Reason("unsteady", "flag", message)]
