"""Object managers and their stores keep the contracts: real PostgreSQL, two nodes and clients."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cells import processes_of

from modelstress.config.project import Project
from modelstress.workloads.operations.conformance import check_tool
from modelstress.workloads.operations.conformance.bench import cell_with

ROOT = Project.find(Path(__file__)).root


def test_it_is_checked_as_a_cell_has_it() -> None:
    cell = cell_with(Project(ROOT), "topology")
    assert cell.study == "process-topologies" and cell.profile == "demo"
    assert cell.tool.node_names == ["ds1", "m1"], "without the nodes that this cell does not have"
    assert cell.work.order == (), "the suite has orders of its own"


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_the_programs_keep_the_contracts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    project = Project(ROOT)
    results = list(check_tool(project, project.tool("topology")))
    assert [result for result in results if not result.passed] == []
    assert len(results) == 25 and list(tmp_path.iterdir()) == []
    assert processes_of(str(tmp_path)) == []
