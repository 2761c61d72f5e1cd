"""Cells are chosen by their levels, and two selections are compared one cell with one."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import synthetic

from modelstress import analysis, stats
from modelstress.analysis import selection
from modelstress.analysis.contrasts import contrasts
from modelstress.analysis.projection import projection_of
from modelstress.config.errors import ConfigError


@pytest.fixture(scope="module")
def derived(study_data, study_plan):
    return analysis.derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan)


def test_levels_are_in_order_and_blank_ones_last():
    cells = pd.DataFrame(
        {"threads": [16, 2, 4], "check": [True, None, False], "tool": ["b", "a", "b"]}
    )
    cells["share"] = pd.Series([np.float64(2), np.nan, 1])
    found = selection.levels(cells, ("threads", "check", "tool", "share"))
    assert found == {
        "threads": [2, 4, 16], "check": [True, False, None], "tool": ["b", "a"],
        "share": [1.0, 2.0, None],
    }  # fmt: skip
    assert type(found["threads"][0]) is int


def test_cells_are_chosen_by_level(derived):
    chosen = selection.select(derived, {"protocol": ["tcp"], "threads": (1, 4), "query": ()})
    assert set(chosen["protocol"]) == {"tcp"} and set(chosen["threads"]) == {1, 4}
    assert set(chosen["query"]) == {"PosLength", "RouteSensor"}
    assert len(chosen) == 4


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"threads": [3]}, r"no cell has threads 3; choose"),
        ({"colour": ["red"]}, r"has no factor 'colour'"),
    ],
)
def test_a_choice_without_cells_is_a_sentence(derived, levels, said):
    with pytest.raises(ConfigError, match=said):
        selection.select(derived, levels)


def test_measures_are_those_of_the_cells(derived):
    cells = derived.cells
    frame = selection.measured(derived, cells, "median")
    assert frame["value"].equals(cells["median_ms"].rename("value"))
    reasons = dict(zip(frame["cell"], frame["absent"], strict=True))
    blank = frame[frame["value"].isna()]
    assert sorted(blank["absent"]) == ["invalid", "not measured", "too many timeouts"]
    assert set(reasons.values()) == {"", "invalid", "not measured", "too many timeouts"}


def test_a_percentile_is_that_of_all_executions(derived):
    cells = selection.select(derived, {"query": ["PosLength"], "threads": [4]})
    frame = selection.measured(derived, cells, "p95")
    for _, row in frame.iterrows():
        values = np.concatenate(derived.latencies[row["tool"], row["cell"]])
        known = stats.percentile(values, 0.95, derived.confidence)
        assert row["value"] == known.value
        ends = (known.interval.low, known.interval.high) if known.interval else (np.nan, np.nan)
        np.testing.assert_equal((row["low"], row["high"]), ends)


def test_a_percentile_among_the_timeouts_is_not_known(derived):
    few = derived.cells.assign(timeout_share=0.02)
    frame = selection.measured(derived, few[few["executions"] > 0], "p99")
    assert frame["value"].isna().all() and set(frame["absent"]) == {"too many timeouts"}


def test_an_unknown_measure_is_a_sentence(derived):
    with pytest.raises(ConfigError, match="no measure 'mean'; known are median"):
        selection.measured(derived, derived.cells, "mean")


def test_a_protocol_beside_the_other(derived):
    found = selection.compare(derived, {"protocol": ["http"]}, {"protocol": ["tcp"]})
    assert found.apart == ("protocol",)
    assert "threads" in found.agreed and "query" in found.agreed
    assert len(found.rows) == 8 and found.alone == ({}, {})
    for _, row in found.rows.iterrows():
        assert (row["protocol"], row["baseline_protocol"]) == ("http", "tcp")
        assert (row["query"], row["threads"]) == (row["baseline_query"], row["baseline_threads"])
    known = found.rows[found.rows["p"].notna()]
    assert len(known) == 6  # one cell was not measured, one is invalid
    [mostly] = known[known["over_ratio"].isna()].to_dict("records")
    assert mostly["delta"] > 0.5 and np.isinf(mostly["over_ratio_high"])
    assert mostly["over_ratio_low"] > 1
    assert (known["delta"] > 0.9).all()
    assert (known["p_adjusted"] >= known["p"]).all()
    backward = selection.compare(derived, {"protocol": ["tcp"]}, {"protocol": ["http"]})
    np.testing.assert_allclose(backward.rows["delta"], -found.rows["delta"], equal_nan=True)


def test_a_row_is_what_contrasts_say(derived):
    first = {"protocol": ["http"], "query": ["PosLength"], "threads": [4]}
    [row] = selection.compare(derived, first, {"protocol": ["tcp"]}).rows.to_dict("records")
    every = contrasts(derived, [f for f in derived.factors if f != "protocol"], {"protocol": "tcp"})
    [same] = every[every["cell"] == row["cell"]].to_dict("records")
    for name in ("baseline_cell", "u", "p", "delta", "shift_low_ms", "ratio", "over_ratio_high"):
        assert row[name] == same[name]
    assert (row["starts"], row["baseline_starts"]) == (2, 2)


def test_cells_without_a_partner_are_counted(derived):
    first = {"protocol": ["http"], "threads": [1, 4]}
    found = selection.compare(derived, first, {"protocol": ["tcp"], "threads": [4, 16]})
    assert set(found.rows["threads"]) == {4}
    assert len(found.rows) == 2 and found.alone == ({"cdo": 2}, {"cdo": 2})


def test_factors_without_a_common_level_are_compared_together(derived):
    first = {"protocol": ["http"], "threads": [1]}
    found = selection.compare(derived, first, {"protocol": ["tcp"], "threads": [4, 16]})
    assert found.apart == ("protocol", "threads")
    assert len(found.rows) == 4  # every cell beside every cell: two by two for each query
    assert set(found.rows["baseline_threads"]) == {4, 16}


def test_queries_of_one_task_are_paired_where_none_is_shared(derived):
    asked = derived.cells.assign(task="all")
    one_task = dataclasses.replace(derived, cells=asked)
    first, second = {"query": ["PosLength"]}, {"query": ["RouteSensor"]}
    assert len(selection.compare(one_task, first, second).rows) == 8
    shared = selection.compare(one_task, {"protocol": ["tcp"]}, {"protocol": ["http"]}).rows
    assert (shared["query"] == shared["baseline_query"]).all()
    with pytest.raises(ConfigError, match="agrees with one of the second in all but query"):
        selection.compare(derived, first, second)


def test_settings_are_never_compared(derived):
    elsewhere = derived.cells["protocol"] == "tcp"
    cells = derived.cells.assign(executor=np.where(elsewhere, "docker", "process"))
    moved = dataclasses.replace(derived, cells=cells)
    with pytest.raises(ConfigError, match="choose more levels"):
        selection.compare(moved, {"protocol": ["http"]}, {"protocol": ["tcp"]})


def test_what_cannot_be_compared_is_a_sentence(derived, monkeypatch):
    with pytest.raises(ConfigError, match="levels of every factor in common"):
        selection.compare(derived, {}, {"protocol": ["tcp"]})
    monkeypatch.setattr(selection, "MOST_PAIRS", 7)
    with pytest.raises(ConfigError, match="make 8 pairs of cells.*7 at most"):
        selection.compare(derived, {"protocol": ["http"]}, {"protocol": ["tcp"]})


def two_tools(derived):
    other = derived.cells.assign(tool="other", cell="other " + derived.cells["cell"])
    return dataclasses.replace(derived, cells=pd.concat([derived.cells, other], ignore_index=True))


def with_factors(derived, **factors):
    cells = derived.cells.assign(**factors)
    names = (*derived.factors, *factors)
    projection = projection_of(None, names)
    return dataclasses.replace(derived, cells=cells, factors=names, projection=projection)


def test_a_factor_that_one_side_does_not_have_follows(derived):
    both = two_tools(derived)
    http, mine = both.cells["protocol"] == "http", both.cells["tool"] == "cdo"
    own = with_factors(
        both,
        polls=np.where(http & mine, 5000, None),
        nodelay=np.where(http | ~mine, None, False),
    )
    found = selection.compare(own, {"protocol": ["http"]}, {"protocol": ["tcp"]})
    assert dict(found.rows["tool"].value_counts()) == {"cdo": 8, "other": 8}
    assert found.alone == ({}, {}) and found.apart == ("protocol",)
    assert set(found.follows) == {"polls", "nodelay"}


def test_what_follows_for_one_tool_does_not_for_another(derived):
    """The other tool has the factor on both sides: its cells agree in it."""
    both = two_tools(derived)
    cells = both.cells
    http, mine = cells["protocol"] == "http", cells["tool"] == "cdo"
    polls = np.where(mine, np.where(http, 1, None), np.where(cells["threads"] == 1, 1, 2))
    asked = with_factors(both, polls=polls)
    found = selection.compare(asked, {"protocol": ["http"], "polls": [1]}, {"protocol": ["tcp"]})
    assert dict(found.rows["tool"].value_counts()) == {"cdo": 8, "other": 2}
    assert found.alone == ({}, {"other": 6})
    apart = found.rows[found.rows["tool"] == "other"]
    assert (apart["polls"] == apart["baseline_polls"]).all()
