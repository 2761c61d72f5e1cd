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
UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}
PLAIN_EVERY_S = 10.0
"""How often a counter writes a line into a log."""

RATE_AFTER_S = 5.0
"""No time left is told from a rate of less than so many seconds."""


def human(seconds: float) -> str:
    """``45 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def shortened(name: str, room: int) -> str:
    """A cell's name in so many characters: its beginning, and its end with the hash."""
    if len(name) <= room:
        return name
    end = min(12, room - 1)  # eight hex digits and the invocation
    return f"{name[: room - end - 1]}…{name[-end:]}" if end > 0 else ""


def size(count: float) -> str:
    """Bytes as ``34 kB``, ``1.2 MB`` or ``3.5 GB``."""
    unit = next((u for u in ("kB", "MB") if count < 999.5 * UNITS[u]), "GB")
    number = count / UNITS[unit]
    return f"{number:.0f} {unit}" if number >= 10 or number == 0 else f"{number:.2g} {unit}"


class Line:
    """One line that is painted over on a terminal; on anything else, lines now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._painted = 0.0
        self._width = 0

    def show(self, text: str, every_s: float = PLAIN_EVERY_S, name: str = "") -> None:
        """Paint, at most every ``REPAINT_S``; where nothing can be painted, print sometimes.

        A ``name`` stands at the end, shortened in its middle to what is left of a terminal's line.
        """
        now = time.monotonic()
        if now - self._painted < (REPAINT_S if self._live else every_s):
            return
        self._painted = now
        if self._live:
            room = _columns() - 1
            text = (text + shortened(name, room - len(text)))[:room]
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(f"{text}{name}\n")
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
        total: invocations that are wanted.
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
    _counting: tuple[str, int, str] = ("", 0, "")
    _counted_from: tuple[int, float] = (0, 0.0)

    def event(self, event: Event) -> None:
        """Show one event of the cell that is being measured; the news come first."""
        share = f" ({event.done / event.total:.0%})" if event.total else ""
        counted = f" {event.done}/{event.total} {event.unit}" if event.total else ""
        name = f"{event.cell} i{event.invocation:02d}"
        left = self._left() or self._left_of_phase(event)
        self._line.show(f"{self._place()}{event.phase}{counted}{share}{left}: ", name=name)
        if event.message or event.phase != self._phase:
            self._write(event, counted)
        if event.message:
            self._line.say(f"{name}: {event.message}")
        self._phase = event.phase

    @property
    def typical_s(self) -> float:
        """Mean seconds of an invocation so far; 0 before any is known."""
        return sum(self.seconds) / len(self.seconds) if self.seconds else 0.0

    def finished(self, seconds: float, text: str) -> None:
        """One more invocation is measured."""
        self.done += 1
        self.seconds.append(seconds)
        self._line.say(f"{self._place()}{text}{self._left()}")

    def failed(self, text: str) -> None:
        """One more could not be measured; it says nothing about how long the others take."""
        self.done += 1
        self._line.say(f"{self._place()}{text}")

    def end(self) -> None:
        """Nothing more comes."""
        self._line.end()

    def _place(self) -> str:
        return f"[{self.done}/{self.total}] " if self.total > 1 else ""

    def _left(self) -> str:
        missing = self.total - self.done
        if not self.seconds or missing <= 0:
            return ""
        return f", about {human(self.typical_s * missing)} left"

    def _left_of_phase(self, event: Event) -> str:
        """Before any invocation has ended, all that can be told is how fast this one counts."""
        if (event.cell, event.invocation, event.phase) != self._counting:
            self._counting = (event.cell, event.invocation, event.phase)
            self._counted_from = (event.done, time.monotonic())
        done, begun = self._counted_from
        spent = time.monotonic() - begun
        if event.done == done or spent < RATE_AFTER_S:
            return ""
        left = spent / (event.done - done) * (event.total - event.done)
        return f", about {human(left)} left of this phase"

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
