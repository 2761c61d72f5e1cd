"""Reading lines from a pipe with deadlines."""

from __future__ import annotations

import os
import selectors
import time
from collections import deque
from typing import IO

LONGEST_LINE = 1 << 20
"""Bytes; a longer line is cut into pieces, so that a program without line ends fills no memory."""


class LineReader:
    """Lines of a pipe, without blocking beyond a deadline.

    Args:
        stream: the reading end of a pipe, unbuffered; this reader owns and closes it.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""
        self._lines: deque[str] = deque()
        self.ended = False
        os.set_blocking(stream.fileno(), False)

    def fileno(self) -> int:
        """File descriptor, for a selector."""
        return self._stream.fileno()

    def next(self) -> str | None:
        """Return a line that is already there, without its end, or None. Never blocks."""
        if not self._lines and not self.ended:
            self._fill()
        return self._lines.popleft() if self._lines else None

    def read(self, seconds: float) -> str | None:
        """Wait at most so long for a line; None at the deadline or the end (see ``ended``)."""
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._stream, selectors.EVENT_READ)
            while (line := self.next()) is None and not self.ended:
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                selector.select(left)
        return line

    def close(self) -> None:
        """Close the pipe; lines that are in it already remain."""
        if not self.ended:
            self._fill()
        self.ended = True
        self._stream.close()

    def _fill(self) -> None:
        while True:
            try:
                chunk = os.read(self._stream.fileno(), 1 << 16)
            except BlockingIOError:
                return
            if not chunk:
                self.ended = True
                if self._rest:
                    self._add(self._rest)
                    self._rest = b""
                return
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                self._add(line)
            if len(self._rest) > LONGEST_LINE:
                self._add(self._rest)
                self._rest = b""

    def _add(self, line: bytes) -> None:
        self._lines.append(line.rstrip(b"\r").decode("utf-8", errors="replace"))
