"""When a server counts as wedged: nobody gets an answer, and it does next to nothing about it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from modelstress.config.errors import MeasureError

MOST_CPU = 0.05
"""Of one CPU. A server that uses more is busy, and a busy server is the experiment."""
MOST_STORED = 1 << 20
"""Bytes read from storage or written to it. A server that waits for its disk is busy, too."""
LONGEST_STEP_S = 1.0
"""A controller that was itself held up between two looks has seen nothing in between."""


class WedgedError(MeasureError):
    """The server hangs."""


@dataclass(frozen=True)
class Wedge:
    """A server that hangs.

    Attributes:
        after_s: seconds since the last answer, or since there was load to answer.
        cpu_share: of one CPU, which the server used in the last ``wedge_s`` of them.
    """

    after_s: float
    cpu_share: float

    def __str__(self) -> str:
        return (
            f"the server hung: no execution was answered for {self.after_s:.3g} s, in which it "
            f"used {self.cpu_share:.1%} of one CPU"
        )


@dataclass(frozen=True)
class _Look:
    at_s: float
    waited_s: float
    cpu_s: float
    stored: int


class Watch:
    """Decides from what is seen of server and clients; looks at nothing itself.

    Args:
        wedge_s: how long executions must have been under way without an answer. Time in which
            none was under way (between two arrivals, or thinking) does not count.
    """

    def __init__(self, wedge_s: float) -> None:
        self._wedge_s = wedge_s
        self._looks: deque[_Look] = deque()
        self._answered = -1
        self._under_way = False
        self._since_s = 0.0

    def look(
        self, at_s: float, answered: int, under_way: bool, cpu_s: float, stored: int = 0
    ) -> Wedge | None:
        """Take note of how things stand.

        Args:
            at_s: now, in seconds of a monotonic clock.
            answered: executions so far that ended otherwise than by a timeout, over all clients.
            under_way: whether any client has an execution under way.
            cpu_s: CPU seconds that the server has used.
            stored: bytes that it has read from storage and written to it.

        Returns:
            What is wrong; None when nothing is.
        """
        waiting, self._under_way = self._under_way and under_way, under_way
        if answered > self._answered or not self._looks:
            self._answered, self._since_s = max(answered, self._answered), at_s
            self._looks = deque([_Look(at_s, 0.0, cpu_s, stored)])
            return None
        last = self._looks[-1]
        step = min(at_s - last.at_s, LONGEST_STEP_S) if waiting else 0.0
        now = _Look(at_s, last.waited_s + step, cpu_s, stored)
        self._looks.append(now)
        while len(self._looks) > 1 and self._waited(self._looks[1], now):
            self._looks.popleft()
        begin = self._looks[0]
        if not self._waited(begin, now) or stored - begin.stored > MOST_STORED:
            return None
        share = max(0.0, cpu_s - begin.cpu_s) / (at_s - begin.at_s)
        return Wedge(at_s - self._since_s, share) if share < MOST_CPU else None

    def _waited(self, begin: _Look, end: _Look) -> bool:
        """Whether there was load for long enough in between; the slack is for rounding."""
        return end.waited_s - begin.waited_s >= self._wedge_s - 1e-9
