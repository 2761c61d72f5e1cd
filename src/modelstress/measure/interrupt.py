"""Ctrl-C and SIGTERM of the controller, as a flag that every waiting loop looks at.

An exception raised inside a signal handler could hit the moment between the start of a program and
the note that it was started; a flag cannot.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from modelstress.config.errors import ModelstressError

TICK_S = 0.1
"""No wait in this room is longer before it looks at the flag again."""


class InterruptedRunError(ModelstressError):
    """The controller was told to end; ``exit_code`` is 128 + the signal's number."""

    def __init__(self, signum: int, kept: str = "") -> None:
        super().__init__(f"interrupted by {signal.Signals(signum).name}{kept}")
        self.signum = signum
        self.exit_code = 128 + signum


class Interrupt:
    """Context in which SIGINT, SIGTERM and SIGHUP only set a flag.

    One inside another passes on what it was told: an error may end the inner one before anybody
    has looked at its flag.

    Outside the main thread nothing is installed: there the caller sets ``signum`` itself.
    """

    def __init__(self) -> None:
        self.signum: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self._before[signum] = signal.signal(signum, self._handle)
        return self

    def __exit__(self, *exc: object) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)
            outer = getattr(handler, "__self__", None)
            if isinstance(outer, Interrupt):
                outer.signum = outer.signum or self.signum

    def check(self) -> None:
        """Raise when a signal has come.

        Raises:
            InterruptedRunError: a signal has come.
        """
        if self.signum is not None:
            raise InterruptedRunError(self.signum)

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        self.signum = self.signum or signum
