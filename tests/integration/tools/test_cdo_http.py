"""The real CDO over HTTP, as Net4j does it and with polls that are always under way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelstress.measure.oracle_check import outcome_counts, verify
from modelstress.workloads.queries.conformance.bench import QueriesBench
from tests.integration.tools.every_form import PROJECT, loaded, operations

TOOL = PROJECT.tool("cdo")
EXECUTIONS = 4
"""Net4j's own transport takes seconds for one."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """A store of a small model."""
    with loaded(TOOL, "h2", tmp_path_factory.mktemp("b")) as made:
        yield made


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("transport", "connection"), [("stock", "reused"), ("long-poll", "per-execution")]
)
def test_queries_over_http_find_what_the_oracle_finds(bench, monkeypatch, transport, connection):
    chosen = {"http_transport": transport}
    with_transport = TOOL.model_copy(
        update={
            "supports": {**TOOL.supports, "protocol": ["http"]},
            "options": TOOL.options | chosen | {"strong_objects": True},
            "driver_options": TOOL.driver_options | chosen,
        }
    )
    monkeypatch.setattr(bench, "tool", with_transport)
    answers_are_right(bench, connection)


def answers_are_right(bench: QueriesBench, connection: str) -> None:
    wanted = [
        one for one in operations(bench) if one.name.split()[0] in ("RouteSensor", "PosLength")
    ]
    with bench.serving() as server:
        [endpoint] = server.ready.endpoints.values()
        assert endpoint.startswith("http://127.0.0.1:") and endpoint.endswith("/net4j")
        run = bench.drive(
            {"server": endpoint}, wanted, threads=2, executions=EXECUTIONS, connection=connection
        )
    samples, unverified = verify(run.samples, bench.oracle)
    assert run.code == 0 and not unverified
    assert outcome_counts(samples) == {"ok": EXECUTIONS}, run.details
    assert all(n > 0 for n in samples["bytes_received"].to_pylist())
