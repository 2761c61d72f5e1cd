"""The conformance suite of the kind ``queries``: what is asked of a tool, backend by backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.measure.conformance import (
    Result,
    driving,
    leaking,
    place_of,
    run_checks,
    serving,
    slicing,
)
from modelstress.workloads.queries.conformance import asking, loading
from modelstress.workloads.queries.conformance.bench import CASE, QueriesBench

Check = Callable[[QueriesBench], str]


def check_tool(project: Project, tool: Tool) -> Iterator[Result]:
    """Check a tool's programs on a small model of the Train Benchmark; yields as it goes.

    Raises:
        ConfigError: the tool's server is run by somebody else.
        MissingError: a jar or the JDK is not there.
    """
    for backend in tool.backends:
        suffix = f" [{backend}]" if len(tool.backends) > 1 else ""
        with place_of(tool) as (folder, host):
            bench = QueriesBench(project, tool, folder, host, backend)
            texts = _texts(bench)
            yield replace(texts, name=texts.name + suffix)
            checks = checks_of(tool) if texts.passed else loading.CHECKS
            yield from run_checks(bench, checks, suffix)


def _texts(bench: QueriesBench) -> Result:
    """Whether there is a query to ask in every language; without one, one failure says it all."""
    name = "every language has queries to ask"
    missing = bench.without_text
    operation_counts = {
        language: len(bench.operations(language)) for language in bench.tool.languages
    }
    paths = ", ".join(str(file.relative_to(bench.project.root)) for file in missing.values())
    if silent := [language for language, count in operation_counts.items() if not count]:
        return Result(
            name, False,
            f"no text of case {CASE} in {', '.join(silent)}; write at least one of {paths}; until "
            "then only 'load' is checked",
        )  # fmt: skip
    counts = ", ".join(f"{count} in {language}" for language, count in operation_counts.items())
    return Result(name, True, counts + (f"; not asked, without a text: {paths}" if paths else ""))


def checks_of(tool: Tool) -> tuple[tuple[str, Check], ...]:
    """All checks of a tool, by name, in their order: the first one loads the bench's store."""
    more = asking.DECLARED_CHECKS if tool.attributes else ()
    return (
        *loading.CHECKS,
        *serving.CHECKS,
        *asking.CHECKS,
        *driving.CHECKS,
        *slicing.CHECKS,
        *leaking.CHECKS,
        *more,
    )
