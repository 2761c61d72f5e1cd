"""Which CPUs the server and the clients get: disjoint sets, always."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from modelstress.config.errors import MissingError

CPU_FOLDER = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class CpuPlan:
    """CPU numbers of each side.

    Attributes:
        server: of the server.
        client: of all client processes together.
        shared: both are the same set, because there was no choice: such a cell is invalid.
    """

    server: frozenset[int]
    client: frozenset[int]
    shared: bool = False


def available_cpus() -> frozenset[int]:
    """Return the CPUs that this process may really run on (affinity mask, cpusets)."""
    return frozenset(os.sched_getaffinity(0))


def plan_cpus(
    cpus: Iterable[int] | None = None,
    *,
    allow_shared: bool = False,
    cores: Mapping[int, tuple[int, int]] | None = None,
) -> CpuPlan:
    """Give the larger half to the server; hyper-threads of one core stay on one side if possible.

    Args:
        cpus: to divide; by default those of this process.
        allow_shared: with a single CPU, share it instead of refusing.
        cores: package and core of each CPU of another machine; by default those of this one.

    Raises:
        MissingError: there is one CPU only and ``allow_shared`` is not set.
    """
    every = available_cpus() if cpus is None else frozenset(cpus)
    if len(every) < 2:
        if allow_shared:
            return CpuPlan(every, every, shared=True)
        raise MissingError(
            "server and clients need disjoint CPU sets and only one CPU is available; give this "
            "process at least two CPUs (taskset, cpuset)"
        )
    known = {cpu: _core(cpu) for cpu in every} if cores is None else cores
    # a CPU of which nothing is known is a core of its own
    places = {cpu: known.get(cpu, (0, cpu)) for cpu in every}
    ordered = sorted(every, key=lambda cpu: (places[cpu], cpu))
    half = len(ordered) - len(ordered) // 2
    # Move the border off the middle of a core, unless a side would be left empty.
    for border in (half, half + 1):
        if border < len(ordered) and places[ordered[border]] != places[ordered[border - 1]]:
            half = border
            break
    return CpuPlan(frozenset(ordered[:half]), frozenset(ordered[half:]))


def _core(cpu: int) -> tuple[int, int]:
    """Package and core; a machine that does not tell has one CPU per core."""
    topology = CPU_FOLDER / f"cpu{cpu}" / "topology"
    try:
        package = int((topology / "physical_package_id").read_text())
        return package, int((topology / "core_id").read_text())
    except (OSError, ValueError):
        return 0, cpu
