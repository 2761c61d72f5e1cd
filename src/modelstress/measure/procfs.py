"""Counters of the kernel: processes by session, CPU sets, pressure stalls.

Read here and not through psutil: its ``num_ctx_switches`` counts the first thread of a process
only, and a JVM does its work in all the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PROC = Path("/proc")
PRESSURE = ("cpu.some", "memory.some", "memory.full", "io.some", "io.full")


@dataclass(frozen=True)
class ProcessCounters:
    """One process: CPU seconds since its start, memory and threads now."""

    session: int
    user_s: float
    system_s: float
    rss_bytes: int
    threads: int


@dataclass(frozen=True)
class CpuTimes:
    """Seconds since boot, summed over a set of CPUs."""

    user_s: float
    system_s: float
    idle_s: float
    iowait_s: float
    steal_s: float

    @property
    def busy_s(self) -> float:
        """Time in which the set did something, interrupts included, stolen time not."""
        return self.user_s + self.system_s


def process(pid: int) -> ProcessCounters | None:
    """Counters of a process, or None when it has ended (proc_pid_stat(5))."""
    try:
        text = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # from field 3, the state
    if fields[0] in (b"Z", b"X"):
        return None
    return ProcessCounters(
        session=int(fields[3]),
        user_s=int(fields[11]) * TICK_S,
        system_s=int(fields[12]) * TICK_S,
        rss_bytes=int(fields[21]) * PAGE_BYTES,
        threads=int(fields[17]),
    )


def storage_bytes(pid: int) -> int:
    """Bytes that a process has had read from and written to storage; 0 where not told."""
    try:
        text = (PROC / str(pid) / "io").read_text()
    except OSError:  # it ended, or is another user's
        return 0
    fields = dict(line.split(": ") for line in text.splitlines())
    return int(fields.get("read_bytes", 0)) + int(fields.get("write_bytes", 0))


def processes(sessions: Iterable[int]) -> dict[int, ProcessCounters]:
    """All processes of these sessions, by process id."""
    wanted = set(sessions)
    counters_by_pid = {}
    for folder in PROC.iterdir():
        pid = int(folder.name) if folder.name.isdecimal() else None
        if pid and (counters := process(pid)) and counters.session in wanted:
            counters_by_pid[pid] = counters
    return counters_by_pid


def context_switches(pid: int) -> dict[int, tuple[int, int]]:
    """Voluntary and involuntary context switches of each thread of a process, by thread id."""
    switches = {}
    with suppress(OSError):
        for thread in (PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                text = (thread / "status").read_bytes()
                switches[int(thread.name)] = (
                    int(text.partition(b"\nvoluntary_ctxt_switches:")[2].split(None, 1)[0]),
                    int(text.partition(b"\nnonvoluntary_ctxt_switches:")[2].split(None, 1)[0]),
                )
    return switches


def cpu_times(cpus: Iterable[int]) -> CpuTimes:
    """Times of a set of CPUs (proc_stat(5)); guest time is part of user time already."""
    names = {f"cpu{cpu}".encode() for cpu in cpus}
    total = [0.0] * 8
    for line in (PROC / "stat").read_bytes().splitlines():
        name, *values = line.split()
        if name in names:
            total = [a + int(b) * TICK_S for a, b in zip(total, values[:8], strict=True)]
    user, nice, system, idle, iowait, irq, softirq, steal = total
    return CpuTimes(user + nice, system + irq + softirq, idle, iowait, steal)


def pressure() -> dict[str, int]:
    """Microseconds stalled since boot, by ``PRESSURE``, as far as the kernel tells them."""
    stalls = {}
    for resource in ("cpu", "memory", "io"):
        with suppress(OSError):
            for line in (PROC / "pressure" / resource).read_text().splitlines():
                share, *fields = line.split()
                if f"{resource}.{share}" in PRESSURE:
                    stalls[f"{resource}.{share}"] = int(fields[-1].removeprefix("total="))
    return stalls
