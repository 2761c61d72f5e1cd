"""Everything that may go wrong in a cell's life, with a fake tool that keeps the contracts."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fake_cells import (
    codes,
    fake_invocation,
    processes_of,
    read_record,
    read_rows,
)
from fake_controller import controller

from modelstress.config.errors import BusyError, ConfigError, MeasureError, MissingError
from modelstress.measure import calibration, cell, finish, folders
from modelstress.measure import rows as measure_rows
from modelstress.measure.cell import Measured, run_invocation
from modelstress.measure.events import Event
from modelstress.measure.invocation import Invocation


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "SECONDS", 0.02)


def measure(invocation: Invocation, folder: Path, **more: Any) -> Measured:
    return run_invocation(invocation, lock_file=folder / "lock", lock_wait_s=5, **more)


def measured_rows(invocation: Invocation) -> list[dict[str, Any]]:
    return [row for row in read_rows(invocation).to_pylist() if row["phase"] == "measure"]


def outcomes(invocation: Invocation) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in measured_rows(invocation):
        found[row["outcome"]] = found.get(row["outcome"], 0) + 1
    return found


def nothing_left(folder: Path, invocation: Invocation, *expected: str) -> None:
    """No process, no temporary file, and only the expected folders beside the cell's."""
    assert processes_of(str(folder)) == []
    assert sorted(p.name for p in invocation.folder.parent.iterdir()) == sorted(expected)
    for name in expected:
        assert not list((invocation.folder.parent / name).rglob(".tmp-*"))


def kept(invocation: Invocation, number: int = 0) -> Path:
    return invocation.folder.with_name(f"{invocation.folder.name}.aborted-{number}")


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
    object.__setattr__(invocation, "oracle", {})
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


# -- the server ---------------------------------------------------------------------------------


def test_a_server_that_never_gets_ready(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"never_ready": 1}, ready_timeout_s=1)
    with pytest.raises(MeasureError, match=r"not ready after 1 s.*waiting for something.*aborted"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")
    assert "waiting" in (kept(invocation) / "server.log").read_text()
    record = json.loads((kept(invocation) / "cell.json").read_text())
    assert record["state"] == "aborted" and record["levels"]["query"] == "Q"


@pytest.mark.parametrize(
    ("code", "error"),
    [(2, ConfigError), (3, MissingError), (4, MissingError), (5, BusyError), (6, MeasureError)],
)
def test_a_server_that_cannot_start_says_why(tmp_path: Path, code: int, error: type) -> None:
    invocation = fake_invocation(tmp_path, server={"fail": code})
    with pytest.raises(error, match=rf"exit code {code}\): told to fail"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")


def test_a_server_that_ends_without_a_word(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"silent_end": 1})
    with pytest.raises(MeasureError, match="no 'error:' line"):
        measure(invocation, tmp_path)


def test_a_server_killed_in_mid_cell(tmp_path: Path) -> None:
    server, driver = {"die_after_s": 2.0}, {"sleep_s": 0.05}
    invocation = fake_invocation(tmp_path, executions=300, server=server, driver=driver)
    done = measure(invocation, tmp_path)
    found = outcomes(invocation)
    assert sum(found.values()) == 300
    assert found["ok"] > 0 and found["error"] > 0 and set(found) == {"ok", "error"}
    assert done.outcomes == found
    assert sorted(row["sequence"] for row in measured_rows(invocation)) == list(range(300))
    record = read_record(invocation)
    assert record["failure"] == "server died: killed by signal 9"
    assert "server died: killed by signal 9" in [d["message"] for d in record["details"]]
    assert "server-died" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")
    # and the next cell has a fresh server
    other = fake_invocation(tmp_path, number=1)
    assert measure(other, tmp_path).outcomes == {"ok": 20}


def test_a_server_killed_during_the_warm_up(tmp_path: Path) -> None:
    server, driver = {"die_after_s": 1.5}, {"hang_in_warmup": 1}
    invocation = fake_invocation(tmp_path, server=server, driver=driver)
    assert measure(invocation, tmp_path).outcomes == {"error": 20}


def test_a_server_that_ignores_sigterm_is_killed_and_flagged(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"ignore_term": 1}, stop_timeout_s=1)
    assert measure(invocation, tmp_path).outcomes == {"ok": 20}
    assert "server-stop" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")


