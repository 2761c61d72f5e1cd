"""Captures of made-up executions, written as `measure.traffic` writes them."""

import itertools

import pyarrow as pa
import synthetic

from modelstress.measure.traffic.tables import ANATOMY, MESSAGES
from modelstress.samples.files import write_parquet

LEVELS = synthetic.LEVELS | {"query": "RouteSensor", "http_transport": "stock"}
FRAME = 66
"""Bytes of a frame around its payload: Ethernet, IPv4, TCP with time stamps."""
MS = 1_000_000


def tcp(exchanges, first_ms=2.0, step_ms=3.0):
    """(begin, direction, kind, payload, HTTP) of one connection with some questions and answers."""
    yield first_ms, "sent", "handshake", 0, None
    yield first_ms + 0.05, "received", "handshake", 0, None
    at = first_ms + 0.2
    for sent, received in exchanges:
        yield at, "sent", "data", sent, None
        yield at + step_ms, "received", "data", received, None
        at += step_ms + 0.3
    yield at, "sent", "close", 0, None
    yield at + 0.05, "received", "close", 0, None


def http(requests, path="/net4j", first_ms=3.0):
    """The same with HTTP requests: pairs of (pause before it, ms until the answer)."""
    yield first_ms, "sent", "handshake", 0, None
    yield first_ms + 0.05, "received", "handshake", 0, None
    at = first_ms
    for pause, wait, sent, received in requests:
        at += pause
        yield at, "sent", "http-request", sent, ("POST", path)
        yield at + wait, "received", "http-response", received, 200
        at += wait
    yield at + 1, "sent", "close", 0, None
    yield at + 1.05, "received", "close", 0, None


POLLED = (*((0.5, 100, 240, 180),) * 9, (5003, 4, 230, 2500), (0.5, 2, 230, 160))
"""The requests of an execution of CDO over HTTP as it polls."""


def rows(messages, sequence, method):
    """Messages of one execution as rows of `messages.parquet`."""
    known = method == "packets"
    for number, (begin, direction, kind, payload, about) in enumerate(messages):
        packets = 1 + payload // 1448
        request, response = (about, None) if isinstance(about, tuple) else ((None, None), about)
        size = payload + FRAME * packets
        yield {
            "sequence": sequence, "connection": 0, "number": number,
            "begin_ns": int(begin * MS), "end_ns": int((begin + 0.01) * MS),
            "direction": direction, "packets": packets if known else None,
            "bytes": size if known else None, "payload": payload, "kind": kind,
            "http_method": request[0], "http_path": request[1], "http_status": response,
            "header_bytes": 150 if about else None,
            "body_bytes": max(payload - 150, 0) if about else None,
        }  # fmt: skip


def summary(messages, sequence, phase, outcome, method):
    """The row of `anatomy.parquet` of the same execution."""
    ends = [m["end_ns"] for m in messages]
    gaps = [b["begin_ns"] - a["end_ns"] for a, b in itertools.pairwise(messages)]
    row = {
        "sequence": sequence, "operation": "q", "outcome": outcome, "phase": phase,
        "start_ns": synthetic.ORIGIN_NS + sequence * 10_000 * MS, "duration_ns": max(ends) + MS,
        "method": method, "connections": 1,
        "round_trips": 1 + sum(m["direction"] == "sent" and m["payload"] > 0 for m in messages),
        "requests": sum(m["kind"] == "http-request" for m in messages),
        "longest_gap_ns": max(gaps), "retransmissions": 0 if method == "packets" else None,
    }  # fmt: skip
    for end in ("sent", "received"):
        mine = [m for m in messages if m["direction"] == end]
        for name in ("packets", "bytes", "payload"):
            values = [m[name] for m in mine]
            row[f"{name}_{end}"] = None if None in values else sum(values)
    return row


def capture(data_dir, levels, make, method="packets", number=0, outcomes=("ok",) * 3, **more):
    """One invocation with a capture: an execution of the warm-up, then the measured ones.

    `make` returns the messages of the execution with a number. Returns the folder.
    """
    phases = ["warmup", *("measure" for _ in outcomes)]
    every, single, durations = [], [], []
    for i, (phase, outcome) in enumerate(zip(phases, ("ok", *outcomes), strict=True)):
        sequence = 0 if phase == "warmup" else i - 1
        said = list(rows(make(i), sequence, method))
        every += said if phase == "measure" else []
        single.append(summary(said, sequence, phase, outcome, method))
        durations.append(single[-1]["duration_ns"] / MS)
    samples = synthetic.samples(durations, ("ok", *outcomes), phases, number=number)
    folder = synthetic.write(data_dir, levels, number, samples, **more)
    write_parquet(folder / "anatomy.parquet", pa.Table.from_pylist(single, schema=ANATOMY))
    write_parquet(folder / "messages.parquet", pa.Table.from_pylist(every, schema=MESSAGES))
    if method == "packets":
        (folder / "capture.pcap").write_bytes(bytes.fromhex("4d3cb2a1020004000000000000000000"))
    return folder


def write_captures(data_dir, method="packets"):
    """Cells of three tools over several protocols; returns their levels."""
    small = [(300, 120)] * 4 + [(420, 60), (30, 4600), (20, 40)]
    hawk = {"tool": "hawk", "backend": "neo4j", "language": "eol", "http_transport": None}
    written = []
    for other, make in (
        ({"protocol": "tcp"}, lambda i: tcp(small, 2 + 0.1 * i)),
        ({"protocol": "http"}, lambda i: http(POLLED, first_ms=3 + i)),
        (
            {"protocol": "http", "http_transport": "long-poll"},
            lambda i: http([(0.4, 2 + 0.1 * i, 240, 400)] * 12),
        ),
        (hawk | {"protocol": "tcp"}, lambda i: tcp([(310, 900)], 1, 9 + i)),
        (
            hawk | {"protocol": "http"},
            lambda i: http([(0.3, 12 + i, 600, 900)], "/thrift/hawk/tuple"),
        ),
    ):
        levels = {name: level for name, level in (LEVELS | other).items() if level is not None}
        capture(data_dir, levels, make, method)
        written.append(levels)
    return written
