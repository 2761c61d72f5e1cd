"""What an executor offers: hosts, and programs on them that can be talked to and stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.hosts import node_name
from modelstress.hosts.cpus import CpuPlan
from modelstress.hosts.lines import LineReader


@dataclass(frozen=True)
class ProgramSpec:
    """A program to start.

    Attributes:
        name: for messages, such as ``server`` or ``client 0``.
        argv: program and arguments; never a shell string.
        cwd: its working folder, which exists.
        stderr: file that receives its log; created or appended to.
        cpus: CPU numbers it may run on; None for all that the caller has.
        env: environment variables set or replaced in the caller's environment.
        nofile: limit of open files; None raises the soft limit to the hard one.
        reads: files and folders outside ``cwd`` that it reads; a host with files of its own must
            be shown them.
        writes: names of the files in ``cwd`` that are wanted of it when it has ended; such a host
            brings them back.
        node: whose program it is; empty for clients and helpers.
    """

    name: str
    argv: tuple[str, ...]
    cwd: Path
    stderr: Path
    cpus: frozenset[int] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    nofile: int | None = None
    reads: tuple[Path, ...] = ()
    writes: tuple[str, ...] = ()
    node: str = ""


@dataclass(frozen=True)
class Link:
    """What every host's link to the switch is like, in both directions.

    Attributes:
        mbit_s: rate, Mbit/s; 0: not limited.
        delay_ms: of every packet, each way; a round trip between two hosts crosses two links twice.
        loss_percent: of packets that are lost.
    """

    mbit_s: float = 0.0
    delay_ms: float = 0.0
    loss_percent: float = 0.0

    def __str__(self) -> str:
        words = [f"{self.mbit_s:g} Mbit/s"] if self.mbit_s else []
        words += [f"{self.delay_ms:g} ms delay"] if self.delay_ms else []
        words += [f"{self.loss_percent:g} % loss"] if self.loss_percent else []
        return ", ".join(words) or "not shaped"


@dataclass(frozen=True)
class Disturbance:
    """What is done to a node's host for a while.

    Attributes:
        kind: ``cut`` (its link is down), ``drop`` (packets to it are dropped at random),
            ``memory`` (less of it) or ``disk`` (its folder is full).
        amount: percent of packets, or MiB of memory.
    """

    kind: Literal["cut", "drop", "memory", "disk"]
    amount: float = 0.0


class Program(Protocol):
    """A started program. Its standard output is read by ``lines``; the owner must call ``stop``.

    Attributes:
        name: for messages.
        lines: its standard output.
    """

    name: str
    lines: LineReader

    @property
    def pid(self) -> int | None:
        """Process id as this machine counts; None when it runs on another one."""

    def send(self, line: str) -> bool:
        """Write one line to its standard input; False when nobody reads it any more."""

    def close_input(self) -> None:
        """Close its standard input: the program reads the end of the file."""

    def exit_code(self) -> int | None:
        """Exit code (128 + n after signal n), or None while it runs. Never blocks.

        Raises:
            MeasureError: nobody knows any more whether it runs.
        """

    def move(self, cpus: frozenset[int]) -> None:
        """Let it run on other CPUs from now on, with all its threads; not after its end."""

    def signal(self, number: int) -> None:
        """Send a signal to it and all that it started; nothing happens after its end.

        Raises:
            MeasureError: it cannot be reached.
        """

    def terminate(self) -> None:
        """Send SIGTERM and return at once."""

    def wait(self, seconds: float) -> int | None:
        """Wait at most so long for its end; the exit code or None."""

    def stop(self, seconds: float) -> int:
        """End it: SIGTERM, after ``seconds`` SIGKILL for all that it started; the exit code.

        May be called again and after the program's own end; nothing of it runs afterwards.
        """

    def last_error(self) -> str | None:
        """The sentence of the last ``error: …`` line of its log, or None."""

    def threads(self) -> str | None:
        """What all threads of its JVM do, where only its own host can tell; None: ask from here.

        Raises:
            MeasureError: there is no JVM that answers.
        """


class Host(Protocol):
    """Where programs run.

    Attributes:
        address: that a node there binds to.
        port: that it must listen at; 0: any.
    """

    address: str
    port: int

    def start(self, spec: ProgramSpec) -> Program:
        """Start a program.

        Raises:
            MissingError: the program or its working folder does not exist.
        """


@dataclass(frozen=True)
class Node:
    """One server process of a tool, and what its host is like.

    Attributes:
        name: lower-case letters, digits and hyphens; ``server`` for a tool of one process.
        folder: below the run's work folder; the node's private copy of the store, and what it
            writes.
        memory_mib: limit of its memory, 0: none.
        cpu_percent: limit of its CPU time, in percent of one CPU, 0: none.
        disk_mib: size of a file system of its own for ``folder``, 0: none.
        changes_memory: whether its memory will be limited while it runs.
    """

    name: str
    folder: Path
    memory_mib: int = 0
    cpu_percent: float = 0
    disk_mib: int = 0
    changes_memory: bool = False

    def __post_init__(self) -> None:
        try:
            node_name(self.name)
        except ValueError as error:
            raise ConfigError(f"node {self.name!r}: {error}") from error


@dataclass(frozen=True)
class Setup:
    """The hosts that an invocation asks for.

    Attributes:
        mark: whose everything is; leftovers are found by it.
        plan: CPUs of each side, on this machine.
        folder: the run's work folder; the programs' own, on whatever host.
        nodes: of the tool, each on a host of its own; the first one is the main one.
        clients: client processes, each on a host of its own.
        link: of every host to the switch.
        single_packets: whether packets leave one by one, because some will be lost or delayed.
    """

    mark: str
    plan: CpuPlan
    folder: Path
    nodes: tuple[Node, ...]
    clients: int = 1
    link: Link = Link()
    single_packets: bool = False

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        if not names or len(set(names)) < len(names):
            raise ConfigError(
                f"nodes {names}: an invocation needs one at least, and no two of the same name"
            )

    def node(self, name: str) -> Node:
        """The node of this name.

        Raises:
            MeasureError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        names = ", ".join(node.name for node in self.nodes)
        raise MeasureError(f"there is no node {name!r}; there are: {names}")


