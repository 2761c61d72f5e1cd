"""What the machines of Docker daemons have: CPUs of each side, and memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.hosts import DockerHost
from modelstress.hosts.base import Setup
from modelstress.hosts.containers.daemon import identity, info, is_here
from modelstress.hosts.cpus import CPU_FOLDER, CpuPlan, plan_cpus

MOST = 0.9
"""Share of its machine's memory that a program may have when nothing else is said."""
TOPOLOGY = (
    "sh", "-c",
    f"cd {CPU_FOLDER} && grep . cpu[0-9]*/topology/physical_package_id cpu[0-9]*/topology/core_id",
)  # fmt: skip
"""Command, in any container of a machine; its lines are like ``cpu3/topology/core_id:1``."""


def refuse_one_daemon(machines: Sequence[DockerHost]) -> None:
    """Refuse a server and clients that only look as if they were on different machines.

    Both would get all of its CPUs.

    Args:
        machines: the server's first.

    Raises:
        ConfigError: two contexts of one daemon.
    """
    server, *clients = machines
    for client in clients:
        apart = client.context != server.context
        if apart and identity(client.context) == identity(server.context):
            raise ConfigError(
                f"config/config.yaml: contexts {server.context!r} (server) and {client.context!r} "
                "(client) are the same Docker daemon; give both the same context, so that they "
                "share its CPUs, or put the client on another machine"
            )


def plan_of(
    setup: Setup, machines: Sequence[DockerHost], ask: Callable[..., str]
) -> tuple[CpuPlan, Mapping[str, frozenset[int]]]:
    """CPUs of each side on its own machine, and those of them that are this machine's.

    Args:
        setup: with the plan for this machine.
        machines: the server's first.
        ask: runs a command on the server's machine; what it says.
    """
    contexts = {host.context for host in machines}
    if len(contexts) == 1 and is_here(machines[0].context):
        return setup.plan, {"server": setup.plan.server, "client": setup.plan.client}
    if len(contexts) == 1:
        every = _all_of(machines[0].context)
        return plan_cpus(every, allow_shared=True, cores=_cores(ask)), {}
    server = frozenset(_all_of(machines[0].context))
    # as many on each of them, so that clients are alike
    fewest = min((_all_of(host.context) for host in machines[1:]), key=lambda cpus: len(cpus))
    client = frozenset(fewest)
    here = {}
    if is_here(machines[0].context):
        here["server"] = server
    if all(is_here(host.context) for host in machines[1:]):
        here["client"] = client
    return CpuPlan(server, client), here


def _all_of(context: str) -> list[int]:
    return list(range(int(info(context)["NCPU"])))


def _cores(ask: Callable[..., str]) -> dict[int, tuple[int, int]]:
    """Package and core of each CPU of a machine; of none where it does not tell."""
    try:
        said = ask(*TOPOLOGY)
    except MeasureError:
        return {}
    told: dict[str, dict[int, int]] = {"physical_package_id": {}, "core_id": {}}
    for cpu, name, number in re.findall(r"^cpu(\d+)/topology/(\w+):(-?\d+)$", said, re.MULTILINE):
        told[name][int(cpu)] = int(number)
    packages, cores = told["physical_package_id"], told["core_id"]
    return {cpu: (packages[cpu], cores[cpu]) for cpu in packages.keys() & cores.keys()}


def most_memory(context: str) -> int:
    """Bytes that a program may have where no level limits it: its daemon's machine must live."""
    return int(MOST * int(info(context)["MemTotal"]))
