"""What is there of a plan: measured, stale, aborted or missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from modelstress.config.errors import MeasureError
from modelstress.config.project import Project
from modelstress.design.contents import contents_of
from modelstress.design.estimate import Medians
from modelstress.design.plan import Run
from modelstress.measure import folders
from modelstress.samples import record as records

State = Literal["measured", "stale", "aborted", "missing"]


def read_record(folder: Path) -> dict[str, Any]:
    """``cell.json`` of an invocation; empty when it is not there or damaged."""
    try:
        return records.read_record(folder / "cell.json")
    except (OSError, MeasureError):
        return {}


def state_of(project: Project, run: Run) -> State:
    """State of one invocation; ``stale`` when a content that it depends on has changed since."""
    folder = run.cell.folder(project.raw, run.invocation)
    if folders.finished(folder):
        return "stale" if stale_contents(project, run) else "measured"
    return "aborted" if any(folder.parent.glob(f"{folder.name}.aborted-*")) else "missing"


def stale_contents(project: Project, run: Run) -> list[str]:
    """Names of the contents (see ``contents_of``) that differ from those measured."""
    record = read_record(run.cell.folder(project.raw, run.invocation))
    recorded = record.get("provenance", {}).get("contents", {})
    now = contents_of(project, run.cell)
    return sorted(name for name, digest in now.items() if recorded.get(name, digest) != digest)


def measured_medians(project: Project, runs: Sequence[Run]) -> Medians:
    """Median seconds of one measured execution with one thread, from what was measured so far."""
    # Late: every ``modelstress run`` imports this module, and these take longer than all the rest.
    import numpy as np
    import pyarrow.compute as pc

    from modelstress.samples.formats import FORMAT
    from modelstress.samples.tables import read_samples

    medians = Medians()
    for run in runs:
        folder = run.cell.folder(project.raw, run.invocation)
        if run.cell.levels["threads"] != 1 or not folders.finished(folder):
            continue
        names = ["duration_ns", "outcome", "phase"]
        try:
            table = read_samples(folder / "samples.parquet", FORMAT, names)
        except MeasureError:  # `verify` tells; an estimate does without
            continue
        wanted = pc.and_(
            pc.equal(table["outcome"].cast("string"), "ok"),
            pc.equal(table["phase"].cast("string"), "measure"),
        )
        ok = table.filter(wanted)["duration_ns"]
        if len(ok):
            medians.add(run.cell, float(np.median(ok.to_numpy())) / 1e9)
    return medians
