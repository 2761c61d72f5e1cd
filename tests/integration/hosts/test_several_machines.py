"""The executor ``docker`` on several machines; a second daemon and a real ``sshd`` stand in."""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import needs
import pytest
from fake_cells import read_record, read_rows
from measuring import measure

from modelstress.config.errors import MissingError
from modelstress.config.faults import (
    LinkCut,
)
from modelstress.config.hosts import DockerHost, DockerHosts
from modelstress.config.project import Project
from modelstress.hosts import Disturbance
from modelstress.hosts.containers import (
    daemon,
    images,
    ssh,
)
from tests.integration.hosts import two_nodes
from tests.integration.hosts.contained import OPEN, hosts, invocation

pytestmark = needs.containers
THERE = "10.78.0.1"
"""Address of the second daemon's bridge."""


@needs.second_daemon
@pytest.mark.usefixtures("quick", "unchanged")
def test_two_daemons_stand_in_for_two_machines(
    project: Project, tmp_path: Path, base: str, second: str
) -> None:
    """Server on this machine's daemon, clients on another that shares no files with it."""
    here = _address()
    (project.root / "config" / "config.yaml").write_text(
        json.dumps(
            {
                "executor": "docker",
                "docker": {
                    "server": {"context": "default", "address": here},
                    "clients": [{"context": second}],
                },
            }
        )
    )
    other = daemon.connect(second)
    images.copied(base, daemon.connect(), other)
    jar = project.root / "fakes" / "tool.py"
    images.build_tool(other, "fake", jar, project.root / "docker", None, print)
    # long enough for Docker's counts, which come once a second
    slow = {"sleep_s": 0.2}
    one = invocation(Project(project.root), threads=4, clients=2, executions=40, driver=slow)
    done = measure(one, tmp_path)
    assert done.outcomes == {"ok": 40}
    record = read_record(one)
    assert record["hosts"]["contexts"] == ["default", second, second]
    assert all(client["offset_ns"] is not None for client in record["clients"])
    busy = record["telemetry"]["columns"]
    assert busy["cpus.client.idle_s"][-1] > busy["cpus.client.user_s"][-1] > 0

    cut = LinkCut(kind="link-cut", at_s=0.3, seconds=0.5)
    broken = invocation(
        Project(project.root), threads=4, clients=2, executions=160, timeout_ms=300,
        levels={**OPEN, "fault": "link-cut"}, fault=cut,
    )  # fmt: skip
    measure(broken, tmp_path)
    rows = [row for row in read_rows(broken).to_pylist() if row["phase"] == "measure"]
    outcomes = [row["outcome"] for row in sorted(rows, key=lambda row: row["intended_start_ns"])]
    assert outcomes.count("ok") < 160 and outcomes[-1] == "ok", "it healed"
    assert not other.containers.list(all=True) and not other.volumes.list()
    assert {network.name for network in other.networks.list()} == {"bridge", "host", "none"}


@needs.second_daemon
@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("apart", ["clients", "store"])
def test_nodes_talk_across_machines(
    project: Project, tmp_path: Path, base: str, second: str, apart: str
) -> None:
    """Both nodes here and the client elsewhere, or only the store elsewhere."""
    here, there = DockerHost(address=_address()), DockerHost(context=second, address=THERE)
    other = daemon.connect(second)
    images.copied(base, daemon.connect(), other)
    jar = project.root / "fakes" / "tool.py"
    images.build_tool(other, "fake", jar, project.root / "docker", None, print)
    where = DockerHosts(
        server=here,
        clients=[there if apart == "clients" else here],
        nodes={"store": there} if apart == "store" else {},
    )
    asked = two_nodes.setup(tmp_path / "work", "two-machines")
    made = hosts(project, asked, where)
    try:
        talk = two_nodes.Talk(made, asked)
        seen = made.seen("store", "reader", talk.endpoints["store"])
        assert (seen == made.reached("store", talk.endpoints["store"])) == (apart == "store")
        login = talk.endpoints["store"].replace("://", "://who:word@")
        assert made.seen("store", "reader", login) == seen.replace("://", "://who:word@")
        during, after = talk.meanwhile("store", Disturbance("cut"), *two_nodes.BOTH)
        assert during[:2] == [None, "reader"] and during[2] != "store"
        assert after == ["store", "reader", "store"]
        cpus = {name: frozenset(talk.ask(name, "cpus")) for name in made.nodes}
        assert cpus == made.plan.nodes
        assert made.here.keys() == (
            {"store", "reader"} if apart == "clients" else {"reader", "client"}
        )
        kept = made.record()["contexts"]
        assert kept == [one.context for one in map(where.of, ("store", "reader"))] + [
            where.clients[0].context
        ]
    finally:
        made.close()
    assert made.left == []
    assert not other.containers.list(all=True) and not other.volumes.list()


