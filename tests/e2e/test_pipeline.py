"""From a study to figures through Snakemake, on the real CDO."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import command, environment, ours, workflow

RAW = Path("data/raw/model-queries/smoke")


def mtimes(copy: Path) -> dict[str, int]:
    return {
        str(f): f.stat().st_mtime_ns for f in sorted((copy / RAW).glob("*/*/i00/samples.parquet"))
    }


@pytest.fixture
def cdo_only(copy: Path) -> Path:
    """A project that measures one tool: what happens to its cells does not depend on the tool."""
    profile = copy / "config/profiles/smoke.yaml"
    text = profile.read_text(encoding="utf-8")
    assert "levels:\n" in text
    profile.write_text(text.replace("levels:\n", "levels:\n  tool: [cdo]\n"), encoding="utf-8")
    return copy


@pytest.mark.timeout(1200)
def test_pipeline_and_its_repetition(copy):
    done = workflow(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    samples = mtimes(copy)
    assert len(samples) == 6
    for file in samples:
        table = pq.read_table(file).to_pandas()
        measured = table[table["phase"] == "measure"]
        assert len(measured) == 10
        assert set(measured["outcome"]) == {"ok"}
        record = json.loads(Path(file).with_name("cell.json").read_text(encoding="utf-8"))
        assert {"levels", "provenance", "telemetry", "outcomes", "validity"} <= set(record)
        known = record["levels"].get("attributes") == "declared"
        assert bool(record["provenance"]["attributes"]) == known
    stores = {
        str(f.relative_to(copy / "data/stores")) for f in copy.glob("data/stores/*/*/*.ready")
    }
    assert stores == {
        "cdo/h2/train-2016-repair-1.ready",
        "hawk/neo4j/train-2016-repair-1+declared.ready",
        "hawk/orientdb/train-2016-repair-1.ready",
    }
    results = copy / "results" / "model-queries"
    report = (copy / "results" / "report.html").read_text(encoding="utf-8")
    assert len(report) > 10_000
    assert "hawk: Hawk design, this project" in report
    assert list((results / "tables").glob("table-*.csv"))
    assert list((results / "figures").glob("figure-*.svg"))
    assert list((results / "figures").glob("figure-*.png"))
    assert (copy / "data/derived/model-queries/smoke/datapackage.json").is_file()
    assert ours(copy) == []

    again = workflow(copy)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "Nothing to be done" in again.stdout + again.stderr
    assert mtimes(copy) == samples

    # A touched file measures nothing again.
    for flag in (copy / RAW).glob("*/*/i00.done"):
        flag.unlink()
    assert workflow(copy).returncode == 0
    assert mtimes(copy) == samples

    checked = command("modelstress", "verify", "data/raw", cwd=copy)
    assert checked.returncode == 0, checked.stdout
    made = command("snakemake", "--report", "report.zip", "--config", "profile=smoke", cwd=copy)
    assert made.returncode == 0, made.stdout + made.stderr
    assert (copy / "report.zip").stat().st_size > 10_000


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_and_resumed(cdo_only, how):
    copy = cdo_only
    argv = ["modelstress", "run", "--all", "--profile", "smoke"]
    with (copy / "run.log").open("w") as log:
        run = subprocess.Popen(
            argv, cwd=copy, env=environment(), stderr=log, stdout=log, start_new_session=True
        )
        try:
            deadline = time.monotonic() + 120
            while len(mtimes(copy)) < 1 or not list((copy / RAW).glob("*/*/i00.work/client-*")):
                assert time.monotonic() < deadline and run.poll() is None, log.name
                time.sleep(0.02)
            before = mtimes(copy)
            run.send_signal(how)
            code = run.wait(60)
        finally:
            if run.poll() is None:
                run.kill()
    assert code == (-how if how == signal.SIGKILL else 128 + how)
    deadline = time.monotonic() + 10
    while ours(copy) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ours(copy) == []

    resumed = command("modelstress", "run", "--all", "--profile", "smoke", "--json", cwd=copy)
    assert resumed.returncode == 0, resumed.stderr
    assert len(mtimes(copy)) == 4
    assert before.items() <= mtimes(copy).items()
    assert not list((copy / RAW).glob("*/*/i00.work"))
    assert not list((copy / RAW).rglob(".tmp-*"))


def test_a_wrong_study_is_one_sentence(copy):
    study = copy / "config/studies/model-queries.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("tool: [cdo, hawk]", "tool: [cod]"), encoding="utf-8")
    done = command("modelstress", "cells", cwd=copy)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "unknown tool 'cod'" in done.stderr and "did you mean 'cdo'" in done.stderr


def test_malformed_query_reaches_the_user_with_its_file(copy):
    query = copy / "queries/train/ocl/PosLength.ocl"
    query.write_text("Segment.allInstances()->select(s | s.lenght <=", encoding="utf-8")
    done = workflow(copy, "--until", "oracle")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "queries/train/ocl/PosLength.ocl" in said
    assert ours(copy) == []


def pids(folder: Path, word: str) -> list[int]:
    """Processes below ``folder`` that have ``word`` among their arguments."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if word in arguments and any(str(folder) in argument for argument in arguments):
            found.append(int(process.name))
    return found


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("victim", ["serve", "client"])
def test_a_killed_program_costs_one_cell(cdo_only, victim):
    copy = cdo_only
    profile = copy / "config/profiles/smoke.yaml"
    text = profile.read_text(encoding="utf-8")
    assert "executions: 10" in text
    profile.write_text(text.replace("executions: 10", "executions: 100"), encoding="utf-8")
    log = copy / "run.log"
    argv = ["modelstress", "run", "--all", "--profile", "smoke", "--log", str(log)]
    run = subprocess.Popen(
        argv, cwd=copy, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + 120
        while not (log.exists() and " measure" in log.read_text(encoding="utf-8")):
            assert time.monotonic() < deadline and run.poll() is None
            time.sleep(0.01)
        [process] = pids(copy, victim)
        os.kill(process, signal.SIGKILL)
        said = run.communicate(timeout=240)[1].decode()
    finally:
        if run.poll() is None:
            run.kill()
    assert run.returncode == 0, said
    assert ours(copy) == []
    records = [
        json.loads(f.read_text(encoding="utf-8")) for f in (copy / RAW).glob("*/*/i00/cell.json")
    ]
    assert len(records) == 4
    hurt = [r for r in records if r["failure"] or r["outcomes"]["measure"].get("error")]
    assert len(hurt) == 1
    assert hurt[0]["validity"]["reasons"] and hurt[0]["failure"]
    counts = hurt[0]["outcomes"]["measure"]
    assert counts["error"] > 0 and sum(counts.values()) == 100
    for record in records:
        if record is not hurt[0]:
            assert record["outcomes"]["measure"] == {"ok": 100}
