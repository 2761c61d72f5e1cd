"""Rows that are written: all of the window; of a long warm-up, those that a figure needs."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import synthetic

from modelstress.measure.collect import join
from modelstress.measure.rows import Rows, thinned
from modelstress.samples.schema import NEAR, WARM_UP_KEPT

LONG = 3 * WARM_UP_KEPT


def client(number: int, warm_up: int):
    """Executions of a client in order: warm-up, every thousandth wrong, 50 measured, 3 after."""
    phases = ["warmup"] * warm_up + ["measure"] * 50 + ["cooldown"] * 3
    outcomes = ["incorrect" if i % 1000 == 500 else "ok" for i in range(warm_up)] + ["ok"] * 53
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
    assert rows.outcomes("warmup") == {"ok": LONG - 3, "incorrect": 3}
    written = pq.read_table(tmp_path / "samples.parquet")
    assert written.equals(thinned(rows.table))
    plain = tmp_path / "plain.parquet"
    pq.write_table(written, plain, compression="zstd")
    sizes = [
        sum(
            group.column(i).total_compressed_size
            for i in range(group.num_columns)
            if group.column(i).path_in_schema in NEAR
        )
        for group in (pq.read_metadata(f).row_group(0) for f in (tmp_path / "samples.parquet", plain))
    ]
    assert sizes[0] < 0.7 * sizes[1]
