"""Commands in containers: their deadline, and what they could not do, in a sentence."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from modelstress.config.errors import MeasureError, MissingError
from modelstress.hosts import CpuPlan, Disturbance, Link, Node, Setup, network_commands
from modelstress.hosts.containers import ContainerHosts, commands, sandbox


class Container:
    """Answers every command with ``answer``, or what that returns or raises."""

    id = "c0"
    attrs = {"State": {"Pid": 1}}

    def __init__(self, answer):
        self.answer, self.asked, self.removed = answer, [], False

    def exec_run(self, argv, user=""):
        self.asked.append(argv)
        return self.answer(argv) if callable(self.answer) else self.answer

    def reload(self):
        pass

    def remove(self, **how):
        self.removed = True


def test_code_and_output():
    assert commands.executed(Container((3, b" said\n")), "a host", ("true",)) == (3, "said")
    assert commands.executed(Container((0, None)), "a host", ("true",)) == (0, "")


def test_a_command_that_never_ends_is_left():
    never = threading.Event()
    container = Container(lambda _: never.wait())  # it would be waited for until the test's end
    try:
        with pytest.raises(MeasureError, match=r"a host: jcmd has not ended after 0\.1 s"):
            commands.executed(container, "a host", ("jcmd", "1"), seconds=0.1)
    finally:
        never.set()


def test_a_daemon_that_goes_away_is_told():
    def gone(argv):
        raise requests.ConnectionError("reset")

    with pytest.raises(MeasureError, match="a host: Docker does not answer"):
        commands.executed(Container(gone), "a host", ("true",))


def holder(container):
    client = SimpleNamespace(
        containers=SimpleNamespace(run=lambda *what, **how: container),
        info=lambda: {"Name": "lab-1"},
    )
    return sandbox.Holder(client, "image", "mark" * 8, "server", "network")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (Link(delay_ms=5), "'link_delay_ms' and 'link_loss_percent': .*'lab-1'.*sch_netem"),
        (Link(loss_percent=1), "'link_delay_ms' and 'link_loss_percent': .*'lab-1'.*sch_netem"),
        (Link(mbit_s=100), "'link_mbit_s': .*'lab-1'.*kind is unknown.*use 0.*sch_tbf"),
    ],
)
def test_a_kernel_that_cannot_shape_links(link, said):
    with pytest.raises(MissingError, match=said):
        holder(Container((2, b"Error: Specified qdisc kind is unknown.\n"))).shape(link)


def test_an_image_without_tc_is_no_kernel_without_netem():
    with pytest.raises(MeasureError, match="tc cannot be started: not in PATH"):
        holder(Container((127, b"not in PATH"))).shape(Link(delay_ms=5))


def hosts(container):
    made = ContainerHosts.__new__(ContainerHosts)
    made._setup = Setup("mark", CpuPlan({}, frozenset()), Path(), (Node("server", Path()),))
    made._holders = {"server": holder(container)}
    return made


def test_dropping_packets_is_tried_before_and_undone():
    drop, container = Disturbance("drop", 20), Container((0, b""))
    assert hosts(container).can("server", drop) is None
    assert container.asked == [
        list(network_commands.disturbing(drop)),
        list(network_commands.calming(drop)),
    ]


def test_an_image_without_iptables_cannot_drop_packets():
    container = Container((127, b"iptables: not found"))
    assert "not found; use a base image with iptables" in hosts(container).can(
        "server", Disturbance("drop")
    )
    assert hosts(container).can("server", Disturbance("cut")) is None
