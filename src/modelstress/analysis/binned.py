"""Executions that were measured as histograms, one per thread and second."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelstress import stats
from modelstress.analysis.executions import NS_PER_MS, OK, Part, Stretch, steps
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.windows import Windows
from modelstress.samples.bins import NOTHING, Bins, merged
from modelstress.samples.histograms import SECOND_NS, Line, durations
from modelstress.stats import Caveat
from modelstress.stats.results import Values

INNER = 3
"""Seconds of a window from which on its first and its last, which are not whole, are left out."""
BINNED = Caveat(
    "histograms",
    "measured as histograms of seconds: latencies have 3 digits, steadiness is judged by medians "
    "of seconds and not by executions",
)
COARSE = Caveat("coarse-window", "the window has no whole second: its throughput is too low")


@dataclass(frozen=True)
class Second:
    """The executions of one client, phase and operation that ended in one second.

    `at_ns` is the begin of the second, by the client's clock; `right` has the latencies of those
    that were answered rightly, and `items` those of their answers; `timeout_ns` is how long every
    timeout lasted at least, infinite without any.
    """

    client: int
    at_ns: int
    phase: str
    operation: str
    counts: NDArray[np.int64]
    right: Bins
    items: int
    tries: int
    timeout_ns: float

    @property
    def executions(self) -> int:
        """All of them."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Binned:
    """The executions of an invocation by seconds, and those of each thread."""

    seconds: tuple[Second, ...]
    threads: Mapping[tuple[int, int], int]
    """Client and thread to their measured executions."""

    course_noun = "second"

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What cannot be told from histograms."""
        spans = [self._inner(client) for client in self._clients]
        return (BINNED, COARSE) if any(last - first < 1 for first, last in spans) else (BINNED,)

    @cached_property
    def latencies_ms(self) -> Values:
        """Latencies (ms) of right answers: values evenly spaced by rank, `MOST_VALUES` at most."""
        return merged(second.right for second in self._measured).by_rank() / NS_PER_MS

    @property
    def timeout_ms(self) -> float:
        """The shortest timeout of the window, with three digits."""
        return _shortest(self._measured)

    @cached_property
    def course_ms(self) -> Values:
        """Medians of the seconds that have any latency."""
        by_second = self._grouped(lambda second: second.at_ns)
        medians = [merged(second.right for second in seconds).median() for _, seconds in by_second]
        values = np.array(medians) / NS_PER_MS
        return values[np.isfinite(values)]

    @property
    def attempts(self) -> float:
        """Mean tries of a measured execution."""
        executions = sum(second.executions for second in self._measured)
        return sum(second.tries for second in self._measured) / executions if executions else np.nan

    @property
    def variance_ms2(self) -> float:
        """Variance of the latencies (ms²), each taken for the middle of its bin."""
        return merged(second.right for second in self._measured).variance() / NS_PER_MS**2

    def counts(self, phase: str = "measure") -> dict[str, int]:
        """Executions of a phase by outcome."""
        totals = np.zeros(len(OUTCOMES), np.int64)
        for second in self.seconds:
            if second.phase == phase:
                totals += second.counts
        return dict(zip(OUTCOMES, totals.tolist(), strict=True))

    def least_of_thread(self, threads: int) -> int | None:
        """Measured executions of the thread that has the fewest."""
        if not self.threads:
            return None
        return 0 if len(self.threads) < threads else min(self.threads.values())

    @property
    def extrapolated_ok(self) -> float:
        """Not known: bins have the outcomes of a client, not of a thread."""
        return float("nan")

    def throughput(
        self, offsets_ns: Mapping[int, int], together: bool, slices_ns: Sequence[int] = ()
    ) -> stats.Throughput:
        """Throughput of the seconds that are whole: the first and the last of a window are not.

        A window of fewer than three seconds has none that is known to be whole: all are taken.
        """
        return stats.total([self._throughput(client) for client in self._clients])

    def operations(self) -> dict[str, Part]:
        """Measured executions by operation; of those that never began none is known."""
        parts = {}
        for name, seconds in self._grouped(lambda second: second.operation):
            if name:
                counts = np.sum([second.counts for second in seconds], axis=0)
                latencies = merged(second.right for second in seconds).by_rank() / NS_PER_MS
                items = sum(second.items for second in seconds)
                parts[name] = Part(counts, latencies, items, _shortest(seconds))
        return parts

    def stretches(
        self, offsets_ns: Mapping[int, int], asked: Windows, counted: frozenset[str] | None
    ) -> list[Stretch]:
        """Stretches of whole seconds; one of so many executions ends with the next second.

        Their rates are of seconds that are whole: not the first and the last of the window.
        """
        grouped = self._grouped(
            lambda second: (second.at_ns - offsets_ns.get(second.client, 0)) // SECOND_NS
        )
        by_second = list(grouped)
        if not by_second:
            return []
        first = by_second[0][0]
        end = by_second[-1][0] - first + 1
        if asked.executions is None:
            edges = steps(float(end), asked.seconds or 1.0)
        else:
            edges = self._edges(by_second, asked.executions, end)
        whole_seconds = range(1, end - 1) if end >= INNER else range(end)
        made, objects = [], 0
        places = np.searchsorted([at - first for at, _ in by_second], edges)
        spans = zip(places[:-1], places[1:], edges[:-1], edges[1:], strict=True)
        for begin, stop, from_s, to_s in spans:
            seconds = [second for _, group in by_second[begin:stop] for second in group]
            right = merged(second.right for second in seconds)
            objects += sum(
                second.items for second in seconds if counted is None or second.operation in counted
            )
            counts = np.sum(
                [np.zeros(len(OUTCOMES), np.int64), *(second.counts for second in seconds)], 0
            )
            inner = range(max(whole_seconds.start, int(from_s)), min(whole_seconds.stop, int(to_s)))
            ok = [
                int(second.counts[OK])
                for at, group in by_second[begin:stop] if at - first in inner for second in group
            ]  # fmt: skip
            rate = sum(ok) / len(inner) if inner else np.nan
            times = right.median() / NS_PER_MS, right.quantile(0.99) / NS_PER_MS
            made.append(Stretch(float(from_s), float(to_s - from_s), counts, rate, *times, objects))
        return made

    @staticmethod
    def _edges(by_second: list[tuple[int, list[Second]]], executions: int, end: int) -> Values:
        """Edges of stretches in which so many executions end, or as many more as their second."""
        first, edges, count = by_second[0][0], [0], 0
        for at, seconds in by_second:
            count += sum(second.executions for second in seconds)
            if count >= executions:
                edges.append(at - first + 1)
                count = 0
        return np.array(edges if edges[-1] == end else [*edges, end], np.float64)

    @cached_property
    def _measured(self) -> tuple[Second, ...]:
        return tuple(second for second in self.seconds if second.phase == "measure")

    @cached_property
    def _clients(self) -> list[int]:
        return sorted({second.client for second in self._measured})

    def _grouped(self, key: Callable[[Second], Any]) -> Iterator[tuple[Any, list[Second]]]:
        for value, seconds in groupby(sorted(self._measured, key=key), key):
            yield value, list(seconds)

    def _inner(self, client: int) -> tuple[int, int]:
        """The first whole second of a client's window, and the one after the last."""
        at = [second.at_ns // SECOND_NS for second in self._measured if second.client == client]
        return min(at) + 1, max(at)

    def _throughput(self, client: int) -> stats.Throughput:
        first, last = self._inner(client)
        span_s = last - first + 2
        if span_s < INNER:
            first, last = first - 1, last + 1
        counts = np.zeros(len(OUTCOMES), np.int64)
        for second in self.seconds:
            if second.client == client and first <= second.at_ns // SECOND_NS < last:
                counts += second.counts
        per_s = counts / (last - first)
        return stats.Throughput(float(span_s), float(per_s[OK]), float(per_s.sum()))


def _shortest(seconds: Iterable[Second]) -> float:
    """The shortest timeout (ms) of some seconds; NaN without any."""
    least = min((second.timeout_ns for second in seconds), default=np.inf)
    return least / NS_PER_MS if np.isfinite(least) else np.nan


def binned(lines: Iterable[Line]) -> Binned:
    """The executions of these lines; histograms of threads are added up at once.

    Raises:
        MeasureError: a histogram is damaged.
    """
    groups: dict[tuple[int, int, str, str], list[Second]] = {}
    threads: dict[tuple[int, int], int] = {}
    for line in lines:
        second = _second(line)
        parts = groups.setdefault((second.client, second.at_ns, second.phase, second.operation), [])
        parts.append(second)
        if len(parts) > 1:
            parts[:] = [_sum(parts)]
        if second.phase == "measure":
            who = second.client, int(line["thread"])
            threads[who] = threads.get(who, 0) + second.executions
    return Binned(tuple(groups[key][0] for key in sorted(groups)), threads)


def _second(line: Line) -> Second:
    counts = np.zeros(len(OUTCOMES), np.int64)
    counts[OUTCOMES.index(line["outcome"])] = line["executions"]
    ok, lasted = line["outcome"] == "ok", durations(line)
    timeouts = lasted.values if line["outcome"] == "timeout" else np.empty(0)
    at = int(line["second_ns"]) // SECOND_NS * SECOND_NS
    return Second(
        int(line["client"]), at, line["phase"], line["operation"] or "", counts,
        lasted if ok else NOTHING, int(line["items"]) if ok else 0, int(line["attempts"]),
        float(timeouts.min(initial=np.inf)),
    )  # fmt: skip


def _sum(parts: list[Second]) -> Second:
    first = parts[0]
    return Second(
        first.client, first.at_ns, first.phase, first.operation,
        np.sum([part.counts for part in parts], axis=0), merged(part.right for part in parts),
        sum(part.items for part in parts), sum(part.tries for part in parts),
        min(part.timeout_ns for part in parts),
    )  # fmt: skip
