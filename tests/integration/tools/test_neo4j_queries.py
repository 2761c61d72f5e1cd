"""All queries on the real Neo4j server, by Bolt and HTTP, with one client and with 64."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelstress.design.kinds import Expected
from modelstress.measure.oracle_check import outcome_counts, verify
from modelstress.workloads.queries import files
from modelstress.workloads.queries.conformance import bench as queries_bench
from modelstress.workloads.queries.conformance.bench import CASE, QueriesBench
from tests.integration.tools.every_form import PROJECT, loaded, operations

TOOL = PROJECT.tool("neo4j")
LARGE = [pytest.param(size, marks=pytest.mark.long) for size in (2, 8, 32, 128, 512)]
BACKWARD = PROJECT.root / "queries/train/ocl/mogwai/SemaphoreNeighbor.backward.ocl"
"""The plain text looks at all pairs of routes; the oracle holds both against each other."""


class LargeBench(QueriesBench):
    """A bench whose oracle is fast enough for large models."""

    def _oracle(self) -> dict[str, Expected]:
        found = {}
        for name, query in files.case(PROJECT, CASE).queries.items():
            file = files.query_file(PROJECT, CASE, "ocl", name)
            [answer] = self._models(
                *("evaluate", str(self.model), "--language", "ocl", "--query"),
                str(BACKWARD if name == "SemaphoreNeighbor" else file),
                *("--tuple", ",".join(query.tuple), "--json"),
            )
            found[name] = Expected(int(answer["count"]), int(answer["digest"]))
        return found


@pytest.fixture(scope="module", params=[1, *LARGE])
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """A loaded store of a model of the Train Benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries_bench, "MODELS_TIMEOUT_S", 1200)
        folder = tmp_path_factory.mktemp("b")
        with loaded(TOOL, "native", folder, request.param, LargeBench) as made:
            yield made


@pytest.mark.timeout(3600)
def test_every_client_finds_what_the_oracle_finds(bench: QueriesBench) -> None:
    wanted = operations(bench)
    assert len(wanted) == 6
    with bench.serving(bench.store) as server:
        assert set(server.ready.endpoints) == {"tcp", "http"}
        for protocol, endpoint in server.ready.endpoints.items():
            for threads in (1, 64):
                executions = max(6 * len(wanted), threads)
                run = bench.drive(
                    {"server": endpoint},
                    wanted,
                    threads=threads,
                    executions=executions,
                    connection="reused" if threads == 1 else "per-execution",
                    timeout_ms=600_000,
                )
                samples, unverified = verify(run.samples, bench.oracle)
                assert run.code == 0 and not unverified
                assert outcome_counts(samples) == {"ok": executions}, (protocol, run.details)
                there = set(samples["operation"].to_pylist())
                assert there == {operation.name for operation in wanted}
