"""The comparisons of a study: which cells stand beside which, and what is said of them."""

import numpy as np
import pandas as pd
import pytest
import sick
import synthetic

from modelstress import stats
from modelstress.analysis import PlannedCell, columns, derive, written_p
from modelstress.config.study import Comparison
from modelstress.stats.thresholds import THRESHOLDS

RNG = np.random.default_rng(11)
ONLY = ("http_transport", "tcp_nodelay")
WHERE = synthetic.STUDY, synthetic.PROFILE


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """All configurations of `sick`, well: those on OrientDB three times as slow, HTTP a tenth."""
    data = tmp_path_factory.mktemp("data")
    for number, levels in enumerate(sick.write(data, "nothing", invocations=0)):
        base = 30.0 if levels["backend"] == "orientdb" else 10.0
        base *= 1.1 if levels["protocol"] == "http" else 1
        for start in (0, 1, 2):
            values = base * np.random.default_rng(10 * number + start).lognormal(0, 0.05, 40)
            table = synthetic.samples(values, threads=levels["threads"], number=start)
            synthetic.write(data, levels, start, table)
    return derive(data, *WHERE, asked=sick.study())


def rows(derived, name):
    return derived.comparisons[derived.comparisons["comparison"] == name]


def test_every_cell_over_http_stands_beside_its_own_over_tcp(derived):
    found = rows(derived, "protocol")
    assert len(found) == len(sick.CONFIGURATIONS) * len(sick.THREADS)
    assert set(found["protocol"]) == {"http"}
    cells = derived.cells.set_index("cell")
    others = [name for name in derived.factors if name not in ("protocol", *ONLY)]
    for row in found.to_dict("records"):
        base = cells.loc[row["baseline_cell"]]
        assert base["protocol"] == "tcp"
        assert all(base[name] == row[name] or pd.isna(row[name]) for name in others)
    assert found["over_ratio"].between(1.05, 1.15).all()
    assert (found["over_ratio_low"] < found["over_ratio"]).all()
    assert (found["over_ratio"] < found["over_ratio_high"]).all()
    assert found["dunn_p"].isna().all()


def test_the_tools_stand_beside_cdo_on_the_same_task(derived):
    found = rows(derived, "tools")
    assert set(found["baseline_tool"]) == {"cdo"} and set(found["protocol"]) == {"tcp"}
    tasks = found.groupby(["task", "threads"])["query"].agg(sorted).to_dict()
    assert tasks == {
        (task, threads): queries
        for threads in sick.THREADS
        for task, queries in (
            ("singletons", ["HQ1", "HQ4", "MQ"]),
            ("PosLength", ["PosLength"] * 3),
        )
    }
    slow = found["backend"] == "orientdb"
    assert found.loc[slow, "ratio"].between(2.7, 3.3).all()
    assert (found.loc[slow, "dunn_p"] < THRESHOLDS.alpha).all()
    assert (found.loc[slow, "magnitude"] == "large").all()


def test_the_numbers_are_those_of_the_statistics(derived):
    row = rows(derived, "backend").iloc[0]
    mine, other = (derived.latencies[row["tool"], row[name]] for name in ("cell", "baseline_cell"))
    over = stats.ratio_over_invocations(mine, other, derived.confidence)
    assert (row["over_ratio"], row["over_ratio_low"]) == (over.value, over.interval.low)
    a, b = np.concatenate(mine), np.concatenate(other)
    assert row["u"] == stats.mann_whitney(a, b).statistic
    assert (row["n"], row["baseline_n"]) == (120, 120)


def test_p_is_adjusted_over_one_comparison(derived):
    for _, found in derived.comparisons.groupby("comparison"):
        ordered = found.sort_values("p")
        holm = (ordered["p"] * np.arange(len(found), 0, -1)).cummax().clip(upper=1)
        assert ordered["p_adjusted"].tolist() == pytest.approx(holm.tolist())


def test_groups_hold_the_baseline_too(derived):
    found = derived.groups
    assert set(found["comparison"]) == {"tools"}
    assert found["cells"].tolist() == [4] * 4 and found["n"].tolist() == [480] * 4
    assert (found["p"] < THRESHOLDS.alpha).all()
    cells = derived.cells
    first = cells[(cells["task"] == "singletons") & (cells["threads"] == 1)]
    pools = [
        np.concatenate(derived.latencies[key])
        for key in first.loc[first["protocol"] == "tcp", ["tool", "cell"]].itertuples(False, None)
    ]
    one = found[(found["task"] == "singletons") & (found["threads"] == 1)]
    assert one["h"].tolist() == [stats.kruskal_wallis(pools).statistic]


