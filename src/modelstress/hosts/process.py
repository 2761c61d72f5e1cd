"""Executor ``process``: programs are processes of this machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from modelstress.config.errors import MissingError
from modelstress.hosts.base import ProgramSpec
from modelstress.hosts.lines import LineReader
from modelstress.hosts.logs import last_error

LAUNCHER = str(Path(__file__).with_name("launch.py"))
LOOPBACK = "127.0.0.1"
MARK = "MODELSTRESS_RUN"
"""Environment variable of everything a run starts; its value tells whose it is."""


KILLED_S = 10.0
"""How long the kernel may take to end what got SIGKILL; nobody waits for it longer."""


class ProcessHost:
    """Starts processes that die with the thread that started them.

    Start programs from a thread that lives as long as they shall: the kernel sends the
    parent-death signal when that thread ends.

    Args:
        mark: value of ``MODELSTRESS_RUN`` in every process, for ``leftovers``.
        prefix: what every command begins with, such as ``nsenter …``.
        address: that its servers bind to.
    """

    def __init__(self, mark: str, prefix: tuple[str, ...] = (), address: str = LOOPBACK) -> None:
        self.mark, self._prefix, self.address, self.port = mark, prefix, address, 0

    def start(self, spec: ProgramSpec) -> ProcessProgram:
        """Start a program in its own session (see ``Host.start``)."""
        if shutil.which(spec.argv[0]) is None:
            raise MissingError(
                f"{spec.name}: program {spec.argv[0]!r} is not there; install it or put it on PATH"
            )
        if not spec.cwd.is_dir():
            raise MissingError(f"{spec.name}: working folder {spec.cwd} is not there; create it")
        cpus = "-" if spec.cpus is None else ",".join(map(str, sorted(spec.cpus)))
        nofile = "-" if spec.nofile is None else str(spec.nofile)
        launcher = (sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), cpus, nofile)
        with spec.stderr.open("ab") as log:
            process = subprocess.Popen(
                [*launcher, *self._prefix, *spec.argv],
                cwd=spec.cwd,
                env={**os.environ, **spec.env, MARK: self.mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                start_new_session=True,
            )
        return ProcessProgram(spec, process)


class ProcessProgram:
    """A process and all that it starts in its session."""

    def __init__(self, spec: ProgramSpec, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101
        self.name = spec.name
        self.pid: int = process.pid
        self.lines = LineReader(process.stdout)
        self._input = process.stdin
        self._log = spec.stderr
        self._process = process

    def send(self, line: str) -> bool:
        """See ``Program.send``."""
        try:
            self._input.write(line.encode() + b"\n")
        except (BrokenPipeError, ValueError):
            return False
        return True

    def close_input(self) -> None:
        """See ``Program.close_input``."""
        with suppress(OSError):
            self._input.close()

    def exit_code(self) -> int | None:
        """See ``Program.exit_code``."""
        if self._process.returncode is None:
            # Not reaped here: its process group keeps its number until stop() has killed the group.
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return None
            return 128 + ended.si_status if ended.si_code != os.CLD_EXITED else ended.si_status
        code = self._process.returncode
        return 128 - code if code < 0 else code

    def move(self, cpus: frozenset[int]) -> None:
        """See ``Program.move``."""
        with suppress(OSError):  # it has ended
            for thread in Path(f"/proc/{self.pid}/task").iterdir():
                with suppress(OSError):
                    os.sched_setaffinity(int(thread.name), cpus)

    def signal(self, number: int) -> None:
        """See ``Program.signal``.

        Its group does not have all: each backend of PostgreSQL begins a session of its own.
        """
        if self._process.returncode is not None:
            return  # reaped: the group's number may be another's
        ends = number in (signal.SIGSTOP, signal.SIGKILL)
        others: set[psutil.Process] = set()
        if ends:
            self._signal(others, signal.SIGSTOP)  # what is stopped starts nothing more
        while more := set(_started_by(self.pid)) - others:
            others |= more
            if ends:
                self._signal(more, signal.SIGSTOP)
        self._signal(others, number)

    def _signal(self, others: Iterable[psutil.Process], number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)
        for process in others:
            with suppress(psutil.Error):  # it has ended; its number is not taken for another's
                process.send_signal(number)

    def terminate(self) -> None:
        """See ``Program.terminate``."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def wait(self, seconds: float) -> int | None:
        """See ``Program.wait``."""
        deadline = time.monotonic() + seconds
        while (code := self.exit_code()) is None and time.monotonic() < deadline:
            time.sleep(0.005)
        return code

    def stop(self, seconds: float) -> int:
        """See ``Program.stop``."""
        if self._process.returncode is None:
            if self.exit_code() is None:
                self.terminate()
                self.wait(seconds)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):  # a process that waits for a dead disk stays
                self._process.wait(KILLED_S)
        self.close_input()
        self.lines.close()
        code = self.exit_code()
        return code if code is not None else 128 + signal.SIGKILL

    def last_error(self) -> str | None:
        """See ``Program.last_error``."""
        return last_error(self._log)

    def threads(self) -> str | None:
        """See ``Program.threads``: a process of this machine can be asked from here."""
        return None


def _started_by(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def leftovers(mark: str) -> list[int]:
    """Process ids of what a run with this mark started and what still runs (own processes only)."""
    pids = (int(f.name) for f in Path("/proc").iterdir() if f.name.isdecimal())
    return sorted(pid for pid in pids if pid != os.getpid() and _has_mark(pid, mark))


def kill_leftovers(mark: str) -> list[int]:
    """SIGKILL what ``leftovers`` finds, until nothing is found (5 s at most); the process ids."""
    killed: set[int] = set()
    deadline = time.monotonic() + 5
    while (pids := leftovers(mark)) and time.monotonic() < deadline:
        for pid in pids:
            with suppress(OSError):
                fd = os.pidfd_open(pid)
                try:  # the descriptor pins the process: its number cannot pass to another one
                    if _has_mark(pid, mark):
                        signal.pidfd_send_signal(fd, signal.SIGKILL)
                        killed.add(pid)
                finally:
                    os.close(fd)
        time.sleep(0.02)
    return sorted(killed)


def _has_mark(pid: int, mark: str) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it ended, or is another user's
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")
