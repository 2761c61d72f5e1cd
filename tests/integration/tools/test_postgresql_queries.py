"""The six queries in SQL on a real PostgreSQL, at every size and up to 64 clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelstress.workloads.queries.conformance.bench import QueriesBench
from tests.integration.tools.every_form import (
    PROJECT,
    find_it_at_size,
    find_what_the_oracle_finds,
    loaded,
)

TOOL = PROJECT.tool("postgresql")
[BACKEND] = TOOL.backends
QUERIES = {
    "PosLength",
    "SwitchMonitored",
    "RouteSensor",
    "SwitchSet",
    "ConnectedSegments",
    "SemaphoreNeighbor",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueriesBench]:
    """A store of a small model."""
    with loaded(TOOL, BACKEND, tmp_path_factory.mktemp("b")) as made:
        yield made


@pytest.mark.timeout(240)
@pytest.mark.parametrize("size", [1, 8])
def test_all_queries_find_what_the_oracle_finds(tmp_path, size):
    counts = find_it_at_size(TOOL, BACKEND, tmp_path, size)
    assert counts.keys() == QUERIES
    assert size == 1 or all(counts.values()), "a query that finds nothing says little"


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("size", [2, 4, 16, 32, 64, 128, 256, 512])
def test_all_queries_find_it_at_every_other_size(tmp_path, size):
    counts = find_it_at_size(TOOL, BACKEND, tmp_path, size)
    assert counts.keys() == QUERIES and all(counts.values())


@pytest.mark.timeout(120)
def test_unique_texts_find_the_same(bench):
    condition = TOOL.unique_condition["sql"].replace("%1$d", "7")
    unique = [
        operation.model_copy(
            update={"text": (operation.text or "").replace("/*unique*/", condition)}
        )
        for operation in bench.operations("sql")
    ]
    assert all(" AND 7 = 7" in (operation.text or "") for operation in unique)
    with bench.serving() as server:
        find_what_the_oracle_finds(bench, server, unique)


@pytest.mark.timeout(120)
def test_queries_that_write_are_errors_and_change_nothing(bench):
    [right] = [one for one in bench.operations("sql") if one.name == "PosLength"]
    texts = [
        "DELETE FROM segment",
        "DELETE FROM segment RETURNING element",
        "SET default_transaction_read_only = off; DROP TABLE segment",
        "SELECT 1; SET transaction_read_only = off; UPDATE segment SET length = 1",
        "WITH gone AS (UPDATE segment SET length = 1 RETURNING element) SELECT element FROM gone",
        "SELECT lo_create(0)",
        "SELECT NULL",
        "SELECT ?",
        "COPY segment TO PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
    ]
    hostile = [
        right.model_copy(update={"name": f"Hostile {number}", "text": text})
        for number, text in enumerate(texts)
    ]
    executions = 8 * (len(hostile) + 1)
    with bench.serving() as server:
        run = bench.drive(
            server.addresses(), [right, *hostile], executions=executions, connection="reused"
        )
        samples = run.samples.select(["operation", "outcome"]).to_pylist()
        assert {row["outcome"] for row in samples if row["operation"] != right.name} == {"error"}
        assert {row["operation"] for row in samples} == {one.name for one in [right, *hostile]}
        find_what_the_oracle_finds(bench, server, [right])
