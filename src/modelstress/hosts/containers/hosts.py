"""Executor ``docker``: a server and clients in containers, on one machine or on several."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from docker.types import Mount, Ulimit

import docker
from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.config.hosts import DockerHost, DockerHosts
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import network_commands
from modelstress.hosts.base import Disturbance, Host, Program, ProgramSpec, Setup
from modelstress.hosts.containers import images, machines
from modelstress.hosts.containers.commands import executed
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
from modelstress.hosts.containers.staging import Copies
from modelstress.hosts.local_base import FILLER, empty

SERVER_PORT = 2036
"""Of a server whose clients are on other machines: the one that is published."""
NOBODY = 2036
"""User and group of programs where the controller is root: containers never run as root."""
MIB = 1 << 20
FILLING_S = 300.0
"""Deadline of filling the server's disk, which is a few times as large as its store."""
FULL = "No space left"
"""What ``dd`` says in the end when it fills a disk, as it shall."""


HEALTH = {
    "test": ["CMD", images.HEALTHY],
    "interval": 10_000_000_000,
    "timeout": 2_000_000_000,
    "start_period": 60_000_000_000,
}
"""Of a server; ns."""


class ContainerHosts:
    """One server and as many clients as there are client processes, each a host of containers.

    On one machine they share an internal network without a way out. On several, the server's port
    is published at the address that the configuration names.

    Args:
        setup: what is asked for.
        project: whose images they are.
        tool: under test.
        where: which machine runs what.

    Attributes:
        left: what could not be removed in the end, in sentences.

    Raises:
        ConfigError: server and clients are called apart, and are not.
        MissingError: no daemon, no image, no such link.
        MeasureError: a daemon refused something.
    """

    executor = "docker"

    def __init__(self, setup: Setup, project: Project, tool: Tool, where: DockerHosts) -> None:
        self._setup = setup
        self._where = where
        self.left: Sequence[str] = []
        self.apart = self._where.apart
        self._holders: list[Holder] = []
        self._networks: list[Any] = []
        self._counters = Counters()
        self._closed = False
        self._container: Any = None
        self._server_program: ContainerProgram | None = None
        places = [self._where.server, *self._clients_of()]
        machines.refuse_one_daemon(places)
        self.network = "between machines" if self.apart else "bridge"
        self.network += f", {setup.link}"
        try:
            made = [
                self._host(number, machine, project, tool) for number, machine in enumerate(places)
            ]
            self.plan, self.here = machines.plan_of(setup, places, self._holders[0].run)
        except BaseException as error:
            self.close()
            if self.left and isinstance(error, ModelstressError):
                raise type(error)("; ".join([str(error), *self.left])) from error
            raise
        self.server: Host = made[0]
        self.clients: Sequence[Host] = made[1:]

    def _clients_of(self) -> list[DockerHost]:
        given = self._where.clients
        return [given[number % len(given)] for number in range(self._setup.clients)]

    def reached(self, endpoint: str) -> str:
        """See ``Hosts.reached``."""
        url = urlsplit(endpoint)
        if url.port is None:
            raise MeasureError(f"server: endpoint {endpoint!r} has no port")
        if self.apart:
            host, port = str(self._where.server.address), self._holders[0].published(url.port)
        else:
            host, port = self._holders[0].address, url.port
        return urlunsplit(url._replace(netloc=f"{host}:{port}"))

    def counters(self) -> dict[str, float]:
        """See ``Hosts.counters``."""
        return self._counters.read()

    def record(self) -> dict[str, object]:
        """See ``Hosts.record``."""
        hosts = [self._where.server, *self._clients_of()]
        about = [info(host.context) for host in hosts]
        return {
            "machines": [one.get("Name") for one in about],
            "kernels": [one.get("KernelVersion") for one in about],
            "contexts": [host.context for host in hosts],
            "memory_mib": self._setup.memory_mib,
            "image": self._image,
            "layers": images.layers(connect(self._where.server.context), self._image),
            "health": None if self._server_program is None else self._server_program.healthy,
        }

    def can(self, what: Disturbance) -> str | None:
        """See ``Hosts.can``; a base image that is not ours may lack what drops packets."""
        if what.kind == "drop":
            try:
                self._holders[0].run(*network_commands.disturbing(what))
                self._holders[0].run(*network_commands.calming(what))
            except MeasureError as error:
                return f"packets cannot be dropped: {error}; use a base image with iptables"
        return None

    def disturb(self, what: Disturbance) -> Mapping[str, float]:
        """See ``Hosts.disturb``."""
        if what.kind in network_commands.OF_LINKS:
            self._holders[0].run(*network_commands.disturbing(what))
        elif what.kind == "memory":
            used = self._counters.used_mib(self._container)
            if not used:
                raise MeasureError(
                    "the server's memory cannot be lowered: how much it uses is unknown"
                )
            self._limit_memory(round(used + what.amount))
            return {"limit_mib": round(used + what.amount)}
        else:
            said = self._in_server("dd", "if=/dev/zero", f"of={self._filler}", "bs=64k")
            if FULL not in said:
                raise MeasureError(f"the server's disk cannot be filled: {said or 'no message'}")
        return {}

    def calm(self, what: Disturbance) -> None:
        """See ``Hosts.calm``."""
        holder = self._holders[0]
        if what.kind in network_commands.OF_LINKS:
            holder.run(*network_commands.calming(what))
            if what.kind == "cut" and holder.gateway:  # routes go with the link, all but its own
                holder.run("ip", "route", "replace", "default", "via", holder.gateway)
        elif what.kind == "memory":
            self._limit_memory(self._setup.memory_mib)
        elif what.kind == "disk":
            holder.run("rm", "-f", str(self._filler), user=_user())

    def empty_server_folder(self) -> None:
        """See ``Hosts.empty_server_folder``."""
        if not self._setup.disk_mib:
            empty(self._setup.server_folder)
            return
        every = (str(self._setup.server_folder), "-mindepth", "1", "-delete")
        self._holders[0].run("find", *every, user=_user())

    @property
    def _filler(self) -> Path:
        return self._setup.server_folder / FILLER

    def _in_server(self, *argv: str) -> str:
        """What a command says that is run beside the server, as its user."""
        return executed(self._container, "host server", argv, seconds=FILLING_S)[1]

    def close(self) -> None:
        """See ``Hosts.close``."""
        self._counters.stop()
        if not self._closed:
            self._closed = True
            _, self.left = remove_containers(self._setup.mark, self._where.contexts)

    def started(
        self, program: ContainerProgram, container: Any, side: str, context: str, cpus: int
    ) -> None:
        """Note a program of a host, which may run on so many CPUs."""
        if program.name == "server":
            self._server_program, self._container = program, container
        if is_here(context):
            self._counters.add(side, container)
        else:
            share = cpus / int(info(context)["NCPU"])
            self._counters.follow(side, container, context, share)

    # -- making them ----------------------------------------------------------------------------

    def _host(
        self, number: int, machine: DockerHost, project: Project, tool: Tool
    ) -> _ContainerHost:
        setup, client = self._setup, connect(machine.context)
        name = "server" if number == 0 else f"client{number - 1}"
        self._image = images.needed(machine.context, project, tool)
        network = self._network(machine, name)
        published = None
        if number == 0 and self.apart:
            published = {f"{SERVER_PORT}/tcp": (machine.address, None)}
        mounts = self._small_disk(client) if number == 0 and setup.disk_mib else []
        holder = Holder(client, self._image, setup.mark, name, network, published, mounts)
        self._holders.append(holder)
        if is_here(machine.context):
            self._counters.add_host(name, holder.pid)
        for line in network_commands.singly() if setup.single_packets else ():
            holder.run("ip", *line.split())
        holder.shape(setup.link)
        copies = None
        if not is_here(machine.context):
            copies = Copies(client, self._image, setup.mark, name, _ids()[0])
        return _ContainerHost(
            self, machine, name, holder, self._image, project.jar(tool), copies, mounts
        )

    def _small_disk(self, client: docker.DockerClient) -> list[Mount]:
        """A file system, in memory, for what the server writes; only a full disk needs it.

        The holder has it too: it outlives a server that dies.
        """
        options = {
            "type": "tmpfs",
            "device": "tmpfs",
            "o": f"size={self._setup.disk_mib}m,mode=1777",
        }
        with told("the server's disk"):
            disk = client.volumes.create(
                driver="local", driver_opts=options, labels={LABEL: self._setup.mark}
            )
        return [Mount(str(self._setup.server_folder), disk.name, type="volume")]

    def _network(self, machine: DockerHost, name: str) -> str:
        """One network for all, or one for each host where they are on several machines."""
        if self._networks and not self.apart:
            return str(self._networks[0].name)
        called = f"modelstress-{self._setup.mark[:12]}" + (f"-{name}" * self.apart)
        with told(f"network {called}"):
            made = connect(machine.context).networks.create(
                called, driver="bridge", internal=not self.apart,
                labels={LABEL: self._setup.mark},
            )  # fmt: skip
        self._networks.append(made)
        return called

    def _limit_memory(self, mib: int) -> None:
        with told("the server's memory cannot be limited"):
            limit = mib * MIB or machines.most_memory(self._where.server.context)
            self._container.update(mem_limit=limit, memswap_limit=limit)


