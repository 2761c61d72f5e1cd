"""Cells beside a baseline."""

import numpy as np
import pandas as pd
import pytest
import synthetic

from modelstress import stats
from modelstress.analysis import contrasts, derive, unmatched
from modelstress.analysis.contrasts import adjusted
from modelstress.config.errors import ConfigError

RNG = np.random.default_rng(3)
LEVELS = synthetic.LEVELS
OTHERS = [name for name in LEVELS if name != "protocol"]


def measured(tmp_path, **latencies):
    """Cells by protocol and threads: ``http_4=[…]``; one invocation each."""
    for name, values in latencies.items():
        protocol, threads = name.split("_")
        levels = LEVELS | {"protocol": protocol, "threads": int(threads)}
        synthetic.write(tmp_path, levels, 0, synthetic.samples(values))
    return derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)


def test_each_cell_stands_beside_the_one_that_differs_in_the_factor_only(tmp_path):
    fast, slow = RNG.lognormal(0, 0.2, 60), RNG.lognormal(1, 0.2, 50)
    derived = measured(tmp_path, tcp_1=fast, http_1=slow, tcp_4=slow, http_4=fast)
    found = contrasts(derived, OTHERS, {"protocol": "tcp"})
    assert found[["protocol", "threads"]].to_numpy().tolist() == [["http", 1], ["http", 4]]
    assert found["n"].tolist() == [50, 60] and found["baseline_n"].tolist() == [60, 50]
    first = found.iloc[0]
    a, b = np.round(slow * 1e6) / 1e6, np.round(fast * 1e6) / 1e6
    assert first["delta"] == pytest.approx(stats.cliffs_delta(a, b).value, abs=1e-3)
    assert first["delta"] > 0.9 > 0 > -0.9 > found.iloc[1]["delta"]
    assert first["ratio_low"] < np.e < first["ratio_high"]
    assert first["shift_ms"] == pytest.approx(stats.hodges_lehmann(a, b).value, rel=1e-3)
    assert (found["p_adjusted"] >= found["p"]).all()
    assert (found["baseline_cell"] != found["cell"]).all()


def test_what_has_no_baseline_is_listed(tmp_path):
    derived = measured(tmp_path, tcp_1=[1, 2, 3], http_1=[2, 3, 4], http_4=[1, 1, 2])
    found = contrasts(derived, OTHERS, {"protocol": "tcp"})
    assert len(found) == 1
    left = unmatched(derived, OTHERS, {"protocol": "tcp"})
    assert left["threads"].tolist() == [4] and left["baselines"].tolist() == [0]


def test_a_cell_without_answers_is_blank_and_says_why(tmp_path):
    derived = measured(tmp_path, tcp_1=[1.0, 2.0, 3.0])
    levels = LEVELS | {"protocol": "http"}
    table = synthetic.samples([1.0, 1.0], outcomes=["error", "error"])
    synthetic.write(tmp_path, levels, 0, table)
    derived = derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    [row] = contrasts(derived, OTHERS, {"protocol": "tcp"}).to_dict("records")
    assert row["n"] == 0 and np.isnan(row["p"]) and np.isnan(row["delta"])
    assert "empty" in row["flags"].split(";")


def test_timeouts_rank_as_longest(tmp_path):
    measured(tmp_path, tcp_1=[1.0, 2.0, 3.0])
    table = synthetic.samples([1.5, 9.0, 9.0], outcomes=["ok", "timeout", "timeout"])
    synthetic.write(tmp_path, LEVELS | {"protocol": "http"}, 0, table)
    derived = derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    [row] = contrasts(derived, OTHERS, {"protocol": "tcp"}).to_dict("records")
    assert row["n"] == row["baseline_n"] == 3
    assert row["u"] == 7 and row["delta"] == pytest.approx((7 - 2) / 9)
    assert np.isnan(row["over_ratio"]) and "median-censored" in row["flags"].split(";")


def test_several_baselines_are_none(tmp_path):
    derived = measured(tmp_path, tcp_1=[1, 2, 3], tcp_4=[1, 2, 3], http_1=[2, 3, 4])
    match = [name for name in OTHERS if name != "threads"]
    assert contrasts(derived, match, {"protocol": "tcp"}).empty
    assert set(unmatched(derived, match, {"protocol": "tcp"})["baselines"]) == {2}


def linked(tmp_path, **networks):
    """Cells by the rate of their links, each with the topology that the executor records."""
    for rate, network in networks.items():
        levels = LEVELS | {"link_mbit_s": int(rate[1:])}
        table = synthetic.samples(RNG.lognormal(0, 0.2, 30))
        cell = f"cell-with-{rate}"
        synthetic.write(tmp_path, levels, 0, table, cell=cell, network=network)
    return derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)


def test_links_are_compared_though_a_topology_tells_them(tmp_path):
    networks = {
        "r0": "switch, not shaped",
        "r100": "switch, 100 Mbit/s",
        "r1000": "switch, 1 Gbit/s",
    }
    derived = linked(tmp_path, **networks)
    found = contrasts(derived, list(LEVELS), {"link_mbit_s": 0})
    assert sorted(found["link_mbit_s"]) == [100, 1000]
    assert contrasts(derived, list(LEVELS), {"protocol": "tcp"}).empty, "links are still no match"


def test_links_of_other_networks_are_not_compared(tmp_path):
    derived = linked(tmp_path, r0="bridge, not shaped", r100="switch, 100 Mbit/s")
    assert contrasts(derived, list(LEVELS), {"link_mbit_s": 0}).empty


def test_an_unknown_column_is_refused(tmp_path):
    derived = measured(tmp_path, tcp_1=[1, 2, 3])
    with pytest.raises(ConfigError, match="'protocoll'"):
        contrasts(derived, OTHERS, {"protocoll": "tcp"})


def test_blanks_do_not_count_in_the_adjustment():
    p = pd.Series([0.01, np.nan, 0.02])
    assert adjusted(p, "bonferroni").tolist()[::2] == pytest.approx([0.02, 0.04])
    assert np.isnan(adjusted(p, "holm")[1])
