"""Reading samples back: a damaged file, or values that no measurement has, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from modelstress.config.errors import MeasureError, first_line
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples.formats import samples_today
from modelstress.samples.schema import ALIKE, LATER, PHASES, SCHEMA

UNREADABLE = (OSError, ValueError, LookupError, TypeError, OverflowError, pa.ArrowException)
"""What Arrow raises over a damaged file."""
WORDS = {"outcome": OUTCOMES, "phase": PHASES}
SLACK_NS = 10**9
"""Times of clients are rounded and their clocks compared to some precision."""
LEAST = {"client": 0, "thread": -1, "sequence": 0, "duration_ns": 0, "verify_ns": 0,
         "items": 0, "result_count": 0, "bytes_sent": -1, "bytes_received": -1, "attempts": 1,
         "think_ns": 0}  # fmt: skip


SMALL = 256 << 20
"""Bytes of a table in memory that are never too many."""
MOST_TIMES = 500
"""So many times larger than its file a table in memory may be; samples are some ten times."""


def _opened(path: Path, words: Sequence[str] = ()) -> pq.ParquetFile:
    """A Parquet file, unless its table would fill the memory.

    The same value a billion times is a small file. Of the columns `words`, every text is held once.

    Raises:
        ValueError: it would.
    """
    file = pq.ParquetFile(path, read_dictionary=list(words))
    about, packed = file.metadata, path.stat().st_size
    if 8 * about.num_rows * about.num_columns > max(SMALL, MOST_TIMES * packed):
        raise ValueError(f"{about.num_rows} rows in {packed} bytes")
    return file


def read_table(path: Path) -> pa.Table:
    """A Parquet file of any schema.

    Raises:
        ValueError: it would fill the memory.
        OSError: it cannot be read.
        pa.ArrowException: likewise.
    """
    return _opened(path).read()


def read_parquet(
    path: Path,
    schema: pa.Schema,
    columns: Sequence[str] | None = None,
    later: Mapping[str, int | str] | None = None,
) -> pa.Table:
    """A Parquet file of a fixed schema, or some of its columns.

    Args:
        path: of the file.
        schema: of its columns.
        columns: names of those that are wanted; None: all.
        later: columns that a file may lack, with the value that holds there, or the name of the
            column that has it.

    Raises:
        MeasureError: it is damaged, or has other columns or types.
    """
    names = list(columns or schema.names)
    try:
        words = [name for name in names if pa.types.is_dictionary(schema.field(name).type)]
        file = _opened(path, words)
        there = file.schema_arrow.names
        lacks = {n: value for n, value in (later or {}).items() if n in names and n not in there}
        read = [name for name in names if name not in lacks]
        if columns is None and there != read:
            raise MeasureError(f"{path.name} is damaged: other columns than {', '.join(names)}")
        sources = [v for v in lacks.values() if isinstance(v, str) and v not in read]
        table = file.read(columns=read + sources, use_threads=False)
        table.validate(full=True)
        for name in read + sources:
            if _plain(table.schema.field(name).type) != _plain(schema.field(name).type):
                raise MeasureError(f"{path.name} is damaged: column {name} is of another type")
            if table[name].null_count and not schema.field(name).nullable:
                raise MeasureError(f"{path.name} is damaged: column {name} has gaps")
        table = table.unify_dictionaries()
        return _with(table, lacks, schema).select(names)
    except UNREADABLE as error:
        message = first_line(error)
        raise MeasureError(f"{path.name} is damaged: it cannot be read ({message})") from error


def _with(table: pa.Table, lacks: Mapping[str, int | str], schema: pa.Schema) -> pa.Table:
    """A table with the columns that its file does not have."""
    for name, value in lacks.items():
        field = schema.field(name)
        if isinstance(value, str):
            table = table.append_column(field, table[value].cast(field.type))
        else:
            table = table.append_column(field, pa.repeat(pa.scalar(value, field.type), len(table)))
    return table


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type without its dictionary: a word is a word, however it is stored."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def read_samples(path: Path, written: int, columns: Sequence[str] | None = None) -> pa.Table:
    """``samples.parquet`` of an invocation, or some of its columns, with today's outcomes.

    Args:
        path: of the file.
        written: format of the record beside it (``formats``).
        columns: names of those that are wanted; None: all.

    Raises:
        MeasureError: it is damaged, or has other columns or types.
    """
    return samples_today(read_parquet(path, SCHEMA, columns, {**LATER, **ALIKE}), written)


def ends_ns(table: pa.Table) -> NDArray[np.int64]:
    """When the executions of samples ended, each by the clock of its client."""
    names = ("intended_start_ns", "duration_ns", "think_ns")
    start, duration, think = (table[name].to_numpy() for name in names)
    ends: NDArray[np.int64] = start + duration + think
    return ends


def impossible(table: pa.Table, record: Mapping[str, Any]) -> list[str]:
    """Values that no measurement can have; sentences, nothing where there are none.

    Args:
        table: samples, with some columns of ``SCHEMA``.
        record: of the invocation, in the form that ``read_record`` checks.
    """
    if not table.num_rows:
        return []
    columns = {n: table[n].to_numpy() for n in table.column_names if _is_number(table, n)}
    reasons = [
        f"an unknown {name}" for name, words in WORDS.items() if _unknown(table, name, words)
    ]
    reasons += [
        f"{name} below {least}"
        for name, least in LEAST.items()
        if name in columns and (columns[name] < least).any()
    ]
    if reasons:
        return [f"impossible samples: {', '.join(reasons)}"]
    phases = _places(table["phase"], PHASES)
    reasons += _outside(columns, record)
    reasons += _at_odd_times(columns, phases == PHASES.index("measure"), record)
    if _twice(columns["client"], phases, columns["sequence"]):
        reasons.append("two executions with one sequence number")
    return [f"impossible samples: {', '.join(reasons)}"] if reasons else []


def _is_number(table: pa.Table, name: str) -> bool:
    return bool(pa.types.is_integer(table.schema.field(name).type))


def _unknown(table: pa.Table, name: str, words: Sequence[str]) -> bool:
    return name in table.column_names and bool((_places(table[name], words) < 0).any())


def _places(column: pa.ChunkedArray, vocabulary: Sequence[str]) -> NDArray[np.int64]:
    """Place of each word in the known ones; -1 for others."""
    coded = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    words = coded.dictionary.to_pylist()
    places = np.array(
        [vocabulary.index(word) if word in vocabulary else -1 for word in words], np.int64
    )
    row_places: NDArray[np.int64] = places[coded.indices.to_numpy(zero_copy_only=False)]
    return row_places


def _outside(columns: Mapping[str, NDArray[np.int64]], record: Mapping[str, Any]) -> list[str]:
    """Clients and threads that the cell did not have."""
    threads = {c["client"]: c.get("threads") for c in record.get("clients") or []}
    client, thread = columns["client"], columns["thread"]
    if not threads:
        most = record.get("levels", {}).get("threads")
        over = isinstance(most, int) and bool((thread >= most).any())
        return [f"a thread beyond the cell's {most}"] if over else []
    if not np.isin(client, list(threads)).all():
        return ["a client that the cell did not have"]
    return [
        f"a thread beyond the {most} of client {client_number}"
        for client_number, most in threads.items()
        if most is not None and (thread[client == client_number] >= most).any()
    ]


def _at_odd_times(
    columns: Mapping[str, NDArray[np.int64]], measured: NDArray[np.bool_], record: Mapping[str, Any]
) -> list[str]:
    """Starts, ends and latencies outside the time that the invocation took."""
    start, intended = columns["start_ns"], columns["intended_start_ns"]
    reasons = ["a start before the intended one"] if (start < intended).any() else []
    open_loop = record.get("levels", {}).get("mode") == "open"
    if not open_loop and (start != intended).any():
        reasons.append("a start that was not intended in a closed loop")
    seconds, window = record.get("seconds"), record.get("window")
    if not seconds or not window:
        return reasons
    longest_ns = int(float(seconds) * 1e9) + SLACK_NS
    for name, word in (("duration_ns", "latency"), ("think_ns", "pause")):
        if (columns[name] > longest_ns).any():
            reasons.append(f"a {word} longer than the invocation's {seconds:g} s")
    offsets = {c["client"]: c.get("offset_ns") or 0 for c in record.get("clients") or []}
    shift = np.zeros(64, dtype=object)
    for client, offset in offsets.items():
        shift[client] = offset
    at = start.astype(object) - shift[columns["client"]]  # whole numbers of any size
    begin, end = window["begin_ns"], window["end_ns"]
    if any(
        extreme < begin - longest_ns or extreme > end + longest_ns
        for extreme in (at.min(), at.max())
    ):
        reasons.append(f"a start outside the invocation's {seconds:g} s")
    if measured.any() and (at[measured].min() < begin or at[measured].max() > end):
        reasons.append("a measured execution that began outside the window")
    return reasons


def _twice(
    client: NDArray[np.int64], phase: NDArray[np.int64], sequence: NDArray[np.int64]
) -> bool:
    """Whether a client has two executions of one number in one phase."""
    keys = (client.astype(np.int64) * len(PHASES) + phase) * 2**32 + sequence
    return len(np.unique(keys)) != len(keys)
