"""What goes wrong in the middle of a cell, on purpose: the levels of the factor ``fault``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from modelstress.config.base import Strict
from modelstress.config.hosts import NodeName

NO_FAULT = "none"
"""Level of the factor ``fault`` for a cell in which nothing goes wrong on purpose."""

Seconds = Annotated[float, Field(gt=0, le=600)]


class _Fault(Strict):
    """Attributes: ``at_s``: when it begins, seconds after the measured window did."""

    at_s: Seconds


class _ServerFault(_Fault):
    """A fault of one server process.

    Attributes:
        node: of the tool; None: its first one.
    """

    node: NodeName | None = None

    @model_serializer(mode="wrap")
    def _with_node(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out a node that is not named: cells of before there were nodes keep their ids."""
        fields: dict[str, Any] = write(self)
        if self.node is None:
            fields.pop("node", None)
        return fields


class ServerKilled(_ServerFault):
    """A server gets SIGKILL, and is started again on the files that it left.

    Attributes:
        restart_s: how long afterwards; None: never.
    """

    kind: Literal["server-killed"]
    restart_s: Annotated[float, Field(ge=0, le=600)] | None = 1.0


class ServerPaused(_ServerFault):
    """A server gets SIGSTOP, and SIGCONT after ``seconds``."""

    kind: Literal["server-paused"]
    seconds: Seconds


class ClientKilled(_Fault):
    """One client program gets SIGKILL; the others go on.

    Attributes:
        client: its number.
    """

    kind: Literal["client-killed"]
    client: Annotated[int, Field(ge=0)] = 0


class LinkCut(_ServerFault):
    """A server's link is down for ``seconds``."""

    kind: Literal["link-cut"]
    seconds: Seconds


class PacketsDropped(_ServerFault):
    """Packets to a server are dropped at random for ``seconds``.

    Attributes:
        percent: of them.
    """

    kind: Literal["packets-dropped"]
    seconds: Seconds
    percent: Annotated[float, Field(gt=0, le=100)]


class MemoryLowered(_ServerFault):
    """The limit of a server's memory falls for ``seconds``.

    Attributes:
        headroom_mib: above what the server uses at that moment (without the page cache).
    """

    kind: Literal["memory-lowered"]
    seconds: Seconds
    headroom_mib: Annotated[float, Field(ge=0)] = 16.0


class DiskFull(_ServerFault):
    """The file system with a server's files has no room for ``seconds``."""

    kind: Literal["disk-full"]
    seconds: Seconds


Fault = Annotated[
    ServerKilled | ServerPaused | ClientKilled | LinkCut | PacketsDropped | MemoryLowered
    | DiskFull,
    Field(discriminator="kind"),
]  # fmt: skip
