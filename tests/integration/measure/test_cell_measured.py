"""A cell of the fake tool, measured: what is written, and what is said against it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fake_cells import (
    codes,
    fake_invocation,
    read_record,
)
from measuring import measure, measured_rows, nothing_left, outcomes

from modelstress.config.profile import Steady, Warmup
from modelstress.config.project import Project
from modelstress.design.kinds import Checks
from modelstress.measure.calibration import Recent
from modelstress.measure.events import Event
from modelstress.measure.verify_dataset import recheck
from modelstress.samples import machine_settings
from modelstress.samples.schema import WARM_UP_KEPT

pytestmark = pytest.mark.usefixtures("quick")


def test_a_cell_that_goes_well(tmp_path: Path) -> None:
    events: list[Event] = []
    invocation = fake_invocation(tmp_path, executions=25, number=3)
    done = measure(invocation, tmp_path, listener=events.append)
    assert done.fresh and done.outcomes == {"ok": 25}
    assert done.overhead_s is not None and done.overhead_s > 0
    rows = measured_rows(invocation)
    assert sorted(row["sequence"] for row in rows) == list(range(25))
    assert {row["invocation"] for row in rows} == {3}
    record = read_record(invocation)
    assert record["outcomes"]["warmup"] == {"ok": 2}
    assert record["validity"]["valid"] and record["failure"] is None
    assert record["traffic"] == {"bytes_sent": 250, "bytes_received": 500}
    assert record["server"]["exit_code"] == 143 and record["clients"][0]["exit_code"] == 0
    topology = record["provenance"]["topology"]
    assert not set(topology["server_cpus"]) & set(topology["client_cpus"])
    settings = record["provenance"]["machine"]["settings"]
    assert settings == machine_settings.settings()
    joules = [name for name in record["telemetry"]["window"] if name.startswith("energy.")]
    assert joules == [] or settings["energy"] != machine_settings.UNKNOWN
    assert record["calibration"]["before"]["rounds_per_s"] > 0
    assert record["calibration"]["after"]["rounds_per_s"] > 0
    assert record["window"]["begin_ns"] < record["window"]["end_ns"]
    phases = list(dict.fromkeys(event.phase for event in events))
    assert phases == ["server", "clients", "warmup", "measure", "stopping", "writing", "done"]
    assert any(e.phase == "measure" and e.total == 25 and e.done > 0 for e in events)
    nothing_left(tmp_path, invocation, "i03")
    again = measure(invocation, tmp_path)
    assert not again.fresh
    assert read_record(invocation) == record


def test_of_a_long_warm_up_most_answers_are_counted_and_have_no_row(tmp_path: Path) -> None:
    executions = 2 * WARM_UP_KEPT
    invocation = fake_invocation(tmp_path, executions=25)
    settings = invocation.cell.settings.model_copy(
        update={"warmup": Warmup(executions=executions, seconds=0)}
    )
    invocation = dataclasses.replace(
        invocation, cell=dataclasses.replace(invocation.cell, settings=settings)
    )
    assert measure(invocation, tmp_path).valid
    record = read_record(invocation)
    assert record["outcomes"]["warmup"] == {"ok": executions}
    phases = pq.read_table(invocation.folder / "samples.parquet")["phase"].to_pylist()
    assert phases.count("warmup") == WARM_UP_KEPT and phases.count("measure") == 25
    [checked] = recheck(Project.find(Path(__file__)), tmp_path)
    assert all(problem.startswith("not verified") for problem in checked.problems)


def test_in_a_batch_starts_share_the_calibration_between_them(tmp_path: Path) -> None:
    recent = Recent()
    first, second = (fake_invocation(tmp_path, number=number) for number in (0, 1))
    measure(first, tmp_path, recent=recent)
    measure(second, tmp_path, recent=recent)
    before, after = read_record(first), read_record(second)
    assert "before_is_after" not in before["calibration"]
    assert after["calibration"]["before"] == before["calibration"]["after"]
    shared = after["calibration"]["before_is_after"]
    assert shared["start"] == before["start"]["id"] and 0 <= shared["age_s"] < 5
    assert after["calibration"]["after"] != after["calibration"]["before"]
    alone = fake_invocation(tmp_path, number=2)
    measure(alone, tmp_path)  # not of the batch
    assert "before_is_after" not in read_record(alone)["calibration"]


def test_a_start_that_failed_leaves_no_calibration_to_the_next(tmp_path: Path) -> None:
    recent = Recent()
    died = fake_invocation(
        tmp_path, executions=200, server={"die_after_s": 1.0}, driver={"sleep_s": 0.05}
    )
    measure(died, tmp_path, recent=recent)
    fresh = fake_invocation(tmp_path, number=1)
    measure(fresh, tmp_path, recent=recent)
    assert read_record(died)["failure"]
    assert "before_is_after" not in read_record(fresh)["calibration"]


def test_sizes_of_programs_and_memory_are_recorded(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path)
    measure(invocation, tmp_path)
    record = read_record(invocation)
    for program in (record["server"], *record["clients"]):
        assert program["footprint"]["program"]["text"] > 0
        assert any(name.startswith("libc.") for name in program["footprint"]["libraries"])
    assert 0 < record["server"]["disk_bytes"] < 1 << 30
    marks, columns = record["telemetry"]["marks"], record["telemetry"]["columns"]
    assert marks["ready"] < marks["go"] < marks["window"]
    assert columns["server.rss_bytes"][marks["ready"]] > 1 << 20


def test_two_clients_share_threads_and_executions(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, threads=3, clients=2, executions=30)
    measure(invocation, tmp_path)
    rows = measured_rows(invocation)
    assert len(rows) == 30
    assert {(r["client"], r["thread"]) for r in rows} <= {(0, 0), (0, 1), (1, 0)}
    record = read_record(invocation)
    assert [c["threads"] for c in record["clients"]] == [2, 1]
    assert all(c["rtt_ns"] > 0 for c in record["clients"])
    nothing_left(tmp_path, invocation, "i00")


def test_clock_offsets_are_measured_and_applied(tmp_path: Path) -> None:
    skew = 3_600_000_000_000
    invocation = fake_invocation(tmp_path, driver={"skew_ns": skew})
    measure(invocation, tmp_path)
    client = read_record(invocation)["clients"][0]
    assert abs(client["offset_ns"] - skew) <= client["rtt_ns"]


def test_wrong_answers_become_incorrect(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, executions=20, driver={"wrong_every": 4})
    assert measure(invocation, tmp_path).outcomes == {"incorrect": 5, "ok": 15}
    wrong = [row["sequence"] for row in measured_rows(invocation) if row["outcome"] != "ok"]
    assert sorted(wrong) == [0, 4, 8, 12, 16]


def test_without_oracle_a_cell_is_flagged(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path)
    object.__setattr__(invocation.needs, "checks", Checks())
    assert measure(invocation, tmp_path).valid
    assert "unverified" in codes(invocation)


def test_reasons_from_the_numbers_reach_the_record(tmp_path: Path) -> None:
    driver = {"late_ns": 10**9, "verify_ns": 10**9, "sleep_s": 0.02, "stray": 1}
    levels = {"mode": "open", "rate_per_s": 100}
    invocation = fake_invocation(tmp_path, driver=driver, levels=levels)
    done = measure(invocation, tmp_path)
    assert not done.valid
    assert {"late", "verify-cost"} <= codes(invocation)
    assert read_record(invocation)["clients"][0]["stray_lines"] == 1


def test_a_busy_client_makes_the_cell_invalid(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, threads=1, executions=4, driver={"spin_s": 0.3})
    assert not measure(invocation, tmp_path).valid
    assert "client-busy" in codes(invocation)
    assert read_record(invocation)["telemetry"]["cpu_busy"]["client"] > 0.8


def test_clients_that_measure_one_after_the_other(tmp_path: Path) -> None:
    driver = {"go_delay_s": 1.0, "sleep_s": 0.01}
    invocation = fake_invocation(tmp_path, threads=2, clients=2, executions=10, driver=driver)
    assert not measure(invocation, tmp_path).valid
    assert "windows-apart" in codes(invocation)


def test_windows_wait_for_the_last_execution_of_every_warm_up(tmp_path: Path) -> None:
    driver = {"linger_s": 2.0, "sleep_s": 0.01}  # windows of 1.5 s: a busy machine is late by less
    invocation = fake_invocation(tmp_path, threads=2, clients=2, executions=300, driver=driver)
    steady = Warmup(executions=2, seconds=0, threads=1, steady=Steady(within=0.5, most_s=5))
    settings = invocation.cell.settings.model_copy(update={"warmup": steady})
    cell = dataclasses.replace(invocation.cell, settings=settings)
    invocation = dataclasses.replace(invocation, cell=cell)
    measure(invocation, tmp_path)  # what other tests do to the machine may speak against it
    assert "windows-apart" not in codes(invocation)
    rows = measured_rows(invocation)
    begun = [min(r["start_ns"] for r in rows if r["client"] == client) for client in (0, 1)]
    assert abs(begun[0] - begun[1]) < 1e9  # the lingering client's window would be 2 s later


def test_the_clients_own_faults_are_recognised(tmp_path: Path) -> None:
    driver = {"detail": "client: ", "sleep_s": 0.05}
    invocation = fake_invocation(tmp_path, server={"die_after_s": 2}, driver=driver, executions=200)
    measure(invocation, tmp_path)
    assert "server-died" in codes(invocation)
    if any(d["message"].startswith("client: ") for d in read_record(invocation)["details"]):
        assert "client-fault" in codes(invocation)


def test_forgotten_executions_are_noticed(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, driver={"forget": 5})
    assert not measure(invocation, tmp_path).valid
    assert outcomes(invocation) == {"ok": 19, "error": 1}
    assert "executions-missing" in codes(invocation)
