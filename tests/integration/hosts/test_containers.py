"""The executor ``docker`` with a real daemon: the fake tool and, end to end, the real ones."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import needs
import pytest
from fake_cells import codes, read_record, read_rows
from measuring import measure

from modelstress.config.errors import BusyError, MeasureError, MissingError
from modelstress.config.faults import (
    ClientKilled,
    DiskFull,
    Fault,
    LinkCut,
    MemoryLowered,
    PacketsDropped,
    ServerKilled,
    ServerPaused,
)
from modelstress.config.project import Project
from modelstress.hosts import namespace, network_commands
from modelstress.hosts.containers import ContainerHosts, DaemonLock, commands, daemon, images, lock
from modelstress.measure import folders
from modelstress.samples.provenance import sha256_jar
from tests.integration.hosts.contained import OPEN, ROOT, inventory, invocation

pytestmark = needs.containers


@pytest.mark.usefixtures("quick", "unchanged", "idle")  # other tests run beside
def test_a_cell_in_containers(project: Project, tmp_path: Path) -> None:
    one = invocation(project, threads=4, clients=2, executions=40)
    done = measure(one, tmp_path)
    assert done.valid and done.outcomes == {"ok": 40}
    record = read_record(one)
    assert record["provenance"]["executor"] == "docker"
    assert record["calibration"]["before"] and record["calibration"]["after"]
    hosts = record["hosts"]
    assert hosts["image"].startswith("modelstress/fake:") and len(hosts["machines"]) == 3
    columns = record["telemetry"]["columns"]
    known = {name: [one for one in values if one is not None] for name, values in columns.items()}
    for name in ("server.group_cpu_s", "client.group_cpu_s", "net.server.sent_bytes"):
        assert known[name][-1] > 0 and known[name] == sorted(known[name]), name
    assert known["server.group_mib"][-1] > 0
    assert [client["rtt_ns"] > 0 for client in record["clients"]] == [True, True]
    assert 0 < record["server"]["disk_bytes"] < 1 << 30


@pytest.mark.usefixtures("quick", "unchanged")
def test_containers_may_do_next_to_nothing(project: Project, tmp_path: Path) -> None:
    """Looked at from outside while they live."""
    seen: list[dict[str, Any]] = []

    def look(event: Any) -> None:
        if event.phase == "measure" and not seen:
            mine = {"label": daemon.LABEL}
            every = daemon.connect().containers.list(filters=mine, ignore_removed=True)
            seen.extend(c.attrs for c in every if c.name != lock.NAME)
            [network] = daemon.connect().networks.list(filters=mine)
            seen.append(network.attrs)

    measure(invocation(project, executions=20), tmp_path, listener=look)
    *containers, network = seen
    assert network["Internal"] is True
    holders = [c for c in containers if c["HostConfig"]["CapAdd"]]
    programs = [c for c in containers if not c["HostConfig"]["CapAdd"]]
    assert len(holders) == 2 and len(programs) >= 2
    for one in programs:
        config = one["HostConfig"]
        assert config["NetworkMode"].startswith("container:") and not config["Privileged"]
        assert config["CpusetCpus"] != "" and config["SecurityOpt"] == ["no-new-privileges"]
    for one in containers:
        config = one["HostConfig"]
        assert one["Config"]["User"].split(":")[0] not in ("", "0", "root")
        assert 0 < config["Memory"] == config["MemorySwap"] or one in holders
        assert 0 < config["Memory"] < daemon.info("default")["MemTotal"]
        assert config["ReadonlyRootfs"] and config["CapDrop"] == ["ALL"]
        assert set(config["CapAdd"] or []) <= {"NET_ADMIN", "NET_RAW"}
    [server] = [c for c in programs if "serve" in c["Config"]["Cmd"]]
    assert server["Config"]["Healthcheck"]["Test"] == ["CMD", images.HEALTHY]


@pytest.mark.usefixtures("quick", "unchanged")
def test_a_servers_memory_and_link_are_limited_at_both_ends(
    project: Project, tmp_path: Path
) -> None:
    seen: list[str] = []

    def look(event: Any) -> None:
        if event.phase == "measure" and not seen:
            every = daemon.connect().containers.list(
                filters={"label": daemon.LABEL}, ignore_removed=True
            )
            [holder] = [c for c in every if c.name.endswith("-server")]
            seen.append(holder.exec_run(["tc", "qdisc", "show", "dev", "eth0"]).output.decode())
            outside = ["tc", "qdisc", "show"]
            seen.append(subprocess.run(outside, capture_output=True, text=True, check=True).stdout)
            [server] = [c for c in every if "serve" in c.attrs["Config"]["Cmd"]]
            seen.append(str(server.attrs["HostConfig"]["Memory"]))

    one = invocation(project, executions=20, levels={"link_mbit_s": 100, "server_memory_mib": 256})
    measure(one, tmp_path, listener=look)
    inside, outside, memory = seen
    assert "tbf" in inside and "rate 100Mbit" in inside
    limited = [line for line in outside.splitlines() if "tbf" in line and " veth" in line]
    assert len(limited) == 2 and all("rate 100Mbit" in line for line in limited)
    assert memory == str(256 << 20)
    assert "100 Mbit/s" in read_record(one)["provenance"]["topology"]["network"]


@pytest.mark.skipif(namespace.delays() is None, reason="this kernel has netem")
@pytest.mark.usefixtures("quick", "unchanged")
def test_a_link_that_the_kernel_cannot_shape_is_told(project: Project, tmp_path: Path) -> None:
    """By the daemon's machine, which is this one here; nothing of the cell is left."""
    said = f"link_delay_ms.*{socket.gethostname()}.*use 0, or a kernel with sch_netem"
    one = invocation(project, executions=5, levels={"link_delay_ms": 5})
    with pytest.raises(MissingError, match=said):
        measure(one, tmp_path)
    assert not folders.work_folder(one.folder).exists()


