"""Where an invocation is measured: the hosts that its levels ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.faults import (
    ClientKilled,
    DiskFull,
    Fault,
    LinkCut,
    MemoryLowered,
    PacketsDropped,
    ServerKilled,
    ServerPaused,
)
from modelstress.config.hosts import HERE
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.hosts import (
    CpuPlan,
    Disturbance,
    Hosts,
    Link,
    Node,
    ProcessHosts,
    Setup,
    namespace,
)
from modelstress.measure import folders
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import Invocation
from modelstress.measure.lock import HostLock, lock_path

DISK_ROOM = 2
"""A file system that will be filled is so many times as large as the store, and a bit more: the
server must be able to work on it before."""
DISK_MORE_MIB = 64


def hosts_of(invocation: Invocation, work: Path, mark: str, plan: CpuPlan) -> Hosts:
    """Make the hosts of an invocation; their owner closes them.

    Raises:
        ModelstressError: they cannot be had; the sentence says why.
    """
    link, fault = link_of(invocation.cell), invocation.cell.fault
    memory_mib = int(invocation.cell.levels.get("server_memory_mib", 0))
    cpu_percent = float(invocation.cell.levels.get("node_cpu_percent", 0))
    nodes = tuple(
        Node(
            node.name,
            work / folders.node_files(node.name),
            memory_mib=memory_mib,
            cpu_percent=cpu_percent if node.cpu_limited else 0,
            disk_mib=_disk_mib(invocation) if node.name == target_of(invocation) else 0,
            changes_memory=isinstance(fault, MemoryLowered) and node.name == target_of(invocation),
        )
        for node in invocation.nodes
    )
    setup = Setup(
        mark=mark,
        plan=plan,
        folder=work,
        nodes=nodes,
        clients=len(invocation.threads),
        link=link,
        single_packets=bool(link.delay_ms or link.loss_percent)
        or isinstance(fault, PacketsDropped),
    )
    executor, external = executor_of(invocation.cell), invocation.external
    if external and (executor != "process" or memory_mib or cpu_percent):
        what = f"be reached by executor {executor!r}; use 'process'"
        if memory_mib:
            what = "have its memory limited; use server_memory_mib: 0"
        elif cpu_percent:
            what = "have its CPU time limited; use node_cpu_percent: 0"
        raise ConfigError(
            f"config/tools/{invocation.cell.tool.tool}.yaml: field 'endpoint': a server that "
            f"somebody else runs cannot {what}"
        )
    if executor == "process":
        return ProcessHosts(setup)
    if executor == "namespace":
        return namespace.NamespaceHosts(setup)
    from modelstress.hosts.containers import ContainerHosts  # docker-py takes its time

    if invocation.project is None:
        raise ConfigError("executor 'docker' works in a project only: it has the images")
    others = [node.name for node in invocation.nodes if node.program != invocation.jar]
    if others:
        raise ConfigError(
            f"config/tools/{invocation.cell.tool.tool}.yaml: field 'nodes.{others[0]}.program': "
            "executor 'docker' has images of one program; let all nodes be roles of the 'jar', or "
            "use executor 'process'"
        )
    if invocation.client_program.parent != invocation.jar.parent:
        raise ConfigError(
            f"config/tools/{invocation.cell.tool.tool}.yaml: field 'client': executor 'docker' has "
            "images of one folder; put the client program beside the 'jar', or use executor "
            "'process'"
        )
    machines = invocation.project.machines(invocation.cell.levels.get("host"))
    return ContainerHosts(setup, invocation.project, invocation.cell.tool, machines)


def executor_of(cell: Cell) -> str:
    """How the hosts of a cell come to be."""
    return str(cell.levels.get("executor", "process"))


def machines_of(project: Project | None, cell: Cell) -> list[str]:
    """Names of the machines that a cell has to itself, each once; ``""`` is this one.

    Raises:
        ConfigError: the cell's host is not configured.
    """
    if project is None or executor_of(cell) != "docker":
        return [""]
    contexts = project.machines(cell.levels.get("host")).contexts
    return sorted("" if context == HERE else context for context in contexts)


def locks_of(
    invocation: Invocation,
    wait_s: float,
    interrupt: Interrupt,
    tell: Callable[[str], None],
    file: Path | None = None,
) -> list[AbstractContextManager[object]]:
    """Locks that an invocation holds while it is measured, in the order in which to take them.

    One of this machine's own for every machine that is measured on, and one on each Docker daemon,
    which holds against other controllers too. The order is the same for everybody: two cells never
    wait for each other's machines.

    Args:
        invocation: to be measured.
        wait_s: how long to wait for another one, seconds.
        interrupt: looked at while waiting.
        tell: called once per lock, with a sentence, when there is somebody to wait for.
        file: instead of this machine's own lock files.

    Raises:
        ModelstressError: a daemon or its image is not there.
    """
    cell, project = invocation.cell, invocation.project
    files = [file] if file else [lock_path(name) for name in machines_of(project, cell)]
    locks: list[AbstractContextManager[object]] = [
        HostLock(cell.id, wait_s, interrupt, tell, path) for path in files
    ]
    if project is not None and executor_of(cell) == "docker":
        from modelstress.hosts.containers import DaemonLock, connect, daemon, images

        needed = {
            context: images.needed(context, project, cell.tool)
            for context in contexts_of(invocation)
        }
        # another controller may call the daemons differently, and two contexts may be of one
        daemons = {daemon.identity(context): context for context in needed}
        locks += [
            DaemonLock(
                connect(context), needed[context], f"context {context!r}", cell.id, wait_s,
                interrupt.check, tell,
            )
            for _, context in sorted(daemons.items())
        ]  # fmt: skip
    return locks


def contexts_of(invocation: Invocation) -> list[str]:
    """Docker contexts that an invocation is measured on, sorted; none under another executor."""
    cell, project = invocation.cell, invocation.project
    if project is None or executor_of(cell) != "docker":
        return []
    return sorted(project.machines(cell.levels.get("host")).contexts)


def clear_strays(invocation: Invocation) -> list[str]:
    """Remove what killed controllers left on an invocation's daemons; with ``locks_of`` held.

    Returns what was found, for people.
    """
    contexts = contexts_of(invocation)
    if not contexts:
        return []
    from modelstress.hosts.containers import clear_strays as clear

    return clear(contexts)


def link_of(cell: Cell) -> Link:
    """What the hosts' links are like."""
    names = ("link_mbit_s", "link_delay_ms", "link_loss_percent")
    return Link(*(float(cell.levels.get(name, 0)) for name in names))


