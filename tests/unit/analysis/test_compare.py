"""Verdicts on pairs of cells, from datasets in which the truth is known."""

import json

import numpy as np
import pytest
import sick
import synthetic

from modelstress import stats
from modelstress.analysis import derive
from modelstress.analysis.compare import VERDICTS, _of_latency, compare
from modelstress.config.errors import ConfigError
from modelstress.report import compare as report

TCP, HTTP = synthetic.LEVELS, synthetic.LEVELS | {"protocol": "http"}
SLOW = [1.00, 1.01, 0.99, 1.005, 0.995]
"""How much starts differ from one another."""


def write(data, levels=TCP, factor=1.0, starts=5, outcomes=None, **more):
    for number, each in zip(range(starts), SLOW, strict=False):
        rng = np.random.default_rng(100 * levels["threads"] + number)
        values = 20 * factor * each * rng.lognormal(0, 0.05, 40)
        synthetic.write(
            data, levels, number, synthetic.samples(values, outcomes, number=number), **more
        )


def read(data):
    return derive(data, synthetic.STUDY, synthetic.PROFILE)


@pytest.fixture
def sides(tmp_path):
    """Two data folders, and what becomes of them."""
    a, b = tmp_path / "a", tmp_path / "b"

    def compared(**more):
        return compare(read(a), read(b), **more)

    return a, b, compared


def only(found):
    [row] = found.cells.to_dict("records")
    return row


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.3, "worse"), (0.7, "better"), (1.0, "same"), (1.05, "unclear")]
)
def test_verdicts_on_latency(sides, factor, verdict):
    a, b, compared = sides
    write(a)
    write(b, factor=factor)
    row = only(compared())
    assert row["verdict"] == verdict, row["why"]
    assert row["over_ratio"] == pytest.approx(factor, rel=0.03)
    assert row["over_ratio_low"] < factor < row["over_ratio_high"]
    assert row["shift_ms"] == pytest.approx(20 * (factor - 1), abs=0.6)


def test_the_verdict_rests_on_the_intervals_end(sides):
    """8 % slower, but not by 5 % for sure."""
    a, b, compared = sides
    write(a)
    write(b, factor=1.08)
    row = only(compared())
    low = row["over_ratio_low"]
    assert 1 < low < 1.08
    assert only(compared(threshold=(low - 1) * 0.9))["verdict"] == "worse"
    assert only(compared(threshold=(low - 1) * 1.1))["verdict"] == "unclear"
    assert only(compared(threshold=0.5))["verdict"] == "same"
    with pytest.raises(ValueError, match="negative"):
        compared(threshold=-0.1)


def test_numbers_are_those_of_the_statistics(sides):
    a, b, compared = sides
    write(a)
    write(b, factor=1.3)
    row = only(compared())
    [before], [after] = read(a).latencies.values(), read(b).latencies.values()
    over = stats.ratio_over_invocations(after, before)
    assert (row["over_ratio_low"], row["over_ratio_high"]) == (
        over.interval.low,
        over.interval.high,
    )
    mine, other = np.concatenate(after), np.concatenate(before)
    assert row["p"] == stats.mann_whitney(mine, other).p
    assert row["delta"] == stats.cliffs_delta(mine, other).value
    assert row["shift_low_ms"] == stats.hodges_lehmann(mine, other).interval.low
    assert row["median_a_ms"] == np.median(other) and row["n_b"] == mine.size


def outcomes(**counts):
    words = [word for word, count in counts.items() for _ in range(count)]
    return words + ["ok"] * (40 - len(words))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ({}, {"error": 1}, "worse"),  # a cell that fails now, though it is as fast as before
        ({}, {"incorrect": 1}, "worse"),
        ({"timeout": 1}, {"incorrect": 1}, "worse"),
        ({"error": 2}, {"error": 12}, "worse"),
        ({"error": 3}, {"error": 4}, "same"),  # chance
        ({"error": 2}, {}, "better"),
        ({"timeout": 12}, {"timeout": 2}, "better"),
    ],
)
def test_verdicts_on_outcomes(sides, before, after, verdict):
    a, b, compared = sides
    write(a, outcomes=outcomes(**before))
    write(b, outcomes=outcomes(**after))
    row = only(compared())
    assert row["verdict"] == verdict, row["why"]


def test_faster_but_failing_is_worse_and_slower_but_answering_is_not_decided(sides):
    a, b, compared = sides
    write(a)
    write(b, factor=0.5, outcomes=outcomes(error=1))
    row = only(compared())
    assert row["verdict"] == "worse" and row["failed_b"] == 5 and row["executions_b"] == 200
    row = only(compare(read(b), read(a)))
    assert row["verdict"] == "unclear"
    assert "failed" in row["why"] and "ratio" in row["why"]


def test_no_latency_left(sides):
    a, b, compared = sides
    write(a, outcomes=outcomes(error=40))
    write(b, outcomes=outcomes(error=40))
    row = only(compared())
    assert row["verdict"] == "unclear" and "A has no latency" in row["why"]
    assert np.isnan(row["over_ratio"]) and np.isnan(row["p_adjusted"])


def test_two_sides_that_time_out_are_not_told_apart(sides):
    a, b, compared = sides
    write(a, outcomes=outcomes(timeout=40))
    write(b, outcomes=outcomes(timeout=40))
    row = only(compared())
    assert row["verdict"] == "unclear" and "both sides lie among timeouts" in row["why"]
    assert np.isnan(row["over_ratio"]) and row["delta"] == 0 and row["p_adjusted"] == 1


