"""A project with samples of configuration-space, and the scoreboard that serves it."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import space_samples

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
PROFILE = "demo"
DEADLINE_S = 90
MAIN = "import sys; from modelstress.start import main; sys.exit(main())"


def fails(levels) -> bool:
    """Whether cells with these levels have failures."""
    return levels["protocol"] == "unix" and str(levels["oneCallPerConnection"]) == "0"


def project_in(folder: Path) -> Project:
    """A project with the real studies and profiles."""
    for part in ("config", "queries"):
        shutil.copytree(ROOT / part, folder / part)
    return Project(folder)


@pytest.fixture(scope="session")
def space_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Samples of all starts of the demo but the last three; treat it as read-only."""
    project = project_in(tmp_path_factory.mktemp("space") / "project")
    space_samples.write_all(project, PROFILE, failing=fails, left_out=3)
    return project


def argv_of(project: Project, *more: str) -> list[str]:
    """The command line of the scoreboard."""
    names = ["--study", space_samples.STUDY, "--profile", PROFILE]
    return [sys.executable, "-c", MAIN, "--project", str(project.root), "scoreboard", *names, *more]


@contextmanager
def served(project: Project) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of the scoreboard, and its process; ended by SIGTERM."""
    process = subprocess.Popen(
        argv_of(project), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None and process.stderr is not None
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            assert ready.select(DEADLINE_S), "the scoreboard does not say its address"
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), line + process.stderr.read()
        yield line.split()[0], process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(5)
            raise


@pytest.fixture(scope="session")
def scoreboard(space_project: Project) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The scoreboard of `space_project`; its end is a test of its own."""
    with served(space_project) as both:
        yield both
    assert both[1].returncode == 0  # SIGTERM is how it ends


@pytest.fixture(scope="session")
def address(scoreboard: tuple[str, subprocess.Popen[str]]) -> str:
    """Where it answers."""
    return scoreboard[0]
