"""Every form of every query on the real index: both backends, languages and fidelities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from modelstress.workloads.queries import files
from modelstress.workloads.queries.conformance.bench import CASE, QueriesBench
from tests.integration.tools.every_form import (
    PROJECT,
    find_what_the_oracle_finds,
    loaded,
    operations,
    stays_level,
    under_load,
)

TOOL = PROJECT.tool("hawk")


LONG = {"orientdb": pytest.mark.long}  # it answers as Neo4j does; the pipeline's tests ask it, too


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=LONG.get(name, ())) for name in TOOL.backends],
)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """A store with declarations and one without, of the same small model."""
    with loaded(TOOL, request.param, tmp_path_factory.mktemp("b")) as made:
        with_declarations = made.load(
            made.folder / "declared", attributes=files.declared(PROJECT, CASE)
        )
        with_declarations.expect_code(0, "load with declarations")
        yield made


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("attributes", "fidelity"), [(False, "improved"), (True, "improved"), (True, "paper")]
)
def test_every_form_finds_what_the_oracle_finds(bench, attributes, fidelity):
    wanted = operations(bench, declared=attributes)
    assert len(wanted) >= 13
    store = bench.folder / "declared" if attributes else bench.store
    options = TOOL.options | {"fidelity": fidelity}
    declarations = files.declared(PROJECT, CASE) if attributes else []
    with bench.serving(store, options=options, attributes=declarations) as server:
        find_what_the_oracle_finds(bench, server, wanted, store)


@pytest.mark.timeout(240)
def test_asynchronous_queries_find_the_same(bench, monkeypatch):
    options = TOOL.driver_options | {"querying": "asynchronous"}
    monkeypatch.setattr(bench, "tool", TOOL.model_copy(update={"driver_options": options}))
    with bench.serving(bench.store) as server:
        find_what_the_oracle_finds(bench, server, operations(bench), bench.store)


@pytest.mark.timeout(300)
def test_64_clients_get_right_answers_and_leave_nothing_behind(bench):
    load_with_declarations(bench, seconds=5)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_64_clients_for_minutes(bench):
    stays_level(load_with_declarations(bench, seconds=300, executions=2000))


def load_with_declarations(bench: QueriesBench, **more: Any) -> list[tuple[int, int]]:
    wanted = operations(bench, declared=True)
    store = bench.folder / "declared"
    return under_load(bench, wanted, store=store, attributes=files.declared(PROJECT, CASE), **more)
