"""The commands of docs/own-model.md, one after the other, with all tools."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import ROOT, check_out, command, ours

FEW = """
levels:
  threads: [4]
constraints:
  - when: {tool: [cdo, hawk, mogwai]}
    only: {query: [SameSupplier]}
"""


def commands() -> list[list[str]]:
    """What the page has its reader type."""
    page = (ROOT / "docs" / "own-model.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line) for line in lines]


def as_workflow(line: list[str]) -> list[str]:
    """What ``make run`` starts; make itself would install an environment of its own first."""
    assert line == ["make", "run", "STUDY=parts", "PROFILE=parts"]
    return ["snakemake", "--cores", "all", "--config", "profile=parts", "studies=['parts']"]


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_page_can_be_followed(tmp_path: Path) -> None:
    project = check_out(tmp_path / "project")
    said = {}
    copying, *lines = commands()
    assert command(*copying, cwd=project).returncode == 0
    with (project / "config/profiles/parts.yaml").open("a", encoding="utf-8") as profile:
        profile.write(FEW)
    for line in lines:
        argv = as_workflow(line) if line[0] == "make" else line
        done = command(*argv, cwd=project)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        said[" ".join(line[:2])] = done.stdout + done.stderr
    assert "elements: 12" in said["modelstress model"]
    # what an executor under load made invalid was measured again, and both are checked
    checked = re.search(r"(\d+) invocations checked, 0 with problems", said["modelstress verify"])
    assert checked and int(checked[1]) >= 5, said["modelstress verify"]
    assert ours(project) == []

    oracle = json.loads((project / "data/stores/oracle/bicycles.json").read_text(encoding="utf-8"))
    cells = sorted((project / "data/raw/parts/parts").glob("*/*/i00"))
    measured_tools = Counter(cell.parents[1].name for cell in cells)
    assert measured_tools == {"cdo": 1, "example": 2, "hawk": 1, "mogwai": 1}
    for cell in cells:
        measured = pq.read_table(cell / "samples.parquet").to_pandas()
        measured = measured[measured["phase"] == "measure"]
        assert len(measured) == 10 and set(measured["outcome"]) == {"ok"}
        [query] = set(measured["operation"])
        assert set(measured["result_count"]) == {oracle["queries"][query]["count"]}
    report = (project / "results" / "report.html").read_text(encoding="utf-8")
    assert "Parts of bicycles" in report and "SameSupplier" in report

    # A model of one's own is made, loaded and asked again when one of its files has changed.
    wheels = project / "models/parts/wheels.xmi"
    text = wheels.read_text(encoding="utf-8")
    wheels.write_text(text.replace('obsolete="true"', 'obsolete="false"'), encoding="utf-8")
    planned = command(
        *as_workflow(["make", "run", "STUDY=parts", "PROFILE=parts"]), "-n", cwd=project
    )
    again = ("Making model", "Computing the expected results on", "Loading")
    for job in again:
        assert f"{job} bicycles" in planned.stdout + planned.stderr
    assert "Measuring" not in planned.stdout + planned.stderr, (
        "what was measured is stale, and stays"
    )
