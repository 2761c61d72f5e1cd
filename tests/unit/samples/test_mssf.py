"""The binary sample format, against the golden file that Java writes."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from modelstress.config.errors import MeasureError
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.project import Project
from modelstress.samples.mssf import ids_table, read_mssf, samples_table
from modelstress.samples.schema import PHASES, SCHEMA

GOLDEN = Project.find(Path(__file__)).root / "java-shims/harness/src/test/resources/golden.mssf"


def test_golden_file_has_every_column():
    table = samples_table(read_mssf(GOLDEN))
    assert table.schema == SCHEMA
    assert table.num_rows > 0
    assert set(table["outcome"].to_pylist()) <= set(OUTCOMES)
    assert set(table["phase"].to_pylist()) <= set(PHASES)
    starts = table["start_ns"].to_pylist()
    assert starts == sorted(starts)


def write(path: Path, columns, records: np.ndarray, dictionaries=None) -> Path:
    header = json.dumps(
        {
            "record_size": records.dtype.itemsize,
            "columns": columns,
            "dictionaries": dictionaries or {},
            "meta": {},
        }
    ).encode()
    head = b"MSSF" + struct.pack("<II", 1, len(header)) + header
    path.write_bytes(head.ljust(-(-len(head) // 64) * 64) + records.tobytes())
    return path


def test_unfinished_records_are_skipped(tmp_path):
    file = read_mssf(GOLDEN)
    data = bytearray(GOLDEN.read_bytes())
    whole = samples_table(file).num_rows
    start = len(data) - file.records.nbytes
    offset = file.records.dtype.fields["outcome"][1]
    first = int(np.flatnonzero(file.records["outcome"])[0])
    data[start + first * file.records.dtype.itemsize + offset] = 0
    target = tmp_path / "f.mssf"
    target.write_bytes(data)
    assert samples_table(read_mssf(target)).num_rows == whole - 1


def test_a_cut_record_is_skipped(tmp_path):
    target = tmp_path / "f.mssf"
    target.write_bytes(GOLDEN.read_bytes()[:-1])
    assert len(read_mssf(target).records) == len(read_mssf(GOLDEN).records) - 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a sample file"),
        (b"PAR1" + bytes(20), "not a sample file"),
        (b"MSSF" + struct.pack("<II", 2, 0), "version 2"),
        (b"MSSF" + struct.pack("<II", 1, 5) + b"{oops", "damaged header"),
    ],
)
def test_damaged_files_are_refused(content, message, tmp_path):
    file = tmp_path / "f.mssf"
    file.write_bytes(content)
    with pytest.raises(MeasureError, match=message):
        read_mssf(file)


def test_half_of_a_surrogate_pair_is_no_word_of_a_dictionary(tmp_path):
    columns = [{"name": "word", "type": "int16", "offset": 0, "dictionary": "words"}]
    records = np.zeros(1, dtype=[("word", "<i2")])
    words = {"words": ["\ud800"]}
    with pytest.raises(MeasureError, match="damaged header.*surrogates not allowed"):
        read_mssf(write(tmp_path / "f.mssf", columns, records, words))


def test_ids_as_numbers_and_as_text(tmp_path):
    numbers = np.array([(7, 0), (9, 1)], dtype=[("id", "<i8"), ("index", "<i8")])
    columns = [
        {"name": "id", "type": "int64", "offset": 0},
        {"name": "index", "type": "int64", "offset": 8},
    ]
    table = ids_table(read_mssf(write(tmp_path / "n.mssf", columns, numbers)))
    assert table.to_pydict() == {"id": [7, 9], "index": [0, 1]}

    texts = np.array([(1, 0), (0, 1)], dtype=[("id", "<u4"), ("index", "<i8")])
    columns = [
        {"name": "id", "type": "uint32", "offset": 0, "dictionary": "id"},
        {"name": "index", "type": "int64", "offset": 4},
    ]
    file = write(tmp_path / "t.mssf", columns, texts, {"id": ["a", "b"]})
    assert ids_table(read_mssf(file)).to_pydict() == {"id": ["b", "a"], "index": [0, 1]}
