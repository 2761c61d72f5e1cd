"""When each phase of a cell began and how long it took."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from modelstress.measure.events import Phase

ESSENTIAL: frozenset[Phase] = frozenset({"server", "warmup", "measure"})
"""What a cell is for; everything else is overhead."""


class PhaseTimes:
    """Phases in the order in which they begin; each ends with the beginning of the next."""

    def __init__(self) -> None:
        self.started = datetime.now(UTC)
        self._zero = time.monotonic()
        self._begun: list[tuple[Phase, float]] = []

    def begin(self, phase: Phase) -> None:
        """Enter a phase."""
        self._begun.append((phase, time.monotonic()))

    def seconds(self, phase: Phase) -> float:
        """How long a phase took, or has taken so far; 0 when it never began."""
        return sum(end - begin for name, begin, end in self._spans() if name == phase)

    @property
    def elapsed_s(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._zero

    @property
    def essential_s(self) -> float:
        """Server start, warm-up and window."""
        return sum(self.seconds(phase) for phase in ESSENTIAL)

    @property
    def load_s(self) -> float:
        """Warm-up and window."""
        return self.seconds("warmup") + self.seconds("measure")

    def record(self) -> dict[str, Any]:
        """For ``cell.json``: phases in seconds from the beginning, and the overhead so far."""
        return {
            "started": self.started.isoformat(timespec="milliseconds"),
            "phases": [
                {"phase": name, "begin_s": round(b - self._zero, 3), "seconds": round(e - b, 3)}
                for name, b, e in self._spans()
            ],
            "overhead_s": round(self.elapsed_s - self.essential_s, 3),
        }

    def _spans(self) -> list[tuple[Phase, float, float]]:
        if not self._begun:
            return []
        ends = [begin for _, begin in self._begun[1:]] + [time.monotonic()]
        return [(name, begin, end) for (name, begin), end in zip(self._begun, ends, strict=True)]
