"""The real CDO with a small pool hangs under load; the run goes on to its end all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modelstress.config.profile import Settings, Warmup
from modelstress.design.cell import Cell
from modelstress.design.kinds import Checks, Prepared
from modelstress.measure import calibration
from modelstress.measure.cell import run_invocation
from modelstress.measure.invocation import Invocation
from modelstress.workloads.queries.conformance.bench import CASE, QueriesBench
from modelstress.workloads.queries.prepare import operation_of
from modelstress.workloads.queries.study import TrainModel
from modelstress.workloads.queries.work import Queries
from tests.integration.tools.every_form import PROJECT, loaded

POOL = 10
THREADS = 16
EXECUTIONS = 80
QUERY = "ConnectedSegments"
TOOL = PROJECT.tool("cdo")


def small(bench: QueriesBench, folder: Path, settings: Settings) -> Invocation:
    """CDO with a pool that its queries share; each thread keeps its session."""
    tool = TOOL.model_copy(
        update={
            "options": TOOL.options | {"pool_size": POOL, "share_pool": True},
            # Net4j's race to connect stops a client for ten seconds: that is not meant here
            "driver_options": TOOL.driver_options | {"safe_connect": True},
            "jvm": TOOL.jvm.model_copy(update={"server": ["-Xmx1g"], "client": ["-Xmx512m"]}),
        }
    )
    levels = {
        "tool": "cdo", "backend": "h2", "language": "ocl", "protocol": "tcp", "query": QUERY,
        "model": "train-2016-repair-1", "threads": THREADS, "connection": "reused",
    }  # fmt: skip
    model = TrainModel(case=CASE, line="2016", scenario="repair", size=1)
    cell = Cell("pool", "smoke", levels, settings, 1, tool, "queries", Queries(model, {QUERY: 1.0}))
    return Invocation(
        cell=cell,
        number=0,
        seed=1,
        folder=cell.folder(folder / "raw", 0),
        jar=bench.jar,
        needs=Prepared(
            operations=(operation_of(PROJECT, cell, QUERY),),
            checks=Checks({QUERY: bench.oracle[QUERY]}),
            protocol="tcp",
            store=bench.store,
            ids=bench.ids,
            server={"backend": "h2"},
        ),
    )


def pool_threads(dump: str) -> list[str]:
    """Stacks of the threads of Net4j's pool."""
    return [stack for stack in dump.split("\n\n") if stack.startswith('"net4j-thread-')]


@pytest.mark.timeout(400)
def test_a_pool_of_ten_hangs_and_the_run_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "SECONDS", 0.02)
    settings = Settings(
        executions=EXECUTIONS,
        warmup=Warmup(executions=2, seconds=0, threads=1),
        timeout_ms=60_000,
        cell_timeout_s=300,
        wedge_s=5,
        restarts=3,
    )
    (tmp_path / "bench").mkdir()
    with loaded(TOOL, "h2", tmp_path / "bench") as bench:
        invocation = small(bench, tmp_path, settings)
        run_invocation(invocation, lock_file=tmp_path / "lock")
    record = json.loads((invocation.folder / "cell.json").read_text())
    found = record["outcomes"]["measure"]
    assert sum(found.values()) == EXECUTIONS
    # a restarted server is cold: some sessions of sixteen at once may be refused, as errors
    assert set(found) <= {"ok", "timeout", "unfinished", "error"}
    restarts = record["server"]["restarts"]
    assert restarts, "it never hung"
    assert "wedged" in [reason["code"] for reason in record["validity"]["reasons"]]
    assert all(one["after_s"] < 30 and one["cpu_share"] < 0.05 for one in restarts)
    stuck = []
    for one in restarts:
        assert [name.split("-", 2)[2] for name in one["dumps"]] == ["server.txt", "client-0.txt"]
        server, client = ((invocation.folder / name).read_text() for name in one["dumps"])
        for dump in (server, client):  # its first line is the process id
            assert not Path(f"/tmp/.java_pid{dump.partition(':')[0]}").exists()
        stacks = pool_threads(server)
        if len(stacks) == POOL and all("CDOQueryQueue.take" in stack for stack in stacks):
            stuck.append(one)
            # each of them sends the results of a query, and no thread is left to find any
            assert all("QueryIndication.responding" in stack for stack in stacks)
            assert one["timeouts"] > POOL
            assert client.count("CdoSession.execute") > POOL
    assert stuck, "it hung in another way"
