"""What the executors on this machine's own kernel share: the nodes' memory and their disks."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError, MissingError
from modelstress.hosts import cgroup
from modelstress.hosts.base import Disturbance, Host, Node, Program, ProgramSpec, Setup
from modelstress.hosts.process import ProcessHost

FILLER = "modelstress-full"
"""The file that fills a node's file system."""
CHUNK = 1 << 20
BLOCK = 512
"""Bytes; the unit of ``st_blocks``, whatever the file system's own is."""
SMALLEST = 1 << 12
"""Bytes; a file system's block: below it nothing more fits."""


class LocalHosts:
    """Hosts whose programs are processes of this machine.

    Args:
        setup: what is asked for.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._groups: dict[str, cgroup.ControlGroup] = {}
        self.plan = setup.plan
        self.left: Sequence[str] = ()  # processes and networks end with their controller
        sides = {node.name: setup.plan.nodes.get(node.name) for node in setup.nodes}
        self.here: Mapping[str, frozenset[int]] = {
            name: cpus for name, cpus in (sides | {"client": setup.plan.client}).items() if cpus
        }

    def reached(self, node: str, endpoint: str) -> str:
        """See ``Hosts.reached``."""
        self._setup.node(node)
        return endpoint

    def seen(self, node: str, by: str, endpoint: str) -> str:
        """See ``Hosts.seen``."""
        self._setup.node(by)
        return self.reached(node, endpoint)

    def counters(self) -> dict[str, float]:
        """See ``Hosts.counters``."""
        used = {name: group.used_mib() for name, group in self._groups.items()}
        return {f"{name}.group_mib": round(mib, 1) for name, mib in used.items() if mib is not None}

    def record(self) -> dict[str, object]:
        """See ``Hosts.record``."""
        nodes = {
            name: limits(self._setup.node(name)) | {"oom_kills": group.kills()}
            for name, group in self._groups.items()
        }
        return dict(by_node(self._setup, nodes))

    def can(self, node: str, what: Disturbance) -> str | None:
        """See ``Hosts.can``."""
        self._setup.node(node)
        if what.kind == "memory":
            return cgroup.why_not()
        return f"a fault of kind {what.kind!r} needs the executor 'namespace' or 'docker'"

    def disturb(self, node: str, what: Disturbance) -> Mapping[str, float]:
        """See ``Hosts.disturb``."""
        if what.kind == "memory":
            return {"limit_mib": self._lower_memory(node, what.amount)}
        if what.kind == "disk":
            fill(self._setup.node(node).folder / FILLER)
        return {}

    def calm(self, node: str, what: Disturbance) -> None:
        """See ``Hosts.calm``."""
        setup_node = self._setup.node(node)
        if what.kind == "memory" and node in self._groups:
            self._groups[node].limit(setup_node.memory_mib or None)
        elif what.kind == "disk":
            (setup_node.folder / FILLER).unlink(missing_ok=True)

    def limit_cpu(self, node: str) -> None:
        """See ``Hosts.limit_cpu``."""
        if percent := self._setup.node(node).cpu_percent:
            self._groups[node].limit_cpu(percent)

    def empty_folder(self, node: str) -> None:
        """See ``Hosts.empty_folder``."""
        empty(self._setup.node(node).folder)

    def disk_bytes(self, node: str) -> int | None:
        """See ``Hosts.disk_bytes``."""
        return allocated_bytes(self._setup.node(node).folder)

    def close(self) -> None:
        """See ``Hosts.close``."""
        for group in self._groups.values():
            group.remove()

    def _limit_from_the_start(self) -> None:
        """Make a group for each node whose memory or CPU time is limited now or later.

        Raises:
            MissingError: it cannot be had here.
        """
        for node in self._setup.nodes:
            memory = bool(node.memory_mib or node.changes_memory)
            controllers = [*["memory"] * memory, *["cpu"] * bool(node.cpu_percent)]
            if controllers:
                name = f"modelstress-{self._setup.mark}-{node.name}"
                group = cgroup.ControlGroup(name, node.name, controllers)
                self._groups[node.name] = group
                if memory:
                    group.limit(node.memory_mib or None)

    def _lower_memory(self, node: str, headroom_mib: float) -> float:
        group = self._groups.get(node)
        used = None if group is None else group.used_mib()
        if group is None or not used:
            raise MeasureError(
                f"the {node}'s memory cannot be lowered: how much it uses is unknown"
            )
        group.limit(used + headroom_mib)
        return round(used + headroom_mib, 1)

    def _limited(self, node: str, host: Host) -> Host:
        group = self._groups.get(node)
        return host if group is None else _InGroup(host, group)


class ProcessHosts(LocalHosts):
    """Executor ``process``: all programs share this machine's loopback interface.

    Args:
        setup: what is asked for.

    Raises:
        MissingError: a link that is shaped, or memory that cannot be limited.
    """

    executor = "process"
    network = "loopback"

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if setup.link.mbit_s or setup.link.delay_ms or setup.link.loss_percent:
            raise MissingError(
                f"executor 'process' has no link to be shaped ({setup.link}); use 'namespace' or "
                "'docker'"
            )
        host = ProcessHost(setup.mark)
        try:
            self._limit_from_the_start()
        except BaseException:
            self.close()
            raise
        self.nodes: Mapping[str, Host] = {
            node.name: self._limited(node.name, host) for node in setup.nodes
        }
        self.clients: Sequence[Host] = [host] * setup.clients


class _InGroup:
    """A host whose programs are in a control group from their start."""

    def __init__(self, host: Host, group: cgroup.ControlGroup) -> None:
        self._host, self._group = host, group
        self.address, self.port = host.address, host.port

    def start(self, spec: ProgramSpec) -> Program:
        """See ``Host.start``."""
        program = self._host.start(spec)
        if program.pid is not None:
            with suppress(ProcessLookupError):
                self._group.add(program.pid)
        return program


def limits(node: Node) -> dict[str, object]:
    """What a record says of a node's limits."""
    cpu = {"cpu_percent": node.cpu_percent} if node.cpu_percent else {}
    return {"memory_mib": node.memory_mib, **cpu}