class _ContainerHost:
    """A host: its holder's network, and a container for each program."""

    def __init__(
        self,
        hosts: ContainerHosts,
        machine: DockerHost,
        name: str,
        holder: Holder,
        image: str,
        jar: Path,
        copies: Copies | None,
        disk: Sequence[Mount],
    ) -> None:
        self._hosts, self._machine, self._name = hosts, machine, name
        self._holder, self._image, self._jar, self._copies = holder, image, jar, copies
        self._disk = disk
        self.address = "0.0.0.0"  # noqa: S104 - of the host's own network
        self.port = SERVER_PORT if hosts.apart and name == "server" else 0
        self._count = 0

    def start(self, spec: ProgramSpec) -> Program:
        """See ``Host.start``."""
        setup, context = self._hosts._setup, self._machine.context
        self._count += 1
        options: dict[str, Any] = {
            "name": f"modelstress-{setup.mark[:12]}-{self._name}-{self._count}",
            "command": [self._inside(word) for word in spec.argv],
            "entrypoint": [],
            "labels": {LABEL: setup.mark},
            "network_mode": f"container:{self._holder.id}",
            "user": _user(),
            "working_dir": str(spec.cwd),
            "environment": dict(spec.env),
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "tmpfs": {"/tmp": "size=256m,mode=1777"},  # noqa: S108
            "pids_limit": 4096,
            "stdin_open": True,
            "log_config": {"type": "none"},
        }
        if spec.nofile is not None:
            options["ulimits"] = [Ulimit(name="nofile", soft=spec.nofile, hard=spec.nofile)]
        if spec.cpus:
            options["cpuset_cpus"] = ",".join(map(str, sorted(spec.cpus)))
        memory = machines.most_memory(context)
        if spec.name == "server":
            memory = setup.memory_mib * MIB or memory
            options["healthcheck"] = HEALTH
        options["mem_limit"] = options["memswap_limit"] = memory
        with told(spec.name):
            container = connect(context).containers.create(
                self._image, mounts=self._mounts(spec), **options
            )
        program = ContainerProgram(
            spec,
            container,
            pid_here=is_here(context),
            at_end=lambda: self._fetch(container, spec),
        )
        side = "server" if self._name == "server" else "client"
        cpus = len(spec.cpus or ()) or int(info(context)["NCPU"])
        self._hosts.started(program, container, side, context, cpus)
        return program

    def _mounts(self, spec: ProgramSpec) -> list[Mount]:
        """Its work folder, what it reads, and the server's small disk where there is one."""
        reads = [path for path in spec.reads if path != self._jar.parent]
        if self._copies is not None:
            return [*self._copies.mounts(spec.cwd, reads), *self._disk]
        _give(spec.cwd)
        found = [Mount(str(spec.cwd), str(spec.cwd), type="bind")]
        found += [Mount(str(p), str(p), type="bind", read_only=True) for p in reads]
        return [*found, *self._disk]

    def _fetch(self, container: Any, spec: ProgramSpec) -> None:
        if self._copies is not None:
            self._copies.fetch(container, spec.cwd, spec.writes)

    def _inside(self, word: str) -> str:
        """A word of a command line as it is called in the image."""
        if word.startswith("/") and Path(word).name in ("java", "jcmd"):
            return Path(word).name
        if word.startswith("/") and Path(word).name.startswith("python"):
            return "python3"
        return word.replace(str(self._jar.parent), images.INSIDE)


def _ids() -> tuple[int, int]:
    """User and group that programs run as: the controller's, unless that is root."""
    uid, gid = os.geteuid(), os.getegid()
    return (uid, gid) if uid else (NOBODY, NOBODY)


def _user() -> str:
    return "{}:{}".format(*_ids())


def _give(folder: Path) -> None:
    """Let the programs' user write to the run's work folder, and what is made in it."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            with suppress(FileNotFoundError):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
