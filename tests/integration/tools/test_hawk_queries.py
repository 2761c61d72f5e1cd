"""Every form of every query on the real index: both backends, languages and fidelities."""

from __future__ import annotations

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
