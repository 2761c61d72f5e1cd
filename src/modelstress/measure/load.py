"""The load on the nodes of an invocation: warm-up and window, with hangs and faults in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from modelstress.config.errors import MeasureError
from modelstress.config.programs import Workload
from modelstress.measure import deadlines, faults
from modelstress.measure.clients import Clients
from modelstress.measure.conversation import (
    NO_ROOM,
    ClientDiedError,
    Conversation,
    OverdueError,
    ServerDiedError,
    progress,
)
from modelstress.measure.events import EXECUTIONS, Phase
from modelstress.measure.faults import FaultEnd, Injection
from modelstress.measure.hang_detector import WedgedError
from modelstress.measure.restart import Restarts
from modelstress.measure.run import Run
from modelstress.measure.servers import Servers

ENDS = (ServerDiedError, ClientDiedError, OverdueError, WedgedError)
"""What ends a load before its time, and is a result."""


@dataclass(frozen=True)
class LoadEnd:
    """How the load ended.

    Attributes:
        failure: what ended it before its time; None when it came to its end.
        failed_ns: when, on the controller's monotonic clock; 0 without a failure.
        restarts: what ``cell.json`` says of each time that the nodes hung.
        fault: what became of the cell's fault; None in a cell without one.
    """

    failure: MeasureError | None
    failed_ns: int
    restarts: tuple[Mapping[str, Any], ...]
    fault: FaultEnd | None


class Load:
    """The load of an invocation, while servers and clients are looked after.

    Args:
        run: the invocation.
        servers: ready.
        clients: ready.
    """

    def __init__(self, run: Run, servers: Servers, clients: Clients) -> None:
        self._run, self._servers, self._clients = run, servers, clients
        self._restarts = Restarts(run, servers, clients)

    def apply(self) -> LoadEnd:
        """Warm up and measure; whatever a server or a client does now is a result.

        Raises:
            MeasureError: a client has no room for its samples, or a fault cannot be done.
            InterruptedRunError: the controller was told to end.
        """
        run, injection = self._run, None
        failure: MeasureError | None = None
        failed_ns = 0
        try:
            self.warm_up()
            if len(self._clients.all) > 1 and self._clients.workloads[0].warmup.steady:
                self.pause()  # a long execution of a warm-up delays the windows of all
            if run.capture is not None:
                run.capture.settle(run.interrupt)
            run.telemetry.begin()
            injection = faults.injection_of(run, self._servers, self._clients)
            self._step("measure", "GO", "DONE", deadlines.measure_s, injection)
        except ENDS as error:
            failure, failed_ns = error, time.monotonic_ns()
        fault = faults.never_begun(run) if injection is None else injection.over()
        self.look_for_room(failure)
        return self.ended(failure, failed_ns, fault)

    def warm_up(self) -> None:
        """Warm up, or do the next slice of it, until all clients say so; with a rule it goes on."""
        self._step("warmup", "WARM", "WARMED", deadlines.warmup_s, None)

    def pause(self) -> None:
        """Let the clients be idle until their next slice, or their window, begins for all."""
        conversation = self._conversation("warmup", None)
        conversation.tell("PAUSE", "PAUSED")
        seconds = max(map(deadlines.pause_s, self._clients.workloads))
        conversation.until("PAUSED", self._run.left(seconds))

    def measure_slice(self, *, last: bool) -> None:
        """Measure one slice of the window; after the last one the clients end."""
        run = self._run
        run.telemetry.begin(run.cell)
        answer = "SLICED" if run.slices > 1 else "DONE"
        self._step("measure", "GO", answer, deadlines.measure_s, None)
        run.telemetry.end(run.cell)
        if last:
            self._conversation("measure", None).until("DONE", run.left(deadlines.SLACK_S))

    def look_for_room(self, failure: MeasureError | None) -> None:
        """Refuse to go on where a client has died for want of room on the disk.

        Raises:
            MeasureError: it has.
        """
        if isinstance(failure, ClientDiedError):
            for client in self._clients.all:
                if client.program.exit_code() == NO_ROOM:
                    raise MeasureError(str(failure))

    def ended(
        self, failure: MeasureError | None, failed_ns: int, fault: FaultEnd | None
    ) -> LoadEnd:
        """How the load ended."""
        self._run.telemetry.end(self._run.cell)  # where no client said so
        return LoadEnd(failure, failed_ns, tuple(self._restarts.records), fault)

    def _step(
        self,
        phase: Phase,
        word: str,
        answer: str,
        longest: Callable[[Workload, int], float],
        injection: Injection | None,
    ) -> None:
        run = self._run
        run.begin(phase)
        seconds = max(map(longest, self._clients.workloads, run.invocation.threads))
        self._conversation(phase, injection).tell(word, answer, "WINDOW")
        while True:
            try:
                self._conversation(phase, injection).until(answer, run.left(seconds))
                return
            except WedgedError as wedged:
                self._restarts.go_on(phase, wedged)

    def _conversation(self, phase: Phase, injection: Injection | None) -> Conversation:
        clients, told = self._clients.all, (0, 0, EXECUTIONS)

        def heard() -> None:
            nonlocal told
            if all("WINDOW" in client.said or client.killed for client in clients):
                self._run.telemetry.end(self._run.cell)
            if (counts := progress(clients, phase)) != told:
                told = counts
                self._run.tell(phase, "", *counts)
            if injection is not None:
                injection.look()
            if injection is None or not injection.under_way:
                self._restarts.look(phase)

        # with a fault, a server's death is not the end, and for the injection to judge
        watched = () if injection is not None else tuple(self._servers.programs.values())
        return Conversation(clients, watched, self._run.interrupt, heard)
