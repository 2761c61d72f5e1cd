"""From a study to figures through Snakemake, on the real CDO."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from html import escape
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import BIN, command, environment, ours, workflow

RAW = Path("data/raw/model-queries/smoke")
MODEL = "train-2016-repair-1"


def mtimes(copy: Path) -> dict[str, int]:
    """Times of the samples of finished cells: ``cell.json`` comes last."""
    finished = sorted((copy / RAW).glob("*/*/i00/cell.json"))
    samples = [cell.with_name("samples.parquet") for cell in finished]
    return {str(file): file.stat().st_mtime_ns for file in samples}


@pytest.fixture(scope="module")
def cdo_once(prepared_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that measures two cells of one tool: what happens to cells depends on neither."""
    copy = Path(shutil.copytree(prepared_once, tmp_path_factory.mktemp("cdo") / "project"))
    profile = copy / "config/profiles/smoke.yaml"
    text = profile.read_text(encoding="utf-8")
    two = text.replace("levels:\n", "levels:\n  tool: [cdo]\n")
    two = two.replace("query: [PosLength, RouteSensor]\n", "query: [PosLength]\n")
    assert two.count("query: [PosLength]\n") == 1
    profile.write_text(two, encoding="utf-8")
    tool = copy / "config/tools/cdo.yaml"  # or its weak object map makes an answer wrong at times
    text = tool.read_text(encoding="utf-8")
    assert "strong_objects: false" in text
    tool.write_text(text.replace("strong_objects: false", "strong_objects: true"), encoding="utf-8")
    done = command(
        "modelstress", "load", "--tool", "cdo", "--backend", "h2", "--model", MODEL, cwd=copy
    )
    assert done.returncode == 0, done.stderr
    return copy


@pytest.fixture
def cdo_only(cdo_once: Path, tmp_path: Path) -> Path:
    """Such a project of one's own, with its store loaded."""
    return Path(shutil.copytree(cdo_once, tmp_path / "project"))


WIRE = """
profile: wire
title: one captured cell
invocations: 1
settings:
  executions: 2
  warmup: {executions: 1, seconds: 0.0, threads: 1}
  capture: {pause_ms: 50}
levels:
  tool: [cdo]
  protocol: [tcp]
  model: [train-2016-repair-1]
  query: [PosLength]
  threads: [1]
  query_text: [same]
  tcp_nodelay: [false]
"""


def with_anatomy(copy: Path) -> None:
    """Have a captured cell measured beside those of profile smoke."""
    profiles = copy / "config/profiles"
    (profiles / "wire.yaml").write_text(WIRE, encoding="utf-8")
    with (profiles / "smoke.yaml").open("a", encoding="utf-8") as smoke:
        smoke.write("anatomy: wire\n")


def printed(done: subprocess.CompletedProcess[str]) -> str:
    """All that a run of the workflow printed, when it went well."""
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def make_run(copy: Path) -> str:
    """What the README's first command prints, in the environment that is there already."""
    if not (copy / ".venv").exists():
        (copy / ".venv").symlink_to(BIN.parent)
    argv = ("make", "-o", ".venv/.ready", "run", "PROFILE=smoke")
    return printed(command(*argv, cwd=copy))


