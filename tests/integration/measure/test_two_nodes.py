"""A tool of two nodes, real programs: their order, peers, faults, hangs and ends."""

from __future__ import annotations

import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fake_cells import codes, kill, processes_of, read_record
from fake_controller import controller
from fake_nodes import starts, two_nodes
from measuring import kept, measure, measured_rows, nothing_left, outcomes, wait_until

from modelstress.analysis import cell_record
from modelstress.config.errors import MeasureError
from modelstress.config.faults import ServerKilled, ServerPaused
from modelstress.samples import record as records

pytestmark = [pytest.mark.usefixtures("quick"), pytest.mark.timeout(180)]

OPEN = {"mode": "open", "rate_per_s": 50, "fault": "f"}


def port_of(start: dict[str, Any]) -> str:
    return str(start["peers"]["writer"]["tcp"])


def test_a_node_starts_when_those_that_it_needs_are_ready(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, writer={"ready_delay_s": 0.3})
    assert measure(invocation, tmp_path).outcomes == {"ok": 20}
    writer, replica = starts(tmp_path)
    assert (writer["node"], writer["role"]) == ("writer", "writer")
    assert (replica["node"], replica["role"]) == ("replica", "reader")
    assert "peers" not in writer and list(replica["peers"]) == ["writer"]
    assert writer["store"] is None and writer["work"] != replica["work"]
    assert replica["options"]["ready_delay_s"] == 0 and writer["options"]["ready_delay_s"] == 0.3
    nothing_left(tmp_path, invocation, "i00")


def test_each_node_has_a_record_of_its_own(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, executions=300, driver={"sleep_s": 0.01})
    measure(invocation, tmp_path)
    record = records.read_record(invocation.folder / "cell.json")
    assert "server" not in record and list(record["nodes"]) == ["writer", "replica"]
    for node in starts(tmp_path):
        said = record["nodes"][node["node"]]
        assert said["pid"] == node["pid"] and said["exit_code"] == 143
        assert said["ready_s"] > 0 and said["restarts"] == []
        assert node["cpus"] == record["provenance"]["topology"]["nodes"][node["node"]]
        assert record["telemetry"]["columns"][f"{node['node']}.rss_bytes"][-2] > 0
    assert record["telemetry"]["cpu_busy"].keys() <= {"writer", "replica", "client"}
    assert 0 <= cell_record.cpu_shares(record)["server"] <= 1
    assert cell_record.telemetry(record)["server_cpu"].notna().all()


def test_clients_get_every_node_the_main_one_first(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, executions=1000, driver={"sleep_s": 0.01})
    seen: list[list[str]] = []

    def look(event: Any) -> None:
        if event.phase == "measure" and not seen:
            [pid] = processes_of(str(tmp_path), "client")
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            seen.append([b for a, b in pairwise(words) if a == "--endpoint"])

    measure(invocation, tmp_path, listener=look)
    first, second = seen[0]
    assert first.startswith("replica=tcp://") and second.startswith("writer=tcp://")


