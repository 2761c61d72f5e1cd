"""A controller that is told to end, or killed, while hosts of its own are there."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import needs
import pytest

from tests.e2e.conftest import command, environment, ours
from tests.e2e.executing import STUDY, containers, networks, records, with_profile

MEASURING = re.compile(r"\bmeasure\b")
"""The phase; while it waits for another run, it says that this one measures."""


@pytest.mark.timeout(580)
@pytest.mark.parametrize(
    ("executor", "how"),
    [
        pytest.param("docker", signal.SIGKILL, marks=needs.containers),
        pytest.param("docker", signal.SIGINT, marks=[needs.containers, pytest.mark.long]),
        pytest.param("namespace", signal.SIGKILL, marks=[needs.namespaces, pytest.mark.long]),
        pytest.param("namespace", signal.SIGINT, marks=[needs.namespaces, pytest.mark.long]),
    ],
)
def test_a_controller_that_ends_in_the_middle_of_a_cell(
    copy: Path, executor: str, how: signal.Signals
) -> None:
    levels = {"tool": ["cdo"], "protocol": ["tcp"], "executor": [executor], "fault": ["none"]}
    with_profile(copy, "ended", {**levels, "mode": ["closed"], "threads": [2, 4]}, executions=320)
    chosen = ("--study", STUDY, "--profile", "ended")
    if executor == "docker":
        made = command("modelstress", "images", "cdo", cwd=copy)
        assert made.returncode == 0, made.stderr
    argv = ["modelstress", "run", "--all", *chosen]
    with (copy / "run.log").open("w") as log:
        run = subprocess.Popen(argv, cwd=copy, env=environment(), stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 120
            while not MEASURING.search((copy / "run.log").read_text()):
                assert time.monotonic() < deadline and run.poll() is None, log.name
                time.sleep(0.05)
            assert executor != "docker" or len(containers()) >= 5
            [begun] = copy.glob(f"data/raw/{STUDY}/ended/cdo/*/i00.work")
            run.send_signal(how)
            code = run.wait(60)
        finally:
            if run.poll() is None:
                run.kill()
    killed = how == signal.SIGKILL
    assert code == (-how if killed else 128 + how)
    if executor == "docker":
        assert (containers() != []) == killed, "after SIGKILL nobody was left to remove them"
    listed = command("modelstress", "cells", *chosen, "--json", cwd=copy)
    runs = json.loads(listed.stdout)["runs"]
    [other] = [run["cell"] for run in runs if run["cell"] != begun.parent.name]
    another = command("modelstress", "run", other, *chosen, cwd=copy)
    assert another.returncode == 0, another.stderr
    assert not (killed and executor == "docker") or "containers removed" in another.stderr
    assert left(executor, copy) == [], "not even beside another cell"
    resumed = command(*argv, cwd=copy)
    assert resumed.returncode == 0, resumed.stderr
    assert [r["outcomes"]["measure"] for r in records(copy, "ended")] == [{"ok": 320}] * 2
    assert left(executor, copy) == []


def left(executor: str, project: Path) -> list[Any]:
    """Containers, networks and processes of ours."""
    docker = containers() + networks() if executor == "docker" else []
    return docker + ours(project)
