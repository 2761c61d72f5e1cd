"""Synthetic samples of every cell that a profile of configuration-space plans."""

import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import synthetic

from modelstress.config.project import Project
from modelstress.design.plan_file import current_plan
from modelstress.samples.files import write_json, write_parquet

STUDY = "configuration-space"
EXECUTIONS = 40
Latency = Callable[[Mapping[str, object]], float]


def usual(levels):
    """Median latency (ms): a pool without watching is slow, a Unix socket fast; nothing else."""
    pool = str(levels["threadPerConnectionPolicy"]) == "0"
    watched = str(levels["threadPoolWatchConnection"]) == "1"
    factor = 1.1 if pool and watched else 2.0 if pool else 1.0
    return 0.02 * factor * (0.7 if levels["protocol"] == "unix" else 1.0)


def write_start(data: Path, profile, tool, cell, levels, number, median_ms, failures=0, **more):
    """Write one start; the first of its executions fail."""
    rng = np.random.default_rng(zlib.crc32(f"{cell} {number}".encode()))
    durations = median_ms * rng.lognormal(0, 0.01) * rng.lognormal(0, 0.1, EXECUTIONS)
    outcomes = ["error"] * failures + ["ok"] * (EXECUTIONS - failures)
    folder = data / "raw" / STUDY / profile / tool / cell / f"i{number:02d}"
    write_parquet(folder / "samples.parquet", synthetic.samples(durations, outcomes, number=number))
    record = synthetic.record({**levels, "query": ""}, number, EXECUTIONS * median_ms / 1e3, **more)
    about = {
        "levels": dict(levels),
        "study": STUDY,
        "profile": profile,
        "cell": cell,
        "seconds": 3.0,
    }
    write_json(folder / "cell.json", record | about)
    return folder


def write_all(project: Project, profile: str, latency: Latency = usual, failing=None, left_out=0):
    """Write every start of a plan but the last ones; return its cells.

    ``failing`` tells of levels whether cells with them have failures.
    """
    plan = current_plan(project, STUDY, profile)
    for run in plan.runs[: len(plan.runs) - left_out]:
        cell = run.cell
        write_start(
            project.root / "data", profile, cell.tool.tool, cell.id, cell.levels, run.invocation,
            latency(cell.levels), failures=5 if failing and failing(cell.levels) else 0,
        )  # fmt: skip
    return plan.cells
