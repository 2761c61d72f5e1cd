"""Every form of every query on the real NeoEMF/Graph, over TCP and HTTP, and the contracts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelstress.config.programs import WorkloadOperation
from modelstress.measure.conformance import driving, run_checks
from modelstress.workloads.queries.conformance import checks_of
from modelstress.workloads.queries.conformance.bench import QueriesBench
from tests.integration.tools.every_form import (
    PROJECT,
    find_what_the_oracle_finds,
    loaded,
    operations,
    stays_level,
    under_load,
)

TOOL = PROJECT.tool("mogwai")
[BACKEND] = TOOL.backends
FORMS = 7
"""The six queries, and SemaphoreNeighbor backward."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """A store of a small model."""
    with loaded(TOOL, BACKEND, tmp_path_factory.mktemp("b")) as made:
        yield made


@pytest.mark.timeout(240)
@pytest.mark.parametrize("cached_queries", [1000, 0])
def test_every_form_finds_what_the_oracle_finds(bench, cached_queries):
    same = operations(bench)
    assert len(same) == FORMS
    unique = [unique_text(bench, one) for one in same]
    with bench.serving(options=TOOL.options | {"cached_queries": cached_queries}) as server:
        find_what_the_oracle_finds(bench, server, [*same, *unique])


def unique_text(bench: QueriesBench, same: WorkloadOperation) -> WorkloadOperation:
    """The operation as ``query_text: unique`` asks for it."""
    condition = TOOL.unique_condition["ocl"].replace("%1$d", "7")
    assert same.text is not None and "/*unique*/" in same.text
    text = same.text.replace("/*unique*/", condition)
    bench.oracle[f"{same.name} unique"] = bench.oracle[same.name]
    return same.model_copy(update={"name": f"{same.name} unique", "text": text})


@pytest.mark.long
@pytest.mark.timeout(240)
def test_every_form_on_a_bigger_model(tmp_path):
    with loaded(TOOL, BACKEND, tmp_path, size=4) as bigger, bigger.serving() as server:
        find_what_the_oracle_finds(bigger, server, operations(bigger))


@pytest.mark.timeout(300)
def test_64_clients_get_right_answers_and_leave_nothing_behind(bench):
    under_load(bench, operations(bench), seconds=5)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_64_clients_for_minutes(bench):
    stays_level(under_load(bench, operations(bench), seconds=300, executions=2000))


@pytest.mark.timeout(240)
def test_a_server_killed_over_http_ends_in_errors(bench, monkeypatch):
    monkeypatch.setattr(
        bench, "tool", TOOL.model_copy(update={"supports": {**TOOL.supports, "protocol": ["http"]}})
    )
    assert "error" in driving.a_killed_server_ends_in_errors(bench)


@pytest.mark.long  # two other tools keep them in every run
@pytest.mark.timeout(600)
def test_the_programs_keep_the_contracts(bench):
    """All but right answers, of which the tests above are more thorough."""
    checks = [check for check in checks_of(TOOL) if not check[0].startswith("right answers")]
    assert len(checks) == len(checks_of(TOOL)) - 4 > 16
    results = list(run_checks(bench, checks))
    assert [result for result in results if not result.passed] == []
