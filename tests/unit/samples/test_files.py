"""Files are there whole or not at all."""

import errno
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modelstress.config.errors import MeasureError
from modelstress.samples import files
from modelstress.samples.files import write_json, write_once, write_parquet
from modelstress.samples.provenance import git_state, machine, sha256_file, sha256_jar


def test_parquet_and_json_come_back(tmp_path):
    write_parquet(tmp_path / "a" / "t.parquet", pa.table({"x": [1, 2]}))
    assert pq.read_table(tmp_path / "a" / "t.parquet")["x"].to_pylist() == [1, 2]
    write_json(tmp_path / "a" / "t.json", {"é": 1})
    assert "é" in (tmp_path / "a" / "t.json").read_text(encoding="utf-8")
    assert sorted(os.listdir(tmp_path / "a")) == ["t.json", "t.parquet"]


def test_a_column_of_long_texts_is_in_its_file_once(tmp_path):
    text = os.urandom(2_000).hex()
    write_parquet(tmp_path / "t.parquet", pa.table({"histogram": [text]}))
    assert (tmp_path / "t.parquet").stat().st_size < 1.5 * len(text)  # not three times


def test_a_failed_write_leaves_nothing(tmp_path):
    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(MeasureError, match="disk is full; free some space"):
        write_once(tmp_path / "f", fail)
    assert os.listdir(tmp_path) == []


def test_an_interrupted_write_leaves_nothing(tmp_path):
    def interrupted(path: Path) -> None:
        path.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_once(tmp_path / "f", interrupted)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_disk_that_is_really_full(tmp_path):
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)], check=False
    ).returncode:
        pytest.skip("no rights to mount a file system here")
    try:
        with pytest.raises(MeasureError, match="disk is full"):
            write_once(tmp_path / "f", lambda path: path.write_bytes(os.urandom(1 << 20)) and None)
        assert os.listdir(tmp_path) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_jar_is_hashed_with_its_libraries(tmp_path):
    jar = tmp_path / "t.jar"
    jar.write_bytes(b"1")
    (tmp_path / "lib").mkdir()
    library = tmp_path / "lib" / "l.jar"
    library.write_bytes(b"1")
    before = sha256_jar(jar)
    sha256_jar.cache_clear()
    library.write_bytes(b"2")
    assert sha256_jar(jar) != before
    assert sha256_file(jar) == sha256_file(jar)


def test_provenance_outside_a_repository(tmp_path):
    assert set(git_state(tmp_path).values()) == {None}
    assert machine()["cpus"]


def test_a_planted_temporary_name_is_not_written_through(tmp_path, monkeypatch):
    """Names cannot be foreseen; and were one, a link of that name would be refused."""
    seen = []

    def fill(path: Path) -> None:
        seen.append(path)
        path.write_text("x")

    for _ in range(2):
        write_once(tmp_path / "f", fill)
    assert seen[0] != seen[1]
    (tmp_path / "precious").write_text("precious")
    monkeypatch.setattr(files.secrets, "token_hex", lambda _: "known")
    (tmp_path / ".tmp-known-f").symlink_to("precious")
    with pytest.raises(MeasureError, match="cannot be written"):
        write_once(tmp_path / "f", lambda path: path.write_text("y") and None)
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("name", ["file/x.json", "y" * 300])
def test_a_name_that_cannot_be_is_a_sentence(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(MeasureError, match="cannot be written"):
        write_json(tmp_path / name, {})
