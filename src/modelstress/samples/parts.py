"""Parts of executions: how long each took, as the client was told by the tool (docs/contracts.md).

A client's ``FILE.parts.mssf`` beside its samples, and ``parts.parquet`` of an invocation.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from modelstress.config.errors import MeasureError
from modelstress.samples.mssf import Mssf, read_mssf

SUFFIX = ".parts.mssf"
PARTS = "parts.parquet"
MOST = 64
"""Parts of an execution."""
NS = "_ns"
FIXED = {
    "client": pa.int16(), "thread": pa.int16(), "sequence": pa.int32(), "operation": pa.string(),
    "start_ns": pa.int64(), "duration_ns": pa.int64(),
}  # fmt: skip
"""Columns that say which execution it is; all others are parts."""


def file_of(samples: Path) -> Path:
    """The file of parts beside a client's sample file."""
    return samples.with_name(f"{samples.name}{SUFFIX}")


def read_parts(path: Path) -> pa.Table:
    """Parts of the measured executions of one client, with columns ``FIXED`` and one per part.

    Raises:
        MeasureError: it is not as in docs/contracts.md, or parts are negative or longer together
            than their execution.
    """
    file = read_mssf(path)
    fields = file.records.dtype.fields or {}
    names = [n for n in fields if n.endswith(NS) and n not in FIXED]
    if not {*FIXED, "phase"} <= set(fields) or not 1 <= len(names) <= MOST:
        raise MeasureError(f"{path}: damaged: no columns of the parts of executions")
    if any(fields[name][0] != np.int64 for name in (*names, "start_ns", "duration_ns")):
        raise MeasureError(f"{path}: damaged: times are int64")
    rows = file.records[_words(file, "phase") == "measure"]
    spent = sum((rows[name] for name in names), np.zeros(len(rows), np.int64))
    negative = any(bool((rows[name] < 0).any()) for name in names)
    if negative or bool((spent > rows["duration_ns"]).any()):
        raise MeasureError(f"{path}: damaged: parts that do not fit into their execution")
    operations = _words(file, "operation")[_words(file, "phase") == "measure"]
    plain = {name: np.ascontiguousarray(rows[name]) for name in (*FIXED, *names)}
    return pa.table(
        {
            name: pa.array(operations if name == "operation" else values, FIXED.get(name))
            for name, values in plain.items()
        }
    )


def names_of(table: pa.Table) -> list[str]:
    """Names of the parts of a table, in the order in which they happen."""
    return [n.removesuffix(NS) for n in table.column_names if n not in FIXED]


def read_table(folder: Path) -> pa.Table | None:
    """The parts of an invocation; None where there are none, or they cannot be read."""
    file = folder / PARTS
    if not file.is_file():
        return None
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException):
        return None
    whole = set(FIXED) <= set(table.column_names) and bool(names_of(table))
    return table if whole else None


def _words(file: Mssf, column: str) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """The words of a coded column.

    Raises:
        MeasureError: it has no dictionary, or a number stands for no word.
    """
    words = np.asarray(file.dictionaries.get(file.coded.get(column, ""), []), dtype=object)
    codes = file.records[column]
    if len(codes) and (codes.min() < 0 or codes.max() >= len(words)):
        raise MeasureError(f"{file.path}: damaged: column {column} has numbers without a word")
    return words[codes] if len(codes) else np.empty(0, object)
