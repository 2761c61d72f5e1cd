"""Full disks, signals and other controllers, with a fake tool that keeps the contracts."""

from __future__ import annotations

import contextlib
import dataclasses
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
)
from fake_controller import controller
from measuring import kept, measure, nothing_left, wait_until

from modelstress.config.errors import MeasureError, MissingError
from modelstress.measure import calibration, cell, folders, record_writer
from modelstress.measure import rows as measure_rows
from modelstress.measure.events import Event

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.parametrize(
    ("module", "broken"), [(measure_rows, "write_parquet"), (record_writer, "write_json")]
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
    object.__setattr__(invocation.needs, "source", Path("queries/train/ocl/Q.ocl"))
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
    work = folders.make_work(invocation.folder, folders.Owner("again"))
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
    assert [
        t.name for t in threading.enumerate() if t.name.startswith(("telemetry", "prepare"))
    ] == []


def test_an_unexpected_error_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(record_writer, "collect_samples", broken)
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
                "needs": dataclasses.replace(invocation.needs, store=None),
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