class Hosts(Protocol):
    """The hosts of one invocation and the network between them.

    Attributes:
        executor: how they come to be: ``process``, ``namespace`` or ``docker``.
        nodes: name of each node to the host that runs it, the main one first.
        clients: run one client process each; the same host may be there twice.
        plan: the CPUs of each side, as its own machine counts them.
        here: side (each node's name, ``client``) to CPUs, of those that are this machine's.
        network: what is between them, for people and tables.
        left: what ``close`` could not remove, in sentences.
    """

    executor: str
    nodes: Mapping[str, Host]
    clients: Sequence[Host]
    plan: CpuPlan
    here: Mapping[str, frozenset[int]]
    network: str
    left: Sequence[str]

    def reached(self, node: str, endpoint: str) -> str:
        """The address by which clients reach what a node calls ``endpoint``."""

    def seen(self, node: str, by: str, endpoint: str) -> str:
        """The address by which node ``by`` reaches what node ``node`` calls ``endpoint``."""

    def counters(self) -> dict[str, float]:
        """Running totals that only the executor knows, for telemetry; never raises."""

    def record(self) -> dict[str, object]:
        """What is to be known of them besides, for ``cell.json``.

        Several nodes have what is theirs below ``nodes`` and their names.
        """

    def can(self, node: str, what: Disturbance) -> str | None:
        """Why a node's host cannot be disturbed like this, as a sentence; None when it can."""

    def disturb(self, node: str, what: Disturbance) -> Mapping[str, float]:
        """Begin a disturbance of a node's host; what was set, for ``cell.json``.

        Raises:
            MeasureError: it did not work.
        """

    def calm(self, node: str, what: Disturbance) -> None:
        """End it; nothing happens when it has not begun.

        Raises:
            MeasureError: it did not work.
        """

    def limit_cpu(self, node: str) -> None:
        """From now on a node, which is ready, has no more CPU time than was asked for.

        Raises:
            MeasureError: it cannot be limited.
        """

    def empty_folder(self, node: str) -> None:
        """Delete what a node's program that has ended wrote: the next one gets a fresh copy.

        Raises:
            MeasureError: it cannot be deleted.
        """

    def disk_bytes(self, node: str) -> int | None:
        """What a node's folder takes of its disk now, as ``du`` counts; None where nobody can tell.

        Never raises.
        """

    def close(self) -> None:
        """Stop what still runs and remove the hosts; never raises, may be called again."""
