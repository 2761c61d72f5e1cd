"""Executor ``process``: limits, deadlines, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from modelstress.config.errors import MissingError
from modelstress.hosts import ProcessHost, Program, ProgramSpec, kill_leftovers, leftovers

SOON = 10.0


def start(folder: Path, code: str, mark: str = "test", **limits: object) -> Program:
    argv = (sys.executable, "-u", "-c", code)
    spec = ProgramSpec("program", argv, folder, folder / "log", **limits)  # type: ignore[arg-type]
    return ProcessHost(mark).start(spec)


def alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(") ")[2][0] not in "ZX"


def test_lines_go_both_ways(tmp_path: Path) -> None:
    program = start(tmp_path, "print(input()[::-1]); print('no end', end='')")
    assert program.send("abc")
    assert program.lines.read(SOON) == "cba"
    assert program.lines.read(SOON) == "no end"
    assert program.lines.read(SOON) is None and program.lines.ended
    assert program.stop(1) == 0
    assert not program.send("too late")


def test_a_silent_program_does_not_block(tmp_path: Path) -> None:
    program = start(tmp_path, "import time; time.sleep(60)")
    assert program.lines.next() is None
    assert program.lines.read(0.05) is None and not program.lines.ended
    assert program.exit_code() is None and program.wait(0.05) is None
    assert program.stop(SOON) == 128 + signal.SIGTERM
    assert program.stop(SOON) == 128 + signal.SIGTERM  # again: the same answer


def test_exit_code_is_known_before_and_after_stop(tmp_path: Path) -> None:
    program = start(tmp_path, "raise SystemExit(5)")
    assert program.wait(SOON) == 5
    assert program.exit_code() == 5
    assert program.stop(1) == 5


def test_a_program_that_ignores_sigterm_is_killed_with_its_children(tmp_path: Path) -> None:
    code = (
        "import signal, subprocess, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print(child.pid)\n"
        "time.sleep(60)\n"
    )
    program = start(tmp_path, code)
    child = int(program.lines.read(SOON) or 0)
    assert alive(child)
    assert program.stop(0.2) == 128 + signal.SIGKILL
    wait_until(lambda: not alive(child))


OWN_SESSIONS = r"""
import os, subprocess, sys, time
# a line at once: two programs write to one pipe
code = r"import os, time; os.setsid(); os.write(1, b'%d\n' % os.getpid()); time.sleep(60)"
for _ in range(2):  # as PostgreSQL's backends do
    subprocess.Popen([sys.executable, "-c", code])
time.sleep(60)
"""


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def test_signals_reach_children_with_sessions_of_their_own(tmp_path: Path) -> None:
    program = start(tmp_path, OWN_SESSIONS)
    pids = [int(program.lines.read(SOON) or 0) for _ in range(2)]
    assert program.pid is not None
    program.signal(signal.SIGSTOP)
    wait_until(lambda: [state(pid) for pid in (program.pid, *pids)] == ["T"] * 3)
    program.signal(signal.SIGCONT)
    wait_until(lambda: "T" not in [state(pid) for pid in (program.pid, *pids)])
    program.signal(signal.SIGKILL)
    wait_until(lambda: not any(map(alive, pids)))
    assert program.stop(1) == 128 + signal.SIGKILL
    program.signal(signal.SIGKILL)  # there is nobody any more


def test_children_die_with_a_program_that_ended_by_itself(tmp_path: Path) -> None:
    code = "import subprocess; print(subprocess.Popen(['sleep', '60'], stdout=2).pid)"
    program = start(tmp_path, code)
    child = int(program.lines.read(SOON) or 0)
    assert program.wait(SOON) == 0 and alive(child)
    program.stop(1)
    wait_until(lambda: not alive(child))


def test_cpus_environment_and_folder(tmp_path: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    code = "import os; print(os.sched_getaffinity(0), os.environ['A'], os.getcwd())"
    program = start(tmp_path, code, cpus=frozenset({cpu}), env={"A": "b"})
    assert program.lines.read(SOON) == f"{{{cpu}}} b {tmp_path}"
    program.stop(1)


def test_a_program_can_be_moved_with_its_threads(tmp_path: Path) -> None:
    code = (
        "import os, threading, time\n"
        "threading.Thread(target=lambda: time.sleep(60), daemon=True).start()\n"
        "print('up'); input()\n"
    )
    cpus = sorted(os.sched_getaffinity(0))
    program = start(tmp_path, code, cpus=frozenset(cpus[:1]))
    assert program.lines.read(SOON) == "up"
    program.move(frozenset(cpus[-1:]))
    threads = [int(t.name) for t in Path(f"/proc/{program.pid}/task").iterdir()]
    assert len(threads) == 2
    assert all(os.sched_getaffinity(thread) == set(cpus[-1:]) for thread in threads)
    program.stop(1)
    program.move(frozenset(cpus[:1]))


def test_open_files_limit(tmp_path: Path) -> None:
    code = "import resource; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    program = start(tmp_path, code, nofile=123)
    assert (program.lines.read(SOON) or "").split()[0] == "123"
    program.stop(1)
    program = start(tmp_path, code)
    soft, hard = (program.lines.read(SOON) or "").split()
    assert soft == hard
    program.stop(1)


def test_log_and_its_last_error(tmp_path: Path) -> None:
    code = "import sys; print('error: first\\nerror: Grüße\\nlater', file=sys.stderr)"
    program = start(tmp_path, code)
    program.wait(SOON)
    assert program.last_error() == "Grüße"
    program.stop(1)
    assert "error: first" in (tmp_path / "log").read_text()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    host = ProcessHost("test")
    with pytest.raises(MissingError, match="no-such-program"):
        host.start(ProgramSpec("server", ("no-such-program",), tmp_path, tmp_path / "log"))
    with pytest.raises(MissingError, match="nowhere"):
        host.start(ProgramSpec("server", ("true",), tmp_path / "nowhere", tmp_path / "log"))


def test_programs_die_with_a_killed_controller(tmp_path: Path) -> None:
    controller = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from modelstress.hosts import ProcessHost, ProgramSpec\n"
        "folder = Path(sys.argv[1])\n"
        "spec = ProgramSpec('s', ('sleep', '600'), folder, folder / 'log')\n"
        "print(ProcessHost('killed').start(spec).pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", controller, str(tmp_path)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process, process.stdout:
        pid = int(process.stdout.readline())
        wait_until(lambda: b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes())
        process.kill()
    wait_until(lambda: not alive(pid))


def test_leftovers_are_found_by_their_mark_and_killed(tmp_path: Path) -> None:
    code = (
        "import subprocess, time\n"
        "print(subprocess.Popen(['sleep', '60'], start_new_session=True).pid)\n"
        "time.sleep(60)\n"
    )
    mine, other = start(tmp_path, code, "mark-1"), start(tmp_path, code, "mark-2")
    escaped, foreign = int(mine.lines.read(SOON) or 0), int(other.lines.read(SOON) or 0)
    mine.stop(SOON)
    assert leftovers("mark-1") == [escaped]
    assert kill_leftovers("mark-1") == [escaped]
    assert leftovers("mark-1") == [] and not alive(escaped)
    assert alive(foreign)
    other.stop(SOON)
    kill_leftovers("mark-2")


def test_a_line_without_end_fills_no_memory(tmp_path: Path) -> None:
    program = start(tmp_path, "print('x' * 3_000_000)")
    sizes = []
    while (line := program.lines.read(SOON)) is not None:
        sizes.append(len(line))
    program.stop(1)
    assert sum(sizes) == 3_000_000 and len(sizes) > 1


def wait_until(condition: object, seconds: float = SOON) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)
