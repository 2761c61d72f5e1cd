"""Rows that are written: all of the window; of a long warm-up, those that a figure needs."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import synthetic

from modelstress.config.errors import MeasureError
from modelstress.measure.collect import join
from modelstress.measure.rows import Rows, thinned
from modelstress.samples.formats import FORMAT
from modelstress.samples.schema import NEAR, SCHEMA, WARM_UP_KEPT
from modelstress.samples.tables import read_samples

LONG = 3 * WARM_UP_KEPT


def client(number: int, warm_up: int):
    """Executions of a client in order: warm-up, every hundredth wrong, 50 measured, 3 after."""
    phases = ["warmup"] * warm_up + ["measure"] * 50 + ["cooldown"] * 3
    outcomes = ["incorrect" if i % 100 == 50 else "ok" for i in range(warm_up)] + ["ok"] * 53
    values = np.random.default_rng(number).lognormal(0, 0.3, len(phases))
    return synthetic.samples(values, outcomes, phases, threads=4, client=number)


@pytest.mark.parametrize("warm_up", [0, 1, WARM_UP_KEPT, LONG])
def test_a_long_warm_up_is_thinned_for_each_client_and_nothing_else_is(warm_up: int) -> None:
    table = join([client(0, warm_up), client(1, warm_up)])
    before, after = table.to_pandas(), thinned(table).to_pandas()
    others = (before["phase"] != "warmup") | (before["outcome"] != "ok")
    kept = (after["phase"] != "warmup") | (after["outcome"] != "ok")
    assert before[others].reset_index(drop=True).equals(after[kept].reset_index(drop=True))
    for number in (0, 1):
        all_warm = before[~others & (before["client"] == number)]["sequence"].to_numpy()
        warm = after[~kept & (after["client"] == number)]["sequence"].to_numpy()
        assert len(warm) == min(len(all_warm), WARM_UP_KEPT)
        assert set(warm) <= set(all_warm) and (np.diff(warm) > 0).all()
        if len(warm) > 1:
            assert (warm[0], warm[-1]) == (all_warm[0], all_warm[-1])
            assert np.ptp(np.diff(warm)) <= 2, "evenly"


def test_counts_are_of_all_and_what_is_written_takes_half_of_the_room(tmp_path: Path) -> None:
    rows = Rows(client(0, LONG), [], 0)
    rows.write(tmp_path)
    assert rows.outcomes("warmup") == {"ok": LONG - 7, "incorrect": 7}
    written = pq.read_table(tmp_path / "samples.parquet")
    plain = tmp_path / "plain.parquet"
    pq.write_table(written, plain, compression="zstd")
    sizes = [
        sum(
            group.column(i).total_compressed_size
            for i in range(group.num_columns)
            if group.column(i).path_in_schema in NEAR
        )
        for group in (
            pq.read_metadata(f).row_group(0) for f in (tmp_path / "samples.parquet", plain)
        )
    ]
    assert sizes[0] < 0.7 * sizes[1]


@pytest.mark.parametrize("late_ns", [0, 1])
def test_the_intended_start_is_in_the_file_where_one_execution_was_late(
    tmp_path: Path, late_ns: int
) -> None:
    table = client(0, 10)
    at = table.schema.get_field_index("intended_start_ns")
    intended = table["start_ns"].to_numpy().copy()
    intended[5] -= late_ns
    table = table.set_column(at, SCHEMA.field(at), [intended])
    Rows(table, [], 0).write(tmp_path)
    file = tmp_path / "samples.parquet"
    assert ("intended_start_ns" in pq.read_schema(file).names) == bool(late_ns)
    assert read_samples(file, FORMAT).to_pandas().equals(table.to_pandas())
    read = read_samples(file, FORMAT, ["duration_ns", "intended_start_ns"])
    assert read.column_names == ["duration_ns", "intended_start_ns"]
    assert read["intended_start_ns"].to_pylist() == intended.tolist()


def test_a_file_without_both_starts_is_damaged(tmp_path: Path) -> None:
    table = client(0, 10).drop_columns(["intended_start_ns", "start_ns"])
    file = tmp_path / "samples.parquet"
    pq.write_table(table, file)
    for names in (None, ["intended_start_ns"], ["start_ns", "outcome"]):
        with pytest.raises(MeasureError, match="damaged"):
            read_samples(file, FORMAT, names)