def test_a_side_that_times_out_is_slower_by_an_unknown_factor(sides):
    a, b, compared = sides
    write(a, factor=0.01)
    write(b, outcomes=outcomes(timeout=30))  # as long as an answer here, and longer than those of A
    row = only(compared())
    assert row["delta"] > 0.7 and row["p_adjusted"] < 0.01 and np.isnan(row["over_ratio"])
    assert row["over_ratio_low"] > 10 and np.isinf(row["over_ratio_high"])
    assert _of_latency(row, 0.05) == ("worse", f"ratio at least {row['over_ratio_low']:.3g}, "
                                      "as B timed out: all of it above 1.05")  # fmt: skip
    back = only(compare(read(b), read(a)))
    assert back["over_ratio_low"] == 0 and _of_latency(back, 0.05)[0] == "better"
    assert "at most" in _of_latency(back, 0.05)[1]


def test_one_start_decides_nothing(sides):
    a, b, compared = sides
    write(a, starts=1)
    write(b, factor=3, starts=1)
    row = only(compared())
    assert row["verdict"] == "unclear" and "fewer than two invocations" in row["why"]
    assert row["over_ratio"] == pytest.approx(3, rel=0.01) and row["p"] < 0.01


def test_invalid_measurements_and_other_settings_decide_nothing(sides):
    a, b, compared = sides
    write(a)
    write(b, factor=2, valid=False)
    row = only(compared())
    assert (row["verdict"], row["why"]) == ("unclear", "B has invalid invocations only")
    assert np.isnan(row["p"]) and np.isnan(row["over_ratio"]) and row["executions_b"] == 0
    write(b, factor=2, executor="docker")
    row = only(compared())
    assert row["verdict"] == "unclear" and row["why"] == "measured in different settings"
    assert "process" in row["setting"] and "docker" in row["setting"]


def test_contents_may_differ_and_cells_without_partner_are_listed(sides):
    a, b, compared = sides
    write(a)
    write(a, TCP | {"threads": 4}, starts=2)
    write(b, contents=synthetic.CONTENTS | {"jar": "f" * 64})
    write(b, TCP | {"threads": 16}, starts=2)
    found = compared()
    assert only(found)["verdict"] == "same" and found.count("same") == 1
    alone = found.unmatched[["side", "cell", "why"]].to_dict("records")
    assert alone == [
        {"side": "A", "cell": synthetic.cell_id(TCP | {"threads": 4}), "why": "not in B"},
        {"side": "B", "cell": synthetic.cell_id(TCP | {"threads": 16}), "why": "not in A"},
    ]


def test_two_selections_of_one_dataset(sides):
    a, _, _ = sides
    for levels, factor in ((TCP, 1), (HTTP, 4)):
        for threads in (1, 4):
            write(a, levels | {"threads": threads}, factor=factor)
    data = read(a)
    found = compare(data, data, {"protocol": ["tcp"]}, {"protocol": ["http"]})
    assert found.selected == ("protocol",) and "protocol" not in found.matched
    assert list(found.cells["verdict"]) == ["worse", "worse"]
    assert set(found.cells["protocol_a"]) == {"tcp"} and set(found.cells["threads"]) == {1, 4}
    # what is selected alike on both sides only restricts; cells still agree in it
    few = {"protocol": ["tcp"], "threads": ["4"]}
    found = compare(data, data, few, {"protocol": ["http"], "threads": ["4"]})
    assert only(found)["threads"] == 4 and "threads" in found.matched
    with pytest.raises(ConfigError, match="no cell of A"):  # two of B agree with each of A
        compare(data, data, {"protocol": ["tcp"]}, {"protocol": ["tcp", "http"]})


def test_p_values_are_adjusted_over_the_cells(sides):
    a, b, compared = sides
    for threads in (1, 4, 16):
        write(a, TCP | {"threads": threads}, starts=2)
        write(b, TCP | {"threads": threads}, factor=1 + threads / 100, starts=2)
    cells = compared().cells.sort_values("p")
    holm = np.maximum.accumulate(cells["p"] * [3, 2, 1]).clip(upper=1)
    assert cells["p_adjusted"].to_numpy() == pytest.approx(holm.to_numpy())


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"protocl": ["tcp"]}, "A has no factor 'protocl' (did you mean 'protocol'?)"),
        ({"protocol": ["tpc"]}, "A has no level 'tpc' of factor 'protocol' (did you mean 'tcp'?)"),
        ({"threads": ["2"]}, "A has no level '2' of factor 'threads' (valid: 1)"),
    ],
)
def test_mistakes_are_named(sides, selection, message):
    a, _, _ = sides
    write(a, starts=1)
    with pytest.raises(ConfigError) as raised:
        compare(read(a), read(a), selection)
    assert str(raised.value) == message


def test_datasets_without_a_common_cell(sides):
    a, b, compared = sides
    write(a, starts=1)
    write(b, HTTP, starts=1)
    with pytest.raises(ConfigError, match=r"no cell of A \(1\) has a partner in B \(1\)"):
        compared()
    found = compared(select_a={"protocol": ["tcp"]})
    assert len(found.cells) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", sick.KINDS)
def test_sick_datasets_have_blanks_and_reasons(tmp_path, kind):
    data = sick.derived(tmp_path, kind)
    found = compare(data, data, {"protocol": ["tcp"]}, {"protocol": ["http"]})
    assert set(found.cells["verdict"]) <= {"unclear", "same", "better", "worse"}
    for row in found.cells.to_dict("records"):
        assert row["why"]
        if np.isnan(row["over_ratio_low"]):
            assert row["verdict"] == "unclear" or row["failed_p"] < 1 or row["incorrect_p"] < 1
    shown = report.text(
        found.cells, found.unmatched, found.projection, VERDICTS, found.placebo_rates
    )
    assert "nan" not in shown and "inf" not in shown
    said = report.as_json(found.cells, found.unmatched, {}, VERDICTS)
    assert len(json.loads(said)["cells"]) == len(found.cells)
