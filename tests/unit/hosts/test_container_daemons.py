"""Daemons that do not answer, lists of what is ours on them, and forwards that ended."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
import requests
from docker.errors import NotFound

from modelstress.config.errors import MissingError
from modelstress.hosts.containers import ContainerHosts, daemon, ssh

LABELS = {"Labels": {daemon.LABEL: "run"}}


class Listed:
    """Containers, networks or volumes; the first ``silent`` questions are not answered."""

    def __init__(self, count=0, silent=0, stays=False):
        self.count, self.silent, self.stays = count, silent, stays

    def list(self, **how):
        if self.silent:
            self.silent -= 1
            raise requests.ConnectionError("nobody listens")
        return [SimpleNamespace(attrs=LABELS, remove=self.remove) for _ in range(self.count)]

    def remove(self, **how):
        if self.stays:
            raise requests.ReadTimeout("busy")
        self.count -= 1
        if self.count == 0:
            raise NotFound("gone meanwhile")


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(daemon, "CLEARING_S", 0.2)
    monkeypatch.setattr(daemon, "TICK_S", 0.01)
    monkeypatch.setattr(daemon, "CLIENTS", {})
    monkeypatch.setattr(ssh, "FORWARDS", {})


def knows(containers, networks=None, volumes=None):
    """Daemon ``far`` has these."""
    daemon.CLIENTS["far"] = SimpleNamespace(
        containers=containers, networks=networks or Listed(), volumes=volumes or Listed()
    )


def test_all_is_removed():
    knows(Listed(2), Listed(1))
    removed, left = daemon.remove_containers("run", ["far"])
    assert removed == ["2 containers removed on 'far'", "1 networks removed on 'far'"]
    assert left == []


def test_a_daemon_that_answers_late_is_asked_again():
    knows(Listed(1, silent=3))
    assert daemon.clear_containers("run", ["far"]) == ["1 containers removed on 'far'"]


def test_a_daemon_that_never_answers_may_have_something():
    knows(Listed(1, silent=10_000))
    removed, [left] = daemon.remove_containers("run", ["far"])
    assert removed == []
    assert "containers, networks, volumes could not be looked for on 'far'" in left
    assert "docker --context far ps --all --filter label=modelstress=run" in left


def test_what_stays_is_told():
    knows(Listed(1, stays=True))
    _, [left] = daemon.remove_containers("run", ["far"])
    assert left.startswith("1 containers could not be removed on 'far'; ")


def test_the_hosts_end_keeps_what_is_left():
    knows(Listed(1, stays=True))
    hosts = ContainerHosts.__new__(ContainerHosts)
    hosts._counters, hosts._closed = SimpleNamespace(stop=lambda: None), False
    hosts._setup, hosts._where = SimpleNamespace(mark="run"), SimpleNamespace(contexts=["far"])
    hosts.close()
    [said] = hosts.left
    hosts.close()
    assert hosts.left == [said] and "label=modelstress=run" in said


def test_a_forward_that_ended_is_made_again(monkeypatch):
    made = []
    monkeypatch.setattr(daemon, "_client", lambda context: made.append(context) or len(made))
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    ssh.FORWARDS["far"] = running
    assert daemon.connect("far") == daemon.connect("far") == 1
    running.communicate()
    assert daemon.connect("far") == 2 and made == ["far", "far"]


def test_a_forward_that_cannot_be_made_again_leaves_no_client(monkeypatch):
    def refuse(context):
        raise MissingError("no way")

    monkeypatch.setattr(daemon, "_client", refuse)
    daemon.CLIENTS["far"] = "a dead one"
    ssh.FORWARDS["far"] = subprocess.Popen([sys.executable, "-c", ""])
    ssh.FORWARDS["far"].wait()
    with pytest.raises(MissingError):
        daemon.connect("far")
    assert "far" not in daemon.CLIENTS


def test_connections_are_our_own():
    assert {"ControlMaster=no", "ControlPath=none"} <= set(ssh.OPTIONS)


def test_an_ssh_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(ssh, "SAYING_S", 0.5)
    stubborn = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('no route', file=sys.stderr, flush=True); print(flush=True); time.sleep(60)"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", stubborn], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.readline()
    assert ssh._said(program) == "no route"
    assert program.poll() is not None
    assert program.stdout.closed and program.stderr.closed