@pytest.mark.timeout(1200)
def test_pipeline_and_its_repetition(copy):
    with_anatomy(copy)
    said = make_run(copy)
    assert "results/report.html" in said
    cells = pd.read_csv(copy / "data/derived/model-queries/smoke/cells.csv")
    count = int((cells["invocations"] > 0).sum())  # a busy machine may have made some invalid
    head = next(line for line in said.splitlines() if "p50 ms" in line)
    rows = said[said.index(head) :].splitlines()[1 : 1 + count]  # it ends with a row per cell
    assert count and [row.split()[-1] for row in rows] == ["0"] * count
    samples = mtimes(copy)
    assert len(samples) == 7
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
        "mogwai/neoemf/train-2016-repair-1.ready",
    }
    results = copy / "results" / "model-queries"
    report = (copy / "results" / "report.html").read_text(encoding="utf-8")
    assert len(report) > 10_000
    assert "hawk: Hawk design, this project" in report
    assert "compiler of this project" in report
    assert list((results / "tables").glob("table-*.csv"))
    assert (results / "claims.csv").is_file() and (results / "claims.json").is_file()
    front = (results / "front.md").read_text(encoding="utf-8")
    # what it says depends on which cells a busy machine leaves valid
    heading = front.splitlines()[0].removeprefix("# ")
    assert heading and 0 < report.index(escape(heading)) < report.index("<nav>")
    assert list((results / "figures").glob("figure-*.svg"))
    assert list((results / "figures").glob("figure-*.png"))
    pages = {path.stem for path in (results / "notebooks").glob("*.html")}
    questions = {path.stem for path in (copy / "notebooks").glob("rq*.ipynb")}
    beside = {"measurements", "against-the-paper", "protocol-anatomy"}
    assert pages == questions | beside and len(pages) == 8
    assert "model-queries/notebooks/protocol-anatomy.html" in report
    assert "model-queries/notebooks/rq1-protocol.html" in report
    assert (copy / "data/derived/model-queries/smoke/datapackage.json").is_file()
    assert ours(copy) == []

    # Beside them, what the profile's `anatomy` captured: never in the same table.
    derived = pq.read_table(copy / "data/derived/model-queries/wire/anatomy.parquet").to_pylist()
    [wire] = derived
    assert wire["captured"] == 2 and wire["payload_low"] > 0 and wire["connections"] == 1
    anatomy = {path.name for path in (results / "anatomy").iterdir()}
    assert {"table-A1.csv", "table-A1.html", "figure-A1.svg", "figure-A3.png"} <= anatomy
    assert ("cdo-tcp.pcap" in anatomy) == (wire["method"] == "packets")
    assert "Anatomy of a query" in report and "<b>Table A1.</b>" in report
    for table in (results / "tables").glob("table-*.csv"):
        assert wire["topology"] not in table.read_text(encoding="utf-8")

    assert "Nothing to be done" in make_run(copy)
    assert mtimes(copy) == samples

    # Results of this profile are not taken for those of another.
    other = command("snakemake", "--cores", "all", "-n", "--config", "profile=demo", cwd=copy)
    assert "Executing notebook measurements of model-queries" in other.stdout + other.stderr

    made = command("snakemake", "--report", "report.zip", "--config", "profile=smoke", cwd=copy)
    assert made.returncode == 0, made.stdout + made.stderr
    assert (copy / "report.zip").stat().st_size > 10_000

    # A flag is asked for though the report is there, and then measures nothing again.
    flag = sorted((copy / RAW).glob("*/*/i00.done"))[0]
    flag.unlink()
    assert f"Measuring {flag.parent.name}" in printed(workflow(copy, "-n"))
    printed(workflow(copy, "--until", "cell"))
    assert flag.is_file() and mtimes(copy) == samples

    checked = command("modelstress", "verify", "data/raw", cwd=copy)
    assert checked.returncode == 0, checked.stdout

    # The report does not stand for cells and tables that are gone, nor does a store made again.
    shutil.rmtree(copy / RAW / "cdo")
    shutil.rmtree(copy / "data/derived/model-queries/smoke")
    (copy / "data/stores/cdo/h2/train-2016-repair-1.ready").unlink()
    planned = printed(workflow(copy, "-n"))
    for cell in {Path(file).parents[1].name for file in samples if "/cdo/" in file}:
        assert f"Measuring {cell}" in planned
    assert "Loading train-2016-repair-1 into cdo" in planned
    assert "Deriving tables of model-queries, profile smoke" in planned


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, marks=pytest.mark.long),
    ],
)
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
    assert len(mtimes(copy)) == 2
    assert before.items() <= mtimes(copy).items()
    assert not list((copy / RAW).glob("*/*/i00.work"))
    assert not list((copy / RAW).rglob(".tmp-*"))


def test_a_wrong_study_is_one_sentence(copy):
    study = copy / "config/studies/model-queries.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("tool: [cdo, hawk, mogwai]", "tool: [cod]"), encoding="utf-8")
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
@pytest.mark.parametrize("victim", ["serve", pytest.param("client", marks=pytest.mark.long)])
def test_a_killed_program_costs_one_attempt(cdo_only, victim):
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
        # not what it says while it waits for another run, which measures
        while not (log.exists() and re.search(r"\bmeasure\b", log.read_text(encoding="utf-8"))):
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
    assert len(records) == 2
    assert [record["outcomes"]["measure"] for record in records] == [{"ok": 100}] * 2
    # what was hurt is kept as it was, and its cell measured again; a busy machine may have made
    # others invalid besides
    attempts = [
        json.loads((attempt / "cell.json").read_text(encoding="utf-8"))
        for attempt in (copy / RAW).glob("*/*/i00.invalid-*")
    ]
    [hurt] = [attempt for attempt in attempts if attempt["failure"]]
    assert hurt["validity"]["valid"] is False
    counts = hurt["outcomes"]["measure"]
    assert counts["error"] > 0 and sum(counts.values()) == 100
