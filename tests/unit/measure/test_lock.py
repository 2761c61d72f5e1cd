"""The host lock: one holder, named, released by its death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import nobody
import pytest

from modelstress.config.errors import BusyError
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.lock import HostLock, lock_path

HOLDER = """
import sys, time
from pathlib import Path
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.lock import HostLock
with HostLock("cell-a", 5, Interrupt(), path=Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def hold(path: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    return holder


def test_it_can_be_taken_again_and_is_writable_for_everyone(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    before = os.umask(0o077)
    try:
        for _ in range(2):
            with HostLock("cell", 0, Interrupt(), path=path):
                assert b'"cell"' in path.read_bytes()
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o666
    assert path.read_bytes() == b""


def test_a_second_one_waits_and_says_for_whom(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = hold(path)
    told: list[str] = []
    with holder:
        message = rf"process {holder.pid} of .*cell-a"
        with (
            pytest.raises(BusyError, match=message),
            HostLock("cell-b", 0.3, Interrupt(), told.append, path),
        ):
            pass
        holder.communicate("\n", timeout=20)
    assert len(told) == 1 and "cell-a" in told[0]


def test_it_is_released_when_its_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with hold(path) as holder:
        holder.kill()
    with HostLock("cell-b", 0, Interrupt(), path=path):
        pass


def test_it_is_taken_over_while_waiting(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = hold(path)

    def told(sentence: str) -> None:
        holder.kill()

    with holder, HostLock("cell-b", 20, Interrupt(), told, path):
        assert holder.wait(20) == -signal.SIGKILL


def test_waiting_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with hold(path) as holder:
        with Interrupt() as interrupt, pytest.raises(InterruptedRunError) as caught:
            waiting = HostLock(  # for longer than a test may take
                "b", 10_000, interrupt, lambda _: os.kill(os.getpid(), signal.SIGINT), path
            )
            with waiting:
                pass
        holder.communicate("\n", timeout=20)
    assert caught.value.exit_code == 130


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("/dev/null")])
def test_what_is_no_file_is_refused(tmp_path: Path, make: object) -> None:
    path = tmp_path / "lock"
    make(path)  # type: ignore[operator]
    with pytest.raises(BusyError, match="host lock"), HostLock("a", 0, Interrupt(), path=path):
        pass


def test_every_user_has_the_same_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = lock_path()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert lock_path() == before
    assert before.parent.stat().st_mode & 0o1777 == 0o1777


def test_another_user_can_wait_and_take_it(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    tmp_path.chmod(0o755)
    folder = tmp_path / "sticky"
    folder.mkdir()
    folder.chmod(0o1777)
    nobody.passable(tmp_path)
    path = folder / "lock"
    with HostLock("mine", 0, Interrupt(), path=path):
        pass
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setuid(65534)
            with HostLock("theirs", 0, Interrupt(), path=path):
                code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_second_name_of_somebodys_file_is_refused_and_stays_whole(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    os.link(tmp_path / "precious", tmp_path / "lock")
    with (
        pytest.raises(BusyError, match="one name"),
        HostLock("cell", 1, Interrupt(), path=tmp_path / "lock"),
    ):
        pass
    assert (tmp_path / "precious").read_text() == "precious"
