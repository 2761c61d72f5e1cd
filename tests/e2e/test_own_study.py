"""The commands of docs/own-study.md, one after the other."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import ROOT, check_out, command, ours

MAKE = ["make", "run", "STUDY=own-study", "PROFILE=own-study"]
WORKFLOW = ["snakemake", "--cores", "all", "--config", "profile=own-study", "studies=['own-study']"]


def commands() -> list[list[str]]:
    """What the page has its reader type."""
    page = (ROOT / "docs" / "own-study.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


@pytest.mark.timeout(1200)
def test_the_page_can_be_followed(tmp_path: Path) -> None:
    project = check_out(tmp_path / "project")
    said = {}
    for line in commands():
        # make itself would install an environment of its own first
        argv = WORKFLOW if line == MAKE else line
        assert argv[0] != "make"
        done = command(*argv, cwd=project)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        said[" ".join(line[:2])] = done.stdout + done.stderr
    assert "16 invocations checked, 0 with problems" in said["modelstress verify"]
    assert ours(project) == []

    cells = sorted((project / "data/raw/own-study/own-study").glob("*/*/i*"))
    assert len(cells) == 16
    aborted = retried = 0
    for cell in cells:
        samples = pq.read_table(cell / "samples.parquet").to_pandas()
        measured = samples[samples["phase"] == "measure"]
        assert {*measured["operation"]} == {"transfer", "balance", "history"}
        assert {*measured["outcome"]} <= {"ok", "rejected", "aborted"}
        starts = measured["start_ns"]
        assert 2e9 < starts.max() - starts.min() < 4e9, "a window of four seconds"
        transfers = measured[measured["operation"] == "transfer"]
        assert (transfers["think_ns"] >= 5e6).all() and (transfers["duration_ns"] > 0).all()
        others = measured[measured["operation"] != "transfer"]
        assert (others["attempts"] == 1).all() and (others["outcome"] == "ok").all()
        record = json.loads((cell / "cell.json").read_text(encoding="utf-8"))
        if record["levels"]["dataset"] == "bank-20" and record["levels"]["threads"] == 8:
            aborted += (measured["outcome"] == "aborted").sum()
            retried += (transfers["attempts"] > 1).sum()
    assert retried > 0 and aborted < retried, "few accounts conflict, and most conflicts resolve"
    report = (project / "results" / "own-study" / "report.html").read_text(encoding="utf-8")
    assert "A ledger with a replica" in report
    assert (project / "results/own-study/notebooks/measurements.html").is_file()
