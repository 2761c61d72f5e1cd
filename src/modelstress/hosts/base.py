"""What an executor offers: programs with limits that can be talked to and stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from modelstress.hosts.lines import LineReader


@dataclass(frozen=True)
class ProgramSpec:
    """A program to start.

    Attributes:
        name: for messages, such as ``server`` or ``client 0``.
        argv: program and arguments; never a shell string.
        cwd: its working folder, which exists.
        stderr: file that receives its log; created or appended to.
        cpus: CPU numbers it may run on; None for all that the caller has.
        env: environment variables set or replaced in the caller's environment.
        nofile: limit of open files; None raises the soft limit to the hard one.
    """

    name: str
    argv: tuple[str, ...]
    cwd: Path
    stderr: Path
    cpus: frozenset[int] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    nofile: int | None = None


class Program(Protocol):
    """A started program. Its standard output is read by ``lines``; the owner must call ``stop``."""

    name: str
    pid: int
    lines: LineReader

    def send(self, line: str) -> bool:
        """Write one line to its standard input; False when nobody reads it any more."""

    def close_input(self) -> None:
        """Close its standard input: the program reads the end of the file."""

    def exit_code(self) -> int | None:
        """Exit code (128 + n after signal n), or None while it runs. Never blocks."""

    def move(self, cpus: frozenset[int]) -> None:
        """Let it run on other CPUs from now on, with all its threads; not after its end."""

    def terminate(self) -> None:
        """Send SIGTERM and return at once."""

    def wait(self, seconds: float) -> int | None:
        """Wait at most so long for its end; the exit code or None."""

    def stop(self, seconds: float) -> int:
        """End it: SIGTERM, after ``seconds`` SIGKILL for all that it started; the exit code.

        May be called again and after the program's own end; nothing of it runs afterwards.
        """

    def last_error(self) -> str | None:
        """The sentence of the last ``error: …`` line of its log, or None."""


class Host(Protocol):
    """Where programs run."""

    executor: str

    def start(self, spec: ProgramSpec) -> Program:
        """Start a program.

        Raises:
            MissingError: the program or its working folder does not exist.
        """
