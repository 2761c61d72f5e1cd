"""One host of containers: its holder's network, and a container for each program."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from docker.types import Mount, Ulimit

from modelstress.hosts.base import Node, Program, ProgramSpec, Setup
from modelstress.hosts.containers import images, machines
from modelstress.hosts.containers.daemon import LABEL, connect, info, is_here, told
from modelstress.hosts.containers.program import ContainerProgram
from modelstress.hosts.containers.sandbox import Holder
from modelstress.hosts.containers.staging import Copies

NODE_PORT = 2036
"""Of a node that others reach from other machines: the one that is published."""
NOBODY = 2036
"""User and group of programs where the controller is root: containers never run as root."""
MIB = 1 << 20
HEALTH = {
    "test": ["CMD", images.HEALTHY],
    "interval": 10_000_000_000,
    "timeout": 2_000_000_000,
    "start_period": 60_000_000_000,
}
"""Of a node; ns."""
Started = Callable[[ContainerProgram, Any, ProgramSpec, int], None]
"""Notes a program that was started in a container, and on how many CPUs it may run."""


class ContainerHost:
    """A host that starts each program in a container of its own.

    Args:
        setup: what is asked for.
        context: of the machine that it is on.
        name: of the host.
        node: that it is for; None for a client's.
        holder: has its network.
        image: of all programs.
        jar: that is in the image.
        disk: mount of a small disk, where there is one.
        port: that a node must listen at; 0: any.
        started: called for each program.
    """

    def __init__(
        self,
        setup: Setup,
        context: str,
        name: str,
        node: Node | None,
        holder: Holder,
        image: str,
        jar: Path,
        disk: Sequence[Mount],
        port: int,
        started: Started,
    ) -> None:
        self._setup, self._context, self._name, self._node = setup, context, name, node
        self._holder, self._image, self._jar, self._disk = holder, image, jar, disk
        self._started = started
        self._copies = None
        if not is_here(context):
            self._copies = Copies(connect(context), image, setup.mark, name, ids()[0])
        self.address = "0.0.0.0"  # noqa: S104 - of the host's own network
        self.port = port
        self._count = 0

    def start(self, spec: ProgramSpec) -> Program:
        """See ``Host.start``."""
        setup, context = self._setup, self._context
        self._count += 1
        options: dict[str, Any] = {
            "name": f"modelstress-{setup.mark[:12]}-{self._name}-{self._count}",
            "command": [self._inside(word) for word in spec.argv],
            "entrypoint": [],
            "labels": {LABEL: setup.mark},
            "network_mode": f"container:{self._holder.id}",
            "user": user(),
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
        if spec.node and self._node is not None:
            memory = self._node.memory_mib * MIB or memory
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
        cpus = len(spec.cpus or ()) or int(info(context)["NCPU"])
        self._started(program, container, spec, cpus)
        return program

    def _mounts(self, spec: ProgramSpec) -> list[Mount]:
        """Its work folder, what it reads, and the node's small disk where there is one."""
        reads = [path for path in spec.reads if path != self._jar.parent]
        if self._copies is not None:
            made = () if self._node is None else (self._node.folder,)
            return [*self._copies.mounts(spec.cwd, reads, made), *self._disk]
        _give(spec.cwd)
        mounts = [Mount(str(spec.cwd), str(spec.cwd), type="bind")]
        mounts += [Mount(str(p), str(p), type="bind", read_only=True) for p in reads]
        return [*mounts, *self._disk]

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


def ids() -> tuple[int, int]:
    """User and group that programs run as: the controller's, unless that is root."""
    uid, gid = os.geteuid(), os.getegid()
    return (uid, gid) if uid else (NOBODY, NOBODY)


def user() -> str:
    """User and group, as Docker wants them."""
    return "{}:{}".format(*ids())


def _give(folder: Path) -> None:
    """Let the programs' user write to the run's work folder, and what is made in it."""
    if os.geteuid() == 0:
        # passes over what a program that runs already deletes meanwhile
        for place, folders, files in os.walk(folder):
            for name in (".", *folders, *files):
                with suppress(FileNotFoundError):
                    os.chown(Path(place) / name, NOBODY, NOBODY, follow_symlinks=False)