def test_what_a_server_starts_goes_with_it(tmp_path: Path) -> None:
    before = processes_of("sleep\x00600")
    for number, escape in enumerate((0, 1)):
        server = {"grandchild": 1, "escape": escape}
        measure(fake_invocation(tmp_path, server=server, number=number), tmp_path)
        assert processes_of("sleep\x00600") == before


# -- clients ------------------------------------------------------------------------------------


def test_a_client_that_refuses_its_workload(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, driver={"refuse": 1})
    with pytest.raises(ConfigError, match="client 0: not ready: .*field 'options' is wrong"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")


def test_a_client_killed_in_mid_cell(tmp_path: Path) -> None:
    driver = {"die_at": 7, "sleep_s": 0.05}
    invocation = fake_invocation(tmp_path, threads=1, driver=driver)
    assert not measure(invocation, tmp_path).valid
    assert outcomes(invocation) == {"ok": 7, "error": 13}
    assert "client-died" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")


def test_one_of_two_clients_killed(tmp_path: Path) -> None:
    driver = {"die_at": 7, "sleep_s": 0.02, "go_delay_s": 1}
    invocation = fake_invocation(
        tmp_path, threads=2, clients=2, executions=40, driver=driver, stop_timeout_s=3
    )
    measure(invocation, tmp_path)
    rows = measured_rows(invocation)
    assert len(rows) == 40
    dead = {c["client"] for c in read_record(invocation)["clients"] if c["died"]}
    assert dead == {0}
    assert {row["outcome"] for row in rows if row["client"] == 0} == {"ok", "error"}
    assert {row["outcome"] for row in rows if row["client"] == 1} <= {"ok", "aborted"}


def test_a_cell_that_takes_too_long(tmp_path: Path) -> None:
    driver = {"sleep_s": 0.2}
    invocation = fake_invocation(tmp_path, executions=500, cell_timeout_s=4, driver=driver)
    assert not measure(invocation, tmp_path).valid
    found = outcomes(invocation)
    assert sum(found.values()) == 500 and set(found) == {"ok", "aborted"}
    assert "cell-timeout" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")


def test_a_client_whose_disk_is_full(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, driver={"full_at": 5})
    with pytest.raises(MeasureError, match="the disk is full.*aborted-0"):
        measure(invocation, tmp_path)
    assert (kept(invocation) / "client-0.mssf").stat().st_size > 0
    nothing_left(tmp_path, invocation, "i00.aborted-0")


# -- the controller -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "broken"), [(measure_rows, "write_parquet"), (finish, "write_json")]
)
def test_a_full_disk_at_the_end_keeps_the_clients_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, broken: str
) -> None:
    def full(*_: object) -> None:
        raise MeasureError("samples.parquet: the disk is full; free some space")

    monkeypatch.setattr(module, broken, full)
    invocation = fake_invocation(tmp_path)
    with pytest.raises(MeasureError, match="disk is full.*aborted-0"):
        measure(invocation, tmp_path)
    assert (kept(invocation) / "client-0.mssf").is_file()
    assert not folders.finished(invocation.folder)
    monkeypatch.undo()
    assert measure(invocation, tmp_path).fresh


def test_a_really_full_disk(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)], check=False
    )
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        invocation = fake_invocation(small, executions=200)

        def fill(event: Event) -> None:
            if event.phase == "stopping":
                ballast = (small / "ballast").open("wb", buffering=0)
                with ballast, contextlib.suppress(OSError):
                    while ballast.write(bytes(4096)):
                        pass

        with pytest.raises(MeasureError, match="disk is full.*free some space") as caught:
            measure(invocation, tmp_path, listener=fill)
        assert "aborted-0" in str(caught.value)
        files = list(kept(invocation).glob("client-*.mssf"))
        assert files and files[0].stat().st_size > 10_000
        assert not (invocation.folder / "samples.parquet").exists()
        assert processes_of(str(small)) == []
    finally:
        # lazily: the caught exception's traceback still holds the file that could not be written
        subprocess.run(["umount", "--lazy", str(small)], check=True)


def test_a_disk_that_is_full_from_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    invocation = fake_invocation(tmp_path)
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(MeasureError, match="cannot be written: No space left.*free space"):
        measure(invocation, tmp_path)
    monkeypatch.setattr(folders, "make_work", working(folders.make_work, monkeypatch, full))
    with pytest.raises(MeasureError, match="the disk is full; free some space and run"):
        measure(invocation, tmp_path)
    assert processes_of(str(tmp_path)) == []


