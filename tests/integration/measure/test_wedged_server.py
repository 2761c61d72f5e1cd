"""Servers that stop answering, with the fake tool: noticed, documented, restarted."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fake_cells import codes, fake_invocation, processes_of, read_record, read_rows
from fake_controller import controller
from measuring import measure, measured_rows, nothing_left, outcomes, wait_until

from modelstress.measure import deadlines
from modelstress.measure.events import Event
from modelstress.measure.invocation import Invocation

pytestmark = [pytest.mark.usefixtures("quick"), pytest.mark.timeout(180)]

DRIVER = {"endless": 1}
SETTINGS = {"wedge_s": 1.5, "restarts": 3}


def hanging(folder: Path, hangs: int = 1, after: int = 12, **more: Any) -> Invocation:
    """A server that answers ``after`` queries and then none, the first ``hangs`` times."""
    server = {"hangs": hangs, "hang_after": after, **more.pop("server", {})}
    arguments: dict[str, Any] = {
        "threads": 3, "executions": 60, "driver": DRIVER, "settings": SETTINGS,
        "cell_timeout_s": 120, **more,
    }  # fmt: skip
    return fake_invocation(folder, server=server, **arguments)


def restarts(invocation: Invocation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_record(invocation)["server"]["restarts"]
    return found


def test_what_was_under_way_times_out_and_the_rest_is_measured(tmp_path: Path) -> None:
    invocation = hanging(tmp_path)
    said: list[Event] = []
    done = measure(invocation, tmp_path, listener=said.append)
    assert outcomes(invocation) == {"ok": 57, "timeout": 3}
    assert sorted(row["sequence"] for row in measured_rows(invocation)) == list(range(60))
    (one,) = restarts(invocation)
    assert one["phase"] == "measure" and one["timeouts"] == 3
    assert 1.4 < one["after_s"] < 30 and 0 <= one["cpu_share"] < 0.05
    assert one["ready_s"] > 0 and one["at_ns"] > 0
    assert one["dumps"] == [] and len(one["notes"]) == 2  # both are Python programs
    assert all("is no JVM" in note for note in one["notes"])
    record = read_record(invocation)
    assert record["failure"] is None and record["server"]["exit_code"] == 143
    assert done.reasons == tuple(r["code"] for r in record["validity"]["reasons"])
    (reason,) = [r for r in record["validity"]["reasons"] if r["code"] == "wedged"]
    assert reason["kind"] == "flag"
    assert "hung 1 time " in reason["message"] and "3 executions" in reason["message"]
    messages = [d["message"] for d in record["details"] if d["outcome"] == "timeout"]
    assert messages == [m for m in messages if "the server hung" in m] and len(messages) == 1
    assert any("was restarted" in event.message for event in said)
    nothing_left(tmp_path, invocation, "i00")


def test_the_next_time_after_the_last_restart_the_invocation_ends(tmp_path: Path) -> None:
    invocation = hanging(tmp_path, hangs=9, settings={"wedge_s": 1.5, "restarts": 1})
    measure(invocation, tmp_path)
    # 2 answers of the first server went to the warm-up; each hang costs three executions
    assert outcomes(invocation) == {"ok": 22, "timeout": 6, "unfinished": 32}
    first, second = restarts(invocation)
    assert first["ready_s"] > 0 and second["ready_s"] is None
    record = read_record(invocation)
    assert "it had been restarted once before" in record["failure"]
    assert "wedged" in codes(invocation) and "cell-timeout" not in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")
    # and the run goes on with a fresh server
    other = fake_invocation(tmp_path, number=1)
    assert measure(other, tmp_path).outcomes == {"ok": 20}


def test_a_server_that_hangs_in_the_warm_up(tmp_path: Path) -> None:
    invocation = hanging(tmp_path, after=0)
    measure(invocation, tmp_path)
    assert outcomes(invocation) == {"ok": 60}
    (one,) = restarts(invocation)
    assert one["phase"] == "warmup"
    rows = read_rows(invocation).to_pylist()
    timeouts = [row for row in rows if row["outcome"] == "timeout"]
    assert len(timeouts) == one["timeouts"] > 0
    assert {row["phase"] for row in timeouts} == {"warmup"}


def test_two_clients_are_held_and_go_on_together(tmp_path: Path) -> None:
    invocation = hanging(tmp_path, threads=4, clients=2, after=20)
    measure(invocation, tmp_path)
    found = outcomes(invocation)
    (one,) = restarts(invocation)
    assert found["timeout"] == one["timeouts"] <= 4
    assert sum(found.values()) == 60 == found["ok"] + found["timeout"]


def test_timeouts_of_the_client_itself_are_no_answers(tmp_path: Path) -> None:
    driver = {"endless": 0}  # gives up after timeout_ms, and tries again
    invocation = hanging(tmp_path, driver=driver)
    invocation.cell.settings.__dict__["timeout_ms"] = 500
    measure(invocation, tmp_path)
    found = outcomes(invocation)
    (one,) = restarts(invocation)
    assert found["timeout"] > 3 >= one["timeouts"]
    assert found["ok"] + found["timeout"] == 60


def test_a_busy_server_is_not_restarted(tmp_path: Path) -> None:
    invocation = hanging(tmp_path, server={"hang_busy": 1}, cell_timeout_s=8)
    measure(invocation, tmp_path)
    assert restarts(invocation) == []
    assert "cell-timeout" in codes(invocation) and "wedged" not in codes(invocation)


@pytest.mark.parametrize("driver", [{"old": 1}, {"deaf": 1}], ids=["silent", "deaf"])
def test_an_older_client_program_ends_as_before(
    tmp_path: Path, driver: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "HELD_S", 1.0)
    invocation = hanging(tmp_path, driver={**DRIVER, **driver}, cell_timeout_s=10)
    measure(invocation, tmp_path)
    found = outcomes(invocation)
    assert found == {"ok": 10, "unfinished": 50}
    if driver.get("old"):  # nobody can tell that it hangs
        assert restarts(invocation) == [] and "cell-timeout" in codes(invocation)
    else:
        assert "does not know WEDGED" in read_record(invocation)["failure"]
        assert "wedged" in codes(invocation)


def test_nothing_is_watched_with_zero(tmp_path: Path) -> None:
    invocation = hanging(tmp_path, settings={"wedge_s": 0}, cell_timeout_s=6)
    measure(invocation, tmp_path)
    assert restarts(invocation) == [] and "cell-timeout" in codes(invocation)


def test_a_captured_cell_is_captured_after_a_restart_too(tmp_path: Path) -> None:
    invocation = hanging(
        tmp_path,
        threads=1,
        after=5,
        executions=12,
        settings={**SETTINGS, "capture": {"pause_ms": 50}},
    )
    measure(invocation, tmp_path)
    assert len(restarts(invocation)) == 1
    assert outcomes(invocation) == {"ok": 11, "timeout": 1}
    assert "capture-failed" not in codes(invocation)
    table = pq.read_table(invocation.folder / "anatomy.parquet").to_pylist()
    captured = [row for row in table if row["phase"] == "measure"]
    assert [row["sequence"] for row in captured] == list(range(12))
    late = [row for row in captured if row["sequence"] > 6]
    assert late and all(row["payload_received"] > 0 for row in late)


def test_a_server_that_does_not_start_again(tmp_path: Path) -> None:
    invocation = hanging(tmp_path)
    seen: list[str] = []

    def spoil(event: Event) -> None:
        if "taking thread dumps" in event.message:
            seen.append(event.message)
            (tmp_path / "store" / "ids.mssf").unlink()

    measure(invocation, tmp_path, listener=spoil)
    assert seen
    record = read_record(invocation)
    assert "did not start again" in record["failure"] and "no store" in record["failure"]
    found = outcomes(invocation)
    assert found == {"ok": 10, "timeout": 3, "unfinished": 47}


@pytest.mark.parametrize(
    ("how", "delay_s"),
    [
        (signal.SIGINT, 0.15), (signal.SIGTERM, 0.5),
        (signal.SIGKILL, 0.0), (signal.SIGKILL, 0.15), (signal.SIGKILL, 0.5),
    ],
)  # fmt: skip
def test_ending_the_controller_meanwhile_leaves_nothing(
    tmp_path: Path, how: signal.Signals, delay_s: float
) -> None:
    """Killed between the detection and the end of the restart."""
    arguments: dict[str, Any] = {
        "threads": 3, "executions": 60, "driver": DRIVER, "settings": SETTINGS,
        "server": {"hangs": 1, "hang_after": 12, "ready_delay_s": 0.3},
    }  # fmt: skip
    invocation = fake_invocation(tmp_path, **arguments)
    process = controller(tmp_path, **arguments)
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            if "taking thread dumps" in line:
                break
        time.sleep(delay_s)
        process.send_signal(how)
        process.communicate(timeout=60)
    wait_until(lambda: not processes_of(str(tmp_path)), 20)
    again = controller(tmp_path, **arguments)
    said = again.communicate(timeout=120)[0]
    assert again.returncode == 0, said
    assert sum(read_record(invocation)["outcomes"]["measure"].values()) == 60
    nothing_left(tmp_path, invocation, "i00", *aborted(invocation))


def aborted(invocation: Invocation) -> list[str]:
    return [p.name for p in invocation.folder.parent.glob("i00.aborted-*")]
