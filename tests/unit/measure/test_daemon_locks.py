"""Locks of Docker daemons are taken in one order, whatever their contexts are called."""

from types import SimpleNamespace

import pytest

from modelstress.config.hosts import DockerHost, DockerHosts
from modelstress.hosts import containers
from modelstress.hosts.containers import daemon, images
from modelstress.measure import provisioning

DAEMONS = {"near": ("X", "lab"), "far": ("A", "lab"), "zoo": ("A", "lab"), "cloned": ("A", "hut")}


@pytest.fixture
def locks(monkeypatch, tmp_path):
    """Where the daemons' locks are of, in the order in which they are taken."""
    monkeypatch.setattr(
        daemon, "info", lambda context: dict(zip(("ID", "Name"), DAEMONS[context], strict=True))
    )
    monkeypatch.setattr(images, "needed", lambda context, *of: f"image on {context}")
    monkeypatch.setattr(containers, "connect", lambda context: context)
    monkeypatch.setattr(containers, "DaemonLock", lambda client, *of: client)

    def of(server, *clients):
        machines = DockerHosts(
            server=DockerHost(context=server, address="192.0.2.1"),
            clients=[DockerHost(context=context) for context in clients],
        )
        cell = SimpleNamespace(id="cell", levels={"executor": "docker"}, tool=None)
        invocation = SimpleNamespace(
            cell=cell, project=SimpleNamespace(machines=lambda host: machines)
        )
        interrupt = SimpleNamespace(check=lambda: None)
        _, *found = provisioning.locks_of(invocation, 0, interrupt, print, tmp_path / "lock")
        return found

    return of


def test_the_order_is_that_of_the_daemons_ids(locks):
    assert locks("near", "far") == ["far", "near"]
    assert locks("near", "zoo") == ["zoo", "near"]


def test_two_contexts_of_one_daemon_are_one_lock(locks):
    assert len(locks("far", "zoo")) == 1


def test_cloned_machines_have_a_lock_each(locks):
    assert locks("far", "cloned") == ["cloned", "far"]
