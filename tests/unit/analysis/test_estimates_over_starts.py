"""Ratios over starts: paired by block and machine, borrowed variances, decisions."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import sick
import synthetic

from modelstress.analysis import derive
from modelstress.analysis.conventional import conventional
from modelstress.analysis.estimates import decisions, estimates

WHERE = synthetic.STUDY, synthetic.PROFILE
STARTS = (0, 1, 2, 3)


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """OrientDB three times as slow as Neo4j, HTTP as TCP; starts of one number are alike."""
    data = tmp_path_factory.mktemp("data")
    shifts = np.random.default_rng(1).normal(0, 0.3, len(STARTS))  # an hour's, on all cells
    for number, levels in enumerate(sick.write(data, "nothing", invocations=0)):
        base = 30.0 if levels["backend"] == "orientdb" else 10.0
        for start in STARTS:
            rng = np.random.default_rng(100 * number + start)
            level = base * np.exp(shifts[start] + rng.normal(0, 0.01))
            values = level * rng.lognormal(0, 0.05, 60)
            table = synthetic.samples(values, threads=levels["threads"], number=start)
            synthetic.write(data, levels, start, table)
    return derive(data, *WHERE, asked=sick.study())


@pytest.fixture(scope="module")
def found(derived):
    return estimates(derived)


def test_every_comparison_has_its_row(derived, found):
    assert list(found["cell"]) and len(found) == len(derived.comparisons)
    keys = ["comparison", "cell", "baseline_cell"]
    assert set(map(tuple, found[keys].to_numpy())) == set(
        map(tuple, derived.comparisons[keys].to_numpy())
    )
    assert (found["blocks"] == len(STARTS)).all() and (found["machines"] == 1).all()


def test_what_an_hour_does_to_both_sides_is_no_difference(derived, found):
    protocol = found[found["comparison"] == "protocol"]
    assert protocol["ratio"].between(0.97, 1.03).all()
    assert (protocol["status"] == "same").mean() > 0.9
    # unpaired, the hours of the starts are in the interval
    unpaired = derived.comparisons[derived.comparisons["comparison"] == "protocol"]
    width = np.log(protocol["ratio_high"] / protocol["ratio_low"]).median()
    wide = np.log(unpaired["over_ratio_high"] / unpaired["over_ratio_low"]).median()
    assert width < wide / 4


def test_directions_are_those_of_the_ratios(found):
    backend = found[found["comparison"] == "backend"]
    assert (backend["status"] == np.where(backend["ratio"] > 1, "slower", "faster")).all()
    assert (backend["ratio_low"] <= backend["ratio"]).all()
    assert (backend["ratio"] <= backend["ratio_high"]).all()


def test_starts_on_different_machines_are_not_paired(derived):
    invocations = derived.invocations.copy()
    moved = (invocations["invocation"] >= 2) & invocations["cell"].isin(
        derived.comparisons["baseline_cell"]
    )
    invocations.loc[moved, "machine"] = "another"
    apart = estimates(dataclasses.replace(derived, invocations=invocations))
    compared = ~apart["cell"].isin(derived.comparisons["baseline_cell"])
    assert (apart.loc[compared, "blocks"] == 2).all()


def test_what_is_left_out_is_said(derived):
    nothing = dataclasses.replace(derived, latencies={})
    found = estimates(nothing)
    assert (found["status"] == "undecided").all() and (found["flags"] == "empty").all()
    assert decisions(found, 0.99)["comparisons"].eq(0).all()


def test_a_decision_counts_and_summarises(found):
    made = decisions(found, 0.99).set_index(["comparison", "tool"])
    for (comparison, tool), row in made.iterrows():
        group = found[(found["comparison"] == comparison) & (found["tool"] == tool)]
        words = ["slower", "faster", "same", "undecided"]
        assert [row[word] for word in words] == [(group["status"] == w).sum() for w in words]
        assert row["false_expected"] == pytest.approx(0.01 * row["comparisons"])
        assert row["least"] <= row["ratio"] <= row["largest"]
        assert row["ratio"] == pytest.approx(np.exp(np.log(group["ratio"]).mean()))


def test_opposed_queries_make_no_overall_claim():
    rows = {
        "comparison": "c", "tool": "t", "executor": "process", "topology": "loopback",
        "cell": ["a", "b"], "baseline_cell": ["x", "y"],
        "blocks": 5, "ratio": [2.0, 0.5], "ratio_low": [1.8, 0.4], "ratio_high": [2.2, 0.6],
        "error": 0.03, "degrees": 9.0, "status": ["slower", "faster"],
    }  # fmt: skip
    [made] = decisions(pd.DataFrame(rows), 0.99).to_dict("records")
    assert made["status"] == "opposed" and (made["slower"], made["faster"]) == (1, 1)


def test_the_usual_statistics_agree_with_this_packages_own(derived, found):
    usual = conventional(derived)
    assert len(usual) == len(derived.comparisons)
    assert (2 * usual["common_language"] - 1).to_numpy() == pytest.approx(
        usual["delta"].to_numpy(float), abs=1e-9
    )
    both = usual.merge(found, on=["comparison", "tool", "cell", "baseline_cell"])
    assert len(both) == len(found)
    apart = both[both["status"].isin(["slower", "faster"])]
    assert len(apart) and (apart["equivalence_p"] > 0.5).all()
    assert (np.sign(apart["hedges_g"]) == np.sign(np.log(apart["ratio"]))).all()
    same = both[both["status"] == "same"]
    assert len(same) and (same["equivalence_p"] < 0.01).mean() > 0.9
