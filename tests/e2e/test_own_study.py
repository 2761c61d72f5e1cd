"""The commands of docs/own-study.md, one after the other, in a package without the kind `queries`.

A study is data and a driver: its checkout has no other kind of workload than `operations`.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from modelstress.samples import machine_settings
from tests.e2e.conftest import ROOT, check_out, command, ours

MAKE = ["make", "run", "STUDY=own-study", "PROFILE=own-study"]
WORKFLOW = ["snakemake", "--cores", "all", "--config", "profile=own-study", "studies=['own-study']"]
SECONDS = 2
"""Of a window; the page has four."""


def commands() -> list[list[str]]:
    """What the page has its reader type."""
    page = (ROOT / "docs" / "own-study.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def shorten(project: Path) -> None:
    """Windows and invocations of the profile, once it is there."""
    file = project / "config" / "profiles" / "own-study.yaml"
    if file.is_file():
        text = file.read_text(encoding="utf-8")
        text = re.sub(r"window: \{seconds: \d+\}", f"window: {{seconds: {SECONDS}}}", text)
        text = re.sub(r"^invocations: \d+", "invocations: 1", text, flags=re.MULTILINE)
        assert f"window: {{seconds: {SECONDS}}}" in text and "\ninvocations: 1\n" in text
        file.write_text(text, encoding="utf-8")


@pytest.fixture
def without_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose package goes before the installed one, and has one kind of workload."""
    project = check_out(tmp_path / "project")
    shutil.rmtree(project / "src" / "modelstress" / "workloads" / "queries")
    monkeypatch.setenv("PYTHONPATH", str(project / "src"))
    asked = "from modelstress.config import study; print(study.__file__, *study.kinds())"
    said = command("python", "-c", asked, cwd=project).stdout.split()
    assert said == [str(project / "src/modelstress/config/study.py"), "operations"]
    return project


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_page_can_be_followed_without_the_kind_queries(without_queries: Path) -> None:
    project, said = without_queries, {}
    for line in commands():
        # make itself would install an environment of its own first
        argv = WORKFLOW if line == MAKE else line
        assert argv[0] != "make"
        done = command(*argv, cwd=project)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        said[" ".join(line[:2])] = done.stdout + done.stderr
        shorten(project)
    # on a busy machine invalid ones are kept beside those that were measured in their place
    checked = re.search(r"(\d+) invocations checked, 0 with problems", said["modelstress verify"])
    assert checked and int(checked[1]) >= 8
    assert ours(project) == []

    cells = sorted((project / "data/raw/own-study/own-study").glob("*/*/i[0-9][0-9]"))
    assert len(cells) == 8
    aborted = retried = 0
    for cell in cells:
        samples = pq.read_table(cell / "samples.parquet").to_pandas()
        measured = samples[samples["phase"] == "measure"]
        assert {*measured["operation"]} == {"transfer", "balance", "history"}
        assert {*measured["outcome"]} <= {"ok", "rejected", "aborted"}
        starts = measured["start_ns"]
        whole = SECONDS * 1e9
        assert whole / 2 < starts.max() - starts.min() < whole, "a window of so many seconds"
        transfers = measured[measured["operation"] == "transfer"]
        assert (transfers["think_ns"] >= 5e6).all() and (transfers["duration_ns"] > 0).all()
        others = measured[measured["operation"] != "transfer"]
        assert (others["attempts"] == 1).all() and (others["outcome"] == "ok").all()
        record = json.loads((cell / "cell.json").read_text(encoding="utf-8"))
        assert [one["holds"] for one in record["invariants"]] == [True]
        assert record["provenance"]["machine"]["settings"] == machine_settings.settings()
        if record["levels"]["dataset"] == "bank-20" and record["levels"]["threads"] == 8:
            aborted += (measured["outcome"] == "aborted").sum()
            retried += (transfers["attempts"] > 1).sum()
    assert retried > 0 and aborted < retried, "few accounts conflict, and most conflicts resolve"
    report = (project / "results" / "own-study" / "report.html").read_text(encoding="utf-8")
    assert "A ledger with a replica" in report
    assert "machine.settings.clock_source" in report, "the machine's settings are on the page"
    assert (project / "results/own-study/notebooks/measurements.html").is_file()

    refused = command("modelstress", "cells", "--study", "model-queries", cwd=project)
    assert refused.returncode == 2 and refused.stdout == ""
    assert refused.stderr.count("\n") == 1 and "no workload kind 'queries'" in refused.stderr
