"""The calibration on the clients' CPUs and disk, a bit over a second, as a program of its own."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from modelstress.hosts import Host, ProgramSpec
from modelstress.measure.interrupt import TICK_S, Interrupt

SECONDS = 1.0
LONGEST_S = 10.0
SPIN = str(Path(__file__).with_name("spin.py"))


class Calibration:
    """Runs while something else happens on the other CPUs; idle until ``begin``."""

    def __init__(self, host: Host, work: Path, cpus: frozenset[int]) -> None:
        argv = (sys.executable, "-I", "-S", SPIN, str(SECONDS))
        log = work / "calibration.log"
        spec = ProgramSpec("calibration", argv, work, log, cpus, reads=(Path(SPIN),))
        self.program = host.start(spec)

    def begin(self) -> Calibration:
        """Let it spin, from now on."""
        self.program.send("GO")
        return self

    def result(self, interrupt: Interrupt) -> dict[str, float] | None:
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
                    return {str(k): round(float(v), 1) for k, v in json.loads(line).items()}
                if self.program.lines.ended:
                    break
        finally:
            self.program.stop(1.0)
        return None
