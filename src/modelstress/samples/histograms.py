"""Histograms of an invocation, one per thread and second (``samples: histogram``)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from modelstress.config.errors import MeasureError
from modelstress.config.outcomes import Outcome
from modelstress.samples import tables
from modelstress.samples.bins import NOTHING, Bins, decoded
from modelstress.samples.files import read_plain
from modelstress.samples.formats import outcomes_today
from modelstress.samples.mssf import read_mssf

FILE = "histograms.parquet"
LONGEST_NS = 24 * 3600 * 10**9
SECOND_NS = 10**9
MALFORMED = (
    ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip
"""What Python raises over a line that is not as in docs/contracts.md."""

SCHEMA = pa.schema(
    [
        pa.field("invocation", pa.int16(), nullable=False),
        pa.field("client", pa.int16(), nullable=False),
        pa.field("thread", pa.int16(), nullable=False),
        pa.field("second_ns", pa.int64(), nullable=False),
        pa.field("phase", pa.string(), nullable=False),
        pa.field("operation", pa.string()),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("result_count", pa.int32(), nullable=False),
        pa.field("result_digest", pa.uint64(), nullable=False),
        pa.field("executions", pa.int64(), nullable=False),
        pa.field("verify_ns", pa.int64(), nullable=False),
        pa.field("bytes_sent", pa.int64(), nullable=False),
        pa.field("bytes_received", pa.int64(), nullable=False),
        pa.field("duration_ns", pa.string()),
        pa.field("lateness_ns", pa.string()),
        pa.field("items", pa.int64(), nullable=False),
        pa.field("attempts", pa.int64(), nullable=False),
        pa.field("think_ns", pa.int64(), nullable=False),
    ]
)
"""Arrow schema of ``histograms.parquet``: the lines of docs/contracts.md ("Sample files").

``duration_ns`` and ``lateness_ns`` are HdrHistograms (V2, compressed, base64); null where
executions were never recorded."""

LATER: dict[str, int | str] = {"items": 0, "attempts": "executions", "think_ns": 0}
"""Columns that older files lack, with their value or the column that has it."""

Line = dict[str, Any]

Text = Annotated[str, Field(max_length=1_000_000)]
"""Bounded, and so checked to be UTF-8."""


class _Line(BaseModel):
    """A line as docs/contracts.md describes it."""

    model_config = ConfigDict(strict=True)

    invocation: Annotated[int, Field(ge=0, lt=2**15)]
    client: Annotated[int, Field(ge=0, le=63)]
    thread: Annotated[int, Field(ge=-1, lt=2**15)]
    second_ns: Annotated[int, Field(gt=-(2**62), lt=2**62)]
    phase: Literal["warmup", "measure", "cooldown"]
    operation: Text | None
    outcome: Outcome
    result_count: Annotated[int, Field(ge=0, lt=2**31)]
    result_digest: Annotated[int, Field(ge=0, lt=2**64)]
    executions: Annotated[int, Field(ge=1, lt=2**40)]
    verify_ns: Annotated[int, Field(ge=0, lt=2**62)]
    bytes_sent: Annotated[int, Field(ge=-1, lt=2**62)]
    bytes_received: Annotated[int, Field(ge=-1, lt=2**62)]
    duration_ns: Text | None
    lateness_ns: Text | None
    items: Annotated[int, Field(ge=0, lt=2**62)]
    attempts: Annotated[int, Field(ge=0, lt=2**62)]
    think_ns: Annotated[int, Field(ge=0, lt=2**62)]


def _checked(line: Line, where: str) -> Line:
    """A line whose values are possible.

    Raises:
        MeasureError: a value is of another type, or none that a client can have measured.
    """
    try:
        _Line.model_validate(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise MeasureError(f"{where}: not a histogram line: '{name}': {first['msg']}") from error
    if line["outcome"] == "ok" and None in (line["duration_ns"], line["operation"]):
        raise MeasureError(f"{where}: not a histogram line: an ok one without durations")
    return line


def read_lines(samples: Path) -> list[Line]:
    """Lines of the histogram file that belongs to a client's sample file.

    The last line of a killed client may be incomplete: it is left out.

    Raises:
        MeasureError: another line is not as in docs/contracts.md.
    """
    file = samples.with_name(f"{samples.name}.histograms.jsonl")
    if not file.exists() and not file.is_symlink():
        return []
    written = read_mssf(samples).written
    *texts, _ = read_plain(file).split(b"\n")
    lines = []
    for number, text in enumerate(texts, 1):
        try:
            fields = json.loads(text)
            for name, value in LATER.items():
                fields.setdefault(name, fields[value] if isinstance(value, str) else value)
            line = {name: fields[name] for name in SCHEMA.names}
            line["result_digest"] = int(line["result_digest"])
            [line["outcome"]] = outcomes_today([line["outcome"]], written)
        except MALFORMED as error:
            raise MeasureError(f"{file}, line {number}: not a histogram line: {error!r}") from error
        lines.append(_checked(line, f"{file}, line {number}"))
    return lines


def read_parquet(folder: Path, written: int) -> Iterator[Line]:
    """Lines of a measured invocation, with today's outcomes, few of them in memory at a time.

    Args:
        folder: of the invocation.
        written: format of its record (``formats``).

    Raises:
        MeasureError: the file is damaged, or a line is impossible.
    """
    file = folder / FILE
    table = tables.read_parquet(file, SCHEMA, later=LATER)
    row = 0
    for batch in table.to_batches(max_chunksize=1000):
        for line in batch.to_pylist():
            [line["outcome"]] = outcomes_today([line["outcome"]], written)
            yield _checked(line, f"{file}, row {row}")
            row += 1


def durations(line: Line) -> Bins:
    """Latencies (ns) of a line; none where its executions were never recorded.

    Raises:
        MeasureError: the histogram is damaged, or not of as many executions as the line.
    """
    if line["duration_ns"] is None:
        return NOTHING
    bins = decoded(line["duration_ns"])
    if bins.total != line["executions"] or bins.values.max(initial=0) > LONGEST_NS:
        raise MeasureError(
            f"a histogram is damaged (it has {bins.total} durations of {line['executions']} "
            "executions); measure the cell again"
        )
    return bins


def impossible(lines: Iterable[Line], record: Mapping[str, Any]) -> list[str]:
    """What no measurement can have; sentences, nothing where all is possible.

    Args:
        lines: of the invocation.
        record: of the invocation, in the form that ``read_record`` checks.
    """
    threads = {c["client"]: c.get("threads") for c in record.get("clients") or []}
    offsets = {c["client"]: c.get("offset_ns") or 0 for c in record.get("clients") or []}
    window = record.get("window")
    reasons = set()
    for line in lines:
        client = line["client"]
        if threads and client not in threads:
            reasons.add("a client that the cell did not have")
        elif threads.get(client) is not None and line["thread"] >= threads[client]:
            reasons.add(f"a thread beyond the {threads[client]} of client {client}")
        at = line["second_ns"] - offsets.get(client, 0)
        outside = window and not window["begin_ns"] <= at < window["end_ns"]
        if outside and line["phase"] == "measure":
            reasons.add("measured executions outside the window")
    return [f"impossible samples: {', '.join(sorted(reasons))}"] if reasons else []
