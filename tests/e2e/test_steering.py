"""`modelstress steer` and `join`: a real tool, measured through the queue, then reported."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import BIN, ROOT, command, environment, ours

PROFILE = """
profile: own-study
title: one cell
invocations: 2
settings:
  window: {seconds: 0.3}
  warmup: {executions: 10, seconds: 0.1, threads: 1}
  timeout_ms: 10000
  cell_timeout_s: 60
levels: {dataset: [bank-20], threads: [1], durability: ["off"]}
steering: {lease_s: 5, anchors: 1, noise: 1.0, divide_by: [durability]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = Path(shutil.copytree(ROOT / "examples" / "own-study", tmp_path / "project"))
    (root / "config" / "profiles" / "own-study.yaml").write_text(PROFILE)
    (root / "config" / "config.yaml").write_text(
        "profile: own-study\nexecutor: process\nseed: 1\nstudies: [own-study]\nsource: measure\n"
        "lock_wait_s: 600\n"
    )
    return root


@pytest.mark.long
def test_a_worker_measures_what_the_coordinator_hands_out(project: Path) -> None:
    with (project / "steer.log").open("w") as log:
        steer = subprocess.Popen(
            [f"{BIN}/modelstress", "steer"], cwd=project, env=environment(), stdout=log, stderr=log
        )
    folder = project / "data" / "steering" / "own-study" / "own-study"
    try:
        while not (folder / "join.url").is_file():
            assert steer.poll() is None, (project / "steer.log").read_text()
        url = str(folder / "join.url")
        refused = command("modelstress", "join", url, "--fix", "dataset=bank-20", cwd=project)
        assert refused.returncode == 2 and "cannot be fixed here" in refused.stderr
        assert refused.stderr.count("\n") == 1
        joined = command("modelstress", "join", url, "--fix", "durability=off", cwd=project)
        assert joined.returncode == 0, joined.stdout + joined.stderr
        assert steer.wait(60) == 0
    finally:
        steer.kill()
    assert "keep the contracts" in joined.stdout, "conformance comes first"
    said = (project / "steer.log").read_text()
    assert "2 of 2 starts done" in said
    token = (folder / "token").read_text()
    assert token not in said and token not in joined.stdout
    assert ours(project) == []

    checked = command("modelstress", "verify", "data/raw", cwd=project)
    assert re.search(r"\d+ invocations checked, 0 with problems", checked.stdout), checked.stdout
    assert command("modelstress", "run", "--all", cwd=project).stdout.startswith("2 of 2")
    assert command("modelstress", "derive", cwd=project).returncode == 0
    [record] = project.glob("data/raw/own-study/own-study/*/*/i00/cell.json")
    steering = json.loads(record.read_text())["provenance"]["steering"]
    assert steering["kind"] == "planned" and steering["fence"] == 1
    status = command("modelstress", "steer", "--status", "--json", cwd=project)
    assert {**json.loads(status.stdout), "done": 2, "queue": False} == json.loads(status.stdout)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["join", "http://127.0.0.1/"], "no URL of PostgreSQL"),
        (["join", "postgresql://a@127.0.0.1:1/b", "--patience", "1s"], "cannot be reached"),
        (["join", "nowhere/join.url"], "cannot be read"),
        (["steer", "--database", "nonsense"], "no URL of PostgreSQL"),
        (["steer", "--database", "postgresql://a@b/c", "--port", "5"], "of our own database"),
        (["steer", "--fix", "tool=other"], "has no level"),
        (["steer", "--template", "none"], "unknown template"),
    ],
)
def test_what_cannot_be_steered_is_one_sentence(project: Path, argv: list[str], said: str) -> None:
    done = command("modelstress", *argv, cwd=project, timeout=60)
    assert done.returncode in (2, 3) and said in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
