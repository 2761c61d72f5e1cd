"""What server, clients and machine did while a cell ran: cumulative counters, once a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from modelstress.measure import procfs
from modelstress.samples.energy import Meter

INTERVAL_S = 1.0
PARTS = ("user_s", "system_s", "idle_s", "iowait_s", "steal_s")
NOW = (".rss_bytes", ".threads", "_mib")
"""Ends of the names of what is no running total."""
ENERGY = "energy."
"""Begin of the names of packages' joules."""
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
    "energy.*": "J since the first row, whole processor package",
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
        meter: of the machine's energy; None: it is not that of what is measured.
    """

    def __init__(
        self,
        cpu_sets: Mapping[str, frozenset[int]],
        interval_s: float = INTERVAL_S,
        counters: Callable[[], dict[str, float]] = dict,
        meter: Meter | None = None,
    ) -> None:
        self._counters = counters
        self._meter = meter
        self._cpu_sets = cpu_sets
        self._interval_s = interval_s
        self._sessions: dict[int, str] = {}
        self._last: dict[int, procfs.ProcessCounters] = {}
        self._switches: dict[tuple[int, int], tuple[int, int]] = {}
        self._rows: list[dict[str, float]] = []
        self._windows: dict[int, list[tuple[int, int | None]]] = {}
        self._ready: int | None = None
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

    def ready(self) -> None:
        """Take a row at once: servers and clients have started, and nothing was asked of them."""
        with self._guard:
            self._sample()
            self._ready = len(self._rows) - 1

    def begin(self, cell: int = 0) -> None:
        """Take a row at once: the window, or the next slice of it, begins.

        Args:
            cell: number of the cell among those that share the start.
        """
        with self._guard:
            self._sample()
            self._windows.setdefault(cell, []).append((len(self._rows) - 1, None))

    def end(self, cell: int = 0) -> None:
        """Take a row at once: the window or slice that has begun is over; once is enough."""
        with self._guard:
            windows = self._windows.get(cell, [])
            if windows and windows[-1][1] is None:
                self._sample()
                windows[-1] = (windows[-1][0], len(self._rows) - 1)

    def stop(self) -> None:
        """Take the last row and end the thread; may be called again."""
        if self._over.is_set():
            return
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._guard:
            self._sample()

    def window(self, cell: int = 0) -> dict[str, float]:
        """Differences of all running totals in a cell's window, and its length in ``seconds``.

        Of a window in slices they are summed over these. Empty without a window, or where one has
        not ended. Energy is absent where a slice does not know it, or a counter stood.
        """
        sums: dict[str, float] = {}
        for first, last in self._windows.get(cell, []):
            if last is None:
                return {}
            a, b = self._rows[first], self._rows[last]
            for name in b:
                if not name.endswith(NOW):
                    sums[name] = sums.get(name, 0.0) + b[name] - a.get(name, 0.0)
        if not sums:
            return {}
        energy = [name for name in sums if name.startswith(ENERGY)]
        ends = [self._rows[last] for _, last in self._windows[cell] if last is not None]
        known = all(sums[name] > 0 and all(name in row for row in ends) for name in energy)
        for name in () if known else energy:
            del sums[name]
        seconds = sums.pop("t_ns") / 1e9
        return {"seconds": seconds, **{name: _short(value) for name, value in sums.items()}}

    def slices_ns(self, cell: int = 0) -> list[tuple[int, int]]:
        """Begin and end (ns, the controller's monotonic clock) of each slice of a window."""
        rows = self._rows
        return [
            (int(rows[first]["t_ns"]), int(rows[last]["t_ns"]))
            for first, last in self._windows.get(cell, [])
            if last is not None
        ]

    def busy_share(self, cpu_set: str, cell: int = 0) -> float | None:
        """Share of a CPU set's time that was busy in a cell's window, 0 to 1; None if unknown."""
        totals = self.window(cell)
        if f"cpus.{cpu_set}.user_s" not in totals:
            return None
        return _busy({part: totals[f"cpus.{cpu_set}.{part}"] for part in PARTS})

    def record(self, cell: int = 0) -> dict[str, Any]:
        """Return all rows as columns for ``cell.json``; absent values are None.

        ``marks`` are the rows before any load (``ready``), and at the begin (``go``) and the end
        (``window``) of a cell's window.
        """
        names = list(dict.fromkeys(name for row in self._rows for name in row))
        return {
            "interval_s": self._interval_s,
            "units": UNITS,
            "marks": self._marks(cell),
            "columns": {
                n: [_short(row[n]) if n in row else None for row in self._rows] for n in names
            },
        }

    def _marks(self, cell: int) -> dict[str, int]:
        windows = self._windows.get(cell, [])
        marks = {} if self._ready is None else {"ready": self._ready}
        if not windows:
            return marks
        last = windows[-1][1]
        return {**marks, "go": windows[0][0], **({} if last is None else {"window": last})}

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
        if self._meter is not None:
            joules = self._meter.read()
            row |= {f"{ENERGY}{package}_j": spent for package, spent in joules.items()}
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
