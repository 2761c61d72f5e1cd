"""CPUs of server and clients on machines that Docker reaches."""

from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.hosts import DockerHost
from modelstress.hosts import CpuPlan, Node, Setup
from modelstress.hosts.containers import daemon, machines

HYPER_THREADS = "".join(
    f"cpu{cpu}/topology/{name}:{number}\n"
    for cpu, core in enumerate([0, 1, 2, 3, 0, 1, 2, 3])
    for name, number in (("physical_package_id", 0), ("core_id", core))
)
"""Of four cores, whose second threads are numbered after all first ones."""


def setup(*nodes):
    """What is asked for; the plan is this machine's."""
    plan = CpuPlan({name: frozenset({7}) for name in nodes}, frozenset({8}))
    return Setup("mark", plan, Path(), tuple(Node(name, Path()) for name in nodes))


SETUP = setup("server")


@pytest.fixture
def far(monkeypatch):
    """Sets what the daemons say of themselves; none is this machine's."""

    def say(**daemons):
        for module in (daemon, machines):
            monkeypatch.setattr(module, "info", daemons.__getitem__)
        monkeypatch.setattr(machines, "is_here", lambda context: False)

    return say


def on(server, *clients, **nodes):
    """Machine of every host, by contexts; the server's first, then other nodes'."""
    clients = {f"client{number}": context for number, context in enumerate(clients)}
    every = {"server": server, **nodes, **clients}
    return {name: DockerHost(context=context) for name, context in every.items()}


def plan_of(one, places, ask=lambda *argv: ""):
    contexts = {machine.context for machine in places.values()}
    return machines.plan_of(one, places, dict.fromkeys(contexts, ask))


def test_hyper_threads_of_a_core_stay_on_one_side(far):
    far(a={"NCPU": 8})
    plan, here = plan_of(SETUP, on("a", "a"), lambda *argv: HYPER_THREADS)
    assert (plan.server, plan.client) == ({0, 4, 1, 5}, {2, 6, 3, 7})
    assert not plan.shared and here == {}


def test_a_machine_that_does_not_tell_has_one_cpu_per_core(far):
    def refuse(*argv):
        raise MeasureError("no sh")

    far(a={"NCPU": 4})
    plan, _ = plan_of(SETUP, on("a", "a"), refuse)
    assert (plan.server, plan.client) == ({0, 1}, {2, 3})


def test_one_cpu_is_shared_and_marked(far):
    far(a={"NCPU": 1})
    plan, _ = plan_of(SETUP, on("a", "a"))
    assert plan.shared and plan.server == plan.client == {0}


def test_machines_apart_give_all_they_have(far):
    far(a={"NCPU": 2}, b={"NCPU": 8}, c={"NCPU": 4})
    plan, _ = plan_of(SETUP, on("a", "b", "c"))
    assert (plan.server, plan.client) == ({0, 1}, {0, 1, 2, 3})


def test_one_daemon_by_two_names_is_refused(far):
    one = {"ID": "X", "Name": "lab", "DockerRootDir": "/var/lib/docker"}
    far(a=one, b=one, c={**one, "ID": "Y"}, cloned={**one, "Name": "lab-2"})
    with pytest.raises(ConfigError, match="'a' .server. and 'b' .client. are the same"):
        machines.refuse_one_daemon(SETUP, on("a", "b"))
    machines.refuse_one_daemon(SETUP, on("a", "c", "cloned"))
    machines.refuse_one_daemon(SETUP, on("a", "a"))


SEVERAL = setup("server", "reader", "store")


def test_nodes_of_one_machine_divide_its_half(far):
    far(a={"NCPU": 8})
    places = on("a", "a", reader="a", store="a")
    plan, _ = plan_of(SEVERAL, places)
    assert plan.nodes == {"server": {0, 1}, "reader": {2}, "store": {3}} and plan.divided
    assert plan.client == {4, 5, 6, 7}
    far(a={"NCPU": 4})
    plan, _ = plan_of(SEVERAL, places)
    assert set(plan.nodes.values()) == {frozenset({0, 1})} and not plan.divided


def test_nodes_without_clients_divide_their_whole_machines(far):
    far(a={"NCPU": 4}, b={"NCPU": 2}, c={"NCPU": 8})
    plan, here = plan_of(SEVERAL, on("a", "c", reader="a", store="b"))
    assert plan.nodes == {"server": {0, 1}, "reader": {2, 3}, "store": {0, 1}}
    assert plan.client == set(range(8)) and plan.divided and here == {}


def test_clients_beside_one_node_leave_the_other_its_machine(far):
    far(a={"NCPU": 4}, b={"NCPU": 2})
    plan, _ = plan_of(setup("server", "store"), on("a", "a", store="b"))
    assert plan.nodes == {"server": {0, 1}, "store": {0, 1}} and plan.client == {2, 3}


def test_this_machines_sides_are_told_by_their_names(far, monkeypatch):
    far(a={"NCPU": 4}, b={"NCPU": 2})
    monkeypatch.setattr(machines, "is_here", lambda context: context == "a")
    _, here = plan_of(setup("server", "store"), on("a", "b", store="b"))
    assert here == {"server": {0, 1, 2, 3}}
    two = setup("server", "store")
    assert plan_of(two, on("a", "a", store="a")) == (
        two.plan, {"server": {7}, "store": {7}, "client": {8}},
    )  # fmt: skip


def test_two_nodes_on_one_daemon_by_two_names_are_refused(far):
    one = {"ID": "X", "Name": "lab", "DockerRootDir": "/var/lib/docker"}
    far(a=one, b=one, c={**one, "ID": "Y"})
    with pytest.raises(ConfigError, match="'a' .server. and 'b' .store. are the same"):
        machines.refuse_one_daemon(setup("server", "store"), on("a", "c", store="b"))
