#!/usr/bin/env python3
"""Says where the time of the starts of a batch went, from their records.

    .venv/bin/modelstress run --study STUDY --profile PROFILE --positions 0-15 --rerun all
    .venv/bin/python benchmarks/starts/overhead.py STUDY PROFILE

Printed are seconds per start, from the beginning of one to that of the next, those of each phase,
and what is neither server start, warm-up nor window; then how calibrations before and after a start
differ, how many are shared with the start before, and what a context switch costs. Starts further
apart than a minute belong to different batches.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from datetime import datetime
from typing import Any

import numpy as np

from modelstress.analysis.raw import profile_folder
from modelstress.config.project import Project
from modelstress.measure.phase_times import ESSENTIAL
from modelstress.samples.record import read_record

APART_S = 60


def main() -> None:
    """Read the records and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("profile")
    arguments = parser.parse_args()
    project = Project.find()
    folder = profile_folder(project.root / "data", arguments.study, arguments.profile)
    records = [read_record(file) for file in folder.glob("*/*/i[0-9][0-9]/cell.json")]
    records.sort(key=begun_s)
    if len(records) < 2:
        parser.error(f"{folder} has fewer than two starts; measure a batch first")
    times(records)
    calibrations(records)


def begun_s(record: dict[str, Any]) -> float:
    """When a start began, in seconds since the epoch."""
    return datetime.fromisoformat(record["timeline"]["started"]).timestamp()


def times(records: list[dict[str, Any]]) -> None:
    """Print seconds per start and phase."""
    begins = np.array([begun_s(record) for record in records])
    gaps = np.diff(begins)
    phases = defaultdict(list)
    for record in records:
        for phase in record["timeline"]["phases"]:
            phases[phase["phase"]].append(phase["seconds"])
    means = {name: float(np.sum(seconds)) / len(records) for name, seconds in phases.items()}
    needed = sum(seconds for name, seconds in means.items() if name in ESSENTIAL)
    each = float(gaps[gaps < APART_S].mean())
    print(f"{len(records)} starts: {each:.2f} s each, {each - needed:.2f} s of them overhead")
    for name, seconds in means.items():
        print(f"  {name:10} {seconds:6.3f} s{'' if name in ESSENTIAL else '  overhead'}")


def calibrations(records: list[dict[str, Any]]) -> None:
    """Print how calibrations differ."""
    found = [
        r["calibration"] for r in records if all(map(r["calibration"].get, ("before", "after")))
    ]
    drift = [abs(c["after"]["rounds_per_s"] / c["before"]["rounds_per_s"] - 1) for c in found]
    shared = sum("before_is_after" in c for c in found)
    switches = [c["after"]["switch_ns"] for c in found if "switch_ns" in c["after"]]
    print(
        f"calibrations: {shared} of {len(found)} are shared; before and after differ by "
        f"{np.median(drift):.1%} in the median, {max(drift):.1%} at most"
    )
    if switches:
        print(f"a context switch takes {np.median(switches):.0f} ns in the median")


if __name__ == "__main__":
    main()
