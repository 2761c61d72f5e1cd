"""One row per cell and invocation, against values worked out by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import synthetic
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelstress.analysis import PlannedCell, derive
from modelstress.config.errors import ConfigError
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples.schema import PHASES

LEVELS = synthetic.LEVELS


def derived(data_dir, expected=None):
    return derive(data_dir, synthetic.STUDY, synthetic.PROFILE, expected)


def only_cell(data_dir, expected=None):
    cells = derived(data_dir, expected).cells
    assert len(cells) == 1
    return cells.iloc[0]


def planned(levels=LEVELS, invocations=1, contents=synthetic.CONTENTS):
    return PlannedCell("cdo", synthetic.cell_id(levels), "CDO", levels, invocations, contents)


def test_latencies_by_hand(tmp_path):
    # one wrong, one failed, one of the warm-up and one of the cool-down do not count
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples(
        [900, 1, 2, 3, 4, 10, 0.5, 0.6, 800],
        ["ok", "ok", "ok", "ok", "ok", "ok", "incorrect", "error", "ok"],
        ["warmup", *["measure"] * 7, "cooldown"],
    ))  # fmt: skip
    cell = only_cell(tmp_path)
    assert cell["median_ms"] == 3
    assert cell["cod"] == pytest.approx((2 + 1 + 0 + 1 + 7) / 5 / 3)
    assert (cell["q1_ms"], cell["q3_ms"]) == (2, 4)
    assert cell["notch_high_ms"] == pytest.approx(3 + 2 / np.sqrt(5))
    assert (cell["whisker_low_ms"], cell["whisker_high_ms"]) == (1, 4)
    assert {o: cell[o] for o in OUTCOMES} == dict.fromkeys(OUTCOMES, 0) | {
        "ok": 5, "incorrect": 1, "error": 1,
    }  # fmt: skip
    assert cell["executions"] == 7
    # window: 1+2+3+4+10+0.5+0.6 ms; five of seven were answered rightly
    assert cell["throughput_per_s"] == pytest.approx(5 / 0.0211)
    assert derived(tmp_path).outliers["latency_ms"].tolist() == [10]
    assert cell["threads"] == 1
    assert cell["topology"] == "1 server CPU, 1 client CPU, network: loopback"
    assert cell["client_processes"] == 1


@pytest.mark.parametrize(("timeouts", "known"), [(0, True), (4, True), (5, False), (11, False)])
def test_the_median_is_blank_from_half_timeouts_on(tmp_path, timeouts, known):
    n = 11 if timeouts == 11 else 10
    outcomes = ["timeout"] * timeouts + ["ok"] * (n - timeouts)
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([7.0] * n, outcomes))
    cell = only_cell(tmp_path)
    assert cell["timeout_share"] == pytest.approx(timeouts / n)
    assert pd.notna(cell["median_ms"]) == known
    assert ("median-censored" in cell["flags"].split(";")) == (not known)
    assert ("censored" in cell["flags"].split(";")) == (known and timeouts > 0)


def test_intervals_are_over_invocations_when_there_are_several(tmp_path):
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples(np.arange(10.0, 30)))
    one = only_cell(tmp_path)
    assert one["median_interval"] == "within one start"
    # ranks 4 and 17 of 20
    assert (one["median_low_ms"], one["median_high_ms"]) == (13, 26)
    assert "one-invocation" in one["flags"]
    synthetic.write(tmp_path, LEVELS, 1, synthetic.samples(np.arange(110.0, 130)))
    two = only_cell(tmp_path)
    assert two["median_interval"] == "over invocations"
    assert two["median_coverage"] == 0.5
    assert two["median_low_ms"] < 30
    assert two["median_high_ms"] > 110
    assert two["invocations"] == 2


def test_throughput_is_the_median_of_the_invocations_with_their_range(tmp_path):
    for number, each in enumerate((10.0, 20.0, 50.0)):
        synthetic.write(tmp_path, LEVELS, number, synthetic.samples([each] * 10))
    cell = only_cell(tmp_path)
    assert cell["throughput_per_s"] == pytest.approx(50)
    assert (cell["throughput_low_per_s"], cell["throughput_high_per_s"]) == pytest.approx((20, 100))


def test_clients_with_clocks_of_their_own(tmp_path):
    first, second = synthetic.samples([10.0] * 10), synthetic.samples([20.0] * 10)
    shifted = second.set_column(1, "client", pa.array([1] * 10, "int16"))
    for name in ("start_ns", "intended_start_ns"):
        at = shifted.schema.get_field_index(name)
        moved = pa.array(np.array(shifted[name]) + 10**15)
        shifted = shifted.set_column(at, shifted.schema.field(name), moved)
    both = pa.concat_tables([first, shifted.cast(first.schema)])
    synthetic.write(tmp_path, LEVELS, 0, both)
    assert only_cell(tmp_path)["throughput_per_s"] == pytest.approx(100 + 50)


def killed_client(tmp_path):
    """Two clients of which the second was killed after 1 of 10 s, with nine more to ask."""
    begin = synthetic.ORIGIN_NS
    alive = synthetic.samples([100.0] * 100)
    dead = synthetic.samples([100.0] * 10 + [0.0] * 90, ["ok"] * 10 + ["unfinished"] * 90, client=1)
    fault = {
        "kind": "client-killed", "begun_ns": begin + 10**9, "in_effect_ns": begin + 10**9,
        "ended_ns": begin + 10**9,
    }  # fmt: skip
    both = pa.concat_tables([alive, dead])
    synthetic.write(tmp_path, LEVELS, 0, both, fault=fault)
    return both, fault


def test_a_client_that_was_killed_is_missing_from_the_throughput(tmp_path):
    killed_client(tmp_path)
    [start] = derived(tmp_path).invocations.to_dict("records")
    assert start["throughput_per_s"] == pytest.approx(110 / 10)
    assert start["all_per_s"] == pytest.approx(200 / 10)


def test_only_invocations_that_are_used_are_in_the_table_of_faults(tmp_path):
    both, fault = killed_client(tmp_path)
    synthetic.write(tmp_path, LEVELS, 1, both, fault=fault)
    elsewhere = {"fault": fault, "network": "another"}
    synthetic.write(tmp_path, LEVELS, 2, both, **elsewhere)
    rows = derived(tmp_path).faults
    assert rows["invocation"].tolist() == [0, 1]
    assert rows["lost"].tolist() == [90, 90] and rows["recovered"].tolist() == ["by itself"] * 2


def test_a_mix_is_taken_apart(tmp_path):
    names = ["quick", "slow"] * 10
    times, outcomes = [1.0, 50.0] * 10, ["ok"] * 19 + ["incorrect"]
    for number in (0, 1):
        table = synthetic.samples(times, outcomes, operations=names)
        synthetic.write(tmp_path, LEVELS, number, table)
    found = derived(tmp_path)
    rows = found.operations.set_index("operation")
    assert rows["median_ms"].to_dict() == {"quick": 1.0, "slow": 50.0}
    assert rows["ok"].to_dict() == {"quick": 20, "slow": 18}
    assert rows.loc["slow", "incorrect"] == 2 and set(rows["query"]) == {"PosLength"}
    assert rows["median_interval"].unique().tolist() == ["over invocations"]


def test_a_single_query_is_no_mix(tmp_path):
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([1.0, 2.0]))
    assert derived(tmp_path).operations.empty


@pytest.mark.parametrize(("answered", "known"), [(4, False), (5, False), (6, True)])
def test_what_was_answered_before_the_server_died_is_no_median(tmp_path, answered, known):
    outcomes = ["ok"] * answered + ["error"] * (10 - answered)
    died = [{"code": "server-died", "kind": "flag", "message": "killed by signal 9"}]
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * 10, outcomes), reasons=died)
    cell = only_cell(tmp_path)
    assert pd.notna(cell["median_ms"]) == known
    assert ("median-of-survivors" in cell["flags"].split(";")) == (not known)
    assert bool(derived(tmp_path).latencies) == known


def test_missing_stale_unplanned_and_incomplete_cells_are_listed(tmp_path):
    other = LEVELS | {"threads": 4}
    foreign = LEVELS | {"threads": 64}
    synthetic.write(
        tmp_path, LEVELS, 0, synthetic.samples([5.0] * 30),
        contents=synthetic.CONTENTS | {"model": "f" * 64},
    )  # fmt: skip
    synthetic.write(tmp_path, foreign, 0, synthetic.samples([5.0] * 30))
    cells = derived(tmp_path, [planned(invocations=2), planned(other)]).cells
    assert cells["threads"].tolist() == [1, 4, 64]
    stale, missing, unplanned = (set(flags.split(";")) for flags in cells["flags"])
    assert {"stale", "incomplete"} <= stale
    assert missing == {"missing"}
    assert "unplanned" in unplanned
    assert cells["state"].tolist() == ["partial", "missing", "complete"]
    assert "another content of the model" in cells["remarks"].iloc[0]
    assert cells["executions"].tolist() == [30, 0, 30]


def test_contents_that_were_not_recorded_or_cannot_be_hashed_make_nothing_stale(tmp_path):
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * 30))
    plan = planned(contents=synthetic.CONTENTS | {"settings": "0" * 64})
    assert "stale" not in only_cell(tmp_path, [plan])["flags"]
    assert "stale" not in only_cell(tmp_path, [replace(plan, contents={})])["flags"]


def test_what_the_tool_aborts_is_counted_apart_and_no_failure(tmp_path):
    ends = ["aborted"] * 3 + ["unfinished"] + ["ok"] * 8
    phases = ["warmup"] * 2 + ["measure"] * 10
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * 12, ends, phases))
    derived = derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    cell = derived.cells.iloc[0]
    assert (cell["ok"], cell["aborted"], cell["unfinished"]) == (8, 1, 1)
    assert (cell["executions"], cell["failed_warmup"]) == (10, 0)
    names = list(derived.cells.columns)
    assert names.index("aborted") == names.index("rejected") + 1


def test_an_aborted_attempt_counts_nothing_and_is_forgiven_once_measured_again(tmp_path):
    table = synthetic.samples([5.0] * 30)
    aborted = synthetic.write(tmp_path, LEVELS, 0, table, rest=".aborted-0")
    result = derived(tmp_path, [planned()])
    assert result.cells["state"].tolist() == ["aborted"]
    assert (result.cells["ok"].iloc[0], result.invocations["ok"].iloc[0]) == (0, 30)
    assert np.isnan(result.cells["median_ms"].iloc[0])
    assert "aborted" in result.cells["flags"].iloc[0]
    synthetic.write(tmp_path, LEVELS, 0, table)
    result = derived(tmp_path, [planned()])
    assert result.invocations["state"].tolist() == ["complete", "aborted"]
    assert result.cells["state"].tolist() == ["complete"]
    assert "aborted" not in result.cells["flags"].iloc[0]
    assert aborted.is_dir()


def test_reasons_of_validity_become_flags(tmp_path):
    reasons = [{"code": "client-busy", "kind": "invalid", "message": "93 % busy"}]
    table = synthetic.samples([5.0] * 30)
    synthetic.write(tmp_path, LEVELS, 0, table, valid=False, reasons=reasons)
    cell = only_cell(tmp_path)
    assert {"invalid", "client-busy"} <= set(cell["flags"].split(";"))
    assert "93 % busy" in cell["remarks"]
    assert (cell["state"], cell["invocations"], cell["executions"]) == ("invalid", 0, 0)
    assert np.isnan(cell["median_ms"])


def test_executors_are_never_pooled(tmp_path):
    for number, executor in enumerate(("process", "docker", "process")):
        table = synthetic.samples([100.0 if executor == "docker" else 5.0] * 30)
        synthetic.write(tmp_path, LEVELS, number, table, executor=executor)
    result = derived(tmp_path)
    cell = result.cells.iloc[0]
    assert (cell["executor"], cell["invocations"], cell["invocations_found"]) == ("process", 2, 3)
    assert (cell["ok"], cell["median_high_ms"]) == (60, 5)
    assert "other-setting" in cell["flags"]
    assert "i01 was measured elsewhere (docker" in cell["remarks"]
    assert result.invocations["executor"].tolist() == ["process", "docker", "process"]


def test_a_cell_without_a_single_answer_is_blank(tmp_path):
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * 9, ["error"] * 9))
    cell = only_cell(tmp_path)
    assert (cell["error"], cell["ok"]) == (9, 0)
    assert cell[["median_ms", "cod", "median_low_ms", "timeout_share"]].isna().all()
    assert cell["throughput_per_s"] == 0


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_executions(tmp_path, n):
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * n))
    result = derived(tmp_path)
    cell = result.cells.iloc[0]
    assert cell["ok"] == n
    assert pd.isna(cell["median_low_ms"])
    assert pd.isna(result.invocations["steady"].iloc[0])


def test_unsteady_cells_are_flagged_and_not_dropped(tmp_path):
    values = np.r_[synthetic.latencies(40, 30, 1), synthetic.latencies(10, 90, 2)]
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples(values))
    result = derived(tmp_path)
    assert not result.invocations["steady"].iloc[0]
    assert abs(result.invocations["settled_at"].iloc[0] - 30) <= 3
    assert "change-point" in result.cells["flags"].iloc[0]
    assert pd.notna(result.cells["median_ms"].iloc[0])


def test_levels_come_from_the_plan_when_nothing_was_recorded(tmp_path):
    folder = synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0]))
    (folder / "cell.json").unlink()
    cell = only_cell(tmp_path, [planned()])
    assert (cell["state"], cell["query"]) == ("partial", "PosLength")
    assert only_cell(tmp_path)["executor"] == "unknown"


def test_a_factor_with_the_name_of_a_column_is_refused(tmp_path):
    synthetic.write(tmp_path, LEVELS | {"cod": 1}, 0, synthetic.samples([5.0]))
    with pytest.raises(ConfigError, match="factor 'cod'"):
        derived(tmp_path)


def test_provenance_is_counted(tmp_path):
    for number in (0, 1):
        synthetic.write(tmp_path, LEVELS, number, synthetic.samples([5.0]))
    facts = derived(tmp_path).provenance.set_index("key")
    assert facts.loc["machine.cpu_model", "value"] == "Example CPU"
    assert facts.loc["git.commit", "invocations"] == 2
    assert facts.loc["topology.server_cpus", "value"] == "0"


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(
    st.tuples(st.floats(0.001, 1e4), st.sampled_from(OUTCOMES), st.sampled_from(PHASES)),
    max_size=60,
))  # fmt: skip
def test_every_measured_execution_is_counted_once(tmp_path_factory, rows):
    data = tmp_path_factory.mktemp("data")
    durations, outcomes, phases = zip(*rows, strict=True) if rows else ((), (), ())
    table = synthetic.samples(list(durations), list(outcomes) or None, list(phases) or None)
    synthetic.write(data, LEVELS, 0, table)
    cell = only_cell(data)
    for outcome in OUTCOMES:
        wanted = sum(o == outcome and p == "measure" for _, o, p in rows)
        assert cell[outcome] == wanted
    ok = [int(d * 1e6) / 1e6 for d, o, p in rows if o == "ok" and p == "measure"]
    if pd.notna(cell["median_ms"]):
        assert min(ok) <= cell["median_ms"] <= max(ok)
