"""Talking to the client programs of a cell, one line each way (docs/contracts.md)."""

from __future__ import annotations

import json
import selectors
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelstress.config.errors import ConfigError, MeasureError, ModelstressError
from modelstress.hosts import Program
from modelstress.measure.events import EXECUTIONS, UNITS
from modelstress.measure.interrupt import TICK_S, Interrupt
from modelstress.measure.server import death_of

PINGS = 7
MOST_DETAILS = 100
FIELDS = {
    "PONG": ("clock_ns",),
    "PROGRESS": ("phase", "done", "total"),
    "DETAIL": ("outcome", "message"),
    "HELD": ("timeouts",),
}
"""What a line must have to be of the contract."""
PING_DEADLINE_S = 5.0
NO_ROOM = 7
"""Exit code of a client program whose sample file cannot be made or grow (docs/contracts.md)."""


class ServerDiedError(MeasureError):
    """The server ended while clients were talking to it."""


class ClientDiedError(MeasureError):
    """A client program ended before its work was done."""


class OverdueError(MeasureError):
    """A deadline of the cell passed."""


@dataclass
class Client:
    """One client process and what it has said.

    Attributes:
        number: of the client.
        program: the process.
        said: word to the object of its last line, such as ``DONE``.
        details: distinct failure messages, as the client reports them.
        strays: lines that are not of the contract.
        progress_s: when it last said PROGRESS, on the controller's monotonic clock.
        offset_ns: its clock minus the controller's; bounded by ± ``rtt_ns`` / 2.
        died: how it ended before its time, or None.
        killed: on purpose; nothing more is expected of it.
        exit_code: once it has been stopped.
        footprint: when it was ready.
    """

    number: int
    program: Program
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    details: list[dict[str, Any]] = field(default_factory=list)
    strays: int = 0
    progress_s: float = 0.0
    offset_ns: int | None = None
    rtt_ns: int | None = None
    died: str | None = None
    killed: bool = False
    exit_code: int | None = None
    footprint: dict[str, Any] | None = None

    def hear(self) -> bool:
        """Read one line, if there is one."""
        line = self.program.lines.next()
        if line is None:
            return False
        word, _, rest = line.partition(" ")
        try:
            data = json.loads(rest) if rest else {}
            if not word.isupper() or not isinstance(data, dict):
                raise ValueError(line)
            if not all(name in data for name in FIELDS.get(word, ())):
                raise ValueError(line)
        except (ValueError, RecursionError):
            self.strays += 1
            return True
        if word == "DETAIL" and len(self.details) < MOST_DETAILS:
            self.details.append({"client": self.number, **data})
        if word == "PROGRESS":
            self.progress_s = time.monotonic()
        self.said[word] = data
        return True


class Conversation:
    """All clients of a cell, while the servers are watched.

    Args:
        clients: started.
        servers: watched; none when somebody else runs them.
        interrupt: looked at at least every 0.1 s.
        heard: called after each wait, for progress.
    """

    def __init__(
        self,
        clients: Sequence[Client],
        servers: Sequence[Program],
        interrupt: Interrupt,
        heard: Callable[[], None] = lambda: None,
    ) -> None:
        self.clients = clients
        self._servers = servers
        self._interrupt = interrupt
        self._heard = heard

    def until(self, word: str, seconds: float, or_word: str = "") -> None:
        """Wait until every client has said ``word`` (or ``or_word``, where there is one).

        Raises:
            ServerDiedError, ClientDiedError, OverdueError: what came instead.
            InterruptedRunError: the controller was told to end.
        """
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            open_pipes = [c.program.lines for c in self.clients if not c.program.lines.ended]
            for pipe in open_pipes:
                selector.register(pipe, selectors.EVENT_READ)
            while True:
                for client in self.clients:
                    while client.hear():
                        pass
                for pipe in [p for p in open_pipes if p.ended]:
                    selector.unregister(pipe)  # at its end a pipe is always "readable"
                    open_pipes.remove(pipe)
                self._heard()
                silent = [
                    c for c in self.clients if not c.killed and not {word, or_word} & c.said.keys()
                ]
                # also when all have answered: those whose server has died fail fast, and are done
                self._look(silent)
                if not silent:
                    return
                if (left := deadline - time.monotonic()) <= 0:
                    late = [client.program.name for client in silent]
                    raise OverdueError(
                        f"{', '.join(late)}: no {word} after {seconds:g} s (deadline of the cell)"
                    )
                if not selector.select(min(left, TICK_S)) and not open_pipes:
                    time.sleep(min(left, TICK_S))

    def tell(self, word: str, *answers: str) -> None:
        """Send a word to all clients, as close together as possible.

        Args:
            word: to send.
            answers: to it; what clients answered the last time is forgotten.
        """
        for client in self.clients:
            for answer in answers:
                client.said.pop(answer, None)
        for client in self.clients:
            client.program.send(word)

    def measure_offsets(self) -> None:
        """Set the clock offset of every client: PING and PONG, the fastest of several counts."""
        for client in self.clients:
            for _ in range(PINGS):
                client.said.pop("PONG", None)
                sent = time.monotonic_ns()
                client.program.send("PING")
                conversation = Conversation([client], self._servers, self._interrupt)
                conversation.until("PONG", PING_DEADLINE_S)
                back = time.monotonic_ns()
                if client.rtt_ns is None or back - sent < client.rtt_ns:
                    client.rtt_ns = back - sent
                    client.offset_ns = int(client.said["PONG"]["clock_ns"]) - (sent + back) // 2

    def _look(self, silent: Sequence[Client]) -> None:
        self._interrupt.check()
        for server in self._servers:
            if death := death_of(server):
                raise ServerDiedError(death)
        for client in silent:
            if (death := death_of(client.program)) and not client.hear():
                client.died = death
                raise ClientDiedError(death)


def progress(clients: Sequence[Client], phase: str) -> tuple[int, int, str]:
    """What is done and what in all, over the clients that last reported progress in this phase.

    Returns:
        Both, and what they count; see ``Event``.
    """
    last = [c.said["PROGRESS"] for c in clients if c.said.get("PROGRESS", {}).get("phase") == phase]
    unit = next((known for known in UNITS if any(p.get("unit") == known for p in last)), EXECUTIONS)
    return sum(int(p["done"]) for p in last), sum(int(p["total"]) for p in last), unit


def refused(client: Client) -> ModelstressError:
    """Return the error for a client that ended before it was READY."""
    code = client.program.wait(1.0)
    cause = client.program.last_error() or f"exit code {code} and no 'error:' line in its log"
    if code == NO_ROOM:
        cause = f"no room for its samples, the disk is full; free some space ({cause})"
    kind = ConfigError if code == 2 else MeasureError
    return kind(f"{client.program.name}: not ready: {cause}")
