"""Comparisons of other measures than latency: their numbers, directions and table."""

import json

import captures
import numpy as np
import pandas as pd
import pytest
import sick
import synthetic
from scipy.stats import ttest_ind

from modelstress.analysis import contrasts, derive, load, measures, write
from modelstress.analysis.planned import digest
from modelstress.config.errors import ConfigError
from modelstress.config.measures import MEASURES
from modelstress.config.study import Comparison
from modelstress.stats.bootstrap import MANY
from modelstress.stats.shares import difference_of_shares

WHERE = synthetic.STUDY, synthetic.PROFILE
SIDES = {"title": "t", "level": {"protocol": "http"}, "baseline": {"protocol": "tcp"}}


def study(*names):
    """The study with a comparison of HTTP against TCP for each measure."""
    asked = {name: Comparison(**SIDES, measure=name) for name in names}
    return sick.study().model_copy(update={"comparisons": asked})


def measured(folder, tcp, http, *names):
    """Cells of two protocols; of each invocation duration (ms) and outcomes of its executions."""
    for protocol, starts in (("tcp", tcp), ("http", http)):
        levels = synthetic.LEVELS | {"protocol": protocol}
        for number, (duration, outcomes) in enumerate(starts):
            table = synthetic.samples([duration] * len(outcomes), outcomes, number=number)
            synthetic.write(folder, levels, number, table)
    return derive(folder, *WHERE, asked=study(*names))


def ok(*durations, executions=20):
    return [(duration, ["ok"] * executions) for duration in durations]


def wrong(*shares, executions=20):
    """Invocations with a share of wrong answers each."""
    counts = [round(share * executions) for share in shares]
    return [(10, ["incorrect"] * n + ["ok"] * (executions - n)) for n in counts]


def test_throughput_is_compared_over_invocations(tmp_path):
    derived = measured(tmp_path, ok(10, 8, 12.5), ok(20, 16, 25), "throughput")
    [row] = derived.contrasts.to_dict("records")
    # one thread without pauses: a thousand by the duration; medians 50 and 100 per second
    assert (row["value"], row["baseline_value"]) == pytest.approx((50, 100))
    assert (row["value_low"], row["value_high"]) == pytest.approx((40, 62.5))
    assert (row["difference"], row["ratio"]) == pytest.approx((-50, 0.5))
    assert (row["n"], row["baseline_n"]) == (3, 3), "an invocation has one value"
    welch = ttest_ind([50, 62.5, 40], [100, 125, 80], equal_var=False).confidence_interval(0.99)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((*welch,))
    logs = ttest_ind(np.log([50, 62.5, 40]), np.log([100, 125, 80])).confidence_interval(0.99)
    assert (row["ratio_low"], row["ratio_high"]) == pytest.approx((*np.exp(logs),))
    assert row["ratio_high"] > 1 and row["better"] == ""
    assert (row["measure"], row["unit"]) == ("throughput", "1/s")
    assert "few-invocations" in row["flags"].split(";")


@pytest.mark.parametrize(
    ("slow", "fast", "word"), [("tcp", "http", "better"), ("http", "tcp", "worse")]
)
def test_more_throughput_is_better(tmp_path, slow, fast, word):
    starts = {slow: ok(100, 101, 99), fast: ok(10, 10.1, 9.9)}
    derived = measured(tmp_path, starts["tcp"], starts["http"], "throughput")
    assert derived.contrasts["better"].tolist() == [word]


def test_one_invocation_has_no_interval(tmp_path):
    derived = measured(tmp_path, ok(10), ok(20, 21), "throughput")
    [row] = derived.contrasts.to_dict("records")
    assert row["ratio"] == pytest.approx((1000 / 20 + 1000 / 21) / 2 / 100)
    assert np.isnan([row["ratio_low"], row["difference_low"]]).all() and row["better"] == ""
    assert "one-invocation" in row["flags"].split(";")


def test_nothing_measured_is_blank(tmp_path):
    derived = measured(tmp_path, ok(10, 11), [(10, [])], "throughput", "share of ok")
    assert derived.contrasts[["value", "difference", "ratio"]].isna().all(axis=None)
    assert derived.contrasts["n"].tolist() == [0, 0]
    assert all("empty" in flags.split(";") for flags in derived.contrasts["flags"])


