"""Samples of an invocation as histograms, one per thread and second (``samples: histogram``)."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
from hdrh.codec import HdrCookieException, HdrHistogramSettingsException, HdrLengthException
from hdrh.histogram import HdrHistogram
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from modelstress.config.errors import MeasureError
from modelstress.config.outcomes import Outcome
from modelstress.design.kinds import Expected
from modelstress.measure import validity
from modelstress.samples import tables
from modelstress.samples.files import read_plain, write_parquet
from modelstress.samples.schema import SCHEMA as ROWS

LONGEST_NS = 24 * 3600 * 10**9
DIGITS = 3
SECOND_NS = 10**9
MOST_BYTES = 1 << 22
"""Of one histogram, unpacked."""
UNDECODABLE = (
    ValueError, TypeError, LookupError, ArithmeticError, struct.error, zlib.error,
    HdrCookieException, HdrHistogramSettingsException, HdrLengthException,
)  # fmt: skip
"""What the decoder raises over damaged ones, as its documentation and its code say."""

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
    ]
)
"""Arrow schema of ``histograms.parquet``: the lines of docs/contracts.md ("Sample files").

``duration_ns`` and ``lateness_ns`` are HdrHistograms (V2, compressed, base64); null where
executions were never recorded."""

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
    *texts, _ = read_plain(file).split(b"\n")
    lines = []
    for number, text in enumerate(texts, 1):
        try:
            said = json.loads(text)
            line = {name: said[name] for name in SCHEMA.names}
            line["result_digest"] = int(line["result_digest"])
        except (ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
            raise MeasureError(f"{file}, line {number}: not a histogram line: {error!r}") from error
        lines.append(_checked(line, f"{file}, line {number}"))
    return lines


def verified(lines: Iterable[Line], oracle: Mapping[str, Expected]) -> tuple[list[Line], list[str]]:
    """Turn ``ok`` into ``incorrect`` where count or digest differ from the oracle's.

    Returns:
        All lines, and the operations with ``ok`` executions that the oracle does not know.
    """
    checked, unverified = [], set()
    for line in lines:
        expected = oracle.get(line["operation"])
        outcome = line["outcome"]
        if outcome == "ok" and expected is None:
            unverified.add(str(line["operation"]))
        elif outcome == "ok" and expected is not None:
            found = Expected(line["result_count"], line["result_digest"])
            outcome = "ok" if found == expected else "incorrect"
        checked.append({**line, "outcome": outcome})
    return checked, sorted(unverified)


def completed(
    lines: list[Line], *, invocation: int, client: int, executions: int, outcome: str, at_ns: int
) -> list[Line]:
    """Add one line for all measured executions of a client that were never recorded.

    Raises:
        MeasureError: there are more measured executions than there should be.
    """
    there = sum(line["executions"] for line in lines if line["phase"] == "measure")
    if there > executions:
        raise MeasureError(
            f"client {client}: {there} measured executions instead of {executions}; the client "
            "program breaks docs/contracts.md"
        )
    if there == executions:
        return lines
    numbers = dict.fromkeys(("result_count", "result_digest", "verify_ns"), 0)
    unknown = {"bytes_sent": -1, "bytes_received": -1}
    texts = dict.fromkeys(("operation", "duration_ns", "lateness_ns"))
    missing = {
        "invocation": invocation,
        "client": client,
        "thread": -1,
        "second_ns": at_ns,
        "phase": "measure",
        "outcome": outcome,
        "executions": executions - there,
    }
    return [*lines, {**numbers, **unknown, **texts, **missing}]


@dataclass(frozen=True)
class Histograms:
    """All lines of all clients, verified; answers what ``Rows`` answers.

    Attributes:
        lines: with the columns of ``SCHEMA``.
        unverified: operations without an expected result.
        missing: measured executions that no client had recorded, and that were filled up.
    """

    lines: list[Line]
    unverified: list[str]
    missing: int

    def outcomes(self, phase: str) -> dict[str, int]:
        """Executions of a phase by outcome."""
        found: Counter[str] = Counter()
        for line in self.lines:
            if line["phase"] == phase:
                found[line["outcome"]] += line["executions"]
        return dict(found)

    def traffic(self) -> dict[str, int | None]:
        """Payload bytes of the measured executions; None where a driver does not know them."""
        sums: dict[str, int | None] = {}
        for column in ("bytes_sent", "bytes_received"):
            known = [line[column] for line in self._measured()]
            sums[column] = None if not known or min(known) < 0 else sum(known)
        return sums

    def window(self, offsets_ns: Mapping[int, int]) -> dict[str, int]:
        """Begin of the first and end of the last second, on the controller's clock."""
        spans = self._spans(offsets_ns).values()
        return {"begin_ns": min(b for b, _ in spans), "end_ns": max(e for _, e in spans)}

    def reasons(self, offsets_ns: Mapping[int, int], *, open_loop: bool) -> list[validity.Reason]:
        """What the histograms say against the cell; verification is judged by its mean."""
        good = [line for line in self._measured() if line["outcome"] == "ok"]
        if not good:
            return [validity.nothing_ok()]
        durations = merged(line["duration_ns"] for line in good)
        median = float(durations.get_value_at_percentile(50))
        late = 0.0
        if open_loop:
            lateness = merged(line["lateness_ns"] for line in good)
            late = float(lateness.get_value_at_percentile(99))
        cost = sum(line["verify_ns"] for line in good) / sum(line["executions"] for line in good)
        return [
            *validity.lateness(late, median),
            *validity.verification(cost, median),
            *validity.overlap(list(self._spans(offsets_ns).values())),
        ]

    def write(self, folder: Path) -> None:
        """Write ``histograms.parquet`` and a ``samples.parquet`` without rows.

        Raises:
            MeasureError: the disk is full or the folder cannot be written.
        """
        write_parquet(folder / "histograms.parquet", pa.Table.from_pylist(self.lines, SCHEMA))
        write_parquet(folder / "samples.parquet", ROWS.empty_table())

    def _measured(self) -> list[Line]:
        return [line for line in self.lines if line["phase"] == "measure"]

    def _spans(self, offsets_ns: Mapping[int, int]) -> dict[int, tuple[int, int]]:
        """Client to begin and end of what it measured, to the second."""
        spans: dict[int, tuple[int, int]] = {}
        for line in self._measured():
            client = int(line["client"])
            at = int(line["second_ns"]) - offsets_ns.get(client, 0)
            begin, end = spans.get(client, (at, at))
            spans[client] = min(begin, at), max(end, at + SECOND_NS)
        return spans