def working(make: Any, monkeypatch: pytest.MonkeyPatch, full: Any) -> Any:
    """The work folder can still be made; everything after it cannot be written."""

    def wrapped(*arguments: Any) -> Path:
        monkeypatch.undo()
        monkeypatch.setattr(calibration, "SECONDS", 0.02)
        shutil.rmtree(folders.work_folder(arguments[0]), ignore_errors=True)
        work: Path = make(*arguments)
        monkeypatch.setattr(Path, "write_text", full)
        return work

    return wrapped


def test_nothing_ok_names_the_query_and_the_reason(tmp_path: Path) -> None:
    driver = {"detail": "syntax: "}
    invocation = fake_invocation(tmp_path, server={"die_after_s": 1}, driver=driver)
    object.__setattr__(invocation, "source", Path("queries/train/ocl/Q.ocl"))
    hanging = {"hang_in_warmup": 1}
    object.__setattr__(invocation.cell.tool, "driver_options", hanging)
    events: list[Event] = []
    measure(invocation, tmp_path, listener=events.append)
    assert events[-1].phase == "done"
    assert "queries/train/ocl/Q.ocl: no execution was ok" in events[-1].message
    assert "server died" in events[-1].message


def test_temporary_files_of_programs_go_with_the_cell(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"temporary": 1})
    measure(invocation, tmp_path)
    said = (tmp_path / "temporary").read_text()
    assert Path(said).parent == invocation.folder.with_name("i00.work") / "tmp"
    assert not Path(said).exists()


def read_until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(text):
            return
    raise AssertionError(f"{text!r} was never said")


SLOW = {"executions": 2000, "driver": {"sleep_s": 0.02}, "threads": 2}


@pytest.mark.parametrize("where", ["server", "warmup", "measure"])
@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(tmp_path: Path, where: str, signum: int, code: int) -> None:
    arguments: dict[str, Any] = dict(SLOW)
    if where == "server":
        arguments["server"] = {"never_ready": 1}
    if where == "warmup":
        arguments["driver"] = {"hang_in_warmup": 1}
    process = controller(tmp_path, **arguments)
    with process:
        read_until(process, "measure 2" if where == "measure" else where)
        time.sleep(0.3)
        process.send_signal(signum)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == code, said
    assert f"interrupted by {signal.Signals(signum).name}" in said
    invocation = fake_invocation(tmp_path, **arguments)
    nothing_left(tmp_path, invocation, "i00.aborted-0")
    if where == "measure":
        assert (kept(invocation) / "client-0.mssf").stat().st_size > 1000


def test_a_second_ctrl_c_does_not_stop_the_cleaning_up(tmp_path: Path) -> None:
    arguments = {**SLOW, "server": {"ignore_term": 1}, "stop_timeout_s": 2}
    process = controller(tmp_path, **arguments)
    with process:
        read_until(process, "measure 2")
        for _ in range(4):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        process.communicate(timeout=60)
        assert process.returncode == 130
    nothing_left(tmp_path, fake_invocation(tmp_path, **arguments), "i00.aborted-0")


def test_killed_and_resumed(tmp_path: Path) -> None:
    process = controller(tmp_path, **SLOW)
    with process:
        read_until(process, "measure 2")
        process.kill()
        process.wait(20)
    wait_until(lambda: processes_of(str(tmp_path)) == [])  # the kernel ends what it started
    invocation = fake_invocation(tmp_path, **SLOW)
    assert (invocation.folder.with_name("i00.work") / "client-0.mssf").is_file()
    quick_one = fake_invocation(tmp_path, **{**SLOW, "executions": 20})
    events: list[Event] = []
    assert measure(quick_one, tmp_path, listener=events.append).fresh
    assert "aborted-0" in next(e.message for e in events if e.phase == "recovering")
    assert (kept(invocation) / "client-0.mssf").stat().st_size > 1000
    nothing_left(tmp_path, invocation, "i00", "i00.aborted-0")


def test_killed_while_cleaning_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    invocation = fake_invocation(tmp_path)
    monkeypatch.setattr(folders, "remove_work", lambda folder: None)  # as if killed before it
    measure(invocation, tmp_path)
    record = read_record(invocation)
    monkeypatch.undo()
    assert folders.work_folder(invocation.folder).exists()
    assert not measure(invocation, tmp_path).fresh
    assert read_record(invocation) == record
    nothing_left(tmp_path, invocation, "i00")


