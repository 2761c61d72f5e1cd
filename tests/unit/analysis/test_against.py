"""Entries of papers held against a dataset whose medians are known."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import papers_data
import pytest
import sick
import synthetic
from papers_data import entry, papers
from scipy.stats import shapiro

from modelstress import analysis
from modelstress.analysis import replication
from modelstress.analysis.projection import Projection
from modelstress.analysis.replication.counted import side_of_half
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project

OQ, HQ1 = {"tool": "cdo", "query": "OQ"}, {"tool": "hawk", "backend": "neo4j", "query": "HQ1"}
MQ = {"tool": "mogwai", "query": "MQ"}
TCP, HTTP = {"protocol": "tcp"}, {"protocol": "http"}
ONE = {"threads": 1}
SHARE = {"kind": "share of outcomes", "outcomes": ["aborted"], "without": ["rejected"]}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return papers_data.write(tmp_path_factory.mktemp("papers") / "data")


@pytest.fixture(scope="module")
def derived(data_dir):
    study = Project.find(papers_data.ROOT).study(synthetic.STUDY)
    return analysis.derive(data_dir, synthetic.STUDY, synthetic.PROFILE, asked=study)


@pytest.fixture
def held(derived, data_dir):
    """Holds one entry against the dataset; returns its row."""

    def hold(theirs, ours, wire=None):
        found = replication.compare(derived, papers(entry("it", theirs, ours)), wire, data_dir)
        [row] = found.entries.to_dict("records")
        return row

    return hold


def test_median_of_a_cell(held):
    row = held({"value": 1000}, {"kind": "median", "cells": OQ | TCP | ONE})
    assert (row["ours"], row["ratio"], row["verdict"]) == (100, 0.1, "number only")
    assert row["ours_low"] <= 100 <= row["ours_high"]
    assert row["cells"] == 1 and row["rests_on"].startswith("cdo_tcp_OQ_t1")


def test_largest_latency(held):
    row = held({"value": 590.5}, {"kind": "largest latency", "cells": OQ | HTTP})
    assert row["ours"] == pytest.approx(0.707)


def test_ratio_of_medians_of_a_pair(held):
    ours = {"kind": "ratio of medians", "cells": OQ | HTTP | ONE, "beside": OQ | TCP}
    row = held({"value": 7.3566, "direction": "slower"}, ours)
    assert row["ours"] == pytest.approx(7)
    assert row["ratio"] == pytest.approx(7 / 7.3566)
    assert row["ours_low"] <= 7 <= row["ours_high"]
    assert (row["direction_ours"], row["verdict"]) == ("slower", "same direction")
    assert row["cells"] == 2
    assert held({"direction": "faster"}, ours)["verdict"] == "other direction"


def test_ratios_of_several_pairs_are_a_range(held):
    ours = {"kind": "ratio of medians", "cells": OQ | HTTP, "beside": OQ | TCP}
    row = held({"low": 1, "high": 3, "direction": "slower"}, ours)
    assert (row["ours_low"], row["ours_high"]) == (pytest.approx(1.05), pytest.approx(7))
    assert row["ours"] == pytest.approx((1.05 + 7) / 2)
    assert row["theirs_value"] == 2
    # three starts decide that 7 is slower; of 1.05 they do not, whose intervals borrow nothing here
    assert row["detail"] == "1 slower, 1 no clear difference of 2 pairs"


def test_a_ratio_of_compared_cells_is_that_of_the_claims(held, derived):
    ours = {"kind": "ratio of medians", "cells": OQ | HTTP | ONE, "beside": OQ | TCP | ONE}
    row = held({"value": 2, "direction": "slower"}, ours)
    names = ["ratio", "ratio_low", "ratio_high"]
    cells = row["rests_on"].split()
    [claim] = derived.estimates[
        derived.estimates["cell"].isin(cells) & derived.estimates["baseline_cell"].isin(cells)
    ][names].values.tolist()
    assert [row["ours"], row["ours_low"], row["ours_high"]] == pytest.approx(claim)
    turned = held({"value": 2}, ours | {"cells": OQ | TCP | ONE, "beside": OQ | HTTP | ONE})
    found = [1 / turned[name] for name in ("ours", "ours_high", "ours_low")]
    assert found == pytest.approx(claim)


def test_throughput_of_a_cell(held, derived):
    row = held({"value": 5}, {"kind": "throughput", "cells": OQ | TCP | ONE, "times": 2})
    cells = derived.cells.set_index("cell")
    assert row["ours"] == 2 * cells.loc[row["rests_on"], "throughput_per_s"] > 0
    assert row["ours_low"] <= row["ours"] <= row["ours_high"]


def test_ratio_of_throughputs(held):
    ours = {"kind": "ratio of throughputs", "cells": OQ | HTTP | ONE, "beside": OQ | TCP}
    row = held({"value": 0.5, "direction": "lower"}, ours)
    assert row["ours"] == pytest.approx(1 / 7, rel=0.1) and row["ours_high"] < 1
    assert (row["direction_ours"], row["verdict"]) == ("lower", "same direction")
    turned = {"kind": "ratio of throughputs", "cells": OQ | TCP | ONE, "beside": OQ | HTTP}
    assert held({"direction": "lower"}, turned)["verdict"] == "other direction"
    several = held({"direction": "lower"}, ours | {"cells": OQ | HTTP})
    assert several["ours_low"] < several["ours"] < several["ours_high"] and several["cells"] == 4


def test_share_of_outcomes(held):
    none = held({"value": 80, "direction": "many"}, SHARE | {"cells": OQ | TCP})
    assert (none["ours"], none["direction_ours"]) == (0, "few")
    assert none["verdict"] == "other direction" and 0 < none["ours_high"] < 50
    missing = held({"value": 80}, SHARE | {"cells": {"tool": "cdo", "query": "HQ9"}})
    assert missing["verdict"] == "not measured"


def test_one_start_is_said_to_be_one(derived, data_dir, tmp_path):
    for median, levels in papers_data.MEDIANS[:4]:
        table = synthetic.samples(median * papers_data.SPREAD)
        synthetic.write(tmp_path, levels, 0, table)
    one = analysis.derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    ours = {"kind": "ratio of medians", "cells": OQ | HTTP | ONE, "beside": OQ | TCP}
    found = replication.compare(one, papers(entry("it", {"direction": "slower"}, ours)))
    [row] = found.entries.to_dict("records")
    assert "within-one-start" in row["flags"]
    assert row["verdict"] == "same direction"


def test_shift_interval(held):
    ours = {"kind": "shift interval", "cells": OQ | HTTP | ONE}
    row = held({"low": 590, "high": 610, "direction": "slower"}, ours)
    assert row["ours"] == pytest.approx(600, rel=1e-3)
    assert 0 < row["ours_low"] < 600 < row["ours_high"]
    assert row["ratio"] == pytest.approx(1, rel=1e-3)
    assert row["verdict"] == "same direction"


def test_sign_of_delta_counts_cells(held):
    row = held({"direction": "slower"}, {"kind": "sign of delta", "cells": HTTP})
    # OQ with 1 and 64 threads and HQ1 are slower over HTTP; MQ has the same values over both
    assert row["detail"] == "3 slower, 1 no clear difference of 4 cells"
    assert (row["ours"], row["direction_ours"]) == (0.75, "slower")
    assert np.isnan(row["ratio"])


def test_largest_delta_and_its_bound(held):
    ours = {"kind": "largest delta", "cells": OQ | HTTP}
    row = held({"high": 0.3, "direction": "within"}, ours)
    assert (row["ours"], row["direction_ours"]) == (1, "beyond")
    assert row["verdict"] == "other direction"
    same = held({"high": 0.3, "direction": "within"}, ours | {"cells": MQ | HTTP})
    assert (same["ours"], same["verdict"]) == (0, "same direction")
    assert same["detail"] == "none of 1 cells is told from its baseline"


@pytest.mark.parametrize(
    ("of", "direction"),
    [("ratio", "falls"), ("baseline ratio", "rises"), ("delta", "falls")],
)
def test_trend_over_threads(held, of, direction):
    # HQ1 takes 1.5 times as long as OQ with 1 thread, half as long with 64
    ours = {"kind": "trend over threads", "comparison": "tools", "of": of, "cells": HQ1 | TCP}
    row = held({"direction": direction}, ours)
    assert (row["direction_ours"], row["verdict"]) == (direction, "same direction")
    assert row["detail"] == f"1 {direction} of 1 configurations"


def test_a_trend_between_given_threads_needs_both(held):
    ours = {
        "kind": "trend over threads", "comparison": "tools", "of": "ratio", "cells": HQ1 | TCP,
        "threads": [1, 2],
    }  # fmt: skip
    assert held({"direction": "falls"}, ours)["verdict"] == "not measured"


def test_crossover(held):
    ours = {"kind": "crossover between threads", "cells": OQ | TCP, "beside": HQ1 | TCP}
    row = held({"value": 8, "direction": "crosses"}, ours)
    assert (row["ours"], row["ratio"]) == (64, 8)
    assert row["detail"] == "1: faster; 64: slower"
    back = held({"direction": "crosses"}, ours | {"cells": HQ1 | TCP, "beside": OQ | TCP})
    assert (back["direction_ours"], back["verdict"]) == (
        "no clear difference",
        "no clear difference here",
    )


def test_count_of_outcomes(held):
    ours = {"kind": "count of outcomes", "cells": MQ | HTTP, "outcomes": ["error", "timeout"]}
    row = held({"value": 22, "of": 1000, "direction": "some"}, ours)
    assert (row["ours"], row["ours_of"]) == (2, 42)
    assert row["ratio"] == pytest.approx((2 / 42) / 0.022)
    assert row["verdict"] == "same direction"
    assert held({"value": 0, "direction": "none"}, ours)["verdict"] == "other direction"


def test_a_rare_failure_cannot_be_missed_in_few_executions(held):
    ours = {"kind": "count of outcomes", "cells": OQ | HTTP, "outcomes": ["error"]}
    rare = {"value": 3, "of": 1000, "direction": "some"}
    assert held(rare, ours)["verdict"] == "no clear difference here"
    often = {"value": 300, "of": 1000, "direction": "some"}
    assert held(often, ours)["verdict"] == "other direction"


def test_normal_cells(held, derived):
    row = held({"value": 11, "of": 516, "direction": "few"}, {"kind": "count of normal cells"})
    chosen = [pool for key, pool in derived.latencies.items() if key[1] in row["rests_on"].split()]
    normal = sum(shapiro(np.concatenate(pool)).pvalue >= 0.01 for pool in chosen)
    assert (row["ours"], row["ours_of"]) == (normal, len(chosen))
    assert row["ratio"] == pytest.approx(normal / len(chosen) / (11 / 516))


def test_dunn_not_rejected(held):
    ours = {"kind": "dunn not rejected", "cells": TCP}
    row = held({"value": 2, "of": 63, "direction": "few"}, ours)
    # OrientDB has CDO's values; HQ1 (twice), HQ2 and MQ are far from them
    assert (row["ours"], row["ours_of"], row["verdict"]) == (1, 5, "same direction")


def test_groups_that_differ(held):
    row = held({"direction": "many"}, {"kind": "groups that differ"})
    assert (row["ours"], row["ours_of"]) == (2, 2)
    assert row["cells"] == 7


def test_dunn_of_a_pair(held):
    ours = {
        "kind": "dunn of a pair", "group": TCP | ONE, "cells": {"tool": "cdo"},
        "beside": {"tool": "hawk", "backend": "orientdb"},
    }  # fmt: skip
    row = held({"value": 0.054, "direction": "alike"}, ours)
    assert (row["ours"], row["verdict"]) == (1, "same direction")
    other = held({"direction": "alike"}, ours | {"beside": {"query": "MQ"}})
    assert other["ours"] < 0.01 and other["verdict"] == "other direction"


def test_anatomy_count(held):
    ours = {"kind": "anatomy count", "measure": "packets", "cells": OQ | HTTP}
    assert held({"value": 58}, ours)["detail"] == "no execution was captured"
    cell = OQ | HTTP | {
        "cell": "c", "captured": 3, "packets": 60.0, "packets_low": 58.0, "packets_high": 61.0,
        "flags": "", "executor": "process", "topology": "network: a namespace",
    }  # fmt: skip
    wire = analysis.Anatomy(
        synthetic.STUDY, "anatomy", (), pd.DataFrame([cell]), pd.DataFrame(), {}, Projection(())
    )
    row = held({"value": 58}, ours, wire)
    assert (row["ours"], row["ours_low"], row["ours_high"]) == (60, 58, 61)
    assert row["detail"] == "OQ, captured under anatomy; executor process; network: a namespace"
    assert row["ratio"] == pytest.approx(60 / 58)


def test_how_many_of_the_slowest_cells_have_levels(held):
    ours = {"kind": "share of worst", "cells": HTTP, "among": {"query": "OQ"}, "worst": 0.5}
    row = held({"direction": "many"}, ours)
    # two cells are too few to say more than how many they are
    assert (row["ours"], row["ours_of"]) == (2, 2)
    assert row["verdict"] == "no clear difference here"
    row = held({"direction": "many"}, ours | {"cells": TCP})
    assert (row["ours"], row["verdict"]) == (0, "no clear difference here")
    assert [side_of_half(*ends) for ends in ((0.51, 1), (0, 0.4), (0.2, 0.9))] == [
        "many", "few", "no clear difference",
    ]  # fmt: skip
    row = held({"direction": "many"}, ours | {"among": {"query": "none"}})
    assert row["verdict"] == "not measured"


def test_an_effect_is_that_of_the_table(held, derived):
    ours = {"kind": "effect", "options": ["a"]}
    assert held({"direction": "slower"}, ours)["verdict"] == "not measured"
    cells = len(derived.cells)
    rows = pd.DataFrame({
        "likely": ["a", "b × a", "c"], "ratio": [1.4, 0.8, 1.01], "margin_ratio": 1.05,
        "strong": [True, True, False], "cells": cells,
    })  # fmt: skip
    with_effects = replace(derived, effects=rows)

    def row_of(options):
        held_one = entry("it", {"direction": "slower"}, {"kind": "effect", "options": options})
        [row] = replication.compare(with_effects, papers(held_one)).entries.to_dict("records")
        return row

    assert (row_of(["a"])["ours"], row_of(["a"])["verdict"]) == (1.4, "same direction")
    assert row_of(["a", "b"])["direction_ours"] == "faster"
    assert row_of(["c"])["verdict"] == "no clear difference here"
    assert row_of(["d"])["verdict"] == "not measured"


def test_count_of_cells_and_constants_of_the_model(held):
    # without the improved cell, which is not the paper's
    row = held({"value": 516}, {"kind": "count of cells"})
    assert row["ours"] == len(papers_data.MEDIANS) - 1 + 2
    ours = {"kind": "constant of the model", "case": "grabats", "constant": "elements"}
    row = held({"value": 4_900_000}, ours)
    assert (row["ours"], row["detail"]) == (202_130, "jdt1")
    row = held({"value": 1.4}, ours | {"constant": "h2_gb"})
    assert (row["verdict"], row["detail"]) == ("not measured", "jdt1: h2_gb was not counted")


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (OQ | TCP | {"threads": 8}, "the cells were not measured"),
        (OQ | TCP, "2 cells stand for the paper's one"),
        (HQ1 | TCP | {"threads": 8}, "the cell has no median"),
    ],
)
def test_what_cannot_be_held_against_the_paper_says_why(held, cells, why):
    row = held({"value": 1}, {"kind": "median", "cells": cells})
    assert (row["verdict"], row["detail"]) == ("not measured", why)
    assert np.isnan(row["ours"]) and np.isnan(row["ratio"])


def test_causes_are_what_was_recorded_of_the_cells(derived, data_dir):
    ours = {"kind": "ratio of medians", "cells": HQ1 | TCP | ONE, "beside": OQ | TCP}
    held = papers(entry("it", {"value": 0.5, "direction": "faster"}, ours))
    [cause] = replication.compare(derived, held, None, data_dir).causes.to_dict("records")
    assert cause["improved"] == pytest.approx(0.5)
    assert cause["improved_verdict"] == "same direction"
    assert (cause["executions"], cause["paper_executions"]) == (42, 1000)
    assert cause["invocations"] == 2
    assert cause["gc_share"] == pytest.approx(0.08)
    assert cause["size_factor"] == pytest.approx(202_130 / 4_900_000)
    assert cause["server_cpu_low"] == cause["server_cpu_high"] == 0.9
    assert (cause["timeouts"], cause["all_executions"]) == (0, 84)
    assert cause["points_to"] == "fidelity;model-size;gc;cpu-used-up"
    without = replication.compare(derived, held).causes.to_dict("records")
    assert np.isnan(without[0]["gc_share"]) and "gc" not in without[0]["points_to"].split(";")
    held.papers[0].waits.clear()
    [other] = replication.compare(derived, held, None, data_dir).causes.to_dict("records")
    assert other["points_to"] == "fidelity;model-size;gc"


def test_an_entry_that_agrees_has_no_causes(derived):
    ours = {"kind": "ratio of medians", "cells": HQ1 | TCP | ONE, "beside": OQ | TCP}
    found = replication.compare(derived, papers(entry("it", {"direction": "slower"}, ours)))
    assert found.causes.empty


def test_the_setting_has_what_was_recorded(derived):
    found = replication.compare(derived, papers(entry("it", {}, {"kind": "count of cells"})))
    [row] = found.setting.to_dict("records")
    assert "python: 3.11.7" in row["recorded"]
    assert "models: jdt1" in row["recorded"]
    assert "executions: 21 to 42 per cell" in row["recorded"]


def test_the_papers_of_a_project_are_found_from_its_data_and_from_outside(tmp_path, monkeypatch):
    inside = replication.papers_beside(papers_data.ROOT / "data", synthetic.STUDY)
    assert [paper.paper for paper in inside.papers] == ["sosym2017", "ecmfa2016"]
    monkeypatch.chdir(papers_data.ROOT)
    assert replication.papers_beside(tmp_path, synthetic.STUDY) == inside
    with pytest.raises(ConfigError, match="no paper has 'study: other'"):
        replication.papers_beside(tmp_path, "other")
    monkeypatch.chdir(tmp_path)
    assert not replication.has_papers(tmp_path, synthetic.STUDY)
    with pytest.raises(ConfigError, match="go to the project's folder"):
        replication.papers_beside(tmp_path, synthetic.STUDY)


QUICK = ("mixed", "slow", "zero")
"""The others take a second each and add little to these."""


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if kind in QUICK else pytest.mark.long) for kind in sick.KINDS],
)
def test_sick_datasets_end_in_blanks(kind, tmp_path):
    held = replication.papers_beside(papers_data.ROOT, synthetic.STUDY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = replication.compare(sick.derived(tmp_path, kind), held, None, tmp_path)
    blank = found.entries[found.entries["verdict"] == "not measured"]
    assert blank["ours"].isna().all() and blank["ratio"].isna().all()
    assert (blank["detail"] != "").all()
    assert len(found.entries) == sum(len(p.entries) for p in held.papers)
    if kind in ("empty", "failing", "slow"):
        timed = found.entries["kind"].isin(["median", "ratio of medians", "shift interval"])
        assert found.entries.loc[timed, "ours"].isna().all()
