"""A stretch of load with one beginning: half a warm-up, or the window with its cooldown."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from modelstress.driver.schedule import Schedule
from modelstress.driver.steady import SteadyRule

SECOND = 1_000_000_000


@dataclass(frozen=True)
class Goal:
    """When a stage is over.

    Attributes:
        executions: so many; in a warm-up at least.
        seconds: in a warm-up at least so long; in a window what begins within them is measured.
        objects: the window ends when so many were counted.
        least: of a window in seconds, so many begin, or it lasts longer.
        most_s: but no longer than so many seconds.
    """

    executions: int | None = None
    seconds: float | None = None
    objects: int | None = None
    least: int = 0
    most_s: float = 0.0

    @property
    def unit(self) -> str:
        """What the progress of a window is counted in."""
        if self.objects is not None:
            return "objects"
        return "executions" if self.executions is not None else "seconds"


class Stage:
    """One shared counter of tickets, which number executions in the order in which they start.

    Attributes:
        over: set when no further execution should start.
        rule: of a warm-up that is not over by itself; None otherwise.
        window_end_ns: when the last execution that the stage is for had ended.
    """

    def __init__(
        self,
        goal: Goal,
        *,
        warmup: bool,
        threads: int,
        schedule: Schedule | None,
        first_slot: int,
        first_sequence: int,
        rule: SteadyRule | None = None,
    ) -> None:
        self.rule = rule
        self.goal, self.warmup, self.threads, self.schedule = goal, warmup, threads, schedule
        self.first_slot, self.first_sequence = first_slot, first_sequence
        self.begin_ns = self.window_end_ns = 0
        self.over = threading.Event()
        self.started = threading.Event()
        self.drawn = self.ended = self.objects = self.cooldown = self.timeouts = 0
        self._begun = self._last_end_ns = self._arrived = self._left = 0
        self._leastns = int((goal.seconds or 0) * SECOND)
        # tickets below are measured; unknown before where a clock or a count decides
        self._tickets = goal.executions
        self._most_ns = max(self._leastns, int(goal.most_s * SECOND))
        if schedule is not None and goal.unit == "seconds":
            least = min(goal.least, schedule.due_before(self._most_ns))
            self._tickets = max(schedule.due_before(self._leastns), least)
        self._changed = threading.Condition()

    def draw(self) -> int:
        """The next ticket, from 0."""
        with self._changed:
            self.drawn += 1
            return self.drawn - 1

    def due_ns(self, ticket: int) -> int | None:
        """When an execution is due; None in a closed loop."""
        return None if self.schedule is None else self.begin_ns + self.schedule.offset_ns(ticket)

    def admit(self, ticket: int) -> tuple[str, int]:
        """Begin an execution: its phase, and the time that its phase was judged by."""
        with self._changed:  # else the window could end between the clock and the verdict
            now = time.monotonic_ns()
            if self.warmup:
                return "warmup", now
            if self.over.is_set() or not self._measures(ticket, now):
                return "cooldown", now
            self._begun += 1
            return "measure", now

    def _measures(self, ticket: int, now: int) -> bool:
        if self.goal.objects is not None:
            return self.objects < self.goal.objects
        if self._tickets is not None:
            return ticket < self._tickets
        return not self._time_is_over(now)

    def _time_is_over(self, now: int) -> bool:
        """Whether a window in seconds has them, and its least executions or its most seconds."""
        elapsed = now - self.begin_ns
        enough = self._begun >= self.goal.least or elapsed >= self._most_ns
        return elapsed >= self._leastns and enough

    def finished(self, phase: str, end_ns: int, *, answered: bool, objects: int = 0) -> None:
        """An execution has ended and is recorded; ``answered`` unless by a timeout."""
        with self._changed:
            self.timeouts += not answered
            if phase == "cooldown":
                self.cooldown += 1
                return
            self.ended += 1
            self.objects += objects
            self._last_end_ns = max(self._last_end_ns, end_ns)
            self._look(end_ns)

    def look(self) -> None:
        """End the stage if its time has passed with nothing under way."""
        with self._changed:
            if not self.warmup:
                self._look(time.monotonic_ns())

    def _look(self, now: int) -> None:
        if self.warmup:
            if self.rule is None and self.reached(now):
                self._finish(now)
        elif self._begun == self.ended and self._all_begun(now):
            self._finish(max(self._last_end_ns, self.begin_ns + self._leastns))

    def _all_begun(self, now: int) -> bool:
        """Whether no further execution will be measured."""
        if self.goal.objects is not None:
            return self.objects >= self.goal.objects
        if self._tickets is None:
            return self._time_is_over(now)
        return now - self.begin_ns >= self._leastns and self._begun == self._tickets

    def reached(self, now: int) -> bool:
        """Whether a warm-up has its least executions and seconds."""
        return self.ended >= (self.goal.executions or 0) and now - self.begin_ns >= self._leastns

    def finish(self) -> None:
        """End the stage, whatever is still to do."""
        with self._changed:
            self._finish(time.monotonic_ns())

    def _finish(self, end_ns: int) -> None:
        if not self.over.is_set():
            self.window_end_ns = end_ns
            self.over.set()

    def progress(self) -> tuple[int, int]:
        """What is done and what there is to do, in the goal's unit."""
        if self.goal.unit == "seconds" and not self.warmup:
            goal_s = -(-self._leastns // SECOND)
            return min(goal_s, max(0, time.monotonic_ns() - self.begin_ns) // SECOND), goal_s
        counted = self.objects if self.goal.objects is not None else self.ended
        return counted, max(counted, self.goal.objects or self.goal.executions or 0)

    @property
    def answered(self) -> int:
        """Executions that ended otherwise than by a timeout, cooldown included."""
        return self.ended + self.cooldown - self.timeouts

    def begin(self, lead_ns: int) -> None:
        """Let all threads go; the first arrival of an open loop is due a little later."""
        self.begin_ns = time.monotonic_ns() + lead_ns
        self.started.set()

    def arrive(self) -> None:
        """A thread is ready, its session open."""
        with self._changed:
            self._arrived += 1
            self._changed.notify_all()

    def leave(self) -> None:
        """A thread has no more to do here."""
        with self._changed:
            self._left += 1
            self._changed.notify_all()

    def await_arrivals(self, seconds: float) -> None:
        """Wait for all threads, so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: self._arrived >= self.threads, seconds)

    def await_window(self, seconds: float) -> bool:
        """Wait until the stage is over, so long at most, but not beyond the end of its time."""
        left = (self.begin_ns + self._leastns - time.monotonic_ns()) / SECOND
        ended = self.over.wait(min(seconds, left) if left > 0 else seconds)
        self.look()
        return ended or self.over.is_set()

    def await_departures(self, seconds: float) -> bool:
        """Wait until all threads have left, so long at most."""
        with self._changed:
            return self._changed.wait_for(lambda: self._left >= self.threads, seconds)