def test_a_share_of_0_on_both_sides_has_no_direction(tmp_path):
    derived = measured(tmp_path, ok(10, 10), ok(10, 10), "share of incorrect")
    [row] = derived.contrasts.to_dict("records")
    assert (row["value"], row["baseline_value"], row["difference"]) == (0, 0, 0)
    assert (row["difference_low"], row["difference_high"]) == (0, 0)
    assert np.isnan(row["ratio"]) and row["better"] == ""
    assert {"constant", "few-invocations"} <= set(row["flags"].split(";"))


def test_a_share_is_the_mean_of_invocations(tmp_path):
    tcp, http = (0, 0, 0, 0), (0, 0, 0, 0.4)
    derived = measured(tmp_path, wrong(*tcp), wrong(*http), "share of incorrect", "share of ok")
    lost, right = derived.contrasts.to_dict("records")
    assert lost["value"] == pytest.approx(0.1), "a median would hide it"
    assert (lost["value_low"], lost["value_high"]) == pytest.approx((0, 0.4))
    # the mean is 0.1, its standard error 0.1, Student's t of 3 degrees of freedom 5.841
    assert (lost["difference_low"], lost["difference_high"]) == pytest.approx(
        (0.1 - 0.5841, 0.1 + 0.5841), abs=1e-4
    )
    assert lost["better"] == right["better"] == ""
    assert (right["value"], right["baseline_value"]) == pytest.approx((0.9, 1))


def test_all_wrong_is_worse_and_one_wrong_answer_in_each_start_is_not(tmp_path):
    all_wrong = measured(tmp_path / "a", wrong(0, 0), wrong(1, 1), "share of incorrect")
    assert all_wrong.contrasts["better"].tolist() == ["worse"]
    # the interval has no width here either, but Fisher's test does not reject: p of 0:40, 2:40
    one = measured(tmp_path / "b", wrong(0, 0), wrong(0.05, 0.05), "share of incorrect")
    [row] = one.contrasts.to_dict("records")
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((0.05, 0.05))
    assert row["better"] == ""


def test_shares_without_trials_say_nothing():
    assert np.isnan(difference_of_shares([(0, 0)], [(1, 2)]).value)
    assert difference_of_shares([(1, 2), (0, 0)], [(1, 2), (1, 2)]).interval is None
    with pytest.raises(ValueError, match="hits"):
        difference_of_shares([(3, 2)], [(1, 2)])


@pytest.mark.parametrize("number", [2, 9])
def test_round_trips_of_captures(tmp_path, number):
    for protocol, questions in (("tcp", 2), ("http", 5)):
        levels = captures.LEVELS | {"protocol": protocol}
        for start in range(number):
            captures.capture(
                tmp_path, levels, lambda _, n=questions: captures.tcp([(10, 10)] * n), number=start
            )
    derived = derive(tmp_path, *WHERE, asked=study("round_trips", "bytes"))
    trips, size = derived.contrasts.to_dict("records")
    assert (trips["value"], trips["baseline_value"], trips["ratio"]) == (6, 3, 2)
    assert (trips["n"], trips["better"]) == (3 * number, "worse"), "executions have a value each"
    assert size["difference"] == 6 * (10 + captures.FRAME)
    assert ("few-invocations" in trips["flags"]) == (number < MANY)


def test_bytes_are_blank_where_nothing_was_captured(tmp_path):
    derived = measured(tmp_path, ok(10, 11), ok(20, 21), "bytes")
    assert derived.contrasts["difference"].isna().all()


