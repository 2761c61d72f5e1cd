"""What server, clients and machine did while a cell ran: cumulative counters, once a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from modelstress.measure import procfs

INTERVAL_S = 1.0
PARTS = ("user_s", "system_s", "idle_s", "iowait_s", "steal_s")
NOW = (".rss_bytes", ".threads", "_mib")
"""Ends of the names of what is no running total."""
UNITS = {
    "t_ns": "ns, monotonic clock of the controller",
    "cpus.*": "s since boot, summed over the CPU set",
    "*.user_s": "s since the program's start",
    "*.system_s": "s since the program's start",
    "*.rss_bytes": "bytes now, all processes",
    "*.threads": "threads now",
    "*.voluntary": "context switches since the program's start",
    "*.involuntary": "context switches since the program's start",
    "pressure.*": "µs stalled since boot, whole machine",
    "net.*": "bytes through the host's link since it was made",
    "*.group_cpu_s": "s of CPU since the side's containers were started",
    "*_mib": "MiB now that cannot be taken back (not the page cache)",
}


class Telemetry:
    """Samples counters in a thread of its own until it is stopped.

    Every row holds running totals, so the difference of two rows is what happened in between and a
    missed second loses nothing. Context switches of a thread that ended are counted up to the last
    row that saw it.

    Args:
        cpu_sets: name (``server``, ``client``) to CPU numbers.
        interval_s: between rows.
        counters: more running totals, asked for every row; what the executor knows of its hosts.
    """

    def __init__(
        self,
        cpu_sets: Mapping[str, frozenset[int]],
        interval_s: float = INTERVAL_S,
        counters: Callable[[], dict[str, float]] = dict,
    ) -> None:
        self._counters = counters
        self._cpu_sets = cpu_sets
        self._interval_s = interval_s
        self._sessions: dict[int, str] = {}
        self._last: dict[int, procfs.ProcessCounters] = {}
        self._switches: dict[tuple[int, int], tuple[int, int]] = {}
        self._rows: list[dict[str, float]] = []
        self._marks: dict[str, int] = {}
        self._guard = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def start(self) -> None:
        """Begin to sample."""
        self._thread.start()

    def watch(self, role: str, pid: int) -> None:
        """Count the session of ``pid`` to ``role`` (``server``, ``client``) from now on."""
        with self._guard:
            self._sessions[pid] = role

    def mark(self, name: str) -> None:
        """Take a row at once and give it a name, such as ``go``; the last of a name counts."""
        with self._guard:
            self._sample()
            self._marks[name] = len(self._rows) - 1

    def stop(self) -> None:
        """Take the last row and end the thread; may be called again."""
        if self._over.is_set():
            return
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._guard:
            self._sample()

    def between(self, first: str, last: str) -> dict[str, float]:
        """Differences of all running totals between two marks, and the time in ``seconds``.

        Empty when a mark is missing.
        """
        if first not in self._marks or last not in self._marks:
            return {}
        a, b = self._rows[self._marks[first]], self._rows[self._marks[last]]
        totals = {k: b[k] - a.get(k, 0.0) for k in b if not k.endswith(NOW)}
        seconds = totals.pop("t_ns") / 1e9
        return {"seconds": seconds, **{name: _short(value) for name, value in totals.items()}}

    def busy_share(self, cpu_set: str, first: str, last: str) -> float | None:
        """Share of a CPU set's time that was busy between two marks, 0 to 1; None if unknown."""
        totals = self.between(first, last)
        if f"cpus.{cpu_set}.user_s" not in totals:
            return None
        return _busy({part: totals[f"cpus.{cpu_set}.{part}"] for part in PARTS})

    def record(self) -> dict[str, Any]:
        """Return all rows as columns for ``cell.json``; absent values are None."""
        names = list(dict.fromkeys(name for row in self._rows for name in row))
        return {
            "interval_s": self._interval_s,
            "units": UNITS,
            "marks": self._marks,
            "columns": {
                n: [_short(row[n]) if n in row else None for row in self._rows] for n in names
            },
        }

    def _run(self) -> None:
        due = time.monotonic()
        while not self._over.is_set():
            with self._guard:
                self._sample()
            due = max(due + self._interval_s, time.monotonic())
            self._over.wait(due - time.monotonic())

    def _sample(self) -> None:
        row: dict[str, float] = {"t_ns": time.monotonic_ns()}
        for name, cpus in self._cpu_sets.items():
            times = procfs.cpu_times(cpus)
            for part in PARTS:
                row[f"cpus.{name}.{part}"] = getattr(times, part)
        row |= {f"pressure.{name}": value for name, value in procfs.pressure().items()}
        alive = procfs.processes(self._sessions)
        self._last |= alive  # the totals of those that ended remain
        for pid in alive:
            for thread, counts in procfs.context_switches(pid).items():
                self._switches[pid, thread] = counts
        for role in sorted(set(self._sessions.values())):
            row |= self._of_role(role, alive)
        row |= self._counters()
        self._rows.append(row)

    def _of_role(self, role: str, alive: Mapping[int, procfs.ProcessCounters]) -> dict[str, float]:
        role_counters = {
            p: c for p, c in self._last.items() if self._sessions.get(c.session) == role
        }
        now = [counters for pid, counters in role_counters.items() if pid in alive]
        switches = [counts for (pid, _), counts in self._switches.items() if pid in role_counters]
        return {
            f"{role}.user_s": sum(c.user_s for c in role_counters.values()),
            f"{role}.system_s": sum(c.system_s for c in role_counters.values()),
            f"{role}.rss_bytes": sum(c.rss_bytes for c in now),
            f"{role}.threads": sum(c.threads for c in now),
            f"{role}.voluntary": sum(v for v, _ in switches),
            f"{role}.involuntary": sum(i for _, i in switches),
        }


def _busy(spent: Mapping[str, float]) -> float | None:
    """Share of the time that was busy; stolen time belongs to the whole but not to us."""
    total = sum(spent.values())
    return round((spent["user_s"] + spent["system_s"]) / total, 4) if total > 0 else None


def _short(value: float) -> float:
    """Keep whole numbers whole and seconds to the kernel's tick."""
    return value if isinstance(value, int) else round(value, 3)
