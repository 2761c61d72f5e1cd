"""The table `parts`: where the time of executions went."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import synthetic

from modelstress.analysis.derive import derive
from modelstress.analysis.load import load
from modelstress.analysis.write import write
from modelstress.samples.parts import names_of, read_table

PLACE = (synthetic.STUDY, synthetic.PROFILE)
MS = 1_000_000


def parts(**columns: list[int]) -> pa.Table:
    n = len(columns["duration_ns"])
    fixed = {"client": [0] * n, "thread": [0] * n, "sequence": list(range(n)),
             "operation": ["q"] * n, "start_ns": [0] * n}  # fmt: skip
    return pa.table({**fixed, **columns})


def test_parts_of_executions_have_medians_and_shares(tmp_path):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([10.0, 20.0, 30.0]))
    told = parts(duration_ns=[10 * MS, 20 * MS, 30 * MS], there_ns=[2 * MS, 4 * MS, 9 * MS],
                 back_ns=[5 * MS, 5 * MS, 5 * MS])  # fmt: skip
    assert names_of(told) == ["there", "back"]
    pq.write_table(told, folder / "parts.parquet")
    derived = derive(tmp_path, *PLACE)
    assert derived.parts is not None
    rows = derived.parts
    assert rows["part"].tolist() == ["there", "back", "rest"]
    assert rows["median_ms"].tolist() == [4, 5, 11]
    assert rows["share"].tolist() == pytest.approx([15 / 60, 15 / 60, 30 / 60])
    assert rows["executions"].tolist() == [3, 3, 3]
    write(derived, tmp_path)
    again = load(tmp_path, *PLACE).parts
    assert again is not None and again["part"].tolist() == rows["part"].tolist()


def test_without_parts_there_is_no_table(tmp_path):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([10.0, 20.0]))
    assert derive(tmp_path, *PLACE).parts is None
    (folder / "parts.parquet").write_bytes(b"PAR1")
    assert read_table(folder) is None
    pq.write_table(pa.table({"duration_ns": [1]}), folder / "parts.parquet")
    assert read_table(folder) is None
