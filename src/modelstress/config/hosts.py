"""The machines of executor ``docker``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Strict

HOST_NAME = r"[A-Za-z0-9][A-Za-z0-9-]*"
HostName = Annotated[str, Field(pattern=f"^{HOST_NAME}$")]
"""Of a group of machines, as a level of the factor ``host``."""
HERE = "default"
"""Docker's name of the context that is this machine's own daemon."""


class DockerHost(Strict):
    """A machine with a Docker daemon.

    Attributes:
        context: Docker context that reaches it (``docker context ls``).
        address: at which the other machines reach it; needed of a server that is not with its
            clients.
    """

    context: str = HERE
    address: str | None = None


class DockerHosts(Strict):
    """Which machine runs what.

    Attributes:
        server: of the server.
        clients: of the client processes, in turn.
        base: image that the tools' images are built on, with ``java`` 17, ``python3``, ``ip``,
            ``tc`` and ``iptables``; by default one that is made of Debian packages.
    """

    server: DockerHost = DockerHost()
    clients: Annotated[list[DockerHost], Field(min_length=1)] = [DockerHost()]
    base: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _reached(self) -> DockerHosts:
        elsewhere = [host for host in self.clients if host.context != self.server.context]
        if elsewhere and self.server.address is None:
            raise ValueError(
                f"server.address is missing: clients of context {elsewhere[0].context!r} reach the "
                f"server of context {self.server.context!r} by it"
            )
        if elsewhere and len(elsewhere) < len(self.clients):
            raise ValueError(
                f"clients: some are on the server's machine ({self.server.context!r}) and some are "
                "not, and would not be alike; put all of them on other machines, or none"
            )
        return self

    @property
    def apart(self) -> bool:
        """Whether server and clients are on different machines."""
        return any(host.context != self.server.context for host in self.clients)

    @property
    def contexts(self) -> list[str]:
        """All machines, each once."""
        return list(dict.fromkeys(h.context for h in (self.server, *self.clients)))