def test_a_node_that_does_not_start_ends_all(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, replica={"ready_delay_s": 60}, ready_timeout_s=5)
    with pytest.raises(MeasureError, match="replica: not ready after 5 s"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")
    names = {file.name for file in kept(invocation).iterdir()}
    assert {"node-writer.log", "node-replica.log"} <= names
    assert not {"node-writer", "node-replica"} & names  # copies of the store are not kept


@pytest.mark.parametrize("node", ["writer", None])
def test_one_node_is_killed_and_comes_back_at_its_address(tmp_path: Path, node: str | None) -> None:
    fault = ServerKilled(kind="server-killed", at_s=0.5, restart_s=0.5, node=node)
    invocation = two_nodes(tmp_path, executions=150, levels=OPEN, fault=fault)
    measure(invocation, tmp_path)
    hit = node or "replica"
    record = read_record(invocation)
    assert record["fault"]["node"] == hit and record["fault"]["ready_ns"] is not None
    first, second, third = starts(tmp_path)
    assert third["node"] == hit and third["resume"]
    before = first if hit == "writer" else second
    assert third.get("peers") == before.get("peers")
    if hit == "writer":
        assert port_of(second).endswith(f":{third['ports']['tcp']}")
    found = outcomes(invocation)
    assert set(found) == {"ok", "error"} and sum(found.values()) == 150
    last = measured_rows(invocation)[-10:]
    assert all(row["outcome"] == "ok" for row in last)
    assert "server-died" not in codes(invocation) and record["failure"] is None
    nothing_left(tmp_path, invocation, "i00")


def test_a_paused_node_is_not_called_hung(tmp_path: Path) -> None:
    fault = ServerPaused(kind="server-paused", at_s=0.5, seconds=2, node="writer")
    invocation = two_nodes(
        tmp_path, executions=200, levels=OPEN, fault=fault, settings={"wedge_s": 0.5},
        timeout_ms=10_000,
    )  # fmt: skip
    measure(invocation, tmp_path)
    assert outcomes(invocation) == {"ok": 200}
    assert "wedged" not in codes(invocation)


def test_a_node_that_dies_by_itself_fails_the_rest(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, executions=400, driver={"sleep_s": 0.02})
    killed: list[int] = []

    def look(event: Any) -> None:
        if event.phase == "measure" and event.done > 20 and not killed:
            killed.append(starts(tmp_path)[0]["pid"])
            kill(killed, signal.SIGKILL)

    measure(invocation, tmp_path, listener=look)
    record = read_record(invocation)
    assert record["failure"] == "writer died: killed by signal 9"
    found = outcomes(invocation)
    assert found["ok"] > 0 and found["error"] > 0 and sum(found.values()) == 400
    assert {"server-died", "server-killed"} <= codes(invocation)
    # the other node ended as it was asked to, which says nothing against it
    messages = [reason["message"] for reason in record["validity"]["reasons"]]
    assert sum("stopped from outside" in message for message in messages) == 1
    nothing_left(tmp_path, invocation, "i00")


def test_when_one_hangs_all_are_started_again(tmp_path: Path) -> None:
    invocation = two_nodes(
        tmp_path, writer={"hang_after": 30}, threads=3, executions=60, driver={"endless": 1},
        settings={"wedge_s": 1.5, "restarts": 3}, cell_timeout_s=120,
    )  # fmt: skip
    measure(invocation, tmp_path)
    found = outcomes(invocation)
    assert found == {"ok": 57, "timeout": 3}
    record = read_record(invocation)
    assert "wedged" in codes(invocation) and record["failure"] is None
    for node in ("writer", "replica"):
        (restart,) = record["nodes"][node]["restarts"]
        assert restart["timeouts"] == 3 and restart["ready_s"] > 0
        assert len(restart["notes"]) == 3  # two nodes and a client, none a JVM
    first, second, third, fourth = starts(tmp_path)
    assert [start["node"] for start in (first, second, third, fourth)] == [
        "writer", "replica", "writer", "replica",
    ]  # fmt: skip
    assert port_of(second) != port_of(fourth)  # it knows where the new writer is
    nothing_left(tmp_path, invocation, "i00")


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_of_any_node(tmp_path: Path, signum: int) -> None:
    process = controller(
        tmp_path, maker="two_nodes", executions=5000, driver={"sleep_s": 0.02}, threads=2
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("measure") and "measure 0" not in line:
            break
    pids = [start["pid"] for start in starts(tmp_path)]
    assert len(pids) == 2 and all(Path(f"/proc/{pid}").exists() for pid in pids)
    process.send_signal(signum)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signum
    wait_until(lambda: processes_of(str(tmp_path)) == [])
    nothing_left(tmp_path, two_nodes(tmp_path), "i00.aborted-0")


def test_of_a_killed_controller_nothing_is_left_either(tmp_path: Path) -> None:
    process = controller(
        tmp_path, maker="two_nodes", executions=5000, driver={"sleep_s": 0.02}, threads=2
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("measure"):
            break
    process.kill()
    process.communicate(timeout=60)
    wait_until(lambda: processes_of(str(tmp_path)) == [])
    invocation = two_nodes(tmp_path)
    assert measure(invocation, tmp_path).fresh
    nothing_left(tmp_path, invocation, "i00", "i00.aborted-0")
