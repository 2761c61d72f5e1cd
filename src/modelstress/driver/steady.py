"""Whether a warm-up has come to a steady state, from its own executions (docs/measuring.md)."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from statistics import median

LEAST = 40
"""Executions before which nothing is said."""
LEAST_OF_OPERATION = 3
AGREEING = 2
GROWTH = 1.1
MOST_REMEMBERED = 1 << 16

Execution = tuple[int, int]
"""Operation and duration in nanoseconds."""


class SteadyRule:
    """Compares the third and the last quarter of a warm-up's executions.

    They are steady when the medians of the operations differ by no more than a fraction, weighted
    by executions, at two looks in a row, between which the executions grew by a tenth.

    Args:
        within: change of latency, as a fraction, that is none.
        most: executions that are remembered.
    """

    def __init__(self, within: float, most: int = MOST_REMEMBERED) -> None:
        self._within, self._most = math.log1p(within), most
        self._lock = threading.Lock()
        self._kept: list[Execution] = []
        self._total = self._agreeing = 0
        self._next_look: float = LEAST
        self._change = math.nan

    @property
    def change(self) -> float:
        """By how much the last quarter was slower than the one before; NaN: not known."""
        return math.expm1(self._change)

    def add(self, operation: int, duration_ns: int) -> None:
        """An execution has ended, in the order of ends."""
        with self._lock:
            if len(self._kept) == self._most:  # only the last half is looked at
                del self._kept[: self._most // 2]
            self._kept.append((operation, duration_ns))
            self._total += 1

    def steady(self) -> bool:
        """Whether it is steady, as far as has been looked; looks where enough is new."""
        with self._lock:
            if self._total < self._next_look:
                return self._agreeing >= AGREEING
            self._next_look = self._total * GROWTH
            half = self._kept[-min(len(self._kept), self._total // 2) :]
        self._change = _change(half)
        self._agreeing = self._agreeing + 1 if abs(self._change) <= self._within else 0
        return self._agreeing >= AGREEING


def _change(executions: Sequence[Execution]) -> float:
    """Weighted mean of the logarithms of the operations' ratios; NaN when none can be told."""
    quarters: list[dict[int, list[int]]] = [{}, {}]
    for place, (operation, duration_ns) in enumerate(executions):
        quarter = quarters[place >= len(executions) // 2]
        quarter.setdefault(operation, []).append(duration_ns)
    before, after = quarters
    changes, weight = 0.0, 0
    for operation in before.keys() & after.keys():
        sizes = len(before[operation]), len(after[operation])
        if min(sizes) >= LEAST_OF_OPERATION:
            medians = [max(1.0, median(quarter[operation])) for quarter in quarters]
            changes += sum(sizes) * math.log(medians[1] / medians[0])
            weight += sum(sizes)
    return changes / weight if weight else math.nan
