"""One row per execution, but of a long warm-up (``WARM_UP_KEPT``)."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from modelstress.config.outcomes import OUTCOMES

PHASES = ("warmup", "measure", "cooldown")

_DICTIONARY = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        pa.field("invocation", pa.int16(), nullable=False),
        pa.field("client", pa.int16(), nullable=False),
        pa.field("thread", pa.int16(), nullable=False),
        pa.field("sequence", pa.int32(), nullable=False),
        pa.field("operation", _DICTIONARY, nullable=False),
        pa.field("intended_start_ns", pa.int64(), nullable=False),
        pa.field("start_ns", pa.int64(), nullable=False),
        pa.field("duration_ns", pa.int64(), nullable=False),
        pa.field("verify_ns", pa.int64(), nullable=False),
        pa.field("outcome", _DICTIONARY, nullable=False),
        pa.field("items", pa.int32(), nullable=False),
        pa.field("result_count", pa.int32(), nullable=False),
        pa.field("result_digest", pa.uint64(), nullable=False),
        pa.field("bytes_sent", pa.int64(), nullable=False),
        pa.field("bytes_received", pa.int64(), nullable=False),
        pa.field("phase", _DICTIONARY, nullable=False),
        pa.field("attempts", pa.uint16(), nullable=False),
        pa.field("think_ns", pa.int64(), nullable=False),
    ]
)
"""Arrow schema of ``samples.parquet``. Times are nanoseconds of the client's monotonic clock;
bytes are payload bytes, -1 where the driver cannot know them. An execution ends at its intended
start plus duration plus ``think_ns``."""

LATER: Mapping[str, int] = {"attempts": 1, "think_ns": 0}
"""Columns that older files do not have, with the value of all their executions."""

ALIKE: Mapping[str, str] = {"intended_start_ns": "start_ns"}
"""Columns that a file does not have where all values are those of another, as in closed loops."""

NEAR = ("thread", "sequence", "intended_start_ns", "start_ns", "duration_ns", "verify_ns")
"""Columns in which an execution differs from the one before by little: written as differences."""

WARM_UP_KEPT = 250
"""Right answers of the warm-up, of each client, that have a row: the first, the last, and others
evenly between. All are counted in ``cell.json``, and all other outcomes have their rows."""

COLUMNS = {
    "invocation": ("", "number of the invocation, from 0"),
    "client": ("", "number of the client process, from 0"),
    "thread": ("", "number of the thread in its client, from 0"),
    "sequence": ("", "number of the execution in its client, from 0"),
    "operation": ("", "the query"),
    "intended_start_ns": ("ns", "when it was to start; without this column all started then"),
    "start_ns": ("ns", "when it started, by the client's monotonic clock"),
    "duration_ns": ("ns", "latency, from the intended start to the last identifier"),
    "verify_ns": ("ns", "time to compute the digest, after the clock was stopped"),
    "outcome": ("", ", ".join(OUTCOMES)),
    "items": ("", "identifiers in the answer"),
    "result_count": ("matches", "matches in the answer"),
    "result_digest": ("", "order-free digest of the matches, compared with the oracle's"),
    "bytes_sent": ("bytes", "payload sent; -1: the driver cannot know"),
    "bytes_received": ("bytes", "payload received; -1: the driver cannot know"),
    "phase": ("", ", ".join(PHASES)),
    "attempts": ("", "tries of the driver within the execution"),
    "think_ns": ("ns", "pauses of the driver within the execution, no part of its duration"),
}
"""Unit and meaning of each column, for the README of an archive."""
