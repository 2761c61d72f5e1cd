"""A copy of the project in a temporary folder, with the programs as built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
BIN = Path(sys.executable).parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files of the working tree that git would take, and the built Java programs."""
    target = tmp_path / "project"
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    for dist in ROOT.glob("java-shims/*/target/dist"):
        shutil.copytree(dist, target / dist.relative_to(ROOT))
    for jar in target.glob("java-shims/*/target/dist/*.jar"):
        jar.touch()  # newer than its sources: not to be built again
    return target


def environment() -> dict[str, str]:
    """The environment of a person who has activated the project's Python environment."""
    return {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}


def command(*argv: str, cwd: Path, timeout: float = 280) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment to its end."""
    return subprocess.run(
        argv,
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def workflow(copy: Path, *extra: str, timeout: float = 280) -> subprocess.CompletedProcess[str]:
    """``snakemake --cores all`` with profile ``smoke``."""
    argv = ("snakemake", "--cores", "all", "--config", "profile=smoke", *extra)
    return command(*argv, cwd=copy, timeout=timeout)


def ours(folder: Path) -> list[str]:
    """Command lines of all processes that mention ``folder`` or run in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            inside = str((process / "cwd").readlink()).startswith(str(folder))
        except OSError:
            continue
        if inside or str(folder) in line:
            found.append(line)
    return found
