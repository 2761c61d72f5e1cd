"""Formats of records and sample files: outcomes of older ones in today's words.

Until format 2, what the harness itself had ended was called ``aborted``. Today that is
``unfinished``, and ``aborted`` is what the tool ended by its own rules. Invocations keep the files
that they were written with, since these are sealed; their words are mapped when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 2
"""Of ``cell.json`` and of MSSF headers; 1 where they do not say it."""
_SINCE_2 = {"aborted": "unfinished"}


def format_of(record: Mapping[str, Any]) -> int:
    """The format of a record, and of the samples beside it; today's where there is no record."""
    return int(record.get("format") or 1) if record else FORMAT


def outcomes_today(words: Iterable[str], written: int) -> list[str]:
    """Outcomes as they are called today.

    Args:
        words: as they were written.
        written: format of the record or file that they are from.
    """
    return list(words) if written >= FORMAT else [_SINCE_2.get(word, word) for word in words]


def record_today(record: Mapping[str, Any]) -> dict[str, Any]:
    """A checked record with today's outcomes; seals are those of the record as it was written."""
    written = format_of(record)
    if written >= FORMAT:
        return dict(record)
    today = dict(record)
    if "outcomes" in record:
        today["outcomes"] = {
            phase: dict(zip(outcomes_today(counts, written), counts.values(), strict=True))
            for phase, counts in record["outcomes"].items()
        }
    if "details" in record:
        today["details"] = [_detail(detail, written) for detail in record["details"]]
    return today


def samples_today(table: pa.Table, written: int) -> pa.Table:
    """Samples with today's outcomes, where the table has any."""
    import pyarrow as pa  # late: it costs every start a sixth of a second

    if written >= FORMAT or "outcome" not in table.column_names:
        return table
    place = table.column_names.index("outcome")
    column = table["outcome"].combine_chunks()
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    then = coded.dictionary.to_pylist()
    words = outcomes_today(then, written)
    if words == then:
        return table
    # once more by its words: two of them may have become one
    renamed = pa.array(words, pa.string()).take(coded.indices).dictionary_encode()
    field = table.schema.field(place)
    return table.set_column(place, field, renamed.cast(field.type))


def _detail(detail: Mapping[str, Any], written: int) -> dict[str, Any]:
    if not isinstance(detail.get("outcome"), str):
        return dict(detail)
    [outcome] = outcomes_today([detail["outcome"]], written)
    return {**detail, "outcome": outcome}
