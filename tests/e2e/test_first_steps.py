"""One small study from nothing: what a newcomer types, and what `make run` makes again.

The tool is `example`; its model has a few hundred elements.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import BIN, check_out, command, ours

STUDY = """
study: {name}
title: The smallest study
models:
  small: {{case: train, line: "2016", scenario: repair, size: 1}}
factors:
  tool: [example]
  backend: [memory]
  language: [eol]
  protocol: [http]
  model: [small]
  query: [PosLength]
  threads: [1]
notebooks: [{notebooks}]
"""
PROFILE = """
profile: tiny
title: one start, ten executions
invocations: 1
settings:
  executions: 10
  warmup: {executions: 2, seconds: 0, threads: 1}
  timeout_ms: 30000
  cell_timeout_s: 120
"""
CELL = ("--study", "tiny", "--profile", "tiny")


@pytest.fixture(scope="module")
def fresh_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with the programs as built; no model, no store."""
    target = check_out(tmp_path_factory.mktemp("fresh") / "project")
    for name, notebooks in (("tiny", "measurements"), ("bare", "")):
        text = STUDY.format(name=name, notebooks=notebooks)
        (target / f"config/studies/{name}.yaml").write_text(text, encoding="utf-8")
    (target / "config/profiles/tiny.yaml").write_text(PROFILE, encoding="utf-8")
    (target / ".venv").symlink_to(BIN.parent)
    return target


@pytest.fixture
def fresh(fresh_once: Path, tmp_path: Path) -> Path:
    """Such a checkout to work in."""
    return Path(shutil.copytree(fresh_once, tmp_path / "project", symlinks=True))


def make_run(project: Path, study: str = "tiny") -> subprocess.CompletedProcess[str]:
    """``make run`` in the environment that is there."""
    argv = ("make", "-o", ".venv/.ready", "run", f"STUDY={study}", "PROFILE=tiny")
    return command(*argv, cwd=project)


def good(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def median_ms(project: Path) -> float:
    """Of the samples themselves."""
    [file] = project.glob("data/raw/tiny/tiny/*/*/i00/samples.parquet")
    rows = pq.read_table(file).to_pandas()
    ok = rows[(rows["phase"] == "measure") & (rows["outcome"] == "ok")]
    return float(ok["duration_ns"].median() / 1e6)


def follow(project: Path) -> None:
    """The derived tables are those of the samples, also where a busy machine made these invalid."""
    file = project / "data/derived/tiny/tiny/cells.csv"
    [cell] = pd.read_csv(file).to_dict("records")
    if cell["state"] != "invalid":
        assert cell["median_ms"] == pytest.approx(median_ms(project))
    [record] = project.glob("data/raw/tiny/tiny/*/*/i00/cell.json")
    assert file.stat().st_mtime_ns > record.stat().st_mtime_ns


@pytest.mark.timeout(900)
def test_one_cell_then_all_then_again(fresh):
    # `run` of one cell makes the model, the expected results and the store by itself.
    [cell] = re.findall(
        r"^(\S+)  missing$", good(command("modelstress", "cells", *CELL, cwd=fresh)), re.MULTILINE
    )
    done = command("modelstress", "run", cell[-8:], *CELL, cwd=fresh)
    said = good(done)
    for made in ("making model small", "expected results on small", "loading small into example"):
        assert made in said
    assert "10 ok" in said
    again = good(command("modelstress", "run", cell, *CELL, cwd=fresh))
    assert "is measured already" in again and "making" not in again

    # `make run` makes the rest.
    run = make_run(fresh)
    first = good(run)
    follow(fresh)
    for file in ("results/report.html", "results/tiny/report.html"):
        assert file in first and (fresh / file).is_file()
    assert re.search("^1 cell: 1 (complete|invalid)", run.stdout, re.MULTILINE)
    assert "report    results/report.html" in run.stdout.splitlines()
    assert "localrule all" not in first and first.count("results/tiny/") < 8
    notebook = fresh / "results/tiny/notebooks/measurements.html"
    before = median_ms(fresh)
    samples = {f: f.stat().st_mtime_ns for f in fresh.rglob("i00/*") if f.is_file()}
    assert "Nothing to be done" in good(make_run(fresh))
    assert samples == {f: f.stat().st_mtime_ns for f in fresh.rglob("i00/*") if f.is_file()}

    # What is measured again makes everything that depends on it again.
    page, executed = (fresh / "results/report.html").read_bytes(), notebook.stat().st_mtime_ns
    good(command("modelstress", "run", "--all", *CELL, "--rerun", "all", cwd=fresh))
    assert median_ms(fresh) != before
    remade = good(make_run(fresh))
    assert "Measuring" not in remade and "Deriving tables of tiny" in remade
    follow(fresh)
    assert (fresh / "results/report.html").read_bytes() != page
    assert notebook.stat().st_mtime_ns > executed
    assert "Nothing to be done" in good(make_run(fresh))

    # So does `derive` by hand: the report is not left behind.
    good(command("modelstress", "run", "--all", *CELL, "--rerun", "all", cwd=fresh))
    good(command("modelstress", "derive", *CELL, cwd=fresh))
    page = (fresh / "results/report.html").read_bytes()
    good(make_run(fresh))
    assert (fresh / "results/report.html").read_bytes() != page

    # Samples that were moved away are measured again, and nothing else is.
    [folder] = fresh.glob("data/raw/tiny/tiny/*/*/i00")
    shutil.move(folder, fresh / "moved")
    anew = good(make_run(fresh))
    assert anew.count("Measuring") == 1 and (folder / "cell.json").is_file()
    follow(fresh)

    # A study of another name leaves this one's report where it is.
    page = (fresh / "results/tiny/report.html").read_bytes()
    bare = good(make_run(fresh, "bare"))
    assert "results/bare/tables" in bare and "results/bare/notebooks" not in bare
    assert (fresh / "results/tiny/report.html").read_bytes() == page
    assert (fresh / "results/bare/report.html").is_file()
    latest = (fresh / "results/report.html").read_text(encoding="utf-8")
    assert 'href="tiny/report.html"' in latest

    # A change of what was measured is told at the end, and in every table.
    query = fresh / "queries/train/eol/PosLength.eol"
    query.write_text(query.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    stale = good(make_run(fresh))
    assert "1 stale" in stale and "--rerun stale" in stale
    cells = pd.read_csv(fresh / "data/derived/tiny/tiny/cells.csv")
    assert "stale" in cells["flags"][0]
    assert "stale: " in (fresh / "results/tiny/report.html").read_text(encoding="utf-8")
    assert ours(fresh) == []
