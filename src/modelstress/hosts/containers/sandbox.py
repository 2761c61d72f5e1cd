"""A host made of containers: one that holds its network, and beside it one for each program.

The holder runs nothing but ``cat``; commands in it may change its network (tc, iptables) and no
more. Programs have no capability at all. A program that is killed and started again finds the same
network and address.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from docker.types import Mount

import docker
from modelstress.config.errors import MeasureError, MissingError
from modelstress.hosts import network_commands
from modelstress.hosts.base import Disturbance, Link
from modelstress.hosts.containers.commands import executed
from modelstress.hosts.containers.daemon import LABEL, quietly, told

HELD = ("cat",)
"""What a holder runs: it waits for input that never comes, and ends with it."""
NOT_STARTED = (126, 127)
"""Exit codes of a command that is not there, or cannot be run."""
STRICT: dict[str, Any] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
    "pids_limit": 64,
    "mem_limit": "128m",
    "user": "65534",
}
"""Of containers that hold something: nobody's, and they may do nothing."""
COMMANDED: dict[str, Any] = {k: v for k, v in STRICT.items() if k != "security_opt"}
"""Of those in which commands are executed as root, with no capability but those that the container
was given; ``no-new-privileges`` would take them away from such a command."""


class Holder:
    """The network of one host.

    Args:
        client: of the daemon.
        image: with ``ip``, ``tc`` and ``iptables``.
        mark: whose it is.
        name: of the host, such as ``server``.
        network: that it is plugged into.
        ports: published ones, inside to outside; see docker-py.
        mounts: what must outlive the host's programs.
    """

    def __init__(
        self,
        client: docker.DockerClient,
        image: str,
        mark: str,
        name: str,
        network: str,
        ports: dict[str, Any] | None = None,
        mounts: Sequence[Mount] = (),
    ) -> None:
        self._client, self._image, self._mark, self._name = client, image, mark, name
        with told(f"host {name}"):
            self.container: Any = client.containers.run(
                image, list(HELD), name=f"modelstress-{mark[:12]}-{name}", hostname=name,
                labels={LABEL: mark}, network=network, detach=True, stdin_open=True,
                cap_add=["NET_ADMIN", "NET_RAW"], tmpfs={"/run": "size=1m"}, ports=ports or {},
                mounts=list(mounts), **COMMANDED,
            )  # fmt: skip
            self.container.reload()

    @property
    def id(self) -> str:
        """Of the container."""
        return str(self.container.id)

    @property
    def address(self) -> str:
        """IP address in its network."""
        networks = self.container.attrs["NetworkSettings"]["Networks"]
        return str(next(iter(networks.values()))["IPAddress"])

    @property
    def gateway(self) -> str:
        """Of its network; empty where there is no way out."""
        networks = self.container.attrs["NetworkSettings"]["Networks"]
        return str(next(iter(networks.values())).get("Gateway") or "")

    @property
    def pid(self) -> int:
        """Process id as the daemon's machine counts."""
        return int(self.container.attrs["State"]["Pid"])

    def published(self, port: int) -> int:
        """The port of the daemon's machine that leads to one of the host's.

        Raises:
            MeasureError: it is not published.
        """
        bound = self.container.attrs["NetworkSettings"]["Ports"].get(f"{port}/tcp")
        if not bound:
            raise MeasureError(f"host {self._name}: port {port} is not published")
        return int(bound[0]["HostPort"])

    def run(self, *argv: str, user: str = "root") -> str:
        """Run a command in the host's network; its output.

        Raises:
            MeasureError: it failed.
        """
        return _executed(self.container, f"host {self._name}", argv, user)

    def shape(self, link: Link) -> None:
        """Limit the link in both directions.

        What arrives is limited at the other end of the cable, which is the daemon's: a helper with
        the daemon's network does that and ends.

        Raises:
            MissingError: the daemon's kernel cannot do that.
            MeasureError: it failed.
        """
        if not network_commands.shaped(network_commands.DEVICE, link):
            return
        self._shape(self.container, network_commands.DEVICE, link)
        other_end = int(self.run("cat", f"/sys/class/net/{network_commands.DEVICE}/iflink"))
        with told(f"host {self._name}"):
            helper = self._client.containers.run(
                self._image, list(HELD), name=f"modelstress-{self._mark[:12]}-{self._name}-cable",
                labels={LABEL: self._mark}, network_mode="host", detach=True, stdin_open=True,
                cap_add=["NET_ADMIN"], **COMMANDED,
            )  # fmt: skip
        try:
            listed = _executed(helper, "cable", ("ip", "-oneline", "link", "show"))
            device = _device(listed.splitlines(), other_end)
            self._shape(helper, device, link)
        finally:
            quietly(lambda: helper.remove(force=True, v=True))

    def _shape(self, container: Any, device: str, link: Link) -> None:
        for line in network_commands.shaped(device, link):
            argv = ("tc", *line.split())
            code, output = executed(container, f"host {self._name}", argv, user="root")
            if code in NOT_STARTED:
                raise MeasureError(f"host {self._name}: tc cannot be started: {output}")
            if code != 0:
                machine = (quietly(self._client.info) or {}).get("Name", "?")
                raise MissingError(_cannot_shape(line, machine, output))


