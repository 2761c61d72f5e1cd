"""What a driver in Python is written against: the Java harness's interfaces in Python style."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

Kind = Literal["ok", "incorrect", "aborted", "rejected", "error", "timeout"]
"""How an execution can end in a driver."""


class DriverError(Exception):
    """A session could not be opened; the execution becomes an ``error``."""


class DriverTimeoutError(DriverError):
    """A session was not opened in time; the execution becomes a ``timeout``."""


@dataclass(frozen=True)
class Endpoint:
    """Where a node answers, such as ``http://127.0.0.1:8080``."""

    url: str

    @property
    def host(self) -> str:
        """Host part of the address."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """Port part of the address; 0 without one."""
        return urlsplit(self.url).port or 0


@dataclass(frozen=True, eq=False)
class Endpoints:
    """Addresses of the nodes by name, in the order in which they were given."""

    nodes: Mapping[str, Endpoint]

    @property
    def first(self) -> Endpoint:
        """Address of the first node."""
        return next(iter(self.nodes.values()))

    def of(self, node: str) -> Endpoint:
        """Address of a node.

        Raises:
            ValueError: there is none of that name.
        """
        if node not in self.nodes:
            raise ValueError(f"no node {node!r}; there are {', '.join(self.nodes)}")
        return self.nodes[node]


@dataclass(frozen=True)
class Options:
    """What a driver may need to know of the workload.

    Attributes:
        timeout_ms: deadline of one execution; a driver returns ``timeout`` by then on its own if
            it can, and the harness records one a grace period later if it does not.
        values: driver options by name.
    """

    timeout_ms: int
    values: Mapping[str, Any]

    @property
    def timeout_s(self) -> float:
        """The deadline as Python's libraries take it."""
        return self.timeout_ms / 1000


@dataclass(frozen=True)
class SessionContext:
    """Who opens a session.

    Attributes:
        client: number of the client process.
        thread: number of the thread in it.
        session: number of the session in this process, from 0.
        seed: for everything random; differs per client, thread and session, and is the same again
            under the same seed of the study.
        options: of the workload.
    """

    client: int
    thread: int
    session: int
    seed: int
    options: Options
    pause: Callable[[float], None] = field(repr=False, compare=False)

    def think(self, ms: float) -> None:
        """Pause within an execution: neither latency nor part of the deadline."""
        self.pause(ms)


@dataclass(frozen=True)
class Operation:
    """One thing to execute; ``sequence`` numbers the executions of a phase."""

    name: str
    text: str | None
    parameters: Mapping[str, Any]
    sequence: int


@dataclass(frozen=True)
class Outcome:
    """What an execution came to.

    Attributes:
        kind: how it ended.
        ids: identifiers of the result as the store names them, arity × matches, in match order.
        count: how many items a result without identifiers has.
        attempts: tries that the driver made, its own retries included.
        bytes_sent: payload, -1 when the driver cannot know.
        bytes_received: payload, -1 when the driver cannot know.
        detail: one sentence for a person, for everything but ``ok``.
    """

    kind: Kind
    ids: Sequence[int] | Sequence[str] | None = None
    count: int = 0
    attempts: int = 1
    bytes_sent: int = -1
    bytes_received: int = -1
    detail: str | None = None

    @classmethod
    def ok(
        cls,
        *,
        count: int = 0,
        ids: Sequence[int] | Sequence[str] | None = None,
        attempts: int = 1,
        bytes_sent: int = -1,
        bytes_received: int = -1,
    ) -> Outcome:
        """The tool answered: with identifiers, a number of items, or neither."""
        return cls("ok", ids, count, attempts, bytes_sent, bytes_received)

    @classmethod
    def incorrect(cls, detail: str, *, attempts: int = 1) -> Outcome:
        """The driver found the answer wrong."""
        return cls("incorrect", attempts=attempts, detail=detail)

    @classmethod
    def aborted(cls, detail: str, *, attempts: int = 1) -> Outcome:
        """The tool ended the operation by its own rules: a conflict, a deadlock."""
        return cls("aborted", attempts=attempts, detail=detail)

    @classmethod
    def rejected(cls, detail: str, *, attempts: int = 1) -> Outcome:
        """The tool refused the operation: a business reason, too much load."""
        return cls("rejected", attempts=attempts, detail=detail)

    @classmethod
    def error(cls, detail: str, *, attempts: int = 1) -> Outcome:
        """The operation failed."""
        return cls("error", attempts=attempts, detail=detail)

    @classmethod
    def timeout(cls, detail: str, *, attempts: int = 1) -> Outcome:
        """No answer came in time."""
        return cls("timeout", attempts=attempts, detail=detail)


class Session(Protocol):
    """One connection to the tool, used by one thread at a time; closed if it has ``close()``."""

    def execute(self, operation: Operation) -> Outcome:
        """Run one operation; every failure is an outcome, what is raised counts as ``error``."""
        ...


class Driver(Protocol):
    """The client side of one tool; closed at the end if it has ``close()``."""

    def open(self, endpoints: Endpoints, who: SessionContext) -> Session:
        """Open a session: one per thread (``reused``) or per execution, from many threads at once.

        Raises:
            DriverTimeoutError: the server does not answer in time.
            DriverError: the server cannot be reached.
        """
        ...
