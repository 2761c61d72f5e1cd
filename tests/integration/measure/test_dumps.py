"""Thread dumps of real programs, JVMs and others."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness_tool import JAR

from modelstress.hosts import ProcessHost, Program, ProgramSpec, kill_leftovers
from modelstress.measure import dumps, folders
from modelstress.measure.dumps import forget, thread_dump
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.java import find_java

MAIN = "org.modelstress.harness.Main"


@pytest.fixture
def host() -> Iterator[ProcessHost]:
    mark = uuid.uuid4().hex
    yield ProcessHost(mark)
    kill_leftovers(mark)


def jvm(host: ProcessHost, folder: Path) -> Program:
    """The client program, waiting for its controller."""
    if not JAR.is_file():
        pytest.skip("java-shims/harness is not built")
    workload = folder / "workload.json"
    workload.write_text('{"operations": [{"name": "A"}], "executions": 1, "timeout_ms": 1000}')
    options = ("--driver", "null", "--endpoint", "null://127.0.0.1", "--threads", "2")
    files = ("--workload", str(workload), "--out", str(folder / "samples.mssf"))
    argv = (find_java().program, "-Xmx64m", "-XX:-UsePerfData", "-cp", str(JAR), MAIN, "client")
    program = host.start(
        ProgramSpec("client 0", (*argv, *options, *files), folder, folder / "client.log")
    )
    line = program.lines.read(60)
    assert line is not None and line.startswith("READY"), program.last_error()
    return program


def sockets(pid: int) -> Path:
    return Path(f"/tmp/.java_pid{pid}")


def test_all_threads_of_a_jvm_with_what_they_wait_for(tmp_path: Path, host: ProcessHost) -> None:
    program, file = jvm(host, tmp_path), tmp_path / "threads-0-client-0.txt"
    assert thread_dump(host, program, file, None, Interrupt()) is None
    text = file.read_text()
    assert text.startswith(f"{program.pid}:")
    assert '"worker-0"' in text and '"worker-1"' in text
    assert "waiting on <0x" in text and "Locked ownable synchronizers" in text
    assert program.exit_code() is None, "it goes on"
    program.stop(0.0)
    forget(tmp_path)
    assert not sockets(program.pid).exists()
    assert not list(tmp_path.glob("*.log.*")) and not (tmp_path / dumps.ATTACHED).exists()


def test_a_program_that_is_no_jvm_survives(tmp_path: Path, host: ProcessHost) -> None:
    sleep = shutil.which("sleep")
    assert sleep
    spec = ProgramSpec("server", (sleep, "60"), tmp_path, tmp_path / "log")
    program, file = host.start(spec), tmp_path / "threads-0-server.txt"
    time.sleep(0.5)
    assert thread_dump(host, program, file, None, Interrupt()) == (
        "server is no JVM: no thread dump"
    )
    assert program.exit_code() is None and not file.exists()


def test_a_stopped_jvm_is_not_waited_for(
    tmp_path: Path, host: ProcessHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumps, "DEADLINE_S", 1.5)
    program, file = jvm(host, tmp_path), tmp_path / "threads-0-server.txt"
    subprocess.run(["kill", "-STOP", str(program.pid)], check=True)
    note = thread_dump(host, program, file, None, Interrupt())
    assert note == "client 0: no thread dump within 1.5 s"
    assert not file.exists()


def test_a_runtime_without_jcmd_is_a_note(
    tmp_path: Path, host: ProcessHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, file = jvm(host, tmp_path), tmp_path / "threads-0-server.txt"
    (tmp_path / "jre" / "bin").mkdir(parents=True)
    java = tmp_path / "jre" / "bin" / "java"
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jre"))
    note = thread_dump(host, program, file, None, Interrupt())
    assert note is not None and "jcmd is not there" in note


def test_an_interrupt_ends_the_wait(tmp_path: Path, host: ProcessHost) -> None:
    program, file = jvm(host, tmp_path), tmp_path / "threads-0-server.txt"
    interrupt = Interrupt()
    interrupt.signum = signal.SIGINT
    with pytest.raises(InterruptedRunError):
        thread_dump(host, program, file, None, interrupt)


def test_sockets_of_killed_jvms_are_deleted_and_only_those(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    running = subprocess.Popen(["sleep", "60"])
    try:
        for pid in (ended.pid, running.pid):
            with socket.socket(socket.AF_UNIX) as one:
                one.bind(str(sockets(pid)))
        (tmp_path / dumps.ATTACHED).write_text(f"{ended.pid}\n{running.pid}\n")
        forget(tmp_path)
        assert not sockets(ended.pid).exists()
        assert sockets(running.pid).exists(), "it may still be used"
    finally:
        sockets(running.pid).unlink(missing_ok=True)
        running.kill()
        running.wait()
    forget(tmp_path)  # nothing left to do


def test_the_next_run_deletes_the_sockets_of_a_killed_one(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    work = folders.make_work(tmp_path / "i00", folders.Owner(uuid.uuid4().hex))
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(sockets(ended.pid)))
    (work / dumps.ATTACHED).write_text(f"{ended.pid}\n")
    assert folders.recover(tmp_path / "i00")
    assert not sockets(ended.pid).exists() and not work.exists()
