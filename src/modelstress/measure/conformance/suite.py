"""Runs checks on a tool and says of each whether it passed, in one sentence."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TypeVar

from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure.conformance.bench import Bench, BrokenError

B = TypeVar("B", bound=Bench)


@dataclass(frozen=True)
class Result:
    """What one check found.

    Attributes:
        name: what was checked, with the backend where the tool has several.
        passed: whether the tool keeps the contract.
        detail: one sentence: what was seen, or what is wrong.
    """

    name: str
    passed: bool
    detail: str


@contextmanager
def place_of(tool: Tool) -> Iterator[tuple[Path, ProcessHost]]:
    """A temporary folder and a host for the checks of a tool; nothing is left behind.

    All traffic stays on this host.

    Raises:
        ConfigError: the tool's server is run by somebody else.
        SystemExit: SIGTERM or SIGHUP has come; what was started is found by its mark.
    """
    if tool.endpoint is not None:
        raise ConfigError(
            f"tool {tool.tool!r} has an 'endpoint': the suite starts and kills servers and cannot "
            "be used on one that somebody else runs"
        )
    mark = uuid.uuid4().hex
    with _ending(), tempfile.TemporaryDirectory(prefix="modelstress-conformance-") as folder:
        try:
            yield Path(folder), ProcessHost(mark)
        finally:
            kill_leftovers(mark)


@contextmanager
def _ending() -> Iterator[None]:
    """SIGTERM and SIGHUP leave by an exception, as Ctrl-C does, so that everything is tidied up."""

    def leave(signum: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + signum)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_checks(
    bench: B, checks: Iterable[tuple[str, Callable[[B], str]]], suffix: str = ""
) -> Iterator[Result]:
    """Run checks; yields as it goes, and leaves no process of the bench's behind.

    Args:
        bench: of the tool.
        checks: names and functions that return a sentence or raise.
        suffix: of the results' names.
    """
    for name, check in checks:
        yield _result(name + suffix, check, bench)


def _result(name: str, check: Callable[[B], str], bench: B) -> Result:
    try:
        return Result(name, True, check(bench))
    except (BrokenError, ModelstressError, OSError, subprocess.SubprocessError) as error:
        return Result(name, False, str(error))
    finally:
        kill_leftovers(bench.host.mark)
