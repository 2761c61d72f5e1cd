"""Writes samples into a memory-mapped file (docs/contracts.md, "Sample files")."""

from __future__ import annotations

import json
import mmap
import os
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from modelstress.config.outcomes import OUTCOMES

PHASES = ("warmup", "measure", "cooldown")
WORDS = ("", *OUTCOMES)
"""Outcomes as the file numbers them; "" is of a record that was never finished."""
_COLUMNS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("invocation", "int16", "h", {}),
    ("client", "int16", "h", {}),
    ("thread", "int16", "h", {}),
    ("operation", "uint16", "H", {"dictionary": "operation"}),
    ("intended_start_ns", "int64", "q", {"unit": "ns"}),
    ("start_ns", "int64", "q", {"unit": "ns"}),
    ("duration_ns", "int64", "q", {"unit": "ns"}),
    ("verify_ns", "int64", "q", {"unit": "ns"}),
    ("result_digest", "uint64", "Q", {}),
    ("bytes_sent", "int64", "q", {"unit": "B"}),
    ("bytes_received", "int64", "q", {"unit": "B"}),
    ("think_ns", "int64", "q", {"unit": "ns"}),
    ("items", "int32", "i", {}),
    ("result_count", "int32", "i", {}),
    ("sequence", "int32", "i", {}),
    ("attempts", "uint16", "H", {}),
    ("phase", "uint8", "B", {"dictionary": "phase"}),
    ("outcome", "uint8", "B", {"dictionary": "outcome"}),
)
"""Name, type, code of ``struct`` and what else the header says; in this order no gaps arise."""
_RECORD = struct.Struct("<" + "".join(code for _, _, code, _ in _COLUMNS))
RECORD_SIZE = 96
_OUTCOME = _RECORD.size - 1
_CHUNK_RECORDS = 1 << 14
_PAGE = mmap.ALLOCATIONGRANULARITY


class FileFullError(Exception):
    """There is no room for more samples."""


@dataclass(slots=True)
class Sample:
    """One execution on its way to the file."""

    thread: int
    sequence: int = 0
    operation: int = 0
    phase: str = "warmup"
    intended_start_ns: int = 0
    start_ns: int = 0
    duration_ns: int = 0
    think_ns: int = 0
    verify_ns: int = 0
    outcome: str = ""
    items: int = 0
    result_count: int = 0
    result_digest: int = 0
    bytes_sent: int = -1
    bytes_received: int = -1
    attempts: int = 1


class Recorder(Protocol):
    """Where samples go; many threads record, into different slots."""

    def claim(self, slot: int) -> None:
        """Make room before a clock starts."""

    def record(self, slot: int, sample: Sample) -> None:
        """Record an execution that has ended."""

    def tick(self) -> None:
        """Do what is due now and then."""

    def close(self, slots: int | None) -> None:
        """Close the file behind so many slots; None: as far as it reaches."""


def header(operations: Sequence[str], meta: dict[str, Any]) -> bytes:
    """All that stands before the records, as long as whole pages: they can be mapped then."""
    columns: list[dict[str, Any]] = []
    offset = 0
    for name, kind, code, more in _COLUMNS:
        columns.append({"name": name, "type": kind, "offset": offset, **more})
        offset += struct.calcsize("<" + code)
    words = {"operation": list(operations), "outcome": list(WORDS), "phase": list(PHASES)}
    text = json.dumps(
        {
            "record_size": RECORD_SIZE,
            "format": 2,
            "columns": columns,
            "dictionaries": words,
            "meta": meta,
        }
    ).encode()
    size = -(-(12 + len(text)) // _PAGE) * _PAGE
    return (b"MSSF" + struct.pack("<II", 1, size - 12) + text).ljust(size)


class SampleWriter:
    """One record per execution; a process that is killed loses nothing that it had measured."""

    def __init__(
        self,
        path: Path,
        invocation: int,
        client: int,
        operations: Sequence[str],
        meta: dict[str, Any],
    ) -> None:
        self._path = path
        self._who = invocation, client
        self._codes = {word: code for code, word in enumerate(WORDS)}
        self._phases = {word: code for code, word in enumerate(PHASES)}
        self._growing = threading.Lock()
        self._chunks: list[mmap.mmap] = []
        head = header(operations, meta)
        self._begin = len(head)
        self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o644)
        self._append(head, 0)

    def _append(self, data: bytes, at: int) -> None:
        try:
            while data:
                written = os.pwrite(self._file, data, at)
                data, at = data[written:], at + written
        except OSError as error:
            raise FileFullError(f"{self._path}: no room for samples: {error.strerror}") from error

    def claim(self, slot: int) -> None:
        """Make room before a clock starts.

        Zeros are written first: in a file with holes a full disk would end the process later.

        Raises:
            FileFullError: the disk is full.
        """
        wanted = slot // _CHUNK_RECORDS
        if wanted < len(self._chunks):
            return
        size = _CHUNK_RECORDS * RECORD_SIZE
        with self._growing:
            while wanted >= len(self._chunks):
                at = self._begin + len(self._chunks) * size
                self._append(bytes(size), at)
                self._chunks.append(mmap.mmap(self._file, size, offset=at))

    def record(self, slot: int, sample: Sample) -> None:
        """Record an execution that has ended; the outcome goes in last."""
        chunk, at = self._chunks[slot // _CHUNK_RECORDS], slot % _CHUNK_RECORDS * RECORD_SIZE
        _RECORD.pack_into(
            chunk, at, *self._who, sample.thread, sample.operation, sample.intended_start_ns,
            sample.start_ns, sample.duration_ns, sample.verify_ns, sample.result_digest,
            sample.bytes_sent, sample.bytes_received, sample.think_ns, sample.items,
            sample.result_count, sample.sequence, sample.attempts, self._phases[sample.phase], 0,
        )  # fmt: skip
        chunk[at + _OUTCOME] = self._codes[sample.outcome]

    def tick(self) -> None:
        """Nothing: a mapped file needs no flushing."""

    def close(self, slots: int | None) -> None:
        """Cut the file behind so many slots; None: somebody may still be recording."""
        with self._growing:
            if slots is not None:
                kept = min(slots, len(self._chunks) * _CHUNK_RECORDS)
                os.truncate(self._file, self._begin + kept * RECORD_SIZE)
            os.close(self._file)
