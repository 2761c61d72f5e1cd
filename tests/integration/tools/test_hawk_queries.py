"""Every form of every query on the real index: both backends, languages and fidelities."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelstress.config.programs import WorkloadOperation
from modelstress.config.project import Project
from modelstress.design.contents import declared
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure.conformance.bench import CASE, Bench
from modelstress.measure.verify import outcome_counts, verify

PROJECT = Project.find(Path(__file__))
TOOL = PROJECT.tool("hawk")


@pytest.fixture(scope="module", params=TOOL.backends)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """A store with declarations and one without, of the same small model."""
    mark = uuid.uuid4().hex
    try:
        made = Bench(PROJECT, TOOL, request.param, tmp_path_factory.mktemp("b"), ProcessHost(mark))
        made.load(made.store).expect_code(0, "load")
        with_declarations = made.load(made.folder / "declared", attributes=declared(PROJECT, CASE))
        with_declarations.expect_code(0, "load with declarations")
        yield made
    finally:
        kill_leftovers(mark)


def operations(bench: Bench, attributes: bool) -> list[WorkloadOperation]:
    """All forms that a store can serve, each under a name of its own that the oracle knows."""
    found = []
    for language in TOOL.languages:
        for name, query in PROJECT.case(CASE).queries.items():
            forms = {f"{name} {language}": {"declared": attributes}}
            untyped = f"{name}.untyped.{language}"
            if list((PROJECT.root / "queries" / CASE).rglob(untyped)):
                forms[f"{name} {language} untyped"] = {"untyped": True}
            for called, form in forms.items():
                file = PROJECT.query_file(CASE, language, name, "hawk", **form)
                bench.oracle[called] = bench.oracle[name]
                found.append(
                    WorkloadOperation(
                        name=called,
                        text=file.read_text(encoding="utf-8"),
                        arity=len(query.tuple),
                        parameters={"language": language, "tuple": query.tuple},
                    )
                )
    return found


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("attributes", "fidelity"), [(False, "improved"), (True, "improved"), (True, "paper")]
)
def test_every_form_finds_what_the_oracle_finds(bench, attributes, fidelity):
    wanted = operations(bench, attributes)
    assert len(wanted) >= 13
    store = bench.folder / "declared" if attributes else bench.store
    options = TOOL.options | {"fidelity": fidelity}
    declarations = declared(PROJECT, CASE) if attributes else []
    with bench.serving(store, options=options, attributes=declarations) as server:
        for endpoint in server.ready.endpoints.values():
            run = bench.drive(endpoint, wanted, executions=6 * len(wanted), store=store)
            samples, unverified = verify(run.samples, bench.oracle)
            assert run.code == 0 and not unverified
            assert outcome_counts(samples) == {"ok": 6 * len(wanted)}, run.details
            there = set(samples["operation"].to_pylist())
            assert there == {operation.name for operation in wanted}


def held(pid: int) -> tuple[int, int]:
    """File handles and threads of a process."""
    process = Path(f"/proc/{pid}")
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


@pytest.mark.timeout(300)
def test_64_clients_get_right_answers_and_leave_nothing_behind(bench):
    under_load(bench, seconds=5)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_64_clients_for_minutes(bench):
    handles, threads = zip(*under_load(bench, seconds=300), strict=True)
    half = len(handles) // 2
    assert max(handles[half:]) <= max(handles[1:half]) + 8
    # the pools of both protocols grow up to their cap; 100 is for JVM and database
    assert max(threads) <= 2 * int(TOOL.options["max_threads"]) + 100


def under_load(bench: Bench, seconds: float) -> list[tuple[int, int]]:
    """All forms at once over both protocols, in rounds.

    Returns:
        File handles and threads of the server after each round.
    """
    wanted = operations(bench, attributes=True)
    store = bench.folder / "declared"
    after_a_round = []
    with bench.serving(store, attributes=declared(PROJECT, CASE)) as server:
        deadline = time.monotonic() + seconds
        for connection in itertools.cycle(["per-execution", "reused"]):
            for endpoint in server.ready.endpoints.values():
                run = bench.drive(
                    endpoint,
                    wanted,
                    threads=64,
                    executions=2000,
                    connection=connection,
                    timeout_ms=60_000,
                    store=store,
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
    assert max(threads) <= 2 * int(TOOL.options["max_threads"]) + 100
    return after_a_round
