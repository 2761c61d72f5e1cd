"""The placebo of a machine, really measured; and what is left of it when it is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nobody
import pytest

from modelstress.hosts import leftovers

GRADE = ("-c", "from modelstress.start import main; main()", "doctor", "--grade", "--json")
SHORT = ("--seconds", "15")
DEADLINE_S = 150


def environment(folder: Path) -> dict[str, str]:
    """Without Java, and with temporary files of its own."""
    plain = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    (folder / "tmp").mkdir()
    return {**plain, "TMPDIR": str(folder / "tmp")}


def test_a_grade_without_java_project_and_rights(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    env = environment(folder)
    done = subprocess.run(
        [*nobody.python(folder), *GRADE, *SHORT],
        cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=DEADLINE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    grade = told["grade"]
    assert grade["letter"] in "ABCD" and 6 <= grade["pairs"] <= 20
    assert grade["low"] <= grade["ratio"] <= grade["high"] and grade["within"] > 0
    assert 0.01 < grade["median_ms"] < 1000 and grade["seconds"] < DEADLINE_S
    assert not list((folder / "tmp").iterdir())


def wait_until(condition: Callable[[], bool], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_nothing_is_left_of_one_that_was_ended(
    tmp_path: Path, signum: signal.Signals, code: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, *GRADE], cwd=tmp_path, env=environment(tmp_path),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    mark = f"placebo-{process.pid}"
    with process:
        wait_until(lambda: len(leftovers(mark)) >= 2, DEADLINE_S)
        process.send_signal(signum)
        said, errors = process.communicate(timeout=60)
    assert process.returncode == code and not said and "Traceback" not in errors
    wait_until(lambda: not leftovers(mark))
    if signum != signal.SIGKILL:
        assert not list((tmp_path / "tmp").iterdir())
        assert errors.splitlines()[-1].startswith(f"error: interrupted by {signum.name}")
