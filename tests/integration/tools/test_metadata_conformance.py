"""The metadata service keeps the contracts: a real database, the service and clients."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cells import processes_of

from modelstress.config.project import Project
from modelstress.workloads.operations.conformance import check_tool

ROOT = Project.find(Path(__file__)).root


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_the_programs_keep_the_contracts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    project = Project(ROOT)
    results = list(check_tool(project, project.tool("metadata")))
    assert [result for result in results if not result.passed] == []
    assert processes_of(str(tmp_path)) == []