def _cannot_shape(line: str, machine: str, output: str) -> str:
    """Which factors need what ``tc`` was told in vain, as a sentence."""
    factors, needed = "factor 'link_mbit_s'", "tbf"
    if "netem" in line:
        factors, needed = "factors 'link_delay_ms' and 'link_loss_percent'", "netem"
    return (
        f"{factors}: the kernel of {machine!r}, where Docker runs, does not take {needed} "
        f"({' '.join(output.split())}); use 0, or a kernel with sch_{needed}"
    )


def _device(listed: Sequence[str], number: int) -> str:
    """Name of a network device, of ``ip -oneline link`` (``7: veth1a2b@if6: …``)."""
    for line in listed:
        index, name, *_ = line.split(": ")
        if index == str(number):
            return name.partition("@")[0]
    raise MeasureError(f"the daemon has no network device number {number}")


def _executed(container: Any, what: str, argv: Sequence[str], user: str = "root") -> str:
    code, text = executed(container, what, argv, user=user)
    if code != 0:
        raise MeasureError(f"{what}: {' '.join(argv)}: {text or f'exit code {code}'}")
    return text


def abilities(client: docker.DockerClient, image: str) -> dict[str, str | None]:
    """What links of containers can have on a daemon's machine: each with why not, or None.

    Tried in a container without a network, which is removed.

    Raises:
        MeasureError: the daemon refused the container.
    """
    rate, delay = Link(mbit_s=100), Link(delay_ms=1)
    tried = {
        "rates (tbf)": ("tc", *network_commands.shaped("lo", rate)[0].split()),
        "delay and loss (netem)": ("tc", *network_commands.shaped("lo", delay)[0].split()),
        "packets dropped (iptables)": network_commands.disturbing(Disturbance("drop", 50)),
    }
    reasons: dict[str, str | None] = {}
    with told("a container to try things in"):
        probe = client.containers.run(
            image, list(HELD), labels={LABEL: "doctor"}, network_mode="none", detach=True,
            stdin_open=True, cap_add=["NET_ADMIN", "NET_RAW"], tmpfs={"/run": "size=1m"},
            **COMMANDED,
        )  # fmt: skip
    try:
        for name, argv in tried.items():
            try:
                _executed(probe, "", argv)
                reasons[name] = None
            except MeasureError as error:
                reasons[name] = str(error).removeprefix(": ")
            _forgotten(probe)
    finally:
        quietly(lambda: probe.remove(force=True, v=True))
    return reasons


def _forgotten(probe: Any) -> None:
    """Make room at ``lo`` for the next trial."""
    with suppress(MeasureError):
        executed(probe, "", ("tc", "qdisc", "del", "dev", "lo", "root"), user="root")