def by_node(setup: Setup, found: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """Content of a record: of a single node as it is, of several below ``nodes`` by their names."""
    if len(setup.nodes) == 1:
        return found.get(setup.nodes[0].name, {})
    return {"nodes": dict(found)} if found else {}


def empty(folder: Path) -> None:
    """Delete what is in a folder; the folder itself may be a mount.

    Raises:
        MeasureError: it cannot be deleted.
    """
    try:
        for left in folder.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    except OSError as error:
        raise MeasureError(f"{folder}: cannot be emptied: {error.strerror}") from error


def allocated_bytes(folder: Path) -> int | None:
    """Bytes of all blocks of all files below a folder; None where it cannot be read."""
    total, unread = 0, list[OSError]()
    for place, _, names in os.walk(folder, onerror=unread.append):
        for name in names:
            with suppress(FileNotFoundError):  # programs that run delete files of theirs
                total += Path(place, name).lstat().st_blocks * BLOCK
    gone = all(isinstance(error, FileNotFoundError) for error in unread)
    return total if folder.is_dir() and gone else None


def fill(file: Path) -> None:
    """Write until nothing more fits on the file system of ``file``.

    Raises:
        MeasureError: it cannot be written for another reason.
    """
    piece = CHUNK
    try:
        with file.open("ab", buffering=0) as out:
            while piece >= SMALLEST:
                try:
                    os.posix_fallocate(out.fileno(), out.seek(0, os.SEEK_END), piece)
                except OSError as error:
                    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                        raise
                    piece //= 4
    except OSError as error:
        raise MeasureError(f"{file}: cannot be filled: {error.strerror}") from error
