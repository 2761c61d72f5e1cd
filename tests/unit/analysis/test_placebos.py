"""Pairs of equals: none shares a start, and each rule's directions are counted."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import sick
import synthetic
from scipy.stats import binomtest

from modelstress.analysis import derive
from modelstress.analysis.looks import look
from modelstress.analysis.placebo_pairs import KINDS, Used, halves
from modelstress.analysis.placebos import MEAN, MEAN_OF, OVER, WITHIN, limit, placebos, rates
from modelstress.config.factors import ONE_START, PLACEBO, TWO_MACHINES, TWO_STARTS

STARTS = 5
SPREAD = 0.3
"""Of the log of a start's level: executions scatter far less, as on real machines."""


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """Five starts of every cell that differ as starts do, and in nothing else."""
    data = tmp_path_factory.mktemp("data")
    for number, levels in enumerate(sick.write(data, "nothing", invocations=0)):
        for start in range(STARTS):
            rng = np.random.default_rng(100 * number + start)
            values = 10 * np.exp(rng.normal(0, SPREAD)) * rng.lognormal(0, 0.05, 60)
            table = synthetic.samples(values, threads=levels["threads"], number=start)
            synthetic.write(data, levels, start, table)
    return derive(data, synthetic.STUDY, synthetic.PROFILE, asked=sick.study())


def test_no_start_is_in_two_pairs_of_a_kind(derived):
    found = derived.placebos
    assert len(found)
    for _, of_cell in found.groupby(["kind", "tool", "cell"]):
        starts = of_cell[["invocation", "other_invocation"]].to_numpy()
        used = [number for pair in starts.tolist() for number in set(pair)]
        assert len(used) == len(set(used))


def test_pairs_are_of_one_machine_or_of_two(derived):
    invocations = derived.invocations.copy()
    moved = invocations["invocation"] >= 3
    invocations.loc[moved, "machine"] = "another"
    found = placebos(dataclasses.replace(derived, invocations=invocations))
    machine = invocations.set_index(["tool", "cell", "invocation"])["machine"]
    keys = ["tool", "cell"]
    for kind, same in ((TWO_STARTS, True), (TWO_MACHINES, False)):
        rows = found[found["kind"] == kind]
        assert len(rows) == 2 * found.groupby(keys).ngroups
        first, other = (
            machine.loc[list(rows[[*keys, column]].itertuples(index=False, name=None))].to_numpy()
            for column in ("invocation", "other_invocation")
        )
        assert ((first == other) == same).all()
    # the rule over starts never pairs two machines: it is not asked
    assert (found.loc[found["kind"] == TWO_MACHINES, "over"] == "").all()


def test_the_papers_rule_takes_starts_for_tools_and_the_rule_over_starts_does_not(derived):
    found = derived.placebo_rates.set_index(["rule", "kind", "tool"])
    papers, over = found.loc[(WITHIN, TWO_STARTS, "")], found.loc[(OVER, TWO_STARTS, "")]
    assert papers["rate"] > 0.8 and papers["pairs"] == 2 * len(derived.cells)
    assert over["pairs"] == len(derived.cells) and over["rate"] <= 0.1
    # halves of one window have no start between them: the papers' rule holds there
    assert found.loc[(WITHIN, ONE_START, "")]["rate"] < 0.05


def test_halves_are_of_all_executions_and_carry_a_trend_alike():
    first, other = halves(Used(0, "m", "", np.arange(80.0)))
    assert sorted([*first.latencies, *other.latencies]) == list(range(80))
    assert first.latencies.mean() == other.latencies.mean()


def pairs(tool, directions, count, kind=TWO_STARTS):
    """So many pairs, some of which the papers' rule gives a direction."""
    return pd.DataFrame({
        "kind": kind, "tool": tool, "cell": [f"{tool}-{i}" for i in range(count)],
        "other_cell": "", "invocation": 0, "mean": "",
        "other_invocation": 1, "delta": 0.5,
        "within": ["slower"] * directions + ["unclear"] * (count - directions), "over": "",
    })  # fmt: skip


def test_rates_have_the_exact_limit_and_count_what_was_asked():
    found = pairs("a", 3, 20)
    found.loc[19, "within"] = "few"  # no direction was possible: not asked
    row = rates(found).set_index(["rule", "kind", "tool"]).loc[(WITHIN, TWO_STARTS, "a")]
    assert (row["directions"], row["pairs"]) == (3, 19)
    assert row["rate"] == pytest.approx(3 / 19)
    exact = binomtest(3, 19, alternative="less").proportion_ci(0.95, method="exact").high
    assert row["limit"] == limit(3, 19) == pytest.approx(exact)
    # no pair, no rate
    nothing = rates(found).set_index(["rule", "kind", "tool"]).loc[(OVER, TWO_STARTS, "a")]
    assert nothing["pairs"] == 0 and np.isnan(nothing["rate"]) and np.isnan(nothing["limit"])


