"""Measurements of four real tools killed at random moments, and measured again."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from modelstress.measure.collect import read_samples
from tests.e2e.conftest import check_out, command, environment, ours

RAW = Path("data/raw/storm/storm")
EXECUTIONS = 150
STUDY = """
study: storm
title: Killed at random moments
models:
  train-2016-repair-1: {case: train, line: "2016", scenario: repair, size: 1}
factors:
  tool: [example, cdo, hawk, mogwai]
  backend: [memory, h2, neo4j, neoemf]
  language: [eol, ocl]
  protocol: [tcp, http]
  model: [train-2016-repair-1]
  query: [RouteSensor]
  threads: [2]
  http_transport: [long-poll]
  executor: [process, namespace]
"""
PROFILE = f"""
profile: storm
title: Killed at random moments
invocations: 1
settings:
  executions: {EXECUTIONS}
  warmup: {{executions: 4, seconds: 0.2, threads: 2}}
  timeout_ms: 30000
  cell_timeout_s: 120
"""
VICTIMS = ("controller", "controller", "serve", "client", "snakemake")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclass
class Storm:
    """What happened in all rounds."""

    rounds: int = 0
    hit: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """One line for the log."""
        return (
            f"{self.rounds} rounds, hits {dict(self.hit)}; next runs refused: {len(self.refused)}, "
            f"lost: {len(self.lost)}, left behind: {len(self.left)}"
        )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which every cell of the storm is measured once."""
    folder = check_out(tmp_path_factory.mktemp("storm") / "project")
    (folder / "config/studies/storm.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "config/profiles/storm.yaml").write_text(PROFILE, encoding="utf-8")
    done = command(*snakemake("--until", "cell"), cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(cells(folder)) == 14
    return folder


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("rounds", [174])
def test_nothing_is_lost_left_or_refused(project: Path, rounds: int) -> None:
    """In each round a program is killed while one cell is measured; then the cell is finished."""
    storm = Storm()
    for number in range(int(os.environ.get("STORM_ROUNDS", rounds))):
        storm.rounds += 1
        _round(project, random.Random(f"storm {number}"), storm)
        print(storm, flush=True)
    assert not storm.refused, "\n".join(storm.refused)
    assert not storm.lost, "\n".join(storm.lost)
    assert not storm.left, "\n".join(storm.left)
    assert sum(storm.hit.values()) > storm.rounds / 2, "a storm that hits nothing shows nothing"


def _round(project: Path, dice: random.Random, storm: Storm) -> None:
    cell = dice.choice(cells(project))
    victim, how = dice.choice(VICTIMS), dice.choice(SIGNALS)
    argv = _argv(cell, by_snakemake=victim == "snakemake")
    name = f"round {storm.rounds} ({cell.name}, {victim}, {how.name}, {argv[0]})"
    shutil.rmtree(cell)
    finished, outside = hashes(project), places()
    begin = time.monotonic()
    with running(argv, project) as run:
        while time.monotonic() < begin + dice.uniform(0.3, 9) and run.poll() is None:
            time.sleep(0.05)
        for pid in pids_of(victim, run, project):
            storm.hit[victim] += 1
            os.kill(pid, how)
        run.wait(300)
    wait_until_gone(project, storm, name)
    recorded = {rows for file in cell.glob("*/client-0.mssf") if (rows := rows_of(file))}
    again = command(*_argv(cell, by_snakemake=dice.random() < 0.2), cwd=project)
    if again.returncode:
        storm.refused.append(f"{name}: {again.returncode} {(again.stdout + again.stderr)[-400:]}")
        return
    kept = {rows_of(file) for file in cell.glob("*/client-0.mssf")}
    whole = {read_rows(cell / "i00")}
    if not recorded <= kept | whole:
        storm.lost.append(f"{name}: {recorded} executions recorded, {kept | whole} kept")
    now = hashes(project)
    storm.lost += [f"{name}: {f} changed" for f, h in finished.items() if now.get(f) != h]
    storm.left += [f"{name}: {place}" for place in places() - outside]
    storm.left += [f"{name}: {f}" for f in cell.rglob("*") if f.name.startswith(".tmp-")]
    storm.left += [f"{name}: {f}" for f in cell.glob("*.work")]


def _argv(cell: Path, *, by_snakemake: bool) -> tuple[str, ...]:
    if by_snakemake:
        return snakemake("--until", "cell")
    return ("modelstress", "run", cell.name, "--study", "storm", "--profile", "storm")


def snakemake(*more: str) -> tuple[str, ...]:
    """The workflow for this study."""
    chosen = ("profile=storm", "studies=['storm']")
    return ("snakemake", "--cores", "all", *more, "--config", *chosen)


def cells(project: Path) -> list[Path]:
    """Folders of all cells."""
    return sorted((project / RAW).glob("*/*"))


def hashes(project: Path) -> dict[str, str]:
    """Content of all that belongs to finished invocations."""
    files = [f for cell in (project / RAW).glob("*/*/i00") for f in cell.rglob("*") if f.is_file()]
    return {str(f): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def places() -> set[str]:
    """What a controller could leave outside its project: files, groups, devices, mounts."""
    found = {str(p) for p in Path("/tmp").iterdir() if "pytest" not in p.name}
    found |= {str(p) for p in Path("/sys/fs/cgroup").rglob("modelstress*")}
    found |= {str(p) for p in Path("/sys/class/net").iterdir()}
    found |= {line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()}
    return found


class running:  # noqa: N801
    """A program in a session of its own, killed as a whole when it is left running."""

    def __init__(self, argv: tuple[str, ...], folder: Path) -> None:
        self._run = subprocess.Popen(
            argv, cwd=folder, env=environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def __enter__(self) -> subprocess.Popen[bytes]:
        return self._run

    def __exit__(self, *exc: object) -> None:
        if self._run.poll() is None:
            os.killpg(self._run.pid, signal.SIGKILL)
            self._run.wait(10)


def pids_of(victim: str, run: subprocess.Popen[bytes], project: Path) -> Iterator[int]:
    """The processes to kill, as far as they run."""
    if victim in ("controller", "snakemake"):
        if run.poll() is None:
            yield run.pid
        return
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if victim in words and any(str(project) in word for word in words):
            yield int(process.name)
            return


def wait_until_gone(project: Path, storm: Storm, name: str) -> None:
    """Wait for the end of what a killed controller had started; Snakemake's jobs go on by design.

    A job of a killed Snakemake may finish its cell.
    """
    deadline = time.monotonic() + 150
    while found := ours(project):
        if time.monotonic() > deadline:
            storm.left.append(f"{name}: {found}")
            return
        time.sleep(0.1)


def rows_of(file: Path) -> int:
    """Executions that a client's file holds; 0 where it has no header yet."""
    try:
        return int(read_samples(file).num_rows)
    except Exception:
        return 0


def read_rows(folder: Path) -> int:
    """Executions of a finished invocation."""
    import pyarrow.parquet as pq

    return int(pq.read_table(folder / "samples.parquet").num_rows)
