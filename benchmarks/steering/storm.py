"""Random kills of workers, database and coordinator, and workers paused past their lease.

``python benchmarks/steering/storm.py [--workers 8] [--options 10] [--seed 1]`` steers a study of
2^options configurations whose subject sleeps (``tests/fakes/sleepers.py``), by the real
coordinator, the real queue and real workers. Meanwhile workers are killed (SIGKILL), the database's
main process and the coordinator are killed and started again, and workers are paused (SIGSTOP) for
longer than their lease. At the end every configuration must be in ``data/raw`` exactly once, sealed
and verified. It prints the counts and fails otherwise.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "fakes"), str(ROOT / "tests")]

import sleepers  # noqa: E402

from modelstress.design.plan import starts  # noqa: E402
from modelstress.design.plan_file import make_plan  # noqa: E402
from modelstress.measure import folders  # noqa: E402
from modelstress.measure.verify_dataset import recheck  # noqa: E402
from modelstress.samples.files import read_json  # noqa: E402

COMMAND = Path(sys.executable).with_name("modelstress")
FAKE = ROOT / "tests" / "fakes" / "sleepers.py"
TICK_S = 0.1


@dataclass
class Storm:
    """A study, its processes, and what was done to them.

    Attributes:
        root: of its project.
        workers: how many there are at any time.
        nap_s: mean time that a configuration takes.
        lease_s: of the study.
        dice: decides who is killed when.
    """

    root: Path
    workers: int
    nap_s: float
    lease_s: float
    dice: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    _workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _paused: list[tuple[float, subprocess.Popen[bytes]]] = field(default_factory=list)
    _coordinator: subprocess.Popen[bytes] | None = None

    @property
    def folder(self) -> Path:
        """Of the coordinator."""
        return self.root / "data" / "steering" / sleepers.STUDY / sleepers.PROFILE

    def start_coordinator(self) -> None:
        """Start it, or go on with it after a kill."""
        with (self.root / "coordinator.log").open("ab") as log:
            command = [str(COMMAND), "--project", str(self.root), "steer"]
            self._coordinator = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def start_worker(self) -> None:
        """Start one more."""
        with (self.root / "workers.log").open("ab") as log:
            command = [sys.executable, str(FAKE), str(self.root), str(self.nap_s)]
            self._workers.append(
                subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )

    def blow(self, gap_s: float, deadline_s: float, kinds: dict[str, int]) -> None:
        """Do something bad every ``gap_s`` or so until the study is done.

        Args:
            gap_s: mean time between two blows.
            deadline_s: after which it fails.
            kinds: ``worker``, ``database``, ``coordinator`` and ``pause`` to how many at most.
        """
        begun = time.monotonic()
        self.start_coordinator()
        _wait(lambda: (self.folder / "join.url").is_file(), 60)
        for _ in range(self.workers):
            self.start_worker()
        _wait(lambda: self._done() > 0, 60)
        # the database and the coordinator early, so that no storm is over before them
        left = [kind for kind, count in kinds.items() for _ in range(count)]
        self.dice.shuffle(left)
        next_s = time.monotonic()
        while self._coordinator is not None and self._coordinator.poll() is None:
            now = time.monotonic()
            if now - begun > deadline_s:
                raise SystemExit(f"not done after {deadline_s:g} s: {self.counts}")
            self._wake(now)
            if left and now > next_s:
                self._strike(left.pop())
                next_s = now + gap_s * self.dice.uniform(0.5, 1.5)
            while sum(worker.poll() is None for worker in self._workers) < self.workers:
                if self._said("finished"):
                    break
                self.start_worker()
            time.sleep(TICK_S)
        if left:
            raise SystemExit(f"done before {len(left)} of the blows; take more configurations")
        self.counts["seconds"] = round(time.monotonic() - begun)

    def _strike(self, kind: str) -> None:
        if kind == "coordinator":
            if self._coordinator is not None:
                self._coordinator.kill()
                self._coordinator.wait()
            self.start_coordinator()
        elif kind == "database":
            with suppress(OSError, ValueError, IndexError):
                file = self.folder / "postgresql" / "data" / "postmaster.pid"
                os.kill(int(file.read_text().splitlines()[0]), signal.SIGKILL)
        else:
            paused = [worker for _, worker in self._paused]
            alive = [w for w in self._workers if w.poll() is None and w not in paused]
            victim = self.dice.choice(alive)
            if kind == "pause":
                victim.send_signal(signal.SIGSTOP)
                self._paused.append((time.monotonic() + 2.5 * self.lease_s, victim))
            else:
                victim.kill()
        self.counts[f"{kind} {'paused' if kind == 'pause' else 'killed'}"] += 1

    def _wake(self, now: float) -> None:
        for one in [*self._paused]:
            if now > one[0]:
                one[1].send_signal(signal.SIGCONT)
                self._paused.remove(one)

    def _said(self, word: str) -> bool:
        return word in (self.root / "workers.log").read_text(errors="replace")

    def _done(self) -> int:
        found = read_json(self.folder / "progress.json").get("done", 0)
        return int(found)

    def end(self) -> None:
        """Let workers that are left see the end; kill what does not."""
        for _, worker in self._paused:
            worker.send_signal(signal.SIGCONT)
        deadline = time.monotonic() + 20
        for worker in self._workers:
            with suppress(subprocess.TimeoutExpired):
                worker.wait(max(0.1, deadline - time.monotonic()))
        for process in [*self._workers, self._coordinator]:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()

    def judge(self) -> list[str]:
        """What is wrong with what came out; counts are in ``counts``."""
        project = sleepers.Project(self.root)
        plan = starts(make_plan(project, sleepers.STUDY, sleepers.PROFILE).runs)
        raw = project.raw / sleepers.STUDY / sleepers.PROFILE
        found = Counter(folder.parent.name for folder in raw.glob("*/*/i*/"))
        places = [run.cell.folder(project.raw, run.invocation) for [run] in plan]
        lost = sum(not folders.finished(place) for place in places)
        hidden = list(raw.glob("*/*/.*"))
        noted = [
            tuple(line.split())
            for file in (self.root / "measured").iterdir()
            for line in file.read_text().splitlines()
        ]
        checks = recheck(project, raw)
        said = read_json(self.folder / "progress.json")
        fences = [
            json.loads((place / "cell.json").read_text())["provenance"]["steering"]["fence"]
            for place in places
            if folders.finished(place)
        ]
        measured = sum(profile == sleepers.PROFILE for profile, *_ in noted)
        self.counts.update({
            "configurations": len(plan), "measured, repeated ones included": measured,
            "in data/raw": sum(found.values()), "lost": lost,
            "twice": sum(count - 1 for count in found.values()) + len(hidden),
            "results that came late": said.get("late", 0), "highest fence": max(fences, default=0),
            "anchors": said.get("anchors", 0),
        })  # fmt: skip
        wrong = [str(check.problems) for check in checks if check.problems]
        if lost or self.counts["twice"] or len(checks) != len(plan):
            wrong.append(f"{lost} lost, {self.counts['twice']} twice, {len(checks)} verified")
        if said.get("done") != len(plan) or said.get("queued") or said.get("failed"):
            wrong.append(f"the queue says {said}")
        return wrong


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"nothing within {seconds:g} s")
        time.sleep(TICK_S)


@click.command()
@click.option("--workers", default=8, show_default=True)
@click.option("--options", default=10, show_default=True, help="2^options configurations.")
@click.option("--nap", default=0.8, show_default=True, help="Seconds, in the mean.")
@click.option("--lease", default=5.0, show_default=True, help="Seconds.")
@click.option("--gap", default=2.5, show_default=True, help="Seconds between blows.")
@click.option("--seed", default=1, show_default=True)
def main(workers: int, options: int, nap: float, lease: float, gap: float, seed: int) -> None:
    """Blow, and print the counts."""
    with tempfile.TemporaryDirectory(prefix="storm-") as folder:
        root = Path(folder) / "project"
        steering = f"{{lease_s: {lease}, anchors: 2}}"
        sleepers.write_project(root, options, steering)
        storm = Storm(root, workers, nap, lease, random.Random(seed))
        kinds = {"worker": 28, "database": 6, "coordinator": 6, "pause": 8}
        try:
            storm.blow(gap, 3600, kinds)
        finally:
            storm.end()
        wrong = storm.judge()
        for name, count in storm.counts.items():
            print(f"{name}: {count}")
        for sentence in wrong[:10]:
            print(f"WRONG: {sentence}")
        sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
