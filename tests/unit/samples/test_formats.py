"""Outcomes of records and sample files of format 1, in today's words."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import synthetic

from modelstress.analysis import raw
from modelstress.samples.files import write_json, write_parquet
from modelstress.samples.formats import format_of, record_today, samples_today
from modelstress.samples.mssf import read_mssf, samples_table
from modelstress.samples.record import read_record
from modelstress.samples.schema import LATER, SCHEMA
from modelstress.samples.seals import sealed

ENDS = ["ok", "aborted", "rejected"]


def words(table: pa.Table) -> list[str]:
    return list(table["outcome"].cast(pa.string()).to_pylist())


def written(tmp_path: Path, version: int | None, old_columns: bool) -> Path:
    """A sealed invocation with an `aborted` execution, as a program of this format writes it."""
    table = synthetic.samples([5.0] * 3, ENDS)
    folder: Path = synthetic.write(tmp_path, synthetic.LEVELS, 0, table)
    if old_columns:
        write_parquet(folder / "samples.parquet", table.drop_columns(list(LATER)))
    record = read_record(folder / "cell.json")
    record.pop("format")
    if version is not None:
        record["format"] = version
    record["outcomes"] = {"measure": {"ok": 1, "aborted": 1, "rejected": 1}}
    record["details"] = [{"operation": "q", "outcome": "aborted", "message": "m"}]
    write_json(folder / "cell.json", sealed(record, folder))
    return folder


@pytest.mark.parametrize(
    ("version", "old_columns", "now"),
    [(None, True, "unfinished"), (1, True, "unfinished"), (1, False, "unfinished"),
     (2, False, "aborted")],
)  # fmt: skip
def test_aborted_is_what_the_format_of_the_record_says(
    tmp_path: Path, version: int | None, old_columns: bool, now: str
) -> None:
    start = raw.read(written(tmp_path, version, old_columns), 0)
    assert start.state == "complete", start.problems
    counts = start.executions.counts()
    assert {name: n for name, n in counts.items() if n} == {"ok": 1, now: 1, "rejected": 1}
    assert start.record["outcomes"]["measure"] == {"ok": 1, now: 1, "rejected": 1}
    assert start.record["details"][0]["outcome"] == now
    assert start.rows.tries.tolist() == [1] * 3
    assert start.rows.think_ns.tolist() == [0] * 3


def test_a_record_without_outcomes_stays_as_it_is() -> None:
    assert record_today({"state": "aborted"}) == {"state": "aborted"}
    assert (format_of({}), format_of({"state": "complete"})) == (2, 1)


def test_words_that_become_one_stay_one_word() -> None:
    table = synthetic.samples([1.0] * 3, ["aborted", "unfinished", "ok"])
    today = samples_today(table, 1)
    assert words(today) == ["unfinished", "unfinished", "ok"]
    assert today.schema == SCHEMA
    assert words(samples_today(table, 2)) == ["aborted", "unfinished", "ok"]
    assert samples_today(table.select(["start_ns"]), 1).column_names == ["start_ns"]


def mssf(path: Path, table: pa.Table, header: dict[str, Any]) -> Path:
    """A client's file of these samples; no column that the table does not have."""
    codes = {pa.int16(): ("int16", "h"), pa.int32(): ("int32", "i"), pa.int64(): ("int64", "q"),
             pa.uint16(): ("uint16", "H"), pa.uint64(): ("uint64", "Q")}  # fmt: skip
    columns, packed, offset = [], "<", 0
    dictionaries = {"outcome": ["", *ENDS], "operation": ["q"], "phase": ["measure"]}
    for field in table.schema:
        kind, code = codes.get(field.type, ("uint8", "B"))
        coded = {"dictionary": field.name} if field.name in dictionaries else {}
        columns.append({"name": field.name, "type": kind, "offset": offset, **coded})
        packed, offset = packed + code, offset + struct.calcsize("<" + code)
    about = {"record_size": offset, "columns": columns, "dictionaries": dictionaries, **header}
    text = json.dumps(about).encode()
    text += b" " * (-(12 + len(text)) % 64)
    rows = [
        [dictionaries[n].index(v) if n in dictionaries else v for n, v in row.items()]
        for row in table.to_pylist()
    ]
    body = b"".join(struct.pack(packed, *row) for row in rows)
    path.write_bytes(b"MSSF" + struct.pack("<II", 1, len(text)) + text + body)
    return path


def test_a_sample_file_without_format_is_of_format_1(tmp_path: Path) -> None:
    table = synthetic.samples([1.0] * 3, ENDS).drop_columns(list(LATER))
    read = samples_table(read_mssf(mssf(tmp_path / "old.mssf", table, {})))
    assert words(read) == ["ok", "unfinished", "rejected"]
    assert read["attempts"].to_pylist() == [1] * 3 and read["think_ns"].to_pylist() == [0] * 3
    assert read.schema == SCHEMA


def test_a_sample_file_of_format_2_has_todays_words_and_columns(tmp_path: Path) -> None:
    table = synthetic.samples([1.0] * 3, ENDS)
    for name, values in (("attempts", [1, 3, 1]), ("think_ns", [0, 7, 0])):
        at = SCHEMA.get_field_index(name)
        table = table.set_column(at, SCHEMA.field(at), pa.array(values, SCHEMA.field(at).type))
    read = samples_table(read_mssf(mssf(tmp_path / "new.mssf", table, {"format": 2})))
    assert words(read) == ENDS
    assert read["attempts"].to_pylist() == [1, 3, 1] and read["think_ns"].to_pylist() == [0, 7, 0]
