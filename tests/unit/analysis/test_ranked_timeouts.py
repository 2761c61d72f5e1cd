"""Timeouts rank as longest from samples to tables, of rows and of histograms."""

import dataclasses

import histogram_samples
import numpy as np
import pandas as pd
import pytest
import sick
import synthetic

from modelstress.analysis import contrasts, derive, load, selection, write
from modelstress.analysis.contrasts import records
from modelstress.analysis.estimates import estimates

LEVELS = synthetic.LEVELS
WHERE = synthetic.STUDY, synthetic.PROFILE
OTHERS = [name for name in LEVELS if name != "protocol"]
TIMEOUT_MS = 60_000.0


def cut(values, share, seed=0):
    """A share of the executions times out, whatever they would have taken."""
    late = np.random.default_rng(seed).permutation(len(values)) < share * len(values)
    outcomes = ["timeout" if each else "ok" for each in late]
    return synthetic.samples(np.where(late, TIMEOUT_MS, values), outcomes)


def latencies(start=0, factor=1.0):
    return factor * np.random.default_rng(start).lognormal(2, 0.3, 100)


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """TCP answers; of HTTP a share times out that grows with the threads."""
    data = tmp_path_factory.mktemp("data")
    for threads, share in ((1, 0.0), (2, 0.2), (4, 0.4), (8, 0.6), (16, 1.0)):
        for start in range(3):
            for protocol in ("tcp", "http"):
                table = cut(latencies(start), share if protocol == "http" else 0, start)
                levels = LEVELS | {"threads": threads, "protocol": protocol}
                synthetic.write(data, levels, start, table)
    made = derive(data, *WHERE)
    write(made, data)
    return made, load(data, *WHERE)


def http(derived):
    cells = derived.cells[derived.cells["protocol"] == "http"]
    return cells.sort_values("threads").set_index("threads")


def test_medians_grow_with_timeouts_until_they_are_not_known(derived):
    cells = http(derived[0])
    median = cells["median_ms"]
    assert (median.loc[[1, 2, 4]].diff().dropna() > 0).all() and median.loc[[8, 16]].isna().all()
    # 20 of 100 in each start: the median of all is the 62.5th percentile of the answers
    answered = np.concatenate(derived[0].latencies["cdo", cells.loc[2, "cell"]])
    known = np.sort(np.append(answered, np.full(60, np.inf)))
    assert median[2] == pytest.approx(known[149:151].mean())
    assert cells["q3_ms"].loc[[4, 8, 16]].isna().all() and np.isfinite(cells["q3_ms"][2])
    assert np.isnan(cells["timeout_ms"][1]) and (cells["timeout_ms"][[2, 4, 8]] == TIMEOUT_MS).all()
    assert np.isinf(cells["median_high_ms"].loc[[8, 16]]).all()
    assert cells["median_low_ms"][16] == pytest.approx(TIMEOUT_MS)
    assert "censored" in cells["flags"][2] and "median-censored" in cells["flags"][8]


def test_a_start_has_the_median_of_its_ranks(derived):
    rows = derived[0].invocations
    rows = rows[rows["timeout"] > 0]
    assert (rows["median_ms"].isna() == (rows["timeout"] >= rows["ok"])).all()
    assert (rows["timeout_ms"] == TIMEOUT_MS).all()


def test_a_cell_that_times_out_is_never_the_faster_one(derived):
    found = contrasts(derived[0], OTHERS, {"protocol": "tcp"}).set_index("threads").sort_index()
    assert found["delta"].is_monotonic_increasing and found["delta"][16] == 1
    assert found["delta"][4] > 0.35 and (found["p"][[2, 4, 8, 16]] < 0.01).all()
    assert (found["n"] == 300).all()
    ratio = found["over_ratio"]
    assert ratio[1] == 1 and ratio[1] < ratio[2] < ratio[4] and ratio[[8, 16]].isna().all()
    assert np.isinf(found["over_ratio_high"][[8, 16]]).all()
    assert found["over_ratio_low"][16] == pytest.approx(TIMEOUT_MS / np.exp(2), rel=0.2)
    assert found["ratio"][[8, 16]].isna().all() and found["shift_ms"][[8, 16]].isna().all()


