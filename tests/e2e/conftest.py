"""A copy of the project in a temporary folder, with the programs as built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
BIN = Path(sys.executable).parent
BESIDE_OTHERS = Path(__file__).with_name("beside_others")
SHORT_LIVED = "-XX:TieredStopAtLevel=1"
"""Java programs of tests live for seconds and are not worth optimising."""
OF_MAKE = {"MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS"}


def check_out_files(target: Path) -> Path:
    """Copy the files of the working tree that git would take."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def check_out(target: Path) -> Path:
    """Copy the files of the working tree that git would take, with the programs as built."""
    check_out_files(target)
    for dist in ROOT.glob("java-shims/*/target/dist"):
        shutil.copytree(dist, target / dist.relative_to(ROOT))
    for tool in target.glob("config/tools/*.yaml"):
        text = tool.read_text(encoding="utf-8")
        flags = re.compile(r"^(  (?:server|client|load): \[.*)\]", re.MULTILINE)
        tool.write_text(flags.sub(rf"\1, {SHORT_LIVED}]", text), encoding="utf-8")
    for jar in target.glob("java-shims/*/target/dist/*.jar"):
        jar.touch()  # newer than its sources: not to be built again
    return target


@pytest.fixture(scope="session")
def prepared_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with the stores loaded."""
    target = check_out(tmp_path_factory.mktemp("prepared") / "project")
    done = workflow(target, "--until", "store", "oracle")
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture
def copy(prepared_once: Path, tmp_path: Path) -> Path:
    """A project of one's own, ready to measure."""
    return Path(shutil.copytree(prepared_once, tmp_path / "project"))


def environment() -> dict[str, str]:
    """The environment of a person who has activated the project's Python environment.

    Without what `make test` tells its children: a `make` below another one prints its folder. And
    without the rule that invocations with busy clients are invalid: other tests run beside, and
    what is invalid would be measured two times more.
    """
    inherited = {k: v for k, v in os.environ.items() if k not in OF_MAKE}
    packages = [str(BESIDE_OTHERS), *filter(None, [os.environ.get("PYTHONPATH")])]
    paths = {"PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(packages)}
    return {**inherited, **paths}


def command(*argv: str, cwd: Path, timeout: float = 560) -> subprocess.CompletedProcess[str]:
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


def workflow(copy: Path, *extra: str, timeout: float = 560) -> subprocess.CompletedProcess[str]:
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
