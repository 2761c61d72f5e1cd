"""Parquet files of strangers: small ones whose tables would fill the memory are not read."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modelstress.config.errors import MeasureError
from modelstress.samples import tables

ROWS = 8_000_000
SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("c", pa.int64()), ("d", pa.int64()),
                    ("e", pa.int64())])  # fmt: skip


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    path = tmp_path_factory.mktemp("bomb") / "samples.parquet"
    same = pa.array([7] * ROWS, pa.int64())
    pq.write_table(pa.table([same] * 5, SCHEMA), path, compression="zstd")
    assert path.stat().st_size < 1 << 18
    return path


def test_one_value_millions_of_times_is_refused(bomb):
    with pytest.raises(MeasureError, match="damaged: it cannot be read .8000000 rows in"):
        tables.read_parquet(bomb, SCHEMA)
    with pytest.raises(ValueError, match="8000000 rows"):
        tables.read_table(bomb)


def test_a_long_text_thousands_of_times_is_held_once(tmp_path):
    schema = pa.schema([("word", pa.dictionary(pa.int32(), pa.string()))])
    path = tmp_path / "words.parquet"
    plain = pa.array(["x" * 100_000], pa.string()).dictionary_encode()
    many = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), plain.dictionary)
    pq.write_table(pa.table({"word": many}), path, store_schema=False, compression="zstd")
    before = pa.total_allocated_bytes()
    table = tables.read_parquet(path, schema)
    assert table.num_rows == 100_000
    assert pa.total_allocated_bytes() - before < 10_000_000
