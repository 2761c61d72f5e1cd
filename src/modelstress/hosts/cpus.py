"""CPU sets of the nodes and of the clients: those two sides are disjoint, always."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modelstress.config.errors import MissingError

CPU_FOLDER = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class CpuPlan:
    """CPU numbers of each side.

    Attributes:
        nodes: of each node, by its name.
        client: of all client processes together.
        shared: nodes and clients have the same set, because there was no choice: such a cell is
            invalid.
        divided: every node has CPUs of its own; otherwise nodes of one machine have the same set,
            because it has fewer cores than nodes.
    """

    nodes: Mapping[str, frozenset[int]]
    client: frozenset[int]
    shared: bool = False
    divided: bool = True

    @property
    def server(self) -> frozenset[int]:
        """CPUs of all nodes together."""
        return frozenset().union(*self.nodes.values())


def available_cpus() -> frozenset[int]:
    """Return the CPUs that this process may really run on (affinity mask, cpusets)."""
    return frozenset(os.sched_getaffinity(0))


def plan_cpus(
    cpus: Iterable[int] | None = None,
    *,
    allow_shared: bool = False,
    cores: Mapping[int, tuple[int, int]] | None = None,
    nodes: Sequence[str] = ("server",),
) -> CpuPlan:
    """Give the larger half to the nodes; hyper-threads of one core stay on one side if possible.

    Args:
        cpus: to divide; by default those of this process.
        allow_shared: with a single CPU, share it instead of refusing.
        cores: package and core of each CPU of another machine; by default those of this one.
        nodes: names; they divide their half, see ``divide``.

    Raises:
        MissingError: there is one CPU only and ``allow_shared`` is not set.
    """
    all_cpus = available_cpus() if cpus is None else frozenset(cpus)
    if len(all_cpus) < 2:
        if allow_shared:
            return CpuPlan(
                dict.fromkeys(nodes, all_cpus), all_cpus, shared=True, divided=len(nodes) == 1
            )
        raise MissingError(
            "server and clients need disjoint CPU sets and only one CPU is available; give this "
            "process at least two CPUs (taskset, cpuset)"
        )
    places = _places(all_cpus, cores)
    ordered = sorted(all_cpus, key=lambda cpu: (places[cpu], cpu))
    half = len(ordered) - len(ordered) // 2
    # Move the border off the middle of a core, unless a side would be left empty.
    for border in (half, half + 1):
        if border < len(ordered) and places[ordered[border]] != places[ordered[border - 1]]:
            half = border
            break
    node_cpus, divided = divide(ordered[:half], nodes, places)
    return CpuPlan(node_cpus, frozenset(ordered[half:]), divided=divided)


def divide(
    cpus: Iterable[int],
    nodes: Sequence[str],
    cores: Mapping[int, tuple[int, int]] | None = None,
) -> tuple[dict[str, frozenset[int]], bool]:
    """Divide the CPUs of one side among nodes: whole cores, as even as can be, the first get more.

    Args:
        cpus: of the side.
        nodes: names.
        cores: package and core of each CPU of another machine; by default those of this one.

    Returns:
        CPUs by node, and whether each node has its own: with fewer cores than nodes all have all.
    """
    all_cpus = frozenset(cpus)
    places = _places(all_cpus, cores)
    cpus_of_core: dict[tuple[int, int], list[int]] = {}
    for cpu in sorted(all_cpus, key=lambda cpu: (places[cpu], cpu)):
        cpus_of_core.setdefault(places[cpu], []).append(cpu)
    if len(cpus_of_core) < len(nodes):
        return dict.fromkeys(nodes, all_cpus), len(nodes) == 1
    share, more = divmod(len(cpus_of_core), len(nodes))
    left = iter(cpus_of_core.values())
    node_cpus = {}
    for number, name in enumerate(nodes):
        node_cores = itertools.islice(left, share + (number < more))
        node_cpus[name] = frozenset(itertools.chain.from_iterable(node_cores))
    return node_cpus, True


def _places(
    cpus: Iterable[int], cores: Mapping[int, tuple[int, int]] | None
) -> dict[int, tuple[int, int]]:
    """Package and core of each CPU; one of which nothing is known is a core of its own."""
    core_of = {cpu: _core(cpu) for cpu in cpus} if cores is None else cores
    return {cpu: core_of.get(cpu, (0, cpu)) for cpu in cpus}


def _core(cpu: int) -> tuple[int, int]:
    """Package and core; a machine that does not tell has one CPU per core."""
    topology = CPU_FOLDER / f"cpu{cpu}" / "topology"
    try:
        package = int((topology / "physical_package_id").read_text())
        return package, int((topology / "core_id").read_text())
    except (OSError, ValueError):
        return 0, cpu
