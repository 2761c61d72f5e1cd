"""Verification, filling up and validity, on small tables."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest
from hdrh.histogram import HdrHistogram

from modelstress.config.errors import MeasureError
from modelstress.config.programs import WorkloadOperation
from modelstress.design.kinds import Expected
from modelstress.measure import histograms, validity
from modelstress.measure.collect import complete, join, traffic, unfinished_to_error
from modelstress.measure.oracle_check import outcome_counts, verify
from modelstress.samples.histograms import read_lines, read_parquet
from modelstress.samples.schema import SCHEMA

ORACLE = {"Q": Expected(3, 2**64 - 1)}
OPERATIONS = (WorkloadOperation(name="Q"),)


def table(*rows: dict[str, Any]) -> pa.Table:
    usual = {
        "invocation": 0, "client": 0, "thread": 0, "sequence": 0, "operation": "Q",
        "intended_start_ns": 0, "start_ns": 0, "duration_ns": 1_000_000, "verify_ns": 10,
        "outcome": "ok", "items": 3, "result_count": 3, "result_digest": 2**64 - 1,
        "bytes_sent": 5, "bytes_received": 7, "phase": "measure", "attempts": 1, "think_ns": 0,
    }  # fmt: skip
    columns = {
        field.name: pa.array(
            [{**usual, **row}[field.name] for row in rows],
            pa.string() if pa.types.is_dictionary(field.type) else field.type,
        ).cast(field.type)
        for field in SCHEMA
    }
    return pa.Table.from_arrays([columns[f.name] for f in SCHEMA], schema=SCHEMA)


def outcomes(rows: pa.Table) -> list[str]:
    return list(rows["outcome"].cast(pa.string()).to_pylist())


def test_only_ok_rows_that_differ_become_incorrect() -> None:
    checked, unverified = verify(
        table(
            {},
            {"result_count": 2},
            {"result_digest": 2**63},
            {"outcome": "error", "result_count": 0},
            {"outcome": "timeout", "result_count": 0, "result_digest": 0},
            {"outcome": "incorrect"},
            {"result_count": 0, "phase": "warmup"},
        ),
        ORACLE,
    )
    assert outcomes(checked) == [
        "ok", "incorrect", "incorrect", "error", "timeout", "incorrect", "incorrect",
    ]  # fmt: skip
    assert unverified == []
    assert checked.schema.equals(SCHEMA)


def test_operations_without_oracle_are_named_and_left_alone() -> None:
    rows = table({}, {"operation": "R"}, {"operation": "S", "outcome": "error"})
    checked, unverified = verify(rows, ORACLE)
    assert outcomes(checked) == ["ok", "ok", "error"]
    assert unverified == ["R"]


def test_outcome_counts_of_a_phase() -> None:
    rows = table({}, {}, {"outcome": "error"}, {"phase": "warmup"})
    assert outcome_counts(rows) == {"ok": 2, "error": 1}
    assert outcome_counts(rows, "cooldown") == {}


def fill(rows: pa.Table, executions: int, outcome: str = "error", **more: Any) -> pa.Table:
    given = {
        "invocation": 4,
        "client": 1,
        "operations": OPERATIONS,
        "at_ns": 99,
        **more,
    }
    return complete(rows, executions=executions, outcome=outcome, **given)


def test_missing_executions_are_filled_up_exactly() -> None:
    rows = table({"sequence": 0}, {"sequence": 3}, {"sequence": 1, "phase": "warmup"})
    whole = fill(rows, 6)
    measured = whole.filter(pa.compute.equal(whole["phase"].cast(pa.string()), "measure"))
    assert sorted(measured["sequence"].to_pylist()) == [0, 1, 2, 3, 4, 5]
    new = measured.slice(2).to_pylist()
    assert {row["outcome"] for row in new} == {"error"}
    assert {(r["invocation"], r["client"], r["thread"], r["start_ns"]) for r in new} == {
        (4, 1, -1, 99)
    }
    assert {row["duration_ns"] for row in new} == {0}
    assert whole.schema.equals(SCHEMA)


def test_nothing_is_filled_up_when_nothing_is_missing() -> None:
    rows = table({"sequence": 0}, {"sequence": 1})
    assert fill(rows, 2) is rows
    assert fill(SCHEMA.empty_table(), 3, "unfinished").num_rows == 3


@pytest.mark.parametrize("numbers", [[0, 1, 2], [0, 0], [0, 7]])
def test_too_many_or_doubled_executions_break_the_contract(numbers: list[int]) -> None:
    with pytest.raises(MeasureError, match="breaks docs/contracts"):
        fill(table(*({"sequence": n} for n in numbers)), 2)


def test_several_operations_are_filled_up_by_weight() -> None:
    operations = (WorkloadOperation(name="A", weight=3), WorkloadOperation(name="B", weight=1))
    rows = table({"sequence": 0, "operation": "A"}, {"sequence": 1, "operation": "B"})
    whole = fill(rows, 8, operations=operations)
    names = whole["operation"].cast(pa.string()).to_pylist()
    assert (names.count("A"), names.count("B")) == (6, 2)


def test_clients_are_joined_in_order_and_keep_their_words() -> None:
    first = table({"client": 1, "start_ns": 5}, {"client": 1, "start_ns": 3, "operation": "R"})
    second = table({"client": 0, "start_ns": 9, "outcome": "error"})
    rows = join([first, second]).to_pylist()
    assert [(r["client"], r["start_ns"], r["operation"], r["outcome"]) for r in rows] == [
        (0, 9, "Q", "error"), (1, 3, "R", "ok"), (1, 5, "Q", "ok"),
    ]  # fmt: skip


def test_unfinished_becomes_error_when_the_server_died() -> None:
    rows = table({"outcome": "unfinished"}, {}, {"outcome": "timeout"})
    assert outcomes(unfinished_to_error(rows)) == ["error", "ok", "timeout"]


def test_traffic_is_known_or_not() -> None:
    rows = table({}, {}, {"phase": "warmup"})
    assert traffic(rows) == {"bytes_sent": 10, "bytes_received": 14}
    assert traffic(table({"bytes_sent": -1}))["bytes_sent"] is None
    assert traffic(SCHEMA.empty_table())["bytes_sent"] is None


def reasons(found: list[validity.Reason]) -> dict[str, str]:
    return {reason.code: reason.kind for reason in found}


def test_client_load() -> None:
    assert reasons(validity.client_load(0.80, 5)) == {}
    assert reasons(validity.client_load(0.81, 5)) == {"client-busy": "invalid"}
    assert reasons(validity.client_load(0.81, 5, has_tool=True)) == {"client-has-tool": "flag"}
    assert reasons(validity.client_load(0.80, 5, has_tool=True)) == {}
    assert reasons(validity.client_load(0.99, 0.1)) == {"client-load-unknown": "flag"}
    assert reasons(validity.client_load(None, 5)) == {"client-load-unknown": "flag"}


def test_lateness_counts_in_an_open_loop_only() -> None:
    late = table(*({"intended_start_ns": 0, "start_ns": 100_001} for _ in range(10)))
    assert reasons(validity.from_samples(late, open_loop=True)) == {"late": "invalid"}
    assert reasons(validity.from_samples(late, open_loop=False)) == {}
    punctual = table(*({"intended_start_ns": 0, "start_ns": 100_000} for _ in range(10)))
    assert reasons(validity.from_samples(punctual, open_loop=True)) == {}


def test_a_few_late_starts_below_the_99th_percentile_do_no_harm() -> None:
    rows = [{"start_ns": 0}] * 995 + [{"start_ns": 900_000}] * 5
    assert reasons(validity.from_samples(table(*rows), open_loop=True)) == {}


def test_cost_of_verification_and_nothing_ok() -> None:
    assert reasons(validity.from_samples(table({"verify_ns": 20_001}), open_loop=False)) == {
        "verify-cost": "flag"
    }
    assert reasons(validity.from_samples(table({"verify_ns": 20_000}), open_loop=False)) == {}
    failed = table({"outcome": "error", "verify_ns": 900_000})
    assert reasons(validity.from_samples(failed, open_loop=True)) == {"nothing-ok": "flag"}


@pytest.mark.parametrize(
    ("other", "offset", "apart"),
    [(0, 0, False), (1_900, 0, False), (2_100, 0, True), (50_000, 50_000, False), (0, 9_000, True)],
)
def test_windows_of_several_clients(other: int, offset: int, apart: bool) -> None:
    rows = table(
        {"client": 0, "duration_ns": 10_000},
        {"client": 1, "duration_ns": 10_000, "start_ns": other, "intended_start_ns": other},
    )
    found = reasons(validity.windows(rows, {0: 0, 1: offset}))
    assert found == ({"windows-apart": "invalid"} if apart else {})


@pytest.mark.parametrize(("begun_ns", "apart"), [(0, False), (9_000, True)])
def test_one_long_execution_does_not_put_windows_apart(begun_ns: int, apart: bool) -> None:
    def client(number: int, longest_ns: int, at_ns: int) -> list[dict[str, int]]:
        return [
            {
                "client": number, "start_ns": at_ns + begin, "intended_start_ns": at_ns + begin,
                "duration_ns": longest_ns if begin == 2_000 else 100,
            }
            for begin in range(0, 5_000, 100)
        ]  # fmt: skip

    rows = table(*client(0, 100_000, 0), *client(1, 100, begun_ns))
    found = reasons(validity.windows(rows, {0: 0, 1: 0}))
    assert found == ({"windows-apart": "invalid"} if apart else {})


def test_one_client_has_nothing_to_overlap_with() -> None:
    assert validity.windows(table({}), {0: 0}) == []


def test_calibrations() -> None:
    def judged(a: float, b: float) -> dict[str, str]:
        return reasons(validity.calibration({"rounds_per_s": a}, {"rounds_per_s": b}))

    assert judged(100, 109) == {} and judged(100, 91) == {}
    assert judged(100, 111) == judged(100, 89) == {"machine-changed": "flag"}
    assert reasons(validity.calibration(None, {"rounds_per_s": 1})) == {"no-calibration": "flag"}


@pytest.mark.parametrize(
    ("cgroup", "flagged"),
    [
        ({}, False),
        ({"cpu.max": "max 100000"}, False),
        ({"cpu.max": "200000 100000"}, False),
        ({"cpu.max": "150000 100000"}, True),
        ({"cpu.cfs_quota_us": "-1"}, False),
        ({"cpu.cfs_quota_us": "50000"}, True),
    ],
)
def test_a_cpu_quota_below_the_cpus_used(cgroup: dict[str, str], flagged: bool) -> None:
    found = reasons(validity.cpu_quota(cgroup, 2))
    assert found == ({"cpu-quota": "flag"} if flagged else {})


def test_flags_leave_a_cell_valid() -> None:
    flag = validity.Reason("a", "flag", "m")
    assert validity.judged([flag])["valid"] is True
    invalid = validity.judged([flag, validity.Reason("b", "invalid", "n")])
    assert invalid["valid"] is False
    assert invalid["reasons"][1] == {"code": "b", "kind": "invalid", "message": "n"}


def test_digests_are_unsigned() -> None:
    rows, _ = verify(table({}), {"Q": Expected(3, 2**64 - 1)})
    assert np.uint64(rows["result_digest"][0].as_py()) == np.uint64(2**64 - 1)
    assert outcomes(rows) == ["ok"]


def line(**more: Any) -> dict[str, Any]:
    return {
        "invocation": 0, "client": 0, "thread": 0, "second_ns": 10**9, "phase": "measure",
        "operation": "Q", "outcome": "ok", "result_count": 3, "result_digest": 2**64 - 1,
        "executions": 10, "verify_ns": 100, "bytes_sent": 5, "bytes_received": 7,
        "duration_ns": encoded(1_000_000, 10), "lateness_ns": encoded(1, 10),
        "items": 30, "attempts": 10, "think_ns": 0, **more,
    }  # fmt: skip


def mssf(header: dict[str, Any]) -> bytes:
    """The sample file beside a histogram file: a header and no records."""
    text = json.dumps({"record_size": 8, "columns": [], "dictionaries": {}, **header}).encode()
    return b"MSSF" + struct.pack("<II", 1, len(text)) + text


def encoded(value: int, count: int) -> str:
    histogram = HdrHistogram(1, 10**12, 3)
    histogram.record_value(value, count)
    return str(histogram.encode().decode())


def test_histogram_lines_are_verified_and_counted() -> None:
    lines, unverified = histograms.verified(
        [
            line(),
            line(result_count=2),
            line(result_digest=7, executions=3),
            line(operation="R"),
            line(outcome="error", result_count=0),
            line(phase="warmup"),
        ],
        ORACLE,
    )
    assert unverified == ["R"]
    samples = histograms.Histograms(lines, unverified, 0)
    assert samples.outcomes("measure") == {"ok": 20, "incorrect": 13, "error": 10}
    assert samples.outcomes("warmup") == {"ok": 10}
    assert samples.traffic() == {"bytes_sent": 25, "bytes_received": 35}
    assert samples.window({0: 10**9}) == {"begin_ns": 0, "end_ns": 10**9}
    assert reasons(samples.reasons({}, open_loop=True)) == {}


def test_histograms_judge_lateness_verification_and_overlap() -> None:
    late = line(lateness_ns=encoded(200_000, 10), verify_ns=10 * 30_000)
    other = line(client=1, second_ns=9 * 10**9)
    found = reasons(histograms.Histograms([late, other], [], 0).reasons({}, open_loop=True))
    assert found == {"late": "invalid", "windows-apart": "invalid"}
    found = reasons(histograms.Histograms([late], [], 0).reasons({}, open_loop=False))
    assert found == {"verify-cost": "flag"}
    failed = histograms.Histograms([line(outcome="error")], [], 0)
    assert reasons(failed.reasons({}, open_loop=False)) == {"nothing-ok": "flag"}


def test_histograms_are_filled_up_exactly() -> None:
    given: dict[str, Any] = {"invocation": 0, "client": 0, "outcome": "error", "at_ns": 5}
    whole = histograms.completed([line(), line(phase="warmup")], executions=25, **given)
    assert histograms.Histograms(whole, [], 15).outcomes("measure") == {"ok": 10, "error": 15}
    assert histograms.completed([line()], executions=10, **given) == [line()]
    with pytest.raises(MeasureError, match="breaks docs/contracts"):
        histograms.completed([line()], executions=9, **given)


def test_histogram_files(tmp_path: Path) -> None:
    samples = tmp_path / "client-0.mssf"
    assert read_lines(samples) == []
    file = tmp_path / "client-0.mssf.histograms.jsonl"
    text = json.dumps({**line(), "result_digest": str(2**64 - 1)})
    samples.write_bytes(mssf({}))
    file.write_text(f"{text}\n{text[:50]}")  # the last line of a killed client
    assert read_lines(samples) == [line()]
    histograms.Histograms([line()], [], 0).write(tmp_path)
    assert list(read_parquet(tmp_path, 2)) == [line()]
    file.write_text(f"{text[:50]}\n{text}\n")
    with pytest.raises(MeasureError, match="line 1"):
        read_lines(samples)


@pytest.mark.parametrize("code", [0, 129, 130, 137, 143])
def test_a_server_stopped_from_outside_is_told_by_how_it_ended(code: int) -> None:
    [reason] = validity.killed(code, own_limit=False)
    assert (reason.code, reason.kind) == ("server-killed", "invalid")
    assert validity.killed(code, own_limit=True) == [], "memory that the study limits"


@pytest.mark.parametrize("code", [None, 1, 6, 134, 139])
def test_a_server_that_crashes_by_itself_is_data(code: int | None) -> None:
    assert validity.killed(code, own_limit=False) == []


LIMIT = "java.lang.OutOfMemoryError: unable to create native thread"


def test_a_limit_of_the_machine_counts_where_executions_failed() -> None:
    [reason] = validity.machine_limit({"ok": 5, "error": 35}, ["x", LIMIT])
    assert (reason.code, reason.kind) == ("machine-limit", "invalid")
    assert "unable to create native thread" in reason.message
    assert validity.machine_limit({"ok": 40}, [LIMIT]) == []
    heap = ["java.lang.OutOfMemoryError: Java heap space", "connection refused"]
    assert validity.machine_limit({"ok": 5, "error": 35}, heap) == []


def test_a_server_that_died_before_its_first_answer_was_not_measured() -> None:
    failed = {"error": 40, "timeout": 1, "unfinished": 2}
    [reason] = validity.unanswered([{}, failed, {}], own_limit=False)
    assert (reason.code, reason.kind) == ("no-answer", "invalid")
    for answer in ("ok", "incorrect", "rejected", "aborted"):
        assert validity.unanswered([{answer: 1}, failed, {}], own_limit=False) == []
    assert validity.unanswered([{}, failed, {}], own_limit=True) == [], "memory that is limited"
