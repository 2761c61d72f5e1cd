"""All queries of the case in every form that a tool has, through the tool's own programs."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from modelstress.config.errors import ConfigError
from modelstress.config.programs import WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure.conformance.bench import Serving
from modelstress.measure.oracle_check import outcome_counts, verify
from modelstress.workloads.queries import files
from modelstress.workloads.queries.conformance.bench import CASE, QueriesBench

PROJECT = Project.find(Path(__file__))
EXECUTIONS = 6
"""Per form, on average."""
CLIENTS = (1, 64)
SLOWEST_MS = 600_000
"""Of one execution, where 64 clients wait for two processors and the largest model."""


class LargeBench(QueriesBench):
    """A large model; its oracle is EOL, whose SemaphoreNeighbor looks at no pairs of routes."""

    oracle_language = "eol"
    models_timeout_s = 1800


@contextmanager
def loaded(
    tool: Tool, backend: str, folder: Path, size: int = 1, kind: type[QueriesBench] = QueriesBench
) -> Iterator[QueriesBench]:
    """A tool's programs with a loaded store; whatever still runs at the end is killed."""
    mark = uuid.uuid4().hex
    try:
        bench = kind(PROJECT, tool, folder, ProcessHost(mark), backend, size)
        bench.load(bench.store).expect_code(0, "load")
        yield bench
    finally:
        kill_leftovers(mark)


def operations(bench: QueriesBench, *, declared: bool = False) -> list[WorkloadOperation]:
    """All forms that a store can serve, each under a name of its own that the oracle knows."""
    found = []
    tool = bench.tool.tool
    for language in bench.tool.languages:
        for name, query in files.case(PROJECT, CASE).queries.items():
            for form in ({"declared": declared}, {"untyped": True}, {"backward": True}):
                [called] = form
                try:
                    file = files.query_file(PROJECT, CASE, language, name, tool, **form)
                except ConfigError:
                    assert called != "declared", "a plain text is missing"
                    continue
                operation = WorkloadOperation(
                    name=f"{name} {language} {called}",
                    text=file.read_text(encoding="utf-8"),
                    arity=len(query.tuple),
                    parameters={"language": language, "tuple": query.tuple},
                )
                bench.oracle[operation.name] = bench.oracle[name]
                found.append(operation)
    return found


def find_what_the_oracle_finds(
    bench: QueriesBench,
    server: Serving,
    wanted: Sequence[WorkloadOperation],
    store: Path | None = None,
) -> None:
    """Every operation, over every protocol: nothing but the oracle's count and digest."""
    executions = EXECUTIONS * len(wanted)
    for endpoint in server.ready.endpoints.values():
        run = bench.drive(
            {"server": endpoint}, wanted, executions=executions, ids=store and store / "ids.mssf"
        )
        samples, unverified = verify(run.samples, bench.oracle)
        assert run.code == 0 and not unverified
        assert outcome_counts(samples) == {"ok": executions}, run.details
        there = set(samples["operation"].to_pylist())
        assert there == {operation.name for operation in wanted}


def find_it_at_size(tool: Tool, backend: str, folder: Path, size: int) -> dict[str, int]:
    """All queries on a model of a size, in every language and over every protocol.

    One client asks, then 64 at once, with a connection per execution and then with one each; every
    answer has the oracle's count and digest.

    Returns:
        Query to how many matches it has.
    """
    with loaded(tool, backend, folder, size, LargeBench) as bench, bench.serving() as server:
        for protocol, threads, connection in itertools.product(
            server.ready.endpoints, CLIENTS, ("per-execution", "reused")
        ):
            for language in tool.languages:
                asked = bench.operations(language)
                run = bench.drive(
                    server.addresses(protocol),
                    asked,
                    threads=threads,
                    executions=max(8 * len(asked), 2 * threads),
                    connection=connection,
                    timeout_ms=SLOWEST_MS,
                )
                where = f"size {size}, {language} over {protocol}, {threads} clients, {connection}"
                assert run.code == 0, where
                bench.judge(run, asked, where)
        return {name: expected.count for name, expected in bench.oracle.items()}


def held(pid: int) -> tuple[int, int]:
    """File handles and threads of a process."""
    process = Path(f"/proc/{pid}")
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


def under_load(
    bench: QueriesBench,
    wanted: Sequence[WorkloadOperation],
    seconds: float,
    store: Path | None = None,
    executions: int = 640,
    **changes: Any,
) -> list[tuple[int, int]]:
    """64 clients at once over both protocols, in rounds, at least two; all answers are right.

    ``executions`` are those over one protocol in one round; ``changes`` are the server's.

    Returns:
        File handles and threads of the server after each round.
    """
    after_a_round = []
    with bench.serving(store, **changes) as server:
        deadline = time.monotonic() + seconds
        for connection in itertools.cycle(["per-execution", "reused"]):
            for endpoint in server.ready.endpoints.values():
                run = bench.drive(
                    {"server": endpoint},
                    wanted,
                    threads=64,
                    executions=executions,
                    connection=connection,
                    timeout_ms=60_000,
                    ids=store and store / "ids.mssf",
                )
                samples, unverified = verify(run.samples, bench.oracle)
                assert run.code == 0 and not unverified
                assert set(outcome_counts(samples)) == {"ok"}, run.details
            time.sleep(1)  # connections that were just closed
            after_a_round.append(held(server.ready.pid))
            if time.monotonic() > deadline and len(after_a_round) >= 2:
                break
    handles, threads = zip(*after_a_round, strict=True)
    # the first round starts what a server under load needs; 64 more would be one for every client
    assert max(handles[1:]) < handles[0] + 64
    # the pools of both protocols grow up to their cap; 100 is for JVM and database
    assert max(threads) <= 2 * int(bench.tool.options["max_threads"]) + 100
    return after_a_round


def stays_level(after_a_round: Sequence[tuple[int, int]]) -> None:
    """Minutes of load leave no more file handles open than its first half did."""
    handles = [handles for handles, _ in after_a_round]
    half = len(handles) // 2
    assert max(handles[half:]) <= max(handles[1:half]) + 8