def read_parquet(folder: Path) -> list[Line]:
    """Lines of a measured invocation.

    Raises:
        MeasureError: the file is damaged, or a line is impossible.
    """
    file = folder / "histograms.parquet"
    lines = tables.read_parquet(file, SCHEMA).to_pylist()
    return [_checked(line, f"{file}, row {row}") for row, line in enumerate(lines)]


def merged(texts: Iterable[str]) -> HdrHistogram:
    """The sum of encoded histograms.

    Raises:
        MeasureError: one of them is damaged.
    """
    whole = HdrHistogram(1, LONGEST_NS, DIGITS)
    for text in texts:
        try:
            _check_histogram(text)
            whole.decode_and_add(text)
        except UNDECODABLE as error:
            raise MeasureError(
                f"a histogram is damaged ({str(error) or type(error).__name__}); measure the cell "
                "again"
            ) from error
    return whole


def _check_histogram(text: str) -> None:
    """Refuse what would unpack to more than any histogram of ours, before it is decoded.

    Raises:
        ValueError, zlib.error, struct.error: it is not like ours.
    """
    packed = base64.b64decode(text, validate=True)[8:]
    payload = zlib.decompressobj().decompress(packed, MOST_BYTES)
    digits, lowest, highest = struct.unpack_from(">iqq", payload, 12)
    if not (1 <= digits <= DIGITS and lowest >= 1 and 2 * lowest <= highest < 2**62):
        raise ValueError("its range is impossible")
    if len(payload) >= MOST_BYTES:
        raise ValueError("it is too long")