def disturbance_of(fault: Fault) -> Disturbance | None:
    """What a fault does to a node's host; None when it does it to a program."""
    match fault:
        case LinkCut():
            return Disturbance("cut")
        case PacketsDropped(percent=percent):
            return Disturbance("drop", percent)
        case MemoryLowered(headroom_mib=headroom):
            return Disturbance("memory", headroom)
        case DiskFull():
            return Disturbance("disk")
        case ServerKilled() | ServerPaused() | ClientKilled():
            return None


def target_of(invocation: Invocation) -> str:
    """The node that the fault of an invocation's cell hits; the main one, where none is named."""
    node = getattr(invocation.cell.fault, "node", None)
    return invocation.nodes[0].name if node is None else str(node)


def refuse(cells: Iterable[Cell]) -> None:
    """Refuse, before anything is measured, what this machine cannot do for some cells.

    Of containers, nothing is known before they are there: a holder that cannot shape its link says
    so.

    Raises:
        MissingError: links that cannot be shaped here.
    """
    links = [link_of(cell) for cell in cells if executor_of(cell) == "namespace"]
    if any(link.delay_ms or link.loss_percent for link in links) and (why := namespace.delays()):
        raise MissingError(
            f"factors 'link_delay_ms' and 'link_loss_percent': {why}; use 0, or a kernel with "
            "sch_netem"
        )
    if any(link.mbit_s for link in links) and (why := namespace.rates()):
        raise MissingError(f"factor 'link_mbit_s': {why}; use 0, or a kernel with sch_tbf")


def _disk_mib(invocation: Invocation) -> int:
    if not isinstance(invocation.cell.fault, DiskFull) or invocation.external:
        return 0
    files = () if invocation.store is None else invocation.store.rglob("*")
    size = sum(file.stat().st_size for file in files if file.is_file())
    return DISK_ROOM * size // (1 << 20) + DISK_MORE_MIB
