"""Packets of every tool and protocol, counted by us and by tshark at the same time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from modelstress.hosts import private
from modelstress.measure.traffic import pcap
from modelstress.measure.traffic.segments import parse
from modelstress.workloads.queries.conformance.bench import QueriesBench
from tests.integration.tools.every_form import PROJECT, loaded

PROGRAM = str(Path(__file__).with_name("captured.py"))
QUERY = "RouteSensor"
SHORT = {("cdo", "tcp"), ("cdo", "websocket"), ("hawk", "http")}
"""Of all tools and protocols, those that show each way in which traffic is read."""
CASES = [
    *(
        pytest.param(
            *(tool, protocol, "per-execution"),
            marks=() if (tool, protocol) in SHORT else pytest.mark.long,
        )
        for tool in ("cdo", "hawk", "mogwai")
        for protocol in PROJECT.tool(tool).protocols
    ),
    pytest.param("cdo", "tcp", "reused", marks=pytest.mark.long),
]

pytestmark = [
    pytest.mark.skipif(
        shutil.which("tshark") is None, reason="no tshark on PATH (apt-get install tshark)"
    ),
    pytest.mark.skipif(private.available()[0] is None, reason=private.available()[1]),
]


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Tool to its programs with a loaded store; each is made when it is asked for."""
    opened: dict[str, tuple[Any, QueriesBench]] = {}

    def of(tool: str) -> QueriesBench:
        if tool not in opened:
            made = PROJECT.tool(tool)
            context = loaded(made, made.backends[0], tmp_path_factory.mktemp(tool))
            opened[tool] = (context, context.__enter__())
        return opened[tool][1]

    yield of
    for context, _ in opened.values():
        context.__exit__(None, None, None)


def captured(
    bench: QueriesBench, protocol: str, *, private: bool = True, **more: Any
) -> dict[str, Any]:
    """Measure a captured cell in a process of its own; what it prints."""
    folder = bench.place(f"captured-{protocol}")
    request = {
        "folder": str(folder), "store": str(bench.store), "tool": bench.tool.tool,
        "backend": bench.backend, "language": bench.tool.languages[0], "protocol": protocol,
        "query": QUERY, "connection": "per-execution", "executions": 2, "namespace": private,
        "expected": vars(bench.oracle[QUERY]), **more,
    }  # fmt: skip
    file = folder / "request.json"
    file.write_text(json.dumps(request))
    done = subprocess.run(
        [sys.executable, PROGRAM, str(file)], capture_output=True, text=True, timeout=280,
        check=False, cwd=PROJECT.root,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def sums(anatomy: pa.Table, *names: str) -> dict[str, int]:
    return {name: pc.sum(anatomy[name]).as_py() for name in names}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("tool", "protocol", "connection"), CASES)
def test_every_packet_and_byte_is_what_tshark_counts(benches, tool, protocol, connection):
    theirs = captured(benches(tool), protocol, connection=connection)
    folder = Path(theirs["folder"])
    record = json.loads((folder / "cell.json").read_text())
    assert record["outcomes"]["measure"] == {"ok": 2} and record["capture"]["dropped"] == 0
    assert record["capture"]["method"] == "packets"
    assert not {r["code"] for r in record["validity"]["reasons"]} & {"capture-failed"}
    same_segments(folder, record, theirs)
    anatomy = pq.read_table(folder / "anatomy.parquet")
    whole = Counter()
    for stream in theirs["streams"]:
        whole.update(stream)
    ours = sums(anatomy, "packets_sent", "packets_received", "bytes_sent", "bytes_received")
    assert whole["packets_sent"] + whole["packets_received"] == record["capture"]["packets"]
    assert record["capture"]["packets"] == theirs["read_by_tshark"]
    if connection == "per-execution":  # each packet belongs to one of the executions
        assert ours == {name: whole[name] for name in ours}
        assert sums(anatomy, "connections")["connections"] == len(theirs["streams"])
        assert sums(anatomy, "requests")["requests"] == theirs["http_requests"]
    outside = record["capture"]["outside_packets"]
    counted = ours["packets_sent"] + ours["packets_received"]
    assert counted + outside == record["capture"]["packets"]
    consistent(anatomy, pq.read_table(folder / "messages.parquet"))


def same_segments(folder: Path, record: dict[str, Any], theirs: dict[str, Any]) -> None:
    """The very same frames: per stream, in order, with the same length and sequence number."""
    ports = set(record["capture"]["ports"])
    ours = []
    for _, frame in pcap.read(folder / "capture.pcap"):
        segment = parse(frame, ports)
        assert segment is not None and len(frame) <= 1514
        ends = [segment.client[1], segment.server[1]]
        ours.append((len(frame), *(ends if segment.sent else ends[::-1]), segment.sequence))
    assert ours == [tuple(row) for row in theirs["segments"]]


def consistent(anatomy: pa.Table, messages: pa.Table) -> None:
    """Messages add up to the payload of their execution."""
    measured = anatomy.filter(pc.equal(anatomy["phase"].cast(pa.string()), "measure"))
    for row in measured.to_pylist():
        own = messages.filter(pc.equal(messages["sequence"], row["sequence"])).to_pylist()
        for side in ("sent", "received"):
            payload = sum(m["payload"] for m in own if m["direction"] == side)
            assert payload == row[f"payload_{side}"]
        assert sum(m["packets"] for m in own) <= row["packets_sent"] + row["packets_received"]
        assert [m["number"] for m in own] == list(range(len(own)))


@pytest.mark.timeout(300)
def test_a_proxy_sees_the_same_payload(benches):
    bench = benches("hawk")
    seen = []
    for alone in (True, False):
        folder = Path(captured(bench, "http", private=alone)["folder"])
        anatomy = pq.read_table(folder / "anatomy.parquet")
        record = json.loads((folder / "cell.json").read_text())
        assert record["outcomes"]["measure"] == {"ok": 2}
        names = ("payload_received", "connections", "requests", "round_trips")
        seen.append(anatomy.select(names).to_pylist())
        assert record["capture"]["method"] == ("packets" if alone else "proxy")
    assert seen[0] == seen[1]
    assert set(anatomy["packets_sent"].to_pylist()) == {None}
