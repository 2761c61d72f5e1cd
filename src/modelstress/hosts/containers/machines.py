"""What the machines of Docker daemons have: CPUs of each side, and memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.hosts import DockerHost
from modelstress.hosts.base import Setup
from modelstress.hosts.containers.daemon import identity, info, is_here
from modelstress.hosts.cpus import CPU_FOLDER, CpuPlan, divide, plan_cpus

MOST = 0.9
"""Share of its machine's memory that a program may have when nothing else is said."""
TOPOLOGY = (
    "sh", "-c",
    f"cd {CPU_FOLDER} && grep . cpu[0-9]*/topology/physical_package_id cpu[0-9]*/topology/core_id",
)  # fmt: skip
"""Command, in any container of a machine; its lines are like ``cpu3/topology/core_id:1``."""


def refuse_one_daemon(setup: Setup, machines: Mapping[str, DockerHost]) -> None:
    """Refuse hosts that only look as if they were on different machines.

    Both would get all of its CPUs.

    Args:
        setup: names the nodes.
        machines: of every host, by its name.

    Raises:
        ConfigError: two contexts of one daemon, a node's and another host's.
    """
    for node in setup.nodes:
        context = machines[node.name].context
        for name, other in machines.items():
            if other.context != context and identity(other.context) == identity(context):
                what = (
                    name if any(name == setup_node.name for setup_node in setup.nodes) else "client"
                )
                raise ConfigError(
                    f"config/config.yaml: contexts {context!r} ({node.name}) and {other.context!r} "
                    f"({what}) are the same Docker daemon; give both the same context, so that "
                    f"they share its CPUs, or put the {what} on another machine"
                )


def plan_of(
    setup: Setup, machines: Mapping[str, DockerHost], asked: Mapping[str, Callable[..., str]]
) -> tuple[CpuPlan, Mapping[str, frozenset[int]]]:
    """CPUs of each side on its own machine, and those of them that are this machine's.

    Args:
        setup: with the plan for this machine.
        machines: of every host, by its name.
        asked: context to what runs a command on its machine, and returns what that says.
    """
    names = [node.name for node in setup.nodes]
    nodes = {name: machines[name].context for name in names}
    clients = [machine.context for name, machine in machines.items() if name not in nodes]
    contexts = {*nodes.values(), *clients}
    if len(contexts) == 1 and is_here(*contexts):
        return setup.plan, {**setup.plan.nodes, "client": setup.plan.client}
    # as many on each of them, so that clients are alike
    fewest = min(len(_all_of(context)) for context in clients)
    client = frozenset(range(fewest))
    shared, divided = False, True
    node_cpus: dict[str, frozenset[int]] = {}
    for context in dict.fromkeys(nodes.values()):
        members = [name for name in names if nodes[name] == context]
        if context in clients:
            plan = plan_cpus(
                _all_of(context), allow_shared=True, cores=_cores(asked[context]), nodes=members
            )
            sets, split, client, shared = plan.nodes, plan.divided, plan.client, plan.shared
        else:
            sets, split = divide(_all_of(context), members, _cores(asked[context]))
        node_cpus.update(sets)
        divided = divided and split
    seen = {name: node_cpus[name] for name in names if is_here(nodes[name])}
    if all(map(is_here, clients)):
        seen["client"] = client
    return CpuPlan({name: node_cpus[name] for name in names}, client, shared, divided), seen


def _all_of(context: str) -> list[int]:
    return list(range(int(info(context)["NCPU"])))


def _cores(ask: Callable[..., str]) -> dict[int, tuple[int, int]]:
    """Package and core of each CPU of a machine; of none where it does not tell."""
    try:
        output = ask(*TOPOLOGY)
    except MeasureError:
        return {}
    told: dict[str, dict[int, int]] = {"physical_package_id": {}, "core_id": {}}
    for cpu, name, number in re.findall(r"^cpu(\d+)/topology/(\w+):(-?\d+)$", output, re.MULTILINE):
        told[name][int(cpu)] = int(number)
    packages, cores = told["physical_package_id"], told["core_id"]
    return {cpu: (packages[cpu], cores[cpu]) for cpu in packages.keys() & cores.keys()}


def most_memory(context: str) -> int:
    """Bytes that a program may have where no level limits it: its daemon's machine must live."""
    return int(MOST * int(info(context)["MemTotal"]))