@pytest.mark.usefixtures("quick", "unchanged")
def test_packets_that_cannot_be_dropped_are_told_before_anything_is_measured(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a base image without iptables."""
    monkeypatch.setattr(network_commands, "disturbing", lambda what: ("no-iptables", "--append"))
    fault = PacketsDropped(kind="packets-dropped", at_s=0.3, seconds=0.5, percent=50)
    one = invocation(project, executions=5, levels=OPEN, fault=fault)
    phases: list[str] = []
    with pytest.raises(MissingError, match="packets cannot be dropped.*no-iptables"):
        measure(one, tmp_path, listener=lambda event: phases.append(event.phase))
    assert "server" not in phases


@pytest.mark.usefixtures("unchanged")
def test_a_command_is_not_waited_for_without_an_end(base: str) -> None:
    container = daemon.connect().containers.run(base, ["cat"], detach=True, stdin_open=True)
    try:
        with pytest.raises(MeasureError, match="sleep has not ended after 0.5 s"):
            commands.executed(container, "a host", ("sleep", "infinity"), seconds=0.5)
    finally:
        container.remove(force=True, v=True)


@pytest.mark.usefixtures("quick", "unchanged")
def test_a_disk_is_really_full_meanwhile(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def then_write(what: Any) -> Any:
        def wrapped(hosts: Any, node: str, disturbance: Any) -> Any:
            found = what(hosts, node, disturbance)
            holder = hosts._holders["server"].container
            [disk] = [mount["Destination"] for mount in holder.attrs["Mounts"]]
            write = ["dd", "if=/dev/zero", f"of={disk}/probe", "bs=1k", "count=1", "status=none"]
            said.append(holder.exec_run(write, user="2036").output.decode())
            return found

        return wrapped

    for name in ("disturb", "calm"):
        monkeypatch.setattr(ContainerHosts, name, then_write(getattr(ContainerHosts, name)))
    fault = DiskFull(kind="disk-full", at_s=0.3, seconds=0.3)
    one = invocation(project, threads=4, executions=60, levels=OPEN, fault=fault)
    measure(one, tmp_path)
    full, free = said
    assert "No space left" in full and free == ""


@pytest.mark.usefixtures("quick", "unchanged")
def test_a_node_that_was_killed_comes_back_with_its_limit_of_cpu_time(
    project: Project, tmp_path: Path
) -> None:
    limits: dict[str, float] = {}

    def look(event: Any) -> None:
        if event.phase in ("measure", "stopping"):
            mine = daemon.connect().containers.list(
                filters={"label": daemon.LABEL}, ignore_removed=True
            )
            servers = [one for one in mine if "serve" in (one.attrs["Config"]["Cmd"] or [])]
            for one in servers:
                of_host = one.attrs["HostConfig"]
                limits[one.id] = of_host["CpuQuota"] / (of_host["CpuPeriod"] or 1)

    one = invocation(
        project, threads=4, clients=1, executions=100, timeout_ms=300,
        levels={**OPEN, "node_cpu_percent": 50},
        fault=ServerKilled(kind="server-killed", at_s=0.3, restart_s=0.3),
    )  # fmt: skip
    measure(one, tmp_path, listener=look)
    assert read_record(one)["fault"]["ready_ns"]
    assert list(limits.values()) == [0.5, 0.5]


FAULTS: list[tuple[Fault, bool]] = [
    (ServerKilled(kind="server-killed", at_s=0.3, restart_s=0.3), True),
    (ServerPaused(kind="server-paused", at_s=0.3, seconds=0.5), True),
    (ClientKilled(kind="client-killed", at_s=0.3, client=1), True),
    (LinkCut(kind="link-cut", at_s=0.3, seconds=0.5), True),
    (PacketsDropped(kind="packets-dropped", at_s=0.3, seconds=0.5, percent=100), True),
    (MemoryLowered(kind="memory-lowered", at_s=0.3, seconds=0.5, headroom_mib=64), False),
    (DiskFull(kind="disk-full", at_s=0.3, seconds=0.5), False),
]


@pytest.mark.usefixtures("quick", "unchanged")
@pytest.mark.parametrize(("fault", "lost"), FAULTS, ids=lambda v: getattr(v, "kind", ""))
def test_faults(project: Project, tmp_path: Path, fault: Fault, lost: bool) -> None:
    one = invocation(
        project, threads=8, clients=2, executions=160, timeout_ms=300, levels=OPEN, fault=fault
    )
    measure(one, tmp_path)
    found = read_record(one)["fault"]
    assert found["notes"] == [] and found["server_died"] is None and not found["cut_short"]
    assert ("limit_mib" in found) == (fault.kind == "memory-lowered")
    assert (found["ready_ns"] is not None) == (fault.kind == "server-killed")
    lasted = (found["ended_ns"] - found["in_effect_ns"]) / 1e9
    assert lasted >= getattr(fault, "seconds", 0) and found["in_effect_ns"] > found["begun_ns"]
    assert not codes(one) & {"executions-missing", "fault-missing", "server-stop"}
    rows = [row for row in read_rows(one).to_pylist() if row["phase"] == "measure"]
    outcomes = [row["outcome"] for row in sorted(rows, key=lambda row: row["intended_start_ns"])]
    assert (outcomes.count("ok") < 160) == lost and outcomes[-1] == "ok"


@pytest.mark.usefixtures("quick")
def test_what_a_killed_controller_leaves_is_removed_by_the_next(
    project: Project, tmp_path: Path
) -> None:
    before = inventory()
    one = invocation(project, executions=20, driver={"sleep_s": 1.0})
    child = os.fork()
    if child == 0:
        try:
            measure(one, tmp_path)
        finally:
            os._exit(1)
    deadline = time.monotonic() + 60
    while len(inventory()["containers"]) < len(before["containers"]) + 5:
        assert time.monotonic() < deadline, "it never measured"
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert inventory() != before, "SIGKILL leaves containers behind"
    said = folders.recover(one.folder)
    assert said is not None and "containers removed" in said and "networks removed" in said
    assert inventory() == before


def locked(base: str, holder: str, wait_s: float) -> DaemonLock:
    """The daemon's lock, for a controller of this name."""
    return DaemonLock(daemon.connect(), base, "here", holder, wait_s, lambda: None, print)


@pytest.mark.usefixtures("unchanged")
def test_other_controllers_wait_for_a_daemon(base: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused = pytest.raises(BusyError, match="first.*measures there")
    with locked(base, "first", 0), refused, locked(base, "second", 0.5):
        pass
    assert "waiting for" in capsys.readouterr().out
    with locked(base, "third", 5):
        pass


@pytest.mark.usefixtures("unchanged")
def test_the_lock_of_a_killed_controller_is_free(base: str) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            daemon.CLIENTS.clear()
            with locked(base, "killed", 5):
                os.write(writing, b"x")
                time.sleep(60)
        finally:
            os._exit(1)
    os.close(writing)
    assert os.read(reading, 1) == b"x", "it did not get the lock"
    with pytest.raises(BusyError, match="killed"), locked(base, "next", 0):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with locked(base, "next", 20):
        pass


@pytest.mark.usefixtures("unchanged")
def test_an_image_that_is_missing_is_told(project: Project, tmp_path: Path) -> None:
    one = invocation(project, executions=5)
    (project.root / "fakes" / "tool.py").write_text("#!/bin/sh\n")
    sha256_jar.cache_clear()
    with pytest.raises(MissingError, match="modelstress images"):
        measure(one, tmp_path)


def test_the_same_files_make_the_same_layers(project: Project, base: str) -> None:
    client, jar = daemon.connect(), project.root / "fakes" / "tool.py"
    tag = images.tool_tag("fake", jar, project.root / "docker")
    first = images.layers(client, tag)
    client.images.remove(tag, force=True)
    time.sleep(1.1)  # a time stamp would differ
    os.utime(jar)
    images.build_tool(client, "fake", jar, project.root / "docker", None, print)
    assert images.layers(client, tag) == first


@pytest.mark.usefixtures("quick", "unchanged")
def test_what_another_cells_controller_left_is_removed_first(
    project: Project, tmp_path: Path
) -> None:
    client = daemon.connect()
    labels = {daemon.LABEL: "of-a-killed-run"}
    image = images.base_tag(ROOT / "docker")
    client.containers.run(image, ["cat"], labels=labels, detach=True, stdin_open=True)
    client.networks.create("modelstress-left-over", labels=labels)
    client.volumes.create(labels=labels)
    told: list[str] = []
    one = invocation(project, executions=10)
    measure(one, tmp_path, listener=lambda event: told.append(event.message))
    [said] = [message for message in told if "left by a controller" in message]
    for what in ("1 containers", "1 networks", "1 volumes"):
        assert f"{what} removed" in said
