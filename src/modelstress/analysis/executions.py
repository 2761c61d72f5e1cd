"""Executions of an invocation: what tables are made of, from rows or from histograms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from modelstress import stats
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.windows import Windows
from modelstress.samples.schema import PHASES
from modelstress.stats import Caveat
from modelstress.stats.results import Values

NS_PER_MS = 1e6
NS_PER_S = 1e9
OK, TIMEOUT = OUTCOMES.index("ok"), OUTCOMES.index("timeout")
MEASURE = PHASES.index("measure")


@dataclass(frozen=True)
class Part:
    """The measured executions of one operation.

    Attributes:
        counts: by outcome, in the order of `OUTCOMES`.
        latencies_ms: of those that were answered rightly.
        items: in the answers of those.
        timeout_ms: how long every timeout lasted at least; NaN without any.
    """

    counts: NDArray[np.int64]
    latencies_ms: Values
    items: int
    timeout_ms: float


@dataclass(frozen=True)
class Stretch:
    """A part of the window.

    Attributes:
        begin_s: since the begin of the window.
        seconds: that it lasted.
        counts: of the measured executions that ended in it, by outcome as in `OUTCOMES`.
        rate_per_s: right answers per second; NaN where it is not known.
        median_ms, p99_ms: latency of those that were answered rightly; NaN without any.
        objects: in right answers since the begin of the window.
    """

    begin_s: float
    seconds: float
    counts: NDArray[np.int64]
    rate_per_s: float
    median_ms: float
    p99_ms: float
    objects: int


class Measured(Protocol):
    """What every table asks of the executions of an invocation."""

    @property
    def latencies_ms(self) -> Values:
        """Latencies of the measured executions that were answered rightly."""

    @property
    def timeout_ms(self) -> float:
        """How long every timeout of the window lasted at least; NaN without any."""

    @property
    def course_ms(self) -> Values:
        """Latencies in the order of time, by which steadiness is judged."""

    @property
    def course_noun(self) -> str:
        """What one value of the course is of: an execution or a second."""

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What cannot be told from such samples."""

    @property
    def attempts(self) -> float:
        """Mean tries of a measured execution; NaN without any."""

    @property
    def variance_ms2(self) -> float:
        """Variance of the latencies (ms², with n − 1); NaN of fewer than two."""

    def counts(self, phase: str = "measure") -> dict[str, int]:
        """Executions of a phase by outcome."""

    def least_of_thread(self, threads: int) -> int | None:
        """Measured executions of the thread that has the fewest; None where there are none.

        Args:
            threads: how many there were; one without any measured execution has none.
        """

    @property
    def extrapolated_ok(self) -> float:
        """Right answers if all threads had as many as the last one; NaN where it is not known."""

    def throughput(
        self, offsets_ns: Mapping[int, int], together: bool, slices_ns: Sequence[int] = ()
    ) -> stats.Throughput:
        """Throughput; every client has a window of its own, or all have one `together`.

        Args:
            offsets_ns: client to its clock minus the controller's.
            together: whether the clients have one window.
            slices_ns: when the slices of the window began, on the controller's clock; what was
                idle between them is no part of it.
        """

    def operations(self) -> dict[str, Part]:
        """Measured executions by operation, in the order of names."""

    def stretches(
        self, offsets_ns: Mapping[int, int], asked: Windows, counted: frozenset[str] | None
    ) -> list[Stretch]:
        """The window in stretches of equal length; the last one may be shorter.

        Args:
            offsets_ns: client to its clock minus the controller's.
            asked: their length, in seconds or in executions.
            counted: operations whose items are objects; None: all.
        """


