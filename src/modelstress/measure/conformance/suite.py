"""Runs all checks on a tool and says of each whether it passed, in one sentence."""

from __future__ import annotations

import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure.conformance import driving, loading, serving
from modelstress.measure.conformance.bench import Bench, BrokenError

Check = Callable[[Bench], str]


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


def check_tool(project: Project, tool: Tool) -> Iterator[Result]:
    """Check a tool's programs on a small model of the Train Benchmark; yields as it goes.

    All files lie in a temporary folder, all traffic stays on this host, and nothing is left.

    Raises:
        ConfigError: the tool's server is run by somebody else.
        MissingError: a jar or the JDK is not there.
    """
    if tool.endpoint is not None:
        raise ConfigError(
            f"tool {tool.tool!r} has an 'endpoint': the suite starts and kills servers and cannot "
            "be used on one that somebody else runs"
        )
    for backend in tool.backends:
        suffix = f" [{backend}]" if len(tool.backends) > 1 else ""
        mark = uuid.uuid4().hex
        with tempfile.TemporaryDirectory(prefix="modelstress-conformance-") as folder:
            try:
                bench = Bench(project, tool, backend, Path(folder), ProcessHost(mark))
                checks = (*loading.CHECKS, *serving.CHECKS, *driving.CHECKS)
                more = driving.DECLARED_CHECKS if tool.attributes else ()
                for name, check in (*checks, *more):
                    yield _result(name + suffix, check, bench)
            finally:
                kill_leftovers(mark)


def _result(name: str, check: Check, bench: Bench) -> Result:
    try:
        return Result(name, True, check(bench))
    except (BrokenError, ModelstressError, OSError, subprocess.SubprocessError) as error:
        return Result(name, False, str(error))
    finally:
        kill_leftovers(bench.host.mark)
