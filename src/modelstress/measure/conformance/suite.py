"""Runs all checks on a tool and says of each whether it passed, in one sentence."""

from __future__ import annotations

import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure.conformance import driving, leaking, loading, serving
from modelstress.measure.conformance.bench import CASE, Bench, BrokenError

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
                texts = _texts(bench)
                yield replace(texts, name=texts.name + suffix)
                checks = checks_of(tool) if texts.passed else loading.CHECKS
                for result in run_checks(bench, checks):
                    yield replace(result, name=result.name + suffix)
            finally:
                kill_leftovers(mark)


def _texts(bench: Bench) -> Result:
    """Whether there is a query to ask in every language; without one, one failure says it all."""
    name = "every language has queries to ask"
    missing = bench.without_text
    asked = {language: len(bench.operations(language)) for language in bench.tool.languages}
    said = ", ".join(str(file.relative_to(bench.project.root)) for file in missing.values())
    if silent := [language for language, count in asked.items() if not count]:
        return Result(
            name, False,
            f"no text of case {CASE} in {', '.join(silent)}; write at least one of {said}; until "
            "then only 'load' is checked",
        )  # fmt: skip
    counts = ", ".join(f"{count} in {language}" for language, count in asked.items())
    return Result(name, True, counts + (f"; not asked, without a text: {said}" if said else ""))


def checks_of(tool: Tool) -> tuple[tuple[str, Check], ...]:
    """All checks of a tool, by name, in their order: the first one loads the bench's store."""
    more = driving.DECLARED_CHECKS if tool.attributes else ()
    return (*loading.CHECKS, *serving.CHECKS, *driving.CHECKS, *leaking.CHECKS, *more)


def run_checks(bench: Bench, checks: Iterable[tuple[str, Check]]) -> Iterator[Result]:
    """Run checks on one backend; yields as it goes, and leaves no process of the bench's behind."""
    for name, check in checks:
        yield _result(name, check, bench)


def _result(name: str, check: Check, bench: Bench) -> Result:
    try:
        return Result(name, True, check(bench))
    except (BrokenError, ModelstressError, OSError, subprocess.SubprocessError) as error:
        return Result(name, False, str(error))
    finally:
        kill_leftovers(bench.host.mark)