def test_what_no_cell_has_is_not_compared(derived):
    asked = {*derived.comparisons["comparison"]}
    assert asked == {"protocol", "tools", "backend"}


def test_a_cell_that_was_not_measured_has_a_row_that_says_so(tmp_path):
    there, gone = (synthetic.LEVELS | {"protocol": name} for name in ("tcp", "http"))
    synthetic.write(tmp_path, there, 0, synthetic.samples([1.0, 2.0]))
    plan = [
        PlannedCell("cdo", synthetic.cell_id(levels), "CDO", levels, 1) for levels in (there, gone)
    ]
    found = derive(tmp_path, *WHERE, plan, asked=sick.study()).comparisons
    [row] = found.to_dict("records")
    assert (row["n"], row["baseline_n"]) == (0, 2)
    assert np.isnan(row["p"]) and {"missing", "empty"} <= set(row["flags"].split(";"))


def test_settings_are_never_compared_with_one_another(tmp_path):
    for protocol, executor in (("tcp", "process"), ("http", "docker")):
        levels = synthetic.LEVELS | {"protocol": protocol}
        synthetic.write(tmp_path, levels, 0, synthetic.samples([1.0, 2.0]), executor=executor)
    assert derive(tmp_path, *WHERE, asked=sick.study()).comparisons.empty


def test_without_a_study_every_query_is_its_own_task(tmp_path):
    synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([1.0, 2.0]))
    found = derive(tmp_path, *WHERE)
    assert found.cells["task"].tolist() == ["PosLength"]
    assert found.comparisons.empty and found.groups.empty and len(found.shapes) == 1


def test_shapes_tell_normal_latencies_from_skewed_ones(tmp_path):
    normal, skewed = RNG.normal(100, 5, 200), RNG.lognormal(2, 0.8, 200)
    for threads, values in ((1, normal), (4, skewed)):
        table = synthetic.samples(values)
        synthetic.write(tmp_path, synthetic.LEVELS | {"threads": threads}, 0, table)
    one, other = derive(tmp_path, *WHERE).shapes.to_dict("records")
    assert one["p"] > THRESHOLDS.alpha > other["p"]
    assert abs(one["skewness"]) < 0.5 < 1 < other["skewness"]
    assert (one["n"], one["threads"], other["threads"]) == (200, 1, 4)


@pytest.mark.parametrize("part", ["level", "baseline", "only"])
def test_a_comparison_of_a_factor_without_cells_has_no_rows(tmp_path, part):
    parts = {"level": {"protocol": "http"}, "baseline": {"protocol": "tcp"}, "only": {}}
    parts[part] = parts[part] | {"fidelity": "paper"}
    study = sick.study()
    comparison = Comparison(title="t", **parts)
    study = study.model_copy(update={"comparisons": {"one": comparison}})
    for protocol in ("tcp", "http"):
        levels = synthetic.LEVELS | {"protocol": protocol}
        synthetic.write(tmp_path, levels, 0, synthetic.samples([1.0, 2.0]))
    found = derive(tmp_path, *WHERE, asked=study).comparisons
    # cells that do not have a factor of `only` take part
    assert len(found) == (1 if part == "only" else 0)


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "< 1e-300"), (1e-301, "< 1e-300"), (0.01234, "0.012"), (np.nan, "")]
)
def test_p_for_readers(p, text):
    assert written_p(p) == text


@pytest.mark.long
def test_two_processes_derive_what_one_does(tmp_path, monkeypatch):
    import sys

    module = sys.modules["modelstress.analysis.derive"]
    monkeypatch.setattr(module, "FEW", 0)
    sick.write(tmp_path, "mixed")
    one = derive(tmp_path, *WHERE, asked=sick.study())
    two = derive(tmp_path, *WHERE, asked=sick.study(), workers=2)
    for name in columns.TABLES:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(two, name))
    assert one.latencies.keys() == two.latencies.keys()
