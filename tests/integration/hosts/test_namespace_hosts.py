"""The executor ``namespace``: real networks, a real switch, the fake tool."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import needs
import nobody
import pytest

SCRIPT = Path(__file__).with_name("in_namespace.py")
RATE = 100
OPEN = {"mode": "open", "rate_per_s": RATE}

pytestmark = needs.namespaces


def measured(folder: Path, *, rootless: bool = False, **request: Any) -> dict[str, Any]:
    """Measure in a namespace, as nobody if asked to; nothing may be left there."""
    python, script = [sys.executable], str(SCRIPT)
    if rootless:
        python, script = nobody.python(folder), nobody.seen(folder, SCRIPT)
    argv = [*python, script, str(folder), json.dumps(request)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert said["processes"] == [] and said["devices"] == ["lo"] and said["mounts"] == []
    return said


def test_two_clients_and_a_server_on_hosts_of_their_own(tmp_path: Path) -> None:
    said = measured(tmp_path, threads=4, clients=2, executions=40)
    assert said["outcomes"] == ["ok"] * 40
    record = said["record"]
    assert record["provenance"]["executor"] == "namespace"
    assert record["provenance"]["topology"]["network"] == "switch, not shaped"
    telemetry = record["telemetry"]["columns"]
    sent = {side: telemetry[f"net.{side}.sent_bytes"] for side in ("server", "client0", "client1")}
    assert all(column[-1] > column[0] for column in sent.values())
    # both clients' bytes arrive at the server, beside what the network says to itself
    arrived = telemetry["net.server.received_bytes"][-1]
    assert arrived >= 0.9 * (sent["client0"][-1] + sent["client1"][-1])


def test_the_same_without_root(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    said = measured(folder, rootless=True, threads=2, clients=2, executions=20)
    assert said["outcomes"] == ["ok"] * 20
    assert Path(said["folder"]).stat().st_uid == nobody.uid()


def test_a_shaped_link_is_told(tmp_path: Path) -> None:
    said = measured(tmp_path, executions=10, levels={"link_mbit_s": 100})
    assert said["record"]["provenance"]["topology"]["network"] == "switch, 100 Mbit/s"
    limited = [line for line in said["qdiscs"] if "tbf" in line and "rate 100Mbit" in line]
    devices = sorted(line.split()[line.split().index("dev") + 1] for line in limited)
    assert devices == ["eth0", "port0", "port1"], "both ends of the server's cable, and a client's"


@pytest.mark.parametrize(
    ("fault", "lost"),
    [
        ({"kind": "server-killed", "at_s": 0.3, "restart_s": 0.3}, True),
        ({"kind": "server-paused", "at_s": 0.3, "seconds": 0.5}, True),
        ({"kind": "client-killed", "at_s": 0.3, "client": 1}, True),
        ({"kind": "link-cut", "at_s": 0.3, "seconds": 0.5}, True),
        pytest.param(
            {"kind": "packets-dropped", "at_s": 0.3, "seconds": 0.5, "percent": 100}, True,
            marks=needs.dropped_packets,
        ),
        ({"kind": "disk-full", "at_s": 0.3, "seconds": 0.5}, False),
        pytest.param(
            {"kind": "memory-lowered", "at_s": 0.3, "seconds": 0.5, "headroom_mib": 64}, False,
            marks=needs.memory_limits,
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)  # fmt: skip
def test_faults_begin_end_and_cost(tmp_path: Path, fault: dict[str, Any], lost: bool) -> None:
    said = measured(
        tmp_path, threads=8, clients=2, executions=160, timeout_ms=300, levels=OPEN, fault=fault
    )
    record = said["record"]
    found = record["fault"]
    assert found["kind"] == fault["kind"] and found["notes"] == [] and found["server_died"] is None
    assert ("gso_max_segs 1 " in " ".join(said["links"])) == (fault["kind"] == "packets-dropped")
    started_again = found["ready_ns"] is not None and found["ready_ns"] > found["ended_ns"]
    assert started_again == (fault["kind"] == "server-killed")
    lasted = (found["ended_ns"] - found["in_effect_ns"]) / 1e9
    assert lasted >= fault.get("seconds", fault.get("restart_s", 0))
    assert (said["outcomes"].count("ok") < 160) == lost
    asked = [outcome for outcome in said["outcomes"] if outcome != "unfinished"]
    assert asked[-1] == "ok", "the service came back"
    assert len(said["outcomes"]) == 160
    codes = {reason["code"] for reason in record["validity"]["reasons"]}
    assert not codes & {"late", "windows-apart", "server-died", "client-died"}
    assert not codes & {"executions-missing", "fault-missing", "fault-cut-short", "server-stop"}


def test_a_fault_that_the_load_did_not_wait_for_is_no_result(tmp_path: Path) -> None:
    fault = {"kind": "server-paused", "at_s": 60, "seconds": 1}
    said = measured(tmp_path, threads=4, clients=2, executions=20, levels=OPEN, fault=fault)
    reasons = {r["code"]: r["kind"] for r in said["record"]["validity"]["reasons"]}
    assert reasons["fault-missing"] == "invalid"


def test_a_fault_that_cannot_be_had_is_refused(tmp_path: Path) -> None:
    fault = {"kind": "client-killed", "at_s": 0.1}
    said = measured(tmp_path, executions=20, levels=OPEN, fault=fault)
    assert "another one must be left" in said["error"]


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "server-killed", "at_s": 0.3, "restart_s": 0.3, "node": "writer"},
        {"kind": "link-cut", "at_s": 0.3, "seconds": 0.5, "node": "writer"},
        {"kind": "disk-full", "at_s": 0.3, "seconds": 0.5, "node": "writer"},
    ],
    ids=lambda fault: str(fault["kind"]),
)
def test_one_of_two_nodes_is_disturbed(tmp_path: Path, fault: dict[str, Any]) -> None:
    said = measured(
        tmp_path, nodes=True, threads=4, executions=200, levels=OPEN, fault=fault, timeout_ms=2000
    )
    record = said["record"]
    assert record["fault"]["node"] == "writer" and record["failure"] is None
    assert list(record["nodes"]) == ["writer", "replica"]
    # the replica asks the writer for every answer, over its own link
    totals = record["telemetry"]["columns"]["net.writer.received_bytes"]
    assert totals[-1] > totals[0]
    assert said["outcomes"][-20:] == ["ok"] * 20
    if fault["kind"] != "disk-full":
        during = record["fault"]["ended_ns"] - record["fault"]["in_effect_ns"]
        assert during > 0 and set(said["outcomes"]) <= {"ok", "error", "timeout"}
        assert (fault["kind"] == "link-cut") or "error" in said["outcomes"]