def test_energy_is_compared_and_blank_where_a_side_has_none(tmp_path):
    """Two protocols on a machine with counters, and one whose counters nobody could read."""
    joules = {"tcp": (10.0, 11.0, 10.5), "http": (20.0, 22.0, 21.0), "ws": (None, None, None)}
    for protocol, starts in joules.items():
        levels = synthetic.LEVELS | {"protocol": protocol}
        for number, spent in enumerate(starts):
            table = synthetic.samples([10] * 20, number=number)
            window = {"energy.package-0_j": spent} if spent else {}
            synthetic.write(tmp_path, levels, number, table, spent=window)
    asked = study("energy", "energy per execution")
    without = Comparison(
        title="t", level={"protocol": "ws"}, baseline={"protocol": "tcp"}, measure="energy"
    )
    asked = asked.model_copy(update={"comparisons": {**asked.comparisons, "without": without}})
    derived = derive(tmp_path, *WHERE, asked=asked)
    rows = {row["comparison"]: row for row in derived.contrasts.to_dict("records")}
    whole, each = rows["energy"], rows["energy per execution"]
    assert (whole["value"], whole["baseline_value"], whole["unit"]) == (21, 10.5, "J")
    assert whole["ratio"] == pytest.approx(2) and whole["better"] == "worse"
    assert each["value"] == pytest.approx(21 / 20) and each["ratio"] == pytest.approx(2)
    assert np.isnan(rows["without"]["difference"]) and rows["without"]["better"] == ""
    protocols = derived.invocations["cell"].str.split("_").str[1]
    known = derived.invocations.set_index(protocols)["energy_j"]
    assert known["ws"].isna().all() and known["tcp"].tolist() == [10, 11, 10.5]
    assert "energy_j" not in derive(tmp_path, *WHERE, asked=study("throughput")).invocations


def test_the_table_is_there_only_where_it_is_asked_for(tmp_path):
    derived = measured(tmp_path, ok(10, 11), ok(20, 21), "throughput")
    folder = write(derived, tmp_path)
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    fields = {r["name"]: r["schema"]["fields"] for r in package["resources"]}["contrasts"]
    assert all(field["description"] for field in fields)
    assert [field["name"] for field in fields] == [*derived.contrasts.columns]
    assert "## contrasts" in (folder / "README.md").read_text(encoding="utf-8")
    csv = pd.read_csv(folder / "contrasts.csv")
    assert csv["ratio"].tolist() == pytest.approx(derived.contrasts["ratio"].tolist())
    assert derived.comparisons.empty

    write(derive(tmp_path, *WHERE, asked=study("latency")), tmp_path)
    assert not [*folder.glob("contrasts.*")]
    assert "contrasts" not in (folder / "README.md").read_text(encoding="utf-8")


def test_loaded_tables_have_it(tmp_path):
    derived = measured(tmp_path, ok(10, 11), ok(20, 21), "throughput")
    write(derived, tmp_path)
    pd.testing.assert_frame_equal(load(tmp_path, *WHERE).contrasts, derived.contrasts)


def test_tables_from_before_there_were_measures_are_still_current():
    asked, other = study("latency"), study("throughput")
    parts = asked.model_dump(include={"tasks", "comparisons"})
    assert parts["comparisons"]["latency"].pop("measure") == "latency"
    assert digest(None, asked) != digest(None, other)
    from modelstress.design.contents import hash_json

    assert digest(None, asked) == hash_json([None, parts])


def test_contrasts_from_python(tmp_path):
    derived = measured(tmp_path, ok(10, 11), ok(20, 21), "throughput")
    match = ["query", "threads"]
    found = contrasts(derived, match, {"protocol": "tcp"}, measure="throughput")
    assert found["ratio"].tolist() == derived.contrasts["ratio"].tolist()
    with pytest.raises(ConfigError, match="did you mean 'throughput'"):
        contrasts(derived, match, {"protocol": "tcp"}, measure="troughput")
    with pytest.raises(ConfigError, match="captures only"):
        contrasts(derived, match, {"protocol": "tcp"}, measure="bytes")


def test_latencies_are_a_measure_like_any_other(tmp_path):
    derived = measured(tmp_path, ok(10, 11), ok(20, 21), "latency")
    of = measures.starts_of(derived, MEASURES["latency"])
    cells = derived.cells.set_index("protocol").reset_index().to_dict("records")
    http, tcp = sorted(cells, key=lambda cell: cell["protocol"])
    row, _ = measures.beside(MEASURES["latency"], of(http), of(tcp), 0.99)
    [known] = derived.comparisons.to_dict("records")
    assert (row["ratio"], row["ratio_low"]) == (known["over_ratio"], known["over_ratio_low"])
    assert (row["n"], row["value"]) == (40, pytest.approx(20.5))