@needs.sshd
@pytest.mark.usefixtures("quick", "unchanged")
def test_a_machine_behind_ssh(project: Project, tmp_path: Path, base: str, behind_ssh: str) -> None:
    """Server and clients on the daemon that a real sshd leads to; its files are none of ours."""
    machines = {"server": {"context": behind_ssh}, "clients": [{"context": behind_ssh}]}
    config = {"executor": "docker", "docker": machines}
    (project.root / "config" / "config.yaml").write_text(json.dumps(config))
    one = invocation(Project(project.root), threads=2, executions=20)
    done = measure(one, tmp_path)
    assert done.outcomes == {"ok": 20}
    assert read_record(one)["hosts"]["contexts"] == [behind_ssh] * 2
    forward = ssh.FORWARDS[behind_ssh]
    forward.kill()
    forward.wait(10)
    assert daemon.connect(behind_ssh).ping(), "it is forwarded again"


@needs.sshd
def test_a_machine_that_ssh_does_not_reach_is_told(
    behind_ssh: str, sshd: subprocess.Popen[bytes]
) -> None:
    sshd.terminate()
    sshd.wait(10)
    with pytest.raises(MissingError, match="context 'far'.*ssh.*Connection refused"):
        daemon.connect(behind_ssh)


@pytest.fixture
def sshd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """An SSH server at a free port of the loopback interface, and an ``ssh`` that has its key."""
    folder = Path(tempfile.mkdtemp(prefix="ms-ssh-"))
    for name in ("host", "mine"):
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(argv, check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    Path("/run/sshd").mkdir(exist_ok=True)
    server = {
        "Port": port, "ListenAddress": "127.0.0.1", "HostKey": folder / "host", "PidFile": "none",
        "AuthorizedKeysFile": folder / "mine.pub", "StrictModes": "no", "UsePAM": "no",
        "PermitRootLogin": "prohibit-password",
    }  # fmt: skip
    (folder / "server").write_text("".join(f"{k} {v}\n" for k, v in server.items()))
    client = {
        "IdentityFile": folder / "mine", "Port": port, "IdentitiesOnly": "yes",
        "StrictHostKeyChecking": "no", "UserKnownHostsFile": "/dev/null", "LogLevel": "ERROR",
    }  # fmt: skip
    (folder / "client").write_text("".join(f"{k} {v}\n" for k, v in client.items()))
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder / "client"} "$@"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    program = subprocess.Popen(
        [needs.SSHD, "-D", "-e", "-f", str(folder / "server")], stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 10
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            assert time.monotonic() < deadline and program.poll() is None, "no sshd"
            time.sleep(0.05)
        yield program
    finally:
        program.terminate()
        program.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def behind_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sshd: subprocess.Popen[bytes]
) -> Iterator[str]:
    """A Docker context of this machine's daemon, by SSH."""
    config = tmp_path / "docker-config"
    config.mkdir()
    (config / "config.json").write_text("{}")
    monkeypatch.setenv("DOCKER_CONFIG", str(config))
    create = ["docker", "context", "create", "far", "--docker", "host=ssh://root@127.0.0.1"]
    subprocess.run(create, check=True, capture_output=True)
    forget()
    yield "far"
    forget()


def forget() -> None:
    """Daemons are known by the names of their contexts; another test has another of that name."""
    daemon.CLIENTS.clear()
    for known in (daemon.info, daemon.is_here):
        known.cache_clear()


def _address() -> str:
    """Of the bridge that both daemons' containers reach this machine by."""
    bridge = daemon.connect().networks.get("bridge").attrs["IPAM"]["Config"][0]
    # a daemon that was started for the first time does not say it
    first = next(ipaddress.ip_network(bridge["Subnet"]).hosts())
    return str(bridge.get("Gateway", first))


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A second daemon with a bridge, an address range and files of its own, and its context."""
    config = tmp_path / "docker-config"
    config.mkdir()
    (config / "config.json").write_text("{}")  # docker-py looks for contexts beside it
    monkeypatch.setenv("DOCKER_CONFIG", str(config))
    # sockets lie in it, whose names may have 108 characters
    bridge, folder = "msbridge1", Path(tempfile.mkdtemp(prefix="ms2-"))
    sock = folder / "sock"
    subprocess.run(["ip", "link", "add", "name", bridge, "type", "bridge"], check=True)
    subprocess.run(["ip", "address", "add", f"{THERE}/24", "dev", bridge], check=True)
    subprocess.run(["ip", "link", "set", bridge, "up"], check=True)
    argv = ["dockerd", "--host", f"unix://{sock}", "--bridge", bridge, "--data-root"]
    argv += [str(folder / "data"), "--exec-root", str(folder / "exec"), "--pidfile"]
    argv += [str(folder / "pid"), "--storage-driver", "overlay2"]
    argv += ["--default-address-pool", "base=10.79.0.0/16,size=24"]
    log = (folder / "log").open("wb")
    program = subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True)
    try:
        deadline = time.monotonic() + 30
        while not _answers(sock):
            assert time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
            time.sleep(0.1)
        subprocess.run(
            ["docker", "context", "create", "second", "--docker", f"host=unix://{sock}"],
            check=True, capture_output=True,
        )  # fmt: skip
        forget()
        yield "second"
    finally:
        program.terminate()
        program.wait(30)
        log.close()
        forget()
        subprocess.run(["ip", "link", "delete", bridge], check=False)
        # a daemon mounts its folder on itself
        subprocess.run(["umount", "--lazy", str(folder / "data")], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(sock: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return sock.exists() and probe.connect_ex(str(sock)) == 0