def test_what_is_read_back_is_ranked_alike(derived):
    made, back = derived
    assert made.ranked.keys() == back.ranked.keys()
    for key, starts in made.ranked.items():
        for values, again in zip(starts, back.ranked[key], strict=True):
            np.testing.assert_array_equal(values, again)
    for values in back.latencies.values():  # outcomes other than ok are never in a latency
        assert all(np.isfinite(each).all() for each in values)


def test_percentiles_and_distributions(derived):
    cells = http(derived[0]).reset_index()
    found = selection.measured(derived[0], cells, "p95").set_index("threads")
    assert found["absent"].to_dict() == {1: ""} | dict.fromkeys((2, 4, 8, 16), "too many timeouts")
    pools = {row["threads"]: selection.pool(derived[0], row) for row in records(cells)}
    assert [pools[t].size for t in (1, 2, 4, 8, 16)] == [300, 240, 180, 0, 0]
    shapes = derived[0].shapes.set_index("cell")
    assert [shapes["n"][cell] for cell in cells["cell"]] == [300, 240, 180, 0, 0]


def test_histograms_rank_as_rows(tmp_path):
    table = cut(latencies(n := 3), 0.3)
    slow = LEVELS | {"protocol": "http"}
    for data, module in (("rows", synthetic), ("histograms", histogram_samples)):
        for start in range(2):
            module.write(tmp_path / data, LEVELS, start, synthetic.samples(latencies(n)))
            module.write(tmp_path / data, slow, start, table)
    rows, binned = (derive(tmp_path / name, *WHERE) for name in ("rows", "histograms"))
    for name in ("median_ms", "q1_ms", "timeout_ms"):
        np.testing.assert_allclose(rows.cells[name], binned.cells[name], rtol=2e-3)
    one, other = (contrasts(d, OTHERS, {"protocol": "tcp"}).iloc[0] for d in (rows, binned))
    assert one["n"] == other["n"] == 200 and one["delta"] > 0.2
    assert other["delta"] == pytest.approx(one["delta"], abs=0.02)


def test_each_query_of_a_mix_has_its_timeouts(tmp_path):
    values = np.tile([10.0, 20.0, TIMEOUT_MS], 10)
    outcomes, names = ["ok", "ok", "timeout"] * 10, ["a", "b", "b"] * 10
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples(values, outcomes, operations=names))
    rows = derive(tmp_path, *WHERE).operations.set_index("operation")
    assert rows["median_ms"]["a"] == 10 and np.isnan(rows["median_ms"]["b"])
    assert np.isnan(rows["timeout_ms"]["a"]) and rows["timeout_ms"]["b"] == TIMEOUT_MS


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A study's comparisons; on OrientDB start 0, or starts 0 to 2 with 4 threads, time out."""
    data = tmp_path_factory.mktemp("compared")
    for levels in sick.write(data, "nothing", invocations=0):
        for start in range(4):
            bad = 3 if levels["threads"] == 4 else 1
            share = 0.7 if levels["backend"] == "orientdb" and start < bad else 0.1
            synthetic.write(data, levels, start, cut(latencies(start), share, start))
    return derive(data, *WHERE, asked=sick.study())


def test_starts_without_a_median_are_left_out_of_estimates_and_said(compared):
    found = estimates(compared)
    backend = found[found["comparison"] == "backend"]
    few, most = backend[backend["threads"] == 1], backend[backend["threads"] == 4]
    assert len(few) and (few["blocks"] == 3).all() and few["ratio"].between(0.8, 1.25).all()
    assert few["flags"].str.split(";").map(lambda codes: "censored" in codes).all()
    assert not few["flags"].str.contains("mostly").any()
    assert len(most) and (most["status"] == "undecided").all() and most["ratio"].isna().all()
    assert most["flags"].str.contains("mostly-censored").all()


def test_estimates_without_timeouts_are_as_they_were(compared):
    """Ranks below the median do not matter to it, so few timeouts only move it."""
    none = dataclasses.replace(
        compared, invocations=compared.invocations.assign(timeout=0, timeout_ms=np.nan)
    )
    found = estimates(none)
    assert not found["flags"].str.contains("censored").any()
    pd.testing.assert_series_equal(
        found["blocks"], pd.Series(4, index=found.index, name="blocks"), check_dtype=False
    )
