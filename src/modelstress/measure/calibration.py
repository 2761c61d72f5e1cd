"""The calibration on the clients' CPUs and disk, a bit over a second, as a program of its own."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from modelstress.hosts import Host, ProgramSpec
from modelstress.measure.interrupt import TICK_S, Interrupt

SECONDS, LEAST_S = 1.0, 0.25
"""Longest and shortest time of spinning."""
OF_LOAD = 0.25
"""Of warm-up and window, how long the calibration after them spins."""
FRESH_S = 5.0
"""A calibration that ended longer ago is none of a start that begins now."""
LONGEST_S = 10.0
SPIN = str(Path(__file__).with_name("spin.py"))

Rates = dict[str, float]
"""What a calibration found (see ``spin.py``), and how many seconds it spun."""


@dataclass(frozen=True)
class Shared:
    """The calibration after a start, which is also the one before the next.

    Attributes:
        rates: what it found.
        start: id of the start that it followed.
        age_s: seconds from its end to the beginning of this start.
    """

    rates: Rates
    start: str
    age_s: float

    def record(self) -> dict[str, float | str]:
        """For ``cell.json``."""
        return {"start": self.start, "age_s": round(self.age_s, 3)}


class Recent:
    """The calibration that ended last in this process, by what it was a calibration of."""

    def __init__(self) -> None:
        self._last: tuple[Hashable, Rates, str, float] | None = None

    def keep(self, of: Hashable, rates: Rates | None, start: str) -> None:
        """Keep a calibration that has just ended.

        Args:
            of: CPUs and disk that were calibrated; None: they are nobody else's.
            rates: what it found; None: nothing.
            start: id of the start that it followed.
        """
        usable = of is not None and rates is not None
        self._last = (of, rates, start, time.monotonic()) if usable and rates else None

    def take(self, of: Hashable) -> Shared | None:
        """Return the last calibration if it was of the same, and is fresh; once only."""
        last, self._last = self._last, None
        if last is None or of is None or last[0] != of:
            return None
        age_s = time.monotonic() - last[3]
        return Shared(last[1], last[2], age_s) if age_s <= FRESH_S else None


def disk_of(folder: Path) -> int:
    """Number of the file system that a folder is on."""
    return os.stat(folder).st_dev  # noqa: PTH116


def seconds_after(load_s: float) -> float:
    """How long the calibration spins that follows warm-up and window of so many seconds."""
    return min(SECONDS, max(LEAST_S, OF_LOAD * load_s))


class Calibration:
    """Runs while something else happens on the other CPUs; idle until ``begin``."""

    def __init__(self, host: Host, work: Path, cpus: frozenset[int]) -> None:
        argv = (sys.executable, "-I", "-S", SPIN)
        log = work / "calibration.log"
        spec = ProgramSpec("calibration", argv, work, log, cpus, reads=(Path(SPIN),))
        self.program = host.start(spec)
        self._seconds = SECONDS

    def begin(self, seconds: float | None = None) -> Calibration:
        """Let it spin for so many seconds, or for the longest time, from now on."""
        self._seconds = SECONDS if seconds is None else seconds
        self.program.send(f"{self._seconds:g}")
        return self

    def result(self, interrupt: Interrupt) -> Rates | None:
        """Wait for its end; None when it gave no result within ten seconds.

        Raises:
            InterruptedRunError: the controller was told to end.
        """
        deadline = time.monotonic() + LONGEST_S
        try:
            while time.monotonic() < deadline:
                interrupt.check()
                line = self.program.lines.read(TICK_S)
                if line is not None:
                    self.program.wait(1.0)
                    rates = {str(k): round(float(v), 1) for k, v in json.loads(line).items()}
                    return {**rates, "seconds": round(self._seconds, 3)}
                if self.program.lines.ended:
                    break
        finally:
            self.program.stop(1.0)
        return None
