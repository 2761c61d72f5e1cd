"""``anatomy.parquet`` and ``messages.parquet`` of an invocation (docs/contracts.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from modelstress.measure.traffic.decode import Decoded, Message, Share

_WORD = pa.dictionary(pa.int32(), pa.string())


def _schema(columns: Mapping[str, pa.DataType], blank: Sequence[str] = ()) -> pa.Schema:
    return pa.schema([pa.field(n, t, nullable=n in blank) for n, t in columns.items()])


ANATOMY = _schema(
    {
        "sequence": pa.int32(),
        "operation": _WORD,
        "outcome": _WORD,
        "phase": _WORD,
        "start_ns": pa.int64(),
        "duration_ns": pa.int64(),
        "method": _WORD,
        "packets_sent": pa.int32(),
        "packets_received": pa.int32(),
        "bytes_sent": pa.int64(),
        "bytes_received": pa.int64(),
        "payload_sent": pa.int64(),
        "payload_received": pa.int64(),
        "connections": pa.int32(),
        "round_trips": pa.int32(),
        "requests": pa.int32(),
        "longest_gap_ns": pa.int64(),
        "retransmissions": pa.int32(),
    },
    blank=(
        "packets_sent", "packets_received", "bytes_sent", "bytes_received", "retransmissions",
    ),
)  # fmt: skip
"""One row per execution, the warm-up's too: ``phase`` tells. What only packets tell is null where
a proxy was used."""

MESSAGES = _schema(
    {
        "sequence": pa.int32(),
        "connection": pa.int16(),
        "number": pa.int32(),
        "begin_ns": pa.int64(),
        "end_ns": pa.int64(),
        "direction": _WORD,
        "packets": pa.int32(),
        "bytes": pa.int64(),
        "payload": pa.int32(),
        "kind": _WORD,
        "http_method": pa.string(),
        "http_path": pa.string(),
        "http_status": pa.int16(),
        "header_bytes": pa.int32(),
        "body_bytes": pa.int32(),
    },
    blank=(
        "packets", "bytes", "http_method", "http_path", "http_status", "header_bytes", "body_bytes",
    ),
)  # fmt: skip
"""One row per message of a measured execution; times from the execution's start."""


def shares(samples: pa.Table, offset_ns: int, pause_ns: int) -> tuple[pa.Table, list[Share]]:
    """Executions in the order of their starts, and the time that belongs to each.

    Args:
        samples: of one client with one thread.
        offset_ns: the client's clock minus the controller's.
        pause_ns: what still belongs to the last execution after its end.
    """
    ordered = samples.sort_by("start_ns")
    starts = [start - offset_ns for start in ordered["start_ns"].to_pylist()]
    lasted = pc.add(ordered["duration_ns"], ordered["think_ns"]).to_pylist()
    ends = [begin + time for begin, time in zip(starts, lasted, strict=True)]
    nexts = [*starts[1:], ends[-1] + pause_ns] if starts else []
    return ordered, [Share(*interval) for interval in zip(starts, ends, nexts, strict=True)]


def anatomy(executions: pa.Table, decoded: Decoded, method: str) -> pa.Table:
    """One row per execution.

    Args:
        executions: samples in the order of their starts.
        decoded: what the capture says of them, in the same order.
        method: ``packets`` or ``proxy``.
    """
    requests = [0] * executions.num_rows
    for message in decoded.messages:
        if message.part.kind == "http-request" and message.execution >= 0:
            requests[message.execution] += 1
    framed = method == "packets"
    totals = decoded.totals
    columns: dict[str, list[Any]] = {
        "method": [method] * len(totals),
        "packets_sent": [t.packets[True] if framed else None for t in totals],
        "packets_received": [t.packets[False] if framed else None for t in totals],
        "bytes_sent": [t.size[True] if framed else None for t in totals],
        "bytes_received": [t.size[False] if framed else None for t in totals],
        "payload_sent": [t.payload[True] for t in totals],
        "payload_received": [t.payload[False] for t in totals],
        "connections": [t.connections for t in totals],
        "round_trips": [t.round_trips for t in totals],
        "requests": requests,
        "longest_gap_ns": [t.longest_gap for t in totals],
        "retransmissions": [t.retransmissions if framed else None for t in totals],
    }
    for name in ANATOMY.names:
        if name not in columns:
            columns[name] = executions[name].to_pylist()
    return _table(ANATOMY, columns)


def messages(
    executions: pa.Table, shares: Sequence[Share], decoded: Decoded, method: str
) -> pa.Table:
    """One row per message of the measured executions; arguments as those of ``anatomy``."""
    phases, sequences = executions["phase"].to_pylist(), executions["sequence"].to_pylist()
    framed = method == "packets"
    rows: list[dict[str, Any]] = []
    numbers: dict[int, int] = {}
    connections: dict[int, dict[int, int]] = {}
    for message in decoded.messages:
        execution = message.execution
        if execution < 0 or phases[execution] != "measure":
            continue
        numbering = connections.setdefault(execution, {})
        numbers[execution] = numbers.get(execution, -1) + 1
        rows.append(
            {
                "sequence": sequences[execution],
                "connection": numbering.setdefault(message.connection, len(numbering)),
                "number": numbers[execution],
                **_row(message, shares[execution].begin, framed),
            }
        )
    order = sorted(range(len(rows)), key=lambda row: rows[row]["sequence"])  # stable
    return _table(MESSAGES, {n: [rows[row][n] for row in order] for n in MESSAGES.names})


def _row(message: Message, begin: int, framed: bool) -> dict[str, Any]:
    part = message.part
    return {
        "begin_ns": message.begin - begin,
        "end_ns": message.end - begin,
        "direction": "sent" if part.sent else "received",
        "packets": message.packets if framed else None,
        "bytes": message.size if framed else None,
        "payload": part.end - part.start,
        "kind": part.kind,
        "http_method": part.http_method,
        "http_path": part.http_path,
        "http_status": part.http_status,
        "header_bytes": part.header_bytes,
        "body_bytes": part.body_bytes,
    }


def _table(schema: pa.Schema, columns: Mapping[str, list[Any]]) -> pa.Table:
    arrays = []
    for field in schema:
        if pa.types.is_dictionary(field.type):
            words = pa.array(columns[field.name], pa.string())
            arrays.append(words.dictionary_encode().cast(field.type))
        else:
            arrays.append(pa.array(columns[field.name], field.type))
    return pa.Table.from_arrays(arrays, schema=schema)
