"""Invalid is out: by hand, over everything that is made of samples."""

import json
from dataclasses import replace

import numpy as np
import pytest
import synthetic

from modelstress.analysis import compare, contrasts, derive, raw
from modelstress.report import claims, results, summary_tables

LEVELS = synthetic.LEVELS
HTTP = LEVELS | {"protocol": "http"}
BUSY = {"code": "client-busy", "kind": "invalid", "message": "the clients' CPUs were 93 % busy"}
LATE = {"code": "machine-changed", "kind": "flag", "message": "the machine was slower"}
MATCH = ["query", "threads", "model"]


def write(data_dir, levels, number, values, outcomes=None, **more):
    table = synthetic.samples(values, outcomes, number=number)
    return synthetic.write(data_dir, levels, number, table, **more)


def spoiled(data_dir, levels, number, values, outcomes=None, **more):
    reasons = [BUSY, LATE]
    return write(data_dir, levels, number, values, outcomes, valid=False, reasons=reasons, **more)


def of(data_dir):
    return derive(data_dir, synthetic.STUDY, synthetic.PROFILE)


@pytest.fixture
def dataset(tmp_path):
    """TCP: 2 good starts of about 10 ms and a bad one of 1 s; HTTP: two good ones of 20 ms."""
    for number in (0, 1):
        write(tmp_path, LEVELS, number, np.linspace(9, 11, 21) + number / 10)
        write(tmp_path, HTTP, number, np.linspace(19, 21, 21) + number / 10)
    spoiled(tmp_path, LEVELS, 2, np.linspace(900, 1100, 21), ["incorrect", *["ok"] * 20])
    return tmp_path


def test_an_invalid_invocation_has_its_own_state(dataset):
    states = [start.state for start in raw.invocations(dataset, "model-queries", "demo")]
    assert sorted(states) == ["complete"] * 4 + ["invalid"]


def test_a_cell_is_the_same_as_if_its_invalid_invocation_were_not_there(dataset, tmp_path_factory):
    alone = tmp_path_factory.mktemp("alone")
    for number in (0, 1):
        write(alone, LEVELS, number, np.linspace(9, 11, 21) + number / 10)
        write(alone, HTTP, number, np.linspace(19, 21, 21) + number / 10)
    found, wanted = of(dataset), of(alone)
    said = ["flags", "remarks", "invocations_found", "invocations_invalid"]
    assert found.cells.drop(columns=said).equals(wanted.cells.drop(columns=said))
    for name in ("outliers", "faults", "operations", "shapes"):
        ours, theirs = (getattr(each, name).drop(columns="flags", errors="ignore")
                        for each in (found, wanted))  # fmt: skip
        assert ours.equals(theirs), name
    tcp = found.cells[found.cells["protocol"] == "tcp"].iloc[0]
    assert tcp["median_ms"] == pytest.approx(np.median([np.linspace(9, 11, 21) + n / 10
                                                        for n in (0, 1)]))  # fmt: skip
    assert (tcp["invocations"], tcp["invocations_invalid"], tcp["executions"]) == (2, 1, 42)
    assert (tcp["incorrect"], tcp["incorrect_any"], tcp["state"]) == (0, 0, "complete")


def test_comparisons_leave_it_out_too(dataset):
    [row] = contrasts(of(dataset), MATCH, {"protocol": "tcp"}).to_dict("records")
    assert (row["n"], row["baseline_n"], row["delta"]) == (42, 42, 1.0)
    assert row["over_ratio"] == pytest.approx(20.05 / 10.05)
    assert "some-invalid" in row["flags"].split(";") and "invalid" not in row["flags"].split(";")


def test_a_cell_says_how_many_are_left_out_and_why_and_nothing_else_of_them(dataset):
    cells = of(dataset).cells
    tcp = cells[cells["protocol"] == "tcp"].iloc[0]
    codes = tcp["flags"].split(";")
    assert "some-invalid" in codes
    assert not {"client-busy", "machine-changed", "invalid"} & set(codes)
    assert "1 of 3 invocations are invalid and left out" in tcp["remarks"]
    assert "93 % busy" in tcp["remarks"]


def test_of_invalid_invocations_no_statistic_is_made_but_they_are_listed(dataset):
    derived = of(dataset)
    row = derived.invocations[derived.invocations["state"] == "invalid"].iloc[0]
    assert not row["used"] and row["executions"] == 21 and row["incorrect"] == 1
    numbers = ["median_ms", "window_s", "throughput_per_s", "all_per_s", "trend_p"]
    assert row[numbers].isna().all()
    [listed] = summary_tables.invalid(derived).to_dict("records")
    assert listed["invocation"] == "2" and "93 % busy" in listed["reasons"]
    assert (listed["incorrect_any"], listed["checked_any"]) == ("1", "21")
    assert summary_tables.unfinished(derived).empty