def test_killed_while_measuring_again(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path)
    measure(invocation, tmp_path)
    record = read_record(invocation)
    work = folders.make_work(invocation.folder, "again")
    (work / "client-0.mssf").write_bytes(b"measured")
    assert not measure(invocation, tmp_path).fresh
    assert read_record(invocation) == record
    assert (kept(invocation) / "client-0.mssf").read_bytes() == b"measured"


def test_two_controllers_never_measure_together(tmp_path: Path) -> None:
    both = [controller(tmp_path, number, executions=60) for number in (0, 1)]
    for process in both:
        said, _ = process.communicate(timeout=90)
        assert process.returncode == 0 and "fresh" in said
    spans = []
    for number in (0, 1):
        invocation = fake_invocation(tmp_path, executions=60, number=number)
        record = read_record(invocation)
        spans.append((record["window"]["begin_ns"], record["window"]["end_ns"]))
        nothing_left(tmp_path, invocation, "i00", "i01")
    (first, second) = sorted(spans)
    assert first[1] < second[0]


def test_two_controllers_measure_one_cell_once(tmp_path: Path) -> None:
    both = [controller(tmp_path, executions=60) for _ in range(2)]
    said = [process.communicate(timeout=90)[0].splitlines()[-1] for process in both]
    assert sorted(said) == ["fresh", "there"]


def test_measuring_again_keeps_the_old_samples(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path)
    measure(invocation, tmp_path)
    before = read_record(invocation)
    assert measure(invocation, tmp_path, again=True).fresh
    old = invocation.folder.with_name(".i00.replaced-0")
    assert json.loads((old / "cell.json").read_text()) == before
    assert read_record(invocation)["ended"] != before["ended"]


def test_one_cpu_only(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        with pytest.raises(MissingError, match="two CPUs"):
            measure(fake_invocation(tmp_path), tmp_path)
        assert not (tmp_path / "raw").exists()
        invocation = fake_invocation(tmp_path)
        assert not measure(invocation, tmp_path, allow_shared_cpus=True).valid
        assert "shared-cpus" in codes(invocation)
    finally:
        os.sched_setaffinity(0, before)


def test_the_callers_cpus_and_handlers_are_given_back(tmp_path: Path) -> None:
    cpus, handler = os.sched_getaffinity(0), signal.getsignal(signal.SIGINT)
    measure(fake_invocation(tmp_path), tmp_path)
    with pytest.raises(MeasureError):
        measure(fake_invocation(tmp_path, server={"fail": 6}, number=1), tmp_path)
    assert os.sched_getaffinity(0) == cpus
    assert signal.getsignal(signal.SIGINT) is handler
    assert [t.name for t in threading.enumerate() if t.name in ("telemetry", "prepare")] == []


def test_an_unexpected_error_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(finish, "collect_samples", broken)
    invocation = fake_invocation(tmp_path)
    with pytest.raises(RuntimeError, match="a bug"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")
    assert (kept(invocation) / "client-0.mssf").is_file()


def test_an_external_server_is_neither_started_nor_stopped(tmp_path: Path) -> None:
    own = fake_invocation(tmp_path / "own")
    config = tmp_path / "server.json"
    work = tmp_path / "server-work"
    work.mkdir()
    config.write_text(
        json.dumps(
            {"options": {}, "store": str(own.store), "work": str(work), "bind": "127.0.0.1",
             "ports": {"tcp": 0}}
        )
    )  # fmt: skip
    fake = Path(__file__).parents[2] / "fakes" / "tool.py"
    server = subprocess.Popen(
        [str(fake), "serve", "--config", str(config)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        ready = json.loads(server.stdout.readline().removeprefix("READY "))
        invocation = fake_invocation(tmp_path)
        tool = invocation.cell.tool.model_copy(
            update={"endpoint": ready["endpoints"], "ids": "ids.mssf"}
        )
        outside = cell.Invocation(
            **{
                **invocation.__dict__,
                "store": None,
                "cell": type(invocation.cell)(
                    **{
                        name: getattr(invocation.cell, name)
                        for name in type(invocation.cell).__dataclass_fields__
                        if name != "tool"
                    },
                    tool=tool,
                ),
            }
        )
        assert measure(outside, tmp_path).outcomes == {"ok": 20}
        record = read_record(outside)
        assert record["provenance"]["server"] == "external" and record["server"] is None
        assert server.poll() is None
    finally:
        server.kill()
        server.communicate()


def wait_until(condition: Any, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)
