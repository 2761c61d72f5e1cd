"""Samples that the Python client writes are read by the controller's reader."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError
from modelstress.driver.samples import FileFullError, Sample, SampleWriter
from modelstress.driver.verifier import Verifier, read_ids
from modelstress.samples.mssf import read_mssf, samples_table


def writer(path: Path) -> SampleWriter:
    return SampleWriter(path, 4, 2, ["transfer", "balance"], {"driver": "ledger"})


def test_read_back(tmp_path):
    rows = writer(tmp_path / "s.mssf")
    most = Sample(
        7, 2**31 - 1, 1, "measure", 10**15, 10**15 + 5, 10**10, 3 * 10**9, 12, "aborted",
        2**31 - 1, 77, 2**64 - 1, 2**40, -1, 65535,
    )  # fmt: skip
    for slot in (0, 1, 20_000):
        rows.claim(slot)
    rows.record(20_000, most)
    rows.record(0, Sample(3, outcome="ok", items=5))
    rows.close(20_001)

    file = read_mssf(tmp_path / "s.mssf")
    assert len(file.records) == 20_001 and file.meta == {"driver": "ledger"}
    last = file.records[20_000]
    assert (last["attempts"], last["think_ns"]) == (65535, 3 * 10**9)
    table = samples_table(file).to_pylist()
    assert [row["outcome"] for row in table] == ["ok", "aborted"], "others were never finished"
    assert table[0]["items"] == 5 and table[0]["invocation"] == 4 and table[0]["client"] == 2
    assert table[1] | {
        "thread": 7, "sequence": 2**31 - 1, "operation": "balance", "phase": "measure",
        "intended_start_ns": 10**15, "start_ns": 10**15 + 5, "duration_ns": 10**10,
        "verify_ns": 12, "items": 2**31 - 1, "result_count": 77, "result_digest": 2**64 - 1,
        "bytes_sent": 2**40, "bytes_received": -1,
    } == table[1]  # fmt: skip


def test_a_killed_client_leaves_what_it_had_measured(tmp_path):
    rows = writer(tmp_path / "s.mssf")
    rows.claim(1)
    rows.record(0, Sample(0, outcome="ok"))
    table = samples_table(read_mssf(tmp_path / "s.mssf"))
    assert len(table) == 1


def test_a_full_disk_is_one_sentence(tmp_path):
    rows = writer(tmp_path / "s.mssf")
    os.close(rows._file)
    rows._file = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(FileFullError, match=r"s\.mssf: no room"):
        rows.claim(0)


def ids(path: Path, texts: list[str] | None, records: bytes) -> Path:
    kind, words = ("int64", "{}") if texts is None else ("uint32", f'{{"id": {texts}}}')
    coded = "" if texts is None else ', "dictionary": "id"'
    head = (
        f'{{"record_size": 16, "columns": [{{"name": "id", "type": "{kind}", "offset": 0{coded}}},'
        f'{{"name": "index", "type": "int64", "offset": 8}}], "dictionaries": {words}}}'
    ).replace("'", '"')
    head = head.ljust(-(-(12 + len(head)) // 64) * 64 - 12)
    path.write_bytes(b"MSSF" + struct.pack("<II", 1, len(head)) + head.encode() + records)
    return path


def test_identifiers(tmp_path):
    numbers = ids(tmp_path / "n", None, struct.pack("<qqqq", -5, 0, 900, 1) + b"torn")
    assert read_ids(numbers) == {-5: 0, 900: 1}
    texts = ids(tmp_path / "t", ["a", "b"], struct.pack("<I4xqI4xq", 1, 0, 0, 1))
    assert read_ids(texts) == {"b": 0, "a": 1}
    assert Verifier(texts).verify(["b", "a"], 2) == Verifier(None).verify([0, 1], 2)
    assert "c is not one" in str(Verifier(texts).verify(["c"], 1)[1])
    assert "arity" in str(Verifier(None).verify([1, 2, 3], 2)[1])
    twice = ids(tmp_path / "d", None, struct.pack("<qqqq", 1, 0, 1, 1))
    for wrong in (twice, tmp_path / "absent", Path(__file__)):
        with pytest.raises(ConfigError, match="ids: "):
            read_ids(wrong)