def test_few_pairs_stand_beside_those_of_the_same_tool_or_of_all():
    calibration = pd.concat([pairs("b", 5, 50), pairs("c", 40, 60)], ignore_index=True)
    own = pd.concat([pairs("a", 1, 10), pairs("b", 1, 10)], ignore_index=True)
    own["delta"] = 0.25
    found = rates(own, calibration)
    found = found[(found["rule"] == WITHIN) & (found["kind"] == TWO_STARTS)].set_index("tool")
    told = ["calibration_directions", "calibration_pairs", "calibration_of"]
    assert list(found.loc["a", told]) == [45, 110, "all"]
    assert list(found.loc["b", told]) == [5, 50, "b"]
    many = rates(pairs("a", 1, 100), calibration).set_index(["rule", "kind", "tool"])
    assert many.loc[(WITHIN, TWO_STARTS, "a"), "calibration_pairs"] == 0


def test_a_dataset_is_not_its_own_calibration():
    own = pairs("a", 1, 10)
    # two datasets of the same cells, as `modelstress compare` has them
    both = pd.concat([own, own.assign(delta=0.75)], ignore_index=True)
    for found in (own, both):
        told = rates(found, own.round(6)).set_index(["rule", "kind", "tool"])
        assert told.loc[(WITHIN, TWO_STARTS, "a"), "calibration_pairs"] == 0
    other = rates(own.assign(delta=0.75), own).set_index(["rule", "kind", "tool"])
    assert other.loc[(WITHIN, TWO_STARTS, "a"), "calibration_pairs"] == 10


def test_nothing_measured_has_no_pairs(derived):
    nothing = dataclasses.replace(derived, latencies={})
    found = placebos(nothing)
    assert found.empty
    assert set(rates(found)["kind"]) == set(KINDS) and not rates(found)["pairs"].any()


def test_means_of_equals_are_asked_about_as_many_cells_together(derived):
    found = derived.placebos[derived.placebos["kind"] == TWO_STARTS]
    asked = found[found["mean_of"].notna()]
    cells = found.groupby("tool")["cell"].nunique()
    assert len(asked) == (cells // MEAN_OF).sum() > 0 and (asked["mean_of"] == MEAN_OF).all()
    rate = derived.placebo_rates.set_index(["rule", "kind", "tool"]).loc[(MEAN, TWO_STARTS, "")]
    assert rate["pairs"] == len(asked)


@pytest.fixture
def copied(tmp_path):
    """A cell with a copy in its starts, and one of which the start was copied whole, thrice."""
    tools = sick.write(tmp_path, "nothing", invocations=0)[:2]
    for levels, kind, ratio in ((tools[0], ONE_START, 1.5), (tools[1], TWO_STARTS, 1.0)):
        for start in range(3):
            rng = np.random.default_rng(start)
            level = 10 * np.exp(rng.normal(0, SPREAD))
            for copy in ({}, {PLACEBO: kind}):
                values = level * (ratio if copy else 1) * rng.lognormal(0, 0.05, 60)
                table = synthetic.samples(values, threads=1, number=start)
                synthetic.write(tmp_path, {**levels, **copy}, start, table)
    return derive(tmp_path, synthetic.STUDY, synthetic.PROFILE, asked=sick.study())


def test_copies_are_pairs_of_their_cells_and_in_no_other_table(copied):
    assert len(copied.cells) == 2 and len(copied.invocations) == 6
    assert PLACEBO not in copied.cells and PLACEBO not in copied.factors
    found = copied.placebos[copied.placebos["other_cell"] != ""]
    assert list(found["kind"]) == [ONE_START] * 3 + [TWO_STARTS] * 3
    assert (found["invocation"] == found["other_invocation"]).all()
    assert found["blocks"].dropna().tolist() == [3, 3]
    # the rule is asked about the copy as about any cell: this one is slower
    assert found["over"].iloc[0] == "slower" and found["over"].iloc[3] == "same"


def test_copies_that_are_undecided_are_measured_until_they_are_decided(copied):
    placebo = copied.placebos["kind"] == TWO_STARTS
    rows = copied.placebos.assign(over=np.where(placebo, "undecided", "same"))
    seen = look(dataclasses.replace(copied, placebos=rows), (3, 6))
    of = rows.loc[placebo & (rows["other_cell"] != ""), ["tool", "cell", "other_cell"]].iloc[0]
    assert {(of["tool"], of["cell"]), (of["tool"], of["other_cell"])} == seen.wanted