@dataclass(frozen=True)
class Executions:
    """Single executions as arrays of equal length, in the order of their starts.

    `outcome` holds places in `OUTCOMES`, `phase` in `PHASES`, `operation` in `names`; `thread` is
    the number of a thread in its client; times are nanoseconds of the client's own clock.
    `think_ns` are pauses within an execution, which are no part of its duration; `items` are those
    of its answer.
    """

    client: NDArray[np.int64]
    thread: NDArray[np.int64]
    intended_start_ns: NDArray[np.int64]
    duration_ns: NDArray[np.int64]
    outcome: NDArray[np.int64]
    phase: NDArray[np.int64]
    items: NDArray[np.int64]
    tries: NDArray[np.int64]
    think_ns: NDArray[np.int64]
    operation: NDArray[np.int64]
    names: tuple[str, ...]

    course_noun = "execution"
    caveats = ()

    @cached_property
    def ends_ns(self) -> NDArray[np.int64]:
        """When each execution ended."""
        return self.intended_start_ns + self.duration_ns + self.think_ns

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Which executions belong to the window."""
        mask: NDArray[np.bool_] = self.phase == MEASURE
        return mask

    @cached_property
    def latencies_ms(self) -> Values:
        """Latencies (ms) of the measured executions that were answered rightly."""
        latencies: Values = self.duration_ns[self.measured & (self.outcome == OK)] / NS_PER_MS
        return latencies

    @property
    def timeout_ms(self) -> float:
        """The shortest timeout of the window."""
        return self._shortest_timeout(self.measured)

    def _shortest_timeout(self, mask: NDArray[np.bool_]) -> float:
        lasted = self.duration_ns[mask & (self.outcome == TIMEOUT)]
        return float(lasted.min()) / NS_PER_MS if lasted.size else float("nan")

    @property
    def course_ms(self) -> Values:
        """The latencies, which are in the order of starts."""
        return self.latencies_ms

    @property
    def attempts(self) -> float:
        """Mean tries of a measured execution."""
        tries = self.tries[self.measured]
        return float(tries.mean()) if tries.size else float("nan")

    @property
    def variance_ms2(self) -> float:
        """Variance of the latencies (ms², with n − 1)."""
        latencies = self.latencies_ms
        return float(latencies.var(ddof=1)) if latencies.size > 1 else float("nan")

    def counts(self, phase: str = "measure") -> dict[str, int]:
        """Executions of a phase by outcome."""
        outcomes = self.outcome[self.phase == PHASES.index(phase)]
        return dict(zip(OUTCOMES, _by_outcome(outcomes).tolist(), strict=True))

    @cached_property
    def _threads(self) -> NDArray[np.int64]:
        """Number of the thread of each execution, among those of all clients."""
        return self.client * (int(self.thread.max()) + 1) + self.thread

    def least_of_thread(self, threads: int) -> int | None:
        """Measured executions of the thread that has the fewest."""
        if not self.measured.any():
            return None
        counts = np.unique(self._threads[self.measured], return_counts=True)[1]
        return 0 if len(counts) < threads else int(counts.min())

    @property
    def extrapolated_ok(self) -> float:
        """Right answers if all threads had as many as the last one."""
        if not self.measured.any():
            return float("nan")
        threads = np.unique(self._threads[self.measured])
        last = self.measured & (self._threads == threads[-1]) & (self.outcome == OK)
        return float(last.sum() * threads.size)

    def throughput(
        self, offsets_ns: Mapping[int, int], together: bool, slices_ns: Sequence[int] = ()
    ) -> stats.Throughput:
        """Throughput from the first start to the last end, of the window or of its slices."""
        at, group = self.intended_start_ns - shifts(offsets_ns, self.client), self.client
        intended = self.intended_start_ns
        if together:
            intended, group = at, np.zeros_like(group)
        number = np.searchsorted(np.array(slices_ns[1:]), at, side="right")
        lasted, clients = self.duration_ns + self.think_ns, []
        for client in np.unique(group):
            parts = []
            for part in np.unique(number[(group == client) & self.measured]):
                mask = (group == client) & (number == part)
                begin = (intended[mask] - intended[mask].min()) / NS_PER_S
                end = begin + lasted[mask] / NS_PER_S
                ok = self.outcome[mask] == OK
                parts.append(stats.throughput(begin, end, ok, self.measured[mask]))
            clients.append(stats.in_turns(parts))
        return stats.total(clients)

    def operations(self) -> dict[str, Part]:
        """Measured executions by operation."""
        parts = {}
        for place in np.unique(self.operation[self.measured]):
            mask = self.measured & (self.operation == place)
            ok = mask & (self.outcome == OK)
            part = Part(
                _by_outcome(self.outcome[mask]), self.duration_ns[ok] / NS_PER_MS,
                int(self.items[ok].sum()), self._shortest_timeout(mask),
            )  # fmt: skip
            parts[self.names[place]] = part
        return dict(sorted(parts.items()))

    def stretches(
        self, offsets_ns: Mapping[int, int], asked: Windows, counted: frozenset[str] | None
    ) -> list[Stretch]:
        """Stretches of the window; an execution is in the one in which it ended."""
        at = np.flatnonzero(self.measured)
        if not at.size:
            return []
        shift = shifts(offsets_ns, self.client)[at]
        begin = int((self.intended_start_ns[at] - shift).min())
        ends = self.ends_ns[at] - shift - begin
        order = np.argsort(ends, kind="stable")
        at, ends_s = at[order], ends[order] / NS_PER_S
        if asked.executions is not None:
            firsts = np.arange(0, at.size, asked.executions)
            edges = np.array([0.0, *ends_s[firsts[1:] - 1], ends_s[-1]])
        else:
            edges = steps(float(ends_s[-1]), asked.seconds or 1.0)
            firsts = np.searchsorted(ends_s, edges[:-1], side="left")
        names = enumerate(self.names)
        counted_places = [place for place, name in names if counted is None or name in counted]
        right = self.outcome[at] == OK
        objects = np.cumsum(self.items[at] * (right & np.isin(self.operation[at], counted_places)))
        places = [*firsts, at.size]
        return [
            self._stretch(at[first:last], float(from_s), float(to_s), objects[:last])
            for first, last, from_s, to_s in zip(
                places[:-1], places[1:], edges[:-1], edges[1:], strict=True
            )
        ]

    def _stretch(
        self, at: NDArray[np.int64], from_s: float, to_s: float, objects: NDArray[np.int64]
    ) -> Stretch:
        """One stretch, of the executions at these places."""
        latencies = self.duration_ns[at[self.outcome[at] == OK]] / NS_PER_MS
        median, tail = np.quantile(latencies, [0.5, 0.99]) if latencies.size else [np.nan] * 2
        seconds = to_s - from_s
        rate = latencies.size / seconds if seconds > 0 else np.nan
        return Stretch(
            from_s, seconds, _by_outcome(self.outcome[at]), rate, float(median), float(tail),
            int(objects[-1]) if objects.size else 0,
        )  # fmt: skip


def steps(end_s: float, seconds: float) -> Values:
    """Edges of stretches of so many seconds, up to the end, where the last one is cut."""
    edges = np.arange(max(1, int(np.ceil(end_s / seconds)))) * seconds
    return np.append(edges, end_s)


def shifts(offsets_ns: Mapping[int, int], clients: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offset of each of these clients' clocks; 0 where unmeasured."""
    offsets = {int(number): offsets_ns.get(int(number), 0) for number in np.unique(clients)}
    shift_ns = np.zeros(clients.size, np.int64)
    for client, offset in offsets.items():
        shift_ns[clients == client] = offset
    return shift_ns


def _by_outcome(outcomes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(outcomes, minlength=len(OUTCOMES))
