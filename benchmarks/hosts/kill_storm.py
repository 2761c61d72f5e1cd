"""Random kills of everything that a measurement consists of, round after round.

``python benchmarks/hosts/kill_storm.py [--rounds 174] [--seed 1]`` makes a project of its own in a
temporary folder, loads the stores of four tools, and then, in every round, starts one invocation
(by ``modelstress run`` or by Snakemake, under the executor ``process`` or ``namespace``), kills one
of its programs at a random moment, and runs the same command again without a kill. It counts rows
that were recorded and are lost, finished invocations that changed, what is left behind (processes,
mounts, control groups, network devices, temporary files), and next runs that were refused; it fails
if any of them is not zero. Rounds depend on the seed, moments on the machine.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from modelstress.config.project import EXECUTOR, Project
from modelstress.hosts.process import MARK
from modelstress.measure.collect import read_samples
from modelstress.samples.provenance import sha256_file

ROOT = Project.find(Path(__file__)).root
BIN = Path(sys.executable).parent
STUDY, PROFILE = "storm", "storm"
TOOLS = {
    "cdo": ("h2", "ocl", ("tcp", "http")),
    "hawk": ("neo4j", "eol", ("tcp", "http")),
    "mogwai": ("neoemf", "ocl", ("tcp", "http")),
    "example": ("memory", "eol", ("http",)),
}
"""Tool to backend, language and protocols."""
VICTIMS = ("controller", "serve", "client", "snakemake")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
LONGEST_S = 14.0
"""Until the kill: server start, warm-up and window of a short cell."""
ROUND_S = 600


@dataclass(frozen=True)
class Target:
    """One invocation, and how it is measured."""

    tool: str
    cell: str
    number: int
    executor: str
    through_snakemake: bool


class Storm:
    """A project of its own, and what happened to it."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.found: Counter[str] = Counter()
        self.told: list[str] = []

    def prepare(self, invocations: int) -> dict[str, list[tuple[str, str]]]:
        """Copy the project, write the study and load the stores.

        Returns:
            Executor to (tool, cell) of all its cells: it is a part of their ids.
        """
        listed = _run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], ROOT)
        for name in filter(None, listed.stdout.splitlines()):
            if (ROOT / name).is_file() and not name.startswith("archives/"):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        for dist in ROOT.glob("java-shims/*/target/dist"):
            shutil.copytree(dist, self.root / dist.relative_to(ROOT))
        for jar in self.root.glob("java-shims/*/target/dist/*.jar"):
            jar.touch()  # newer than its sources: not to be built again
        config = self.root / "config"
        (config / "studies" / f"{STUDY}.yaml").write_text(_study())
        (config / "profiles" / f"{PROFILE}.yaml").write_text(_profile(invocations))
        done = self.snakemake("--until", "store", "oracle")
        if done.returncode:
            raise click.ClickException(
                f"stores could not be loaded: {(done.stdout + done.stderr)[-2000:]}"
            )
        return {executor: self._cells(executor) for executor in ("process", "namespace")}

    def _cells(self, executor: str) -> list[tuple[str, str]]:
        argv = [str(BIN / "modelstress"), "cells", "--study", STUDY, "--profile", PROFILE]
        said = _run([*argv, "--executor", executor], self.root)
        ids = [line.split()[0] for line in said.stdout.splitlines() if "missing" in line.split()]
        if not ids:
            raise click.ClickException(f"no cells: {said.stdout}{said.stderr}")
        return [(cell.partition("_")[0], cell) for cell in ids]

    def round(self, target: Target) -> None:
        """One kill, and one run after it."""
        finished, inventory = self._finished(), self._inventory()
        argv = self._argv(target)
        with subprocess.Popen(
            argv, cwd=self.root, env=_environment(target.executor), start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as process:  # fmt: skip
            time.sleep(self.dice.uniform(0.2, LONGEST_S))
            victim, signum = self._kill(target, process.pid)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=ROUND_S)
            process.kill()
        self.found[f"victim {victim} {signum.name if victim != 'none' else ''}".strip()] += 1
        self._until_gone()
        recorded = self._rows(target)
        if target.through_snakemake:  # as `make run` does
            _run([sys.executable, "tools/stale_lock.py"], self.root)
        again = subprocess.run(
            argv, cwd=self.root, env=_environment(target.executor), capture_output=True, text=True,
            timeout=ROUND_S, check=False,
        )  # fmt: skip
        about = f"{target} after {signum.name} of {victim}"
        if again.returncode:
            self._tell("next runs refused", f"{about}: {(again.stdout + again.stderr)[-600:]}")
        self._until_gone()
        kept = Counter(self._rows(target))
        lost = Counter(recorded) - kept
        if lost and not self._whole(target, sum(lost)):
            self._tell("rows lost", f"{about}: {dict(lost)}")
        for place, digest in finished.items():
            if digest not in self._finished().values():
                self._tell("finished invocations changed", f"{about}: {place}")
        for left in sorted(self._inventory() - inventory):
            self._tell("leftovers", f"{about}: {left}")

    def _argv(self, target: Target) -> list[str]:
        if target.through_snakemake:
            place = f"data/raw/{STUDY}/{PROFILE}/{target.tool}/{target.cell}"
            return [*_snakemake(), "--", f"{place}/i{target.number:02d}.done"]
        return [
            str(BIN / "modelstress"), "run", target.cell, "--invocation", str(target.number),
            "--study", STUDY, "--profile", PROFILE,
        ]  # fmt: skip

    def _kill(self, target: Target, pid: int) -> tuple[str, signal.Signals]:
        """Kill a program of the run; which, and how; ``none`` where there is none (any more)."""
        words = {
            "controller": "modelstress\0run", "serve": "serve\0--config",
            "client": "client\0--driver", "snakemake": "bin/snakemake\0",
        }  # fmt: skip
        names = [v for v in VICTIMS if target.through_snakemake or v != "snakemake"]
        self.dice.shuffle(names)
        signum = self.dice.choice(SIGNALS)
        for name in names:
            for process, line in self._processes():
                if words[name] in line and (name != "snakemake" or process == pid):
                    with suppress(ProcessLookupError):
                        os.kill(process, signum)
                        return name, signum
        return "none", signum

    def _processes(self) -> Iterator[tuple[int, str]]:
        """Process and command line of all that runs in or for this project, but this one."""
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                line = (folder / "cmdline").read_bytes().decode(errors="replace")
                cwd = str((folder / "cwd").readlink())
                mine = str(self.root) in line or cwd.startswith(str(self.root))
                if mine and int(folder.name) != os.getpid():
                    yield int(folder.name), line

    def _until_gone(self) -> None:
        """Wait for the end of a controller that outlives a killed Snakemake."""
        end = time.monotonic() + ROUND_S
        while any(self._processes()) and time.monotonic() < end:
            time.sleep(0.1)

    def _rows(self, target: Target) -> list[int]:
        """Numbers of rows in the clients' files of this invocation that are not finished."""
        cell = self.root / "data/raw" / STUDY / PROFILE / target.tool / target.cell
        files = cell.glob(f"i{target.number:02d}.*/client-*.mssf")
        return [rows for file in sorted(files) if (rows := read_samples(file).num_rows)]

    def _whole(self, target: Target, rows: int) -> bool:
        """Whether the invocation was written with these rows before its work folder went."""
        import pyarrow.parquet as pq

        cell = self.root / "data/raw" / STUDY / PROFILE / target.tool / target.cell
        files = cell.glob(f"i{target.number:02d}*/samples.parquet")
        return any(pq.read_metadata(file).num_rows >= rows for file in files)

    def _finished(self) -> dict[str, str]:
        """Folder to the hashes of all its files, of every finished invocation."""
        found = {}
        for file in (self.root / "data/raw").rglob("cell.json"):
            if "aborted" not in file.parent.name and not file.parent.name.endswith(".work"):
                every = sorted(one for one in file.parent.iterdir() if one.is_file())
                found[str(file.parent)] = " ".join(f"{f.name}:{sha256_file(f)}" for f in every)
        return found

    def _inventory(self) -> set[str]:
        """What a run could leave on this machine."""
        raw = self.root / "data"
        temporary = Path(tempfile.gettempdir())
        mine = str(self.root)
        return {
            *(f"process {line!r}" for _, line in self._processes()),
            *(f"marked process {name}" for name in _marked(mine)),
            *(f"mount {m}" for m in Path("/proc/mounts").read_text().splitlines() if mine in m),
            *(f"control group {one}" for one in _groups()),
            *(f"network device {one.name}" for one in Path("/sys/class/net").iterdir()),
            *(f"temporary file {one.name}" for one in temporary.iterdir()),
            *(f"file {one}" for one in raw.rglob(".tmp-*")),
            *(f"file {one}" for one in raw.rglob("*.load.json")),
            *(f"folder {one}" for one in raw.rglob("*.work")),
        }

    def _tell(self, kind: str, sentence: str) -> None:
        self.found[kind] += 1
        self.told.append(f"{kind}: {sentence}")
        click.echo(self.told[-1], err=True)

    def snakemake(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake in the project."""
        return _run([*_snakemake(), *words], self.root)


def _snakemake() -> list[str]:
    chosen = ["--config", f"profile={PROFILE}", f"studies=['{STUDY}']"]
    return [str(BIN / "snakemake"), "--cores", "all", *chosen]


def _study() -> str:
    """Four tools over both protocols on the smallest model."""
    factors = {
        "tool": list(TOOLS), "backend": [b for b, _, _ in TOOLS.values()],
        "language": ["ocl", "eol"], "protocol": ["tcp", "http"],
        "model": ["train-2016-repair-1"], "query": ["PosLength"], "threads": [2],
        "http_transport": ["long-poll"],  # of CDO, whose stock one takes seconds
    }  # fmt: skip
    lines = [f"study: {STUDY}", "title: kill storm", "models:"]
    lines += ['  train-2016-repair-1: {case: train, line: "2016", scenario: repair, size: 1}']
    lines += ["factors:", *(f"  {name}: [{', '.join(map(str, v))}]" for name, v in factors.items())]
    lines += ["constraints:"]
    for tool, (backend, language, protocols) in TOOLS.items():
        only = f"backend: [{backend}], language: [{language}], protocol: [{', '.join(protocols)}]"
        lines += [f"  - when: {{tool: {tool}}}", f"    only: {{{only}}}", "    why: what it has"]
    return "\n".join(lines) + "\n"


def _profile(invocations: int) -> str:
    return (
        f"profile: {PROFILE}\ntitle: kill storm\ninvocations: {invocations}\nsettings:\n"
        "  executions: 60\n  warmup: {executions: 4, seconds: 0.5, threads: 1}\n"
        "  timeout_ms: 30000\n  cell_timeout_s: 300\n"
    )


def _environment(executor: str) -> dict[str, str]:
    return {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", EXECUTOR: executor}


def _run(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv, cwd=folder, env=_environment("process"), capture_output=True, text=True, check=False
    )


def _marked(root: str) -> Iterator[str]:
    """Processes that a run of this project started, wherever they are now."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment = (process / "environ").read_bytes()
            if f"{MARK}=".encode() in environment and root.encode() in environment:
                yield process.name


def _groups() -> Iterator[Path]:
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        yield from (Path(folder) / name for name in names if name.startswith("modelstress-"))


@click.command()
@click.option("--rounds", default=174, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--snakemake-share", default=1 / 6, show_default="1/6", help="Of rounds through it.")
@click.option("--folder", type=click.Path(path_type=Path), help="Keep the project there.")
def main(rounds: int, seed: int, snakemake_share: float, folder: Path | None) -> None:
    """Run the storm; exit code 1 when anything was lost, changed, left or refused."""
    dice = random.Random(seed)
    base = Path(tempfile.mkdtemp(prefix="modelstress-storm-")) if folder is None else folder
    storm = Storm(base / "project", dice)
    try:
        cells = storm.prepare(rounds)
        for number in range(rounds):
            executor = dice.choice(("process", "namespace"))
            tool, cell = cells[executor][number % len(cells[executor])]
            target = Target(tool, cell, number, executor, dice.random() < snakemake_share)
            click.echo(f"round {number}: {target}")
            storm.round(target)
    finally:
        if folder is None:
            shutil.rmtree(base, ignore_errors=True)
    for what, count in sorted(storm.found.items()):
        click.echo(f"{count:5} {what}")
    click.echo(f"{rounds} rounds, {len(storm.told)} findings")
    sys.exit(1 if storm.told else 0)


if __name__ == "__main__":
    main()
