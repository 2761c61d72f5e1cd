"""A study whose subject sleeps: many small configurations, measured by workers for real.

``python sleepers.py ROOT SECONDS [NAME]`` is a worker of the study in ROOT, as
``modelstress join`` is one, but for the subject: what it "measures" are samples of the right form,
sealed, after so many seconds of sleep, and without the host lock. Cells with ``fail=1`` and
``also=1`` have no execution that is right. Every measurement is noted in ``ROOT/measured``.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]

import pyarrow.parquet as pq  # noqa: E402
import synthetic  # noqa: E402

from modelstress.config.project import Project  # noqa: E402
from modelstress.design.contents import contents_of  # noqa: E402
from modelstress.design.plan import Run  # noqa: E402
from modelstress.measure.interrupt import Interrupt  # noqa: E402
from modelstress.samples import seals  # noqa: E402
from modelstress.samples.files import write_json  # noqa: E402
from modelstress.samples.provenance import machine  # noqa: E402
from modelstress.steering.measuring import Measurer  # noqa: E402
from modelstress.steering.worker import Options, Worker  # noqa: E402

STUDY, PROFILE = "sleepers", "storm"
FACTOR_A, FACTOR_B = "fail", "also"
SLOW_MS = 30.0


def write_project(root: Path, options: int = 5, steering: str = "{}", **profile: Any) -> Project:
    """A project with 2^options cells of a tool that is never started."""
    names = [FACTOR_A, FACTOR_B, *(f"o{number}" for number in range(2, options))][:options]
    (root / "sleeper").mkdir(parents=True)
    (root / "sleeper" / "program").write_text("#!/bin/sh\nexit 0\n")
    files = {
        "config.yaml": f"profile: {PROFILE}\nexecutor: process\nseed: 7\nstudies: [{STUDY}]\n"
        "source: measure\nlock_wait_s: 60\n",
        "tools/sleeper.yaml": "tool: sleeper\ntitle: Sleeper\njar: sleeper/program\n"
        "driver: sleeper\nworkload: operations\nstore: none\nsupports:\n  protocol: [main]\n"
        "options: {" + ", ".join(f"{name}: 0" for name in names) + "}\n",
        f"studies/{STUDY}.yaml": f"study: {STUDY}\ntitle: Sleepers\nworkload: operations\n"
        "operations:\n  nap: {check: verdict}\n"
        'roles: {operation: "", load: threads, series: [tool]}\n'
        "factors:\n  tool: [sleeper]\n  threads: [1]\n"
        + "".join(f"  {name}: [0, 1]\n" for name in names),
        f"profiles/{PROFILE}.yaml": f"profile: {PROFILE}\ntitle: naps\n"
        f"invocations: {profile.pop('invocations', 1)}\nsettings: {{executions: 4}}\n"
        f"steering: {steering}\n" + "".join(f"{k}: {v}\n" for k, v in profile.items()),
    }
    for name, text in files.items():
        file = root / "config" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Project(root)


def sleeping(seconds: float, notes: Path) -> Measurer:
    """A measurer that sleeps; each measurement is a line in a file of this process."""
    notes.mkdir(exist_ok=True)

    def measure(project: Project, start: Sequence[Run]) -> list[Path]:
        with (notes / str(os.getpid())).open("a") as file:
            file.writelines(f"{run.cell.profile} {run.cell.id} {run.invocation}\n" for run in start)
        time.sleep(seconds * random.uniform(0.5, 1.5))
        return [write_result(project, run) for run in start]

    return measure


def write_result(project: Project, run: Run) -> Path:
    """What an invocation of a cell would have left."""
    folder = run.cell.folder(project.raw, run.invocation)
    folder.mkdir(parents=True, exist_ok=True)
    levels = run.cell.levels
    slow = sum(bool(levels.get(name)) for name in ("o2", "o3"))
    failed = bool(levels.get(FACTOR_A)) and bool(levels.get(FACTOR_B))
    word = "error" if failed else "ok"
    table = synthetic.samples([1.0 + SLOW_MS * slow] * 4, [word] * 4, number=run.invocation,
                              operations=["nap"] * 4)  # fmt: skip
    pq.write_table(table, folder / "samples.parquet")
    record = {
        "format": 2, "state": "complete", "study": run.cell.study, "profile": run.cell.profile,
        "cell": run.cell.id, "invocation": run.invocation, "workload": "operations",
        "levels": dict(levels), "samples": "rows", "seed": run.seed,
        "outcomes": {"warmup": {}, "measure": {word: 4}, "cooldown": {}},
        "start": {"id": f"{random.getrandbits(64):016x}", "cells": [run.cell.id]},
        "validity": {"valid": True, "reasons": []},
        "provenance": {"contents": contents_of(project, run.cell), "machine": machine()},
    }  # fmt: skip
    write_json(folder / "cell.json", seals.sealed(record, folder))
    return folder


def worker(root: Path, seconds: float, name: str = "", **options: Any) -> Worker:
    """A worker of the study in a project; it has read ``join.url`` when it runs."""
    url = (root / "data/steering" / STUDY / PROFILE / "join.url").read_text().strip()
    return Worker(
        Project(root),
        Options(url=url, name=name, checks=False, patience_s=120, **options),
        sleeping(seconds, root / "measured"),
        lambda sentence: print(sentence, flush=True),
    )


def main() -> None:
    root, seconds, *name = sys.argv[1:]
    with Interrupt() as interrupt:
        worker(Path(root), float(seconds), *name).run(interrupt)


if __name__ == "__main__":
    main()
