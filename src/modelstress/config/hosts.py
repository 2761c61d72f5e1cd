"""The machines of executor ``docker``."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from modelstress.config.base import Strict

HOST_NAME = r"[A-Za-z0-9][A-Za-z0-9-]*"
HostName = Annotated[str, Field(pattern=f"^{HOST_NAME}$")]
"""Of a group of machines, as a level of the factor ``host``."""
NODE_NAME = r"[a-z][a-z0-9-]*"
CLIENT_NAME = r"client(-?[0-9]+)?"
"""Names that clients and their hosts have in records."""


def node_name(name: str) -> str:
    """Name of a node: unchanged.

    Raises:
        ValueError: it cannot be one.
    """
    if re.fullmatch(NODE_NAME, name) is None:
        raise ValueError("use lower-case letters, digits and hyphens, a letter first")
    if re.fullmatch(CLIENT_NAME, name):
        raise ValueError("clients have this name in records; use another one")
    return name


NodeName = Annotated[str, Field(pattern=f"^{NODE_NAME}$"), AfterValidator(node_name)]
"""Of one server process of a tool."""
HERE = "default"
"""Docker's name of the context that is this machine's own daemon."""


class DockerHost(Strict):
    """A machine with a Docker daemon.

    Attributes:
        context: Docker context that reaches it (``docker context ls``).
        address: at which the other machines reach it; needed where a node is not with the
            clients and the other nodes.
    """

    context: str = HERE
    address: str | None = None


class DockerHosts(Strict):
    """Which machine runs what.

    Attributes:
        server: of the server, and of all nodes that ``nodes`` does not name.
        clients: of the client processes, in turn.
        nodes: of single nodes of tools that have several, by their names.
        base: image that the tools' images are built on, with ``java`` 17, ``python3``, ``ip``,
            ``tc`` and ``iptables``; by default one that is made of Debian packages.
    """

    server: DockerHost = DockerHost()
    clients: Annotated[list[DockerHost], Field(min_length=1)] = [DockerHost()]
    nodes: dict[NodeName, DockerHost] = {}
    base: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _reached(self) -> DockerHosts:
        nodes = {"server": self.server} | {f"nodes.{n}": host for n, host in self.nodes.items()}
        for field, host in nodes.items():
            if host.address is None:
                for other in self.clients:
                    _refuse_unreached(field, host, "clients", other)
                for name, other in nodes.items():
                    _refuse_unreached(field, host, name, other)
            beside = [client for client in self.clients if client.context == host.context]
            if beside and len({client.context for client in self.clients}) > 1:
                machine = "the server's machine" if field == "server" else f"the machine of {field}"
                raise ValueError(
                    f"clients: some are on {machine} ({host.context!r}) and some are not, and "
                    "would not be alike; put all of them on other machines, or none"
                )
        return self

    def of(self, node: str) -> DockerHost:
        """The machine of a node."""
        return self.nodes.get(node, self.server)

    @property
    def contexts(self) -> list[str]:
        """All machines, each once."""
        hosts = (self.server, *self.nodes.values(), *self.clients)
        return list(dict.fromkeys(host.context for host in hosts))


def _refuse_unreached(field: str, host: DockerHost, by: str, other: DockerHost) -> None:
    """Refuse a node without an address that another machine must reach."""
    if other.context != host.context:
        raise ValueError(
            f"{field}.address is missing: {by} of context {other.context!r} reach the "
            f"{'server' if field == 'server' else 'node'} of context {host.context!r} by it"
        )
