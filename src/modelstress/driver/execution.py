"""The execution that a thread has under way, and who may record it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from modelstress.driver.samples import Sample
from modelstress.driver.spi import Endpoint, Endpoints
from modelstress.driver.stage import Stage

IDLE, RUNNING, THINKING, RECORDING, LOST = range(5)
"""Between executions; in the driver's hands; pausing there; its thread records it; another did."""
NO_SLOT = -1
"""Slot of a session that is opened ahead of any execution."""


class GivenUpError(BaseException):
    """This thread's execution was recorded by somebody else; it must end and touch nothing."""


class Target:
    """Where the load goes, and whether it is held back while the server is restarted."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.endpoints = endpoints
        self.released = threading.Event()
        self.released.set()

    def release(self, urls: dict[str, str] | str) -> None:
        """Go on, with the nodes (or the first of them) at these addresses now.

        Raises:
            ValueError: a name is not a node's.
        """
        if isinstance(urls, str):
            urls = {next(iter(self.endpoints.nodes)): urls}
        for node in urls:
            self.endpoints.of(node)
        restarted = {node: Endpoint(url) for node, url in urls.items()}
        self.endpoints = Endpoints({**self.endpoints.nodes, **restarted})
        self.released.set()

    def wait(self, stage: Stage) -> bool:
        """Wait while the load is held; false when the stage is over before."""
        while not self.released.wait(0.005):
            if stage.over.is_set():
                return False
        return True


@dataclass(slots=True)
class Taken:
    """An execution that was taken from its thread."""

    slot: int
    sample: Sample


class Execution:
    """Recorded by exactly one of its thread, the watchdog, a hold and the process's end."""

    def __init__(self, thread: int) -> None:
        self.sample = Sample(thread)
        self.slot = NO_SLOT
        self.state = IDLE
        self._lock = threading.Lock()
        self._thinking_since = 0

    def begin(self, stage: Stage, target: Target, sample: Sample, ticket: int | None) -> bool:
        """Start the clock, or only the watch over a session's opening (no ticket).

        False when the load is held, which is judged together with it: whoever holds it says so
        first and then takes what is under way, so that nothing slips through.
        """
        with self._lock:
            self._check()
            if not target.released.is_set():
                return False
            self.sample = sample
            if ticket is None:
                self.slot, sample.start_ns = NO_SLOT, time.monotonic_ns()
            else:
                self.slot = stage.first_slot + ticket
                sample.phase, sample.start_ns = stage.admit(ticket)
                due = stage.due_ns(ticket)
                sample.intended_start_ns = sample.start_ns if due is None else due
            self.state = RUNNING
            return True

    def restart_clock(self, *, open_loop: bool) -> None:
        """Leave out what was done up to now: reopening is not part of a reused session's time."""
        with self._lock:
            self._check()
            self.sample.start_ns = time.monotonic_ns()
            self.sample.think_ns = 0
            if not open_loop:
                self.sample.intended_start_ns = self.sample.start_ns

    def think(self, ms: float) -> None:
        """Pause within the execution; elsewhere a plain pause."""
        with self._lock:
            within = self.state == RUNNING
            if within:
                self.state, self._thinking_since = THINKING, time.monotonic_ns()
        time.sleep(max(0.0, ms) / 1000)
        if within:
            with self._lock:
                self._check()
                self.sample.think_ns += time.monotonic_ns() - self._thinking_since
                self.state = RUNNING

    def end(self) -> int:
        """Stop the clock."""
        now = time.monotonic_ns()
        with self._lock:
            self._check()
            self.state = RECORDING
        return now

    def recorded(self) -> None:
        """The thread goes on to its next execution."""
        with self._lock:
            self._check()
            self.state = IDLE

    def _check(self) -> None:
        if self.state == LOST:
            raise GivenUpError

    @property
    def under_way(self) -> bool:
        """Whether the driver has an execution, or the opening of a session, in its hands."""
        return self.state == RUNNING

    def overdue(self, limit_ns: int) -> Taken | None:
        """Take an execution that has been in the driver's hands for longer."""
        with self._lock:
            lasted = time.monotonic_ns() - self.sample.start_ns - self.sample.think_ns
            return self._taken() if self.state == RUNNING and lasted > limit_ns else None

    def take(self) -> Taken | None:
        """Take an execution that has begun, whatever its deadline."""
        with self._lock:
            return self._taken() if self.state in (RUNNING, THINKING) else None

    def stop(self, deadline_ns: int) -> tuple[bool, Taken | None]:
        """Let the thread record nothing any more; false when it still records at the deadline."""
        while True:
            with self._lock:
                if self.state in (RUNNING, THINKING):
                    return True, self._taken()
                if self.state != RECORDING:
                    self.state = LOST
                    return True, None
            if time.monotonic_ns() > deadline_ns:
                return False, None
            time.sleep(0.001)

    def _taken(self) -> Taken:
        if self.state == THINKING:
            self.sample.think_ns += time.monotonic_ns() - self._thinking_since
        self.state = LOST  # from here on its thread does not touch the sample
        return Taken(self.slot, self.sample)
