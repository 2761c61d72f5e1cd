"""CPUs of server and clients on machines that Docker reaches."""

from types import SimpleNamespace

import pytest

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.hosts import DockerHost
from modelstress.hosts.containers import daemon, machines

HYPER_THREADS = "".join(
    f"cpu{cpu}/topology/{name}:{number}\n"
    for cpu, core in enumerate([0, 1, 2, 3, 0, 1, 2, 3])
    for name, number in (("physical_package_id", 0), ("core_id", core))
)
"""Of four cores, whose second threads are numbered after all first ones."""
SETUP = SimpleNamespace(plan="this machine's")


@pytest.fixture
def far(monkeypatch):
    """Sets what the daemons say of themselves; none is this machine's."""

    def say(**daemons):
        for module in (daemon, machines):
            monkeypatch.setattr(module, "info", daemons.__getitem__)
        monkeypatch.setattr(machines, "is_here", lambda context: False)

    return say


def on(*contexts):
    return [DockerHost(context=context) for context in contexts]


def test_hyper_threads_of_a_core_stay_on_one_side(far):
    far(a={"NCPU": 8})
    plan, here = machines.plan_of(SETUP, on("a", "a"), lambda *argv: HYPER_THREADS)
    assert (plan.server, plan.client) == ({0, 4, 1, 5}, {2, 6, 3, 7})
    assert not plan.shared and here == {}


def test_a_machine_that_does_not_tell_has_one_cpu_per_core(far):
    def refuse(*argv):
        raise MeasureError("no sh")

    far(a={"NCPU": 4})
    plan, _ = machines.plan_of(SETUP, on("a", "a"), refuse)
    assert (plan.server, plan.client) == ({0, 1}, {2, 3})


def test_one_cpu_is_shared_and_marked(far):
    far(a={"NCPU": 1})
    plan, _ = machines.plan_of(SETUP, on("a", "a"), lambda *argv: "")
    assert plan.shared and plan.server == plan.client == {0}


def test_machines_apart_give_all_they_have(far):
    far(a={"NCPU": 2}, b={"NCPU": 8}, c={"NCPU": 4})
    plan, _ = machines.plan_of(SETUP, on("a", "b", "c"), lambda *argv: "")
    assert (plan.server, plan.client) == ({0, 1}, {0, 1, 2, 3})


def test_one_daemon_by_two_names_is_refused(far):
    one = {"ID": "X", "Name": "lab", "DockerRootDir": "/var/lib/docker"}
    far(a=one, b=one, c={**one, "ID": "Y"}, cloned={**one, "Name": "lab-2"})
    with pytest.raises(ConfigError, match="'a' .server. and 'b' .client. are the same"):
        machines.refuse_one_daemon(on("a", "b"))
    machines.refuse_one_daemon(on("a", "c", "cloned"))
    machines.refuse_one_daemon(on("a", "a"))
