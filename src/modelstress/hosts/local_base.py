"""What the executors on this machine's own kernel share: the server's memory and its disk."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError, MissingError
from modelstress.hosts import cgroup
from modelstress.hosts.base import Disturbance, Host, Program, ProgramSpec, Setup
from modelstress.hosts.process import ProcessHost

FILLER = "modelstress-full"
"""The file that fills the server's file system."""
CHUNK = 1 << 20
SMALLEST = 1 << 12
"""Bytes; a file system's block: below it nothing more fits."""


class LocalServer:
    """Hosts whose programs are processes of this machine.

    Args:
        setup: what is asked for.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._group: cgroup.MemoryGroup | None = None
        self.plan = setup.plan
        self.left: Sequence[str] = ()  # processes and networks end with their controller
        sides = {"server": setup.plan.server, "client": setup.plan.client}
        self.here: Mapping[str, frozenset[int]] = {
            name: cpus for name, cpus in sides.items() if cpus
        }

    def reached(self, endpoint: str) -> str:
        """See ``Hosts.reached``."""
        return endpoint

    def counters(self) -> dict[str, float]:
        """See ``Hosts.counters``."""
        used = None if self._group is None else self._group.used_mib()
        return {} if used is None else {"server.group_mib": round(used, 1)}

    def record(self) -> dict[str, object]:
        """See ``Hosts.record``."""
        if self._group is None:
            return {}
        return {"memory_mib": self._setup.memory_mib, "oom_kills": self._group.kills()}

    def can(self, what: Disturbance) -> str | None:
        """See ``Hosts.can``."""
        if what.kind == "memory":
            return cgroup.why_not()
        return f"a fault of kind {what.kind!r} needs the executor 'namespace' or 'docker'"

    def disturb(self, what: Disturbance) -> Mapping[str, float]:
        """See ``Hosts.disturb``."""
        if what.kind == "memory":
            return {"limit_mib": self._lower_memory(what.amount)}
        if what.kind == "disk":
            fill(self._setup.server_folder / FILLER)
        return {}

    def calm(self, what: Disturbance) -> None:
        """See ``Hosts.calm``."""
        if what.kind == "memory" and self._group is not None:
            self._group.limit(self._setup.memory_mib or None)
        elif what.kind == "disk":
            (self._setup.server_folder / FILLER).unlink(missing_ok=True)

    def empty_server_folder(self) -> None:
        """See ``Hosts.empty_server_folder``."""
        empty(self._setup.server_folder)

    def close(self) -> None:
        """See ``Hosts.close``."""
        if self._group is not None:
            self._group.remove()

    def _limit_from_the_start(self) -> None:
        """Make the server's group, when its memory is limited now or later.

        Raises:
            MissingError: it cannot be had here.
        """
        if self._setup.memory_mib or self._setup.changes_memory:
            self._group = cgroup.MemoryGroup(f"modelstress-{self._setup.mark}")
            try:
                self._group.limit(self._setup.memory_mib or None)
            except MeasureError:
                self._group.remove()
                raise

    def _lower_memory(self, headroom_mib: float) -> float:
        assert self._group is not None  # noqa: S101
        used = self._group.used_mib()
        if not used:
            raise MeasureError("the server's memory cannot be lowered: how much it uses is unknown")
        self._group.limit(used + headroom_mib)
        return round(used + headroom_mib, 1)

    def _limited(self, host: Host) -> Host:
        return host if self._group is None else _InGroup(host, self._group)


class ProcessHosts(LocalServer):
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
        self._limit_from_the_start()
        self.server: Host = self._limited(host)
        self.clients: Sequence[Host] = [host] * setup.clients


class _InGroup:
    """A host whose programs are in a control group from their start."""

    def __init__(self, host: Host, group: cgroup.MemoryGroup) -> None:
        self._host, self._group = host, group
        self.address, self.port = host.address, host.port

    def start(self, spec: ProgramSpec) -> Program:
        """See ``Host.start``."""
        program = self._host.start(spec)
        if program.pid is not None:
            with suppress(ProcessLookupError):
                self._group.add(program.pid)
        return program


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
