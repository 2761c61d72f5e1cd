"""When the executions of an open loop are due; the answer depends on the seed alone."""

from __future__ import annotations

import math
from bisect import bisect_left

from modelstress.config.programs import OpenLoop
from modelstress.driver.plan import MASK, mix, unit

TABLE = 1 << 20
"""A Poisson schedule repeats after so many arrivals at most."""
GOLDEN = 0x9E3779B97F4A7C15


class Schedule:
    """Offsets of arrivals from the beginning, by ticket."""

    def __init__(self, loop: OpenLoop, seed: int, expected: int) -> None:
        self._gap = 1e9 / loop.rate_per_s
        self._arrivals: list[int] = []
        if loop.arrivals == "poisson":
            at = 0.0
            for number in range(min(TABLE, max(expected, 1024) * 2)):
                draw = unit(mix((seed + number * GOLDEN) & MASK))  # Java's SplittableRandom
                at -= math.log(1 - draw) * self._gap
                self._arrivals.append(int(at))

    def offset_ns(self, ticket: int) -> int:
        """Nanoseconds from the beginning until an execution is due."""
        if not self._arrivals:
            return int(ticket * self._gap)
        rounds, within = divmod(ticket, len(self._arrivals))
        return rounds * self._arrivals[-1] + self._arrivals[within]

    def due_before(self, offset_ns: int) -> int:
        """How many executions are due earlier than that."""
        if not self._arrivals:
            count = int(offset_ns / self._gap)
            return count + (self.offset_ns(count) < offset_ns)
        rounds, rest = divmod(offset_ns, self._arrivals[-1])
        return rounds * len(self._arrivals) + bisect_left(self._arrivals, rest)
