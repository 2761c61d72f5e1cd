"""One row per execution (DESIGN.md §3, "Samples")."""

from __future__ import annotations

import pyarrow as pa

OUTCOMES = ("ok", "incorrect", "error", "timeout", "aborted", "rejected")
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
    ]
)
"""Arrow schema of ``samples.parquet``. Times are nanoseconds of the client's monotonic clock;
bytes are payload bytes, -1 where the driver cannot know them."""