def test_a_cell_without_a_valid_invocation_has_no_numbers_and_its_own_state(tmp_path):
    for number in (0, 1):
        spoiled(tmp_path, LEVELS, number, [5.0] * 30)
        write(tmp_path, HTTP, number, np.linspace(19, 21, 21))
    derived = of(tmp_path)
    cell = derived.cells[derived.cells["protocol"] == "tcp"].iloc[0]
    assert (cell["state"], cell["invocations"], cell["executions"]) == ("invalid", 0, 0)
    assert np.isnan(cell["median_ms"]) and np.isnan(cell["throughput_per_s"])
    assert {"invalid", "client-busy"} <= set(cell["flags"].split(";"))
    assert (cell["tool"], cell["cell"]) not in derived.latencies
    [row] = contrasts(derived, MATCH, {"protocol": "tcp"}).to_dict("records")
    assert np.isnan(row["p"]) and np.isnan(row["over_ratio"])


def test_an_attempt_that_was_measured_again_counts_for_nothing(tmp_path):
    spoiled(tmp_path, LEVELS, 0, [500.0] * 30, rest=".invalid-1")
    write(tmp_path, LEVELS, 0, [5.0] * 30)
    derived = of(tmp_path)
    cell = derived.cells.iloc[0]
    assert (cell["median_ms"], cell["invocations_invalid"]) == (5, 0)
    assert "invalid" not in cell["flags"]
    assert sorted(derived.invocations["state"]) == ["attempt", "complete"]


def test_of_several_invalid_attempts_the_last_one_is_the_invocation(tmp_path):
    write(tmp_path, LEVELS, 0, [5.0] * 30)
    for rest in (".invalid-1", ".invalid-2", ""):
        spoiled(tmp_path, LEVELS, 1, [500.0] * 30, rest=rest)
    cell = of(tmp_path).cells.iloc[0]
    assert (cell["invocations"], cell["invocations_invalid"]) == (1, 1)
    assert "1 of 2 invocations are invalid" in cell["remarks"]


def test_two_datasets_are_compared_without_invalid_invocations(dataset, tmp_path_factory):
    other = tmp_path_factory.mktemp("b")
    for number in (0, 1):
        write(other, LEVELS, number, np.linspace(9, 11, 21) + number / 10)
        write(other, HTTP, number, np.linspace(19, 21, 21) + number / 10)
    rows = compare.compare(of(dataset), of(other)).cells
    tcp = rows[rows["protocol"] == "tcp"].iloc[0]
    assert tcp["over_ratio"] == pytest.approx(1) and (tcp["n_a"], tcp["n_b"]) == (42, 42)
    assert (tcp["invalid_a"], tcp["invalid_b"], tcp["executions_a"]) == (1, 0, 42)
    alone = compare.compare(of(other), of(other)).cells
    said = ["invalid_a", "flags"]
    assert rows.drop(columns=said).equals(alone.drop(columns=said))


def test_too_few_valid_invocations_decide_nothing_and_that_is_said(tmp_path, tmp_path_factory):
    other = tmp_path_factory.mktemp("b")
    for number in (0, 1):
        write(other, LEVELS, number, np.linspace(9, 11, 21))
    write(tmp_path, LEVELS, 0, np.linspace(19, 21, 21))
    spoiled(tmp_path, LEVELS, 1, np.linspace(19, 21, 21))
    row = compare.compare(of(other), of(tmp_path)).cells.iloc[0]
    assert row["verdict"] == "unclear"
    assert row["why"].endswith("(1 invalid left out)")


def test_sentences_and_captions_have_the_denominator(dataset):
    derived = of(dataset)
    assert "1 of 5 invocations are invalid and left out" in claims.measured(derived)
    care = claims.care(derived)
    assert "1 of 5 invocations, of 1 cell, are **invalid**" in care
    assert "Of 21 answers that were checked in them, 1 were wrong" in care
    assert "None of 84 executions ended with a wrong one" in claims.outcomes(derived)
    made = results(derived)
    [table] = made.medians()
    assert "1 of 5 invocations are invalid and left out" in table.caption
    assert "1 of 5 invocations are invalid" in made.of("boxes")[0].caption


def test_agreement_on_one_machine_has_no_invalid_start(dataset):
    for folder in sorted((dataset / "raw").rglob("cell.json")):
        record = json.loads(folder.read_text())
        number = record["invocation"]
        record["provenance"]["machine"] = {"name": f"m{min(number, 1)}", "cpu_model": "x"}
        folder.write_text(json.dumps(record))
    said = claims.machines(of(dataset))
    assert "2 on m0, x" in said and "2 on m1, x" in said, "the invalid start was on m1"


def test_no_number_of_the_papers_rests_on_it(dataset):
    derived = of(dataset)
    from modelstress.analysis.replication import causes

    key = tuple(derived.cells.loc[derived.cells["protocol"] == "tcp", ["tool", "cell"]].iloc[0])
    assert causes._starts(derived.invocations, [key])["invocation"].tolist() == [0, 1]
    assert replace(derived).latencies[key][0].max() < 12
