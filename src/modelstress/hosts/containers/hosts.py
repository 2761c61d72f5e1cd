"""Executor ``docker``: nodes and clients in containers, on one machine or on several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from docker.types import Mount

import docker
from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.config.hosts import DockerHost, DockerHosts
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import network_commands
from modelstress.hosts.base import Disturbance, Host, Node, ProgramSpec, Setup
from modelstress.hosts.cgroup import PERIOD_US
from modelstress.hosts.containers import images, machines
from modelstress.hosts.containers.commands import executed
from modelstress.hosts.containers.container_host import MIB, NODE_PORT, ContainerHost, user
from modelstress.hosts.containers.counters import Counters
from modelstress.hosts.containers.daemon import (
    LABEL,
    connect,
    info,
    is_here,
    remove_containers,
    told,
)
from modelstress.hosts.containers.program import ContainerProgram
from modelstress.hosts.containers.sandbox import Holder
from modelstress.hosts.local_base import FILLER, by_node, empty, limits

FILLING_S = 300.0
"""Deadline of filling a node's disk, which is a few times as large as its store."""
FULL = "No space left"
"""What ``dd`` says in the end when it fills a disk, as it shall."""


class ContainerHosts:
    """A host of containers for each node and one for each client process.

    On one machine they share an internal network without a way out. On several, a port of each node
    is published at the address that the configuration names; nodes of one machine share a network.

    Args:
        setup: what is asked for.
        project: whose images they are.
        tool: under test.
        where: which machine runs what.

    Attributes:
        left: what could not be removed in the end, in sentences.

    Raises:
        ConfigError: nodes and clients are called apart, and are not.
        MissingError: no daemon, no image, no such link.
        MeasureError: a daemon refused something.
    """

    executor = "docker"

    def __init__(self, setup: Setup, project: Project, tool: Tool, where: DockerHosts) -> None:
        self._setup, self._where = setup, where
        self._project, self._tool = project, tool
        self.left: Sequence[str] = []
        machines_of = {node.name: where.of(node.name) for node in setup.nodes}
        self._client = where.clients[0].context  # of one: see ``reached``
        for number in range(setup.clients):
            machines_of[f"client{number}"] = where.clients[number % len(where.clients)]
        self._machines: Mapping[str, DockerHost] = machines_of
        self.apart = len({machine.context for machine in machines_of.values()}) > 1
        self._holders: dict[str, Holder] = {}
        self._networks: set[str] = set()
        self._counters = Counters()
        self._closed = False
        self._containers: dict[str, Any] = {}
        self._programs: dict[str, ContainerProgram] = {}
        machines.refuse_one_daemon(setup, self._machines)
        self.network = "between machines" if self.apart else "bridge"
        self.network += f", {setup.link}"
        try:
            made = {name: self._host(name, machine) for name, machine in machines_of.items()}
            runners = {self._context(name): holder.run for name, holder in self._holders.items()}
            self.plan, self.here = machines.plan_of(setup, self._machines, runners)
        except BaseException as error:
            self.close()
            if self.left and isinstance(error, ModelstressError):
                raise type(error)("; ".join([str(error), *self.left])) from error
            raise
        self.nodes: Mapping[str, Host] = {node.name: made.pop(node.name) for node in setup.nodes}
        self.clients: Sequence[Host] = list(made.values())

    def _context(self, name: str) -> str:
        return self._machines[name].context

    def _holder(self, node: str) -> Holder:
        return self._holders[self._setup.node(node).name]

    def reached(self, node: str, endpoint: str) -> str:
        """See ``Hosts.reached``; clients are all on one node's machine or none is on any."""
        return self._reached_from(self._client, node, endpoint)

    def seen(self, node: str, by: str, endpoint: str) -> str:
        """See ``Hosts.seen``."""
        return self._reached_from(self._context(self._setup.node(by).name), node, endpoint)

    def _reached_from(self, context: str, node: str, endpoint: str) -> str:
        machine, url = self._machines[self._setup.node(node).name], urlsplit(endpoint)
        if url.port is None:
            raise MeasureError(f"{node}: endpoint {endpoint!r} has no port")
        if context == machine.context:
            host, port = self._holder(node).address, url.port
        else:
            host, port = str(machine.address), self._holder(node).published(url.port)
        who, at, _ = url.netloc.rpartition("@")
        return urlunsplit(url._replace(netloc=f"{who}{at}{host}:{port}"))

    def counters(self) -> dict[str, float]:
        """See ``Hosts.counters``."""
        return self._counters.read()

    def record(self) -> dict[str, object]:
        """See ``Hosts.record``."""
        hosts = list(self._machines.values())
        about = [info(host.context) for host in hosts]
        image = {
            "image": self._image,
            "layers": images.layers(connect(hosts[0].context), self._image),
        }
        machine_fields = {
            "machines": [daemon_info.get("Name") for daemon_info in about],
            "kernels": [daemon_info.get("KernelVersion") for daemon_info in about],
            "contexts": [host.context for host in hosts],
        }
        nodes = {
            node.name: limits(node) | {"health": self._health(node.name)}
            for node in self._setup.nodes
        }
        return {**machine_fields, **by_node(self._setup, nodes), **image}

    def _health(self, node: str) -> str | None:
        return self._programs[node].healthy if node in self._programs else None

    def can(self, node: str, what: Disturbance) -> str | None:
        """See ``Hosts.can``; a base image that is not ours may lack what drops packets."""
        holder = self._holder(node)
        if what.kind == "drop":
            try:
                holder.run(*network_commands.disturbing(what))
                holder.run(*network_commands.calming(what))
            except MeasureError as error:
                return f"packets cannot be dropped: {error}; use a base image with iptables"
        return None

    def disturb(self, node: str, what: Disturbance) -> Mapping[str, float]:
        """See ``Hosts.disturb``."""
        if what.kind in network_commands.OF_LINKS:
            self._holder(node).run(*network_commands.disturbing(what))
        elif what.kind == "memory":
            used = self._counters.used_mib(self._containers[node])
            if not used:
                raise MeasureError(
                    f"the {node}'s memory cannot be lowered: how much it uses is unknown"
                )
            self._limit_memory(node, round(used + what.amount))
            return {"limit_mib": round(used + what.amount)}
        else:
            fill = ("dd", "if=/dev/zero", f"of={self._filler(node)}", "bs=64k")
            # beside the node's program, as its user
            _, output = executed(self._containers[node], f"host {node}", fill, seconds=FILLING_S)
            if FULL not in output:
                raise MeasureError(f"the {node}'s disk cannot be filled: {output or 'no message'}")
        return {}

    def calm(self, node: str, what: Disturbance) -> None:
        """See ``Hosts.calm``."""
        holder = self._holder(node)
        if what.kind in network_commands.OF_LINKS:
            holder.run(*network_commands.calming(what))
            if what.kind == "cut" and holder.gateway:  # routes go with the link, all but its own
                holder.run("ip", "route", "replace", "default", "via", holder.gateway)
        elif what.kind == "memory":
            self._limit_memory(node, self._setup.node(node).memory_mib)
        elif what.kind == "disk":
            holder.run("rm", "-f", str(self._filler(node)), user=user())

    def limit_cpu(self, node: str) -> None:
        """See ``Hosts.limit_cpu``."""
        if percent := self._setup.node(node).cpu_percent:
            with told(f"the {node}'s CPU time cannot be limited"):
                quota = round(percent / 100 * PERIOD_US)
                self._containers[node].update(cpu_period=PERIOD_US, cpu_quota=quota)

    def empty_folder(self, node: str) -> None:
        """See ``Hosts.empty_folder``."""
        setup_node = self._setup.node(node)
        if not setup_node.disk_mib:
            empty(setup_node.folder)
            return
        arguments = (str(setup_node.folder), "-mindepth", "1", "-delete")
        self._holder(node).run("find", *arguments, user=user())

    def disk_bytes(self, node: str) -> int | None:
        """See ``Hosts.disk_bytes``: its container sees the folder, wherever it is."""
        command = ("du", "--summarize", "--block-size=1", str(self._setup.node(node).folder))
        with suppress(MeasureError, LookupError, ValueError):  # it has ended
            code, said = executed(self._containers[node], f"size of the {node}'s folder", command)
            return int(said.split()[0]) if code == 0 else None
        return None

    def _filler(self, node: str) -> Path:
        return self._setup.node(node).folder / FILLER

    def close(self) -> None:
        """See ``Hosts.close``."""
        self._counters.stop()
        if not self._closed:
            self._closed = True
            _, self.left = remove_containers(self._setup.mark, self._where.contexts)

    # -- making them ----------------------------------------------------------------------------

    def _host(self, name: str, machine: DockerHost) -> ContainerHost:
        setup, client = self._setup, connect(machine.context)
        node = next((setup_node for setup_node in setup.nodes if setup_node.name == name), None)
        self._image = images.needed(machine.context, self._project, self._tool)
        network = self._network(name, machine)
        port = NODE_PORT if node is not None and self.apart else 0
        published = {f"{port}/tcp": (machine.address, None)} if port else None
        disk = self._small_disk(client, node) if node is not None and node.disk_mib else []
        holder = Holder(client, self._image, setup.mark, name, network, published, disk)
        self._holders[name] = holder
        if is_here(machine.context):
            self._counters.add_host(name, holder.pid)
        for line in network_commands.singly() if setup.single_packets else ():
            holder.run("ip", *line.split())
        holder.shape(setup.link)

        def started(
            program: ContainerProgram, container: Any, spec: ProgramSpec, cpus: int
        ) -> None:
            if spec.node:
                self._programs[name], self._containers[name] = program, container
            side = "client" if node is None else name
            if is_here(machine.context):
                self._counters.add(side, container)
            else:
                share = cpus / int(info(machine.context)["NCPU"])
                self._counters.follow(side, container, machine.context, share)

        jar = self._project.jar(self._tool)
        return ContainerHost(
            setup, machine.context, name, node, holder, self._image, jar, disk, port, started
        )

    def _small_disk(self, client: docker.DockerClient, node: Node) -> list[Mount]:
        """A file system, in memory, for what a node writes; only a full disk needs it.

        The holder has it too: it outlives a program that dies.
        """
        options = {
            "type": "tmpfs",
            "device": "tmpfs",
            "o": f"size={node.disk_mib}m,mode=1777",
        }
        with told(f"the {node.name}'s disk"):
            disk = client.volumes.create(
                driver="local", driver_opts=options, labels={LABEL: self._setup.mark}
            )
        return [Mount(str(node.folder), disk.name, type="volume")]

    def _network(self, name: str, machine: DockerHost) -> str:
        """One network for all on one machine; of several, one for the nodes of each.

        There a client has its own, unless it is on a node's machine.
        """
        called = f"modelstress-{self._setup.mark[:12]}"
        first = name
        if self.apart:
            nodes = [node.name for node in self._setup.nodes]
            beside = [
                node_name for node_name in nodes if self._context(node_name) == machine.context
            ]
            first = beside[0] if beside else name
            called += f"-{first}"
        if called not in self._networks:
            with told(f"network {called}"):
                connect(machine.context).networks.create(
                    called, driver="bridge", internal=not self.apart,
                    labels={LABEL: self._setup.mark},
                )  # fmt: skip
            self._networks.add(called)
        return called

    def _limit_memory(self, node: str, mib: int) -> None:
        with told(f"the {node}'s memory cannot be limited"):
            limit = mib * MIB or machines.most_memory(self._context(node))
            self._containers[node].update(mem_limit=limit, memswap_limit=limit)
