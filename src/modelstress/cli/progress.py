"""Progress on a terminal (one live line) and in a log (plain lines)."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TextIO

from modelstress.measure.events import Event

REPAINT_S = 0.2
PLAIN_EVERY_S = 10.0
"""How often a counter writes a line into a log."""


def human(seconds: float) -> str:
    """``45 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Line:
    """One line that is painted over on a terminal; on anything else, lines now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._painted = 0.0
        self._width = 0

    def show(self, text: str, every_s: float = PLAIN_EVERY_S) -> None:
        """Paint, at most every ``REPAINT_S``; where nothing can be painted, print sometimes."""
        now = time.monotonic()
        if now - self._painted < (REPAINT_S if self._live else every_s):
            return
        self._painted = now
        if self._live:
            text = text[: _columns() - 1]
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def say(self, text: str) -> None:
        """Print a whole line, above the live one."""
        if self._live and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._width = 0
        self._stream.write(text + "\n")
        self._stream.flush()
        self._painted = time.monotonic() if not self._live else 0.0

    def end(self) -> None:
        """Leave the terminal at the beginning of a fresh line."""
        if self._live and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0


class Counter:
    """Progress of something that counts, such as elements loaded."""

    def __init__(self, title: str, unit: str) -> None:
        self._title = title
        self._unit = unit
        self._line = Line()
        self._begun = time.monotonic()

    def at(self, done: int, total: int) -> None:
        """So many of so many are done."""
        spent = time.monotonic() - self._begun
        left = f", {human(spent / done * (total - done))} left" if 0 < done < total else ""
        self._line.show(f"{self._title}: {done}/{total} {self._unit}{left}")

    def __enter__(self) -> Counter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._line.end()


@dataclass
class PlanProgress:
    """Where a plan is: cells done of how many, executions of the present one, time left.

    Attributes:
        total: invocations in the plan.
        done: of them, finished before and since.
        seconds: how long those took that are known.
        log: file for plain lines, or None.
    """

    total: int
    done: int
    seconds: list[float] = field(default_factory=list)
    log: Path | None = None
    _line: Line = field(default_factory=Line)
    _phase: str = ""

    def event(self, event: Event) -> None:
        """Show one event of the cell that is being measured."""
        counted = f" {event.done}/{event.total} executions" if event.total else ""
        self._line.show(
            f"[{self.done}/{self.total}] {event.cell} i{event.invocation:02d} "
            f"{event.phase}{counted}{self._left()}"
        )
        if event.message or event.phase != self._phase:
            self._write(event, counted)
        if event.message:
            self._line.say(f"{event.cell} i{event.invocation:02d}: {event.message}")
        self._phase = event.phase

    def finished(self, seconds: float, text: str) -> None:
        """One more invocation is done."""
        self.done += 1
        self.seconds.append(seconds)
        self._line.say(f"[{self.done}/{self.total}] {text}{self._left()}")

    def end(self) -> None:
        """Nothing more comes."""
        self._line.end()

    def _left(self) -> str:
        missing = self.total - self.done
        if not self.seconds or missing <= 0:
            return ""
        return f", about {human(sum(self.seconds) / len(self.seconds) * missing)} left"

    def _write(self, event: Event, counted: str) -> None:
        if self.log is None:
            return
        self.log.parent.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).isoformat(timespec="seconds")
        message = f": {event.message}" if event.message else ""
        with self.log.open("a", encoding="utf-8") as stream:
            stream.write(
                f"{stamp} {event.cell} i{event.invocation:02d} {event.phase}{counted}{message}\n"
            )


def _columns() -> int:
    return shutil.get_terminal_size().columns
