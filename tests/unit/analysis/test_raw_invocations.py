"""Whatever lies in data/raw is found, with its state, and nothing of it is dropped."""

import json
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import synthetic

from modelstress.analysis import raw
from modelstress.config.errors import ConfigError
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples.schema import PHASES, SCHEMA


def only(data_dir):
    found = list(raw.invocations(data_dir, synthetic.STUDY, synthetic.PROFILE))
    assert len(found) == 1
    return found[0]


def codes(invocation):
    return [problem.code for problem in invocation.problems]


def test_a_complete_invocation(tmp_path):
    synthetic.write(tmp_path, synthetic.LEVELS, 3, synthetic.samples([5.0, 7.0]))
    start = only(tmp_path)
    assert (start.tool, start.number, start.state) == ("cdo", 3, "complete")
    assert start.levels == synthetic.LEVELS
    assert start.samples["duration_ns"].tolist() == [5_000_000, 7_000_000]
    assert start.samples["outcome"].tolist() == ["ok", "ok"]
    assert start.problems == ()


def test_samples_come_in_the_order_of_their_starts(tmp_path):
    table = synthetic.samples([5.0, 1.0, 1.0, 1.0], threads=2)
    levels = synthetic.LEVELS | {"threads": 2}
    synthetic.write(tmp_path, levels, 0, table.take([2, 0, 3, 1]))
    assert only(tmp_path).samples["sequence"].tolist() == [0, 1, 2, 3]


def test_an_outcome_that_nobody_knows_is_damage(tmp_path):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([5.0]))
    table = synthetic.samples([5.0])
    at = table.schema.get_field_index("outcome")
    table = table.set_column(at, "outcome", pa.array(["fine"]).dictionary_encode())
    pq.write_table(table, folder / "samples.parquet")
    start = only(tmp_path)
    assert (start.state, len(start.samples)) == ("damaged", 0)
    assert "'fine' is none of ok" in start.problems[0].message


def test_without_record_or_samples_it_is_partial(tmp_path):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([5.0]))
    (folder / "cell.json").unlink()
    start = only(tmp_path)
    assert (start.state, len(start.samples)) == ("partial", 1)
    assert "no-record" in codes(start)
    (folder / "samples.parquet").unlink()
    start = only(tmp_path)
    assert (start.state, len(start.samples)) == ("partial", 0)
    assert {"no-record", "no-samples", "partial"} <= set(codes(start))


def test_a_work_folder_is_partial(tmp_path):
    synthetic.folder(tmp_path, synthetic.LEVELS, 0, ".work").mkdir(parents=True)
    assert only(tmp_path).state == "partial"


@pytest.mark.parametrize("content", [b"", b"PAR1 not really", b"\0" * 5000])
def test_damaged_samples(tmp_path, content):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([5.0]))
    (folder / "samples.parquet").write_bytes(content)
    start = only(tmp_path)
    assert (start.state, len(start.samples)) == ("damaged", 0)
    assert "samples are damaged" in start.problems[0].message


@pytest.mark.parametrize("content", ["{", "[]", "\ud800".encode("utf-8", "surrogatepass")])
def test_damaged_record(tmp_path, content):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([5.0]))
    data = content.encode() if isinstance(content, str) else content
    (folder / "cell.json").write_bytes(data)
    start = only(tmp_path)
    assert (start.state, start.record) == ("damaged", {})
    assert len(start.samples) == 1


def test_an_aborted_invocation_shows_what_its_clients_had_recorded(tmp_path):
    folder = synthetic.folder(tmp_path, synthetic.LEVELS, 0, ".aborted-0")
    folder.mkdir(parents=True)
    record = {"state": "aborted", "reason": "stopped by Ctrl-C", "levels": synthetic.LEVELS}
    (folder / "cell.json").write_text(json.dumps(record), encoding="utf-8")
    for client in (0, 1):
        (folder / f"client-{client}.mssf").write_bytes(mssf(synthetic.samples([5.0, 6.0, 7.0])))
    start = only(tmp_path)
    assert (start.state, len(start.samples)) == ("aborted", 4)  # the third was never finished
    assert "i00.aborted-0: stopped by Ctrl-C" in [problem.message for problem in start.problems]


def test_other_files_are_no_invocations(tmp_path):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([5.0]))
    (folder.parent / "i01.done").touch()
    (folder.parent / ".i00.replaced-0").mkdir()
    (folder.parent / "notes").mkdir()
    assert only(tmp_path).number == 0


def test_no_samples_at_all_is_an_error_with_a_remedy(tmp_path):
    with pytest.raises(ConfigError, match="measure some cells first"):
        list(raw.invocations(tmp_path, "model-queries", "demo"))


def mssf(table):
    """A sample file as a client leaves it when it is killed: the last record is unfinished."""
    words = {"operation": ["q"], "outcome": ["", *OUTCOMES], "phase": list(PHASES)}
    columns, offset, formats = [], 0, []
    for field in SCHEMA:
        kind = "uint16" if field.name in words else str(field.type)
        formats.append((field.name, np.dtype(kind).newbyteorder("<")))
        column = {"name": field.name, "type": kind, "offset": offset}
        columns.append(column | ({"dictionary": field.name} if field.name in words else {}))
        offset += np.dtype(kind).itemsize
    header = json.dumps(
        {"record_size": offset, "columns": columns, "dictionaries": words, "meta": {}}
    ).encode()
    header += b" " * (-(12 + len(header)) % 64)
    records = np.zeros(len(table), dtype=formats)
    for name in records.dtype.names:
        values = table[name].to_pylist()
        records[name] = [words[name].index(v) for v in values] if name in words else values
    records["outcome"][-1] = 0
    return b"MSSF" + struct.pack("<II", 1, len(header)) + header + records.tobytes()
