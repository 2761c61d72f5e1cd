"""Every fault for every tool: measured, with what it left behind counted before and after.

``python benchmarks/hosts/faults.py [--profile faults]`` runs that profile of the extended study
with all its tables and notebooks, prints the table of faults, and fails if a process, container,
network, volume, control group, network device or temporary file is there that was not before.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from modelstress import analysis
from modelstress.config.project import Project
from modelstress.hosts.containers import connect
from modelstress.hosts.process import MARK

STUDY = "model-queries-extended"
SHOWN = [
    "tool", "backend", "protocol", "fault", "flags", "executions", "lost", "wrong", "before",
    "ready_s", "first_correct_s", "after_end_s", "recovered", "remarks",
]  # fmt: skip


def inventory() -> dict[str, set[str]]:
    """All that a run could leave on this machine, by kind."""
    client = connect()
    groups = Path("/sys/fs/cgroup").rglob("modelstress-*")
    return {
        "processes": set(_marked()),
        "containers": {
            str(one.id) for one in client.containers.list(all=True, ignore_removed=True)
        },
        "networks": {str(one.id) for one in client.networks.list()},
        "volumes": {str(one.id) for one in client.volumes.list()},
        "control groups": {str(folder) for folder in groups},
        "network devices": {path.name for path in Path("/sys/class/net").iterdir()},
        "temporary files": {path.name for path in Path(tempfile.gettempdir()).iterdir()},
    }


def _marked() -> list[str]:
    """Processes that a run of modelstress started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}=".encode() in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


@click.command()
@click.option("--profile", default="faults", show_default=True)
def main(profile: str) -> None:
    """Measure, and show what it cost and what it left."""
    root = Project.find(Path(__file__)).root
    before = inventory()
    done = subprocess.run(["make", "run", f"STUDY={STUDY}", f"PROFILE={profile}"], cwd=root)
    if done.returncode:
        sys.exit(done.returncode)
    faults = analysis.load(root / "data", STUDY, profile).faults
    shown = [name for name in SHOWN if name in faults]
    print(faults[shown].to_string(index=False, max_colwidth=60))
    after = inventory()
    left = {kind: sorted(after[kind] - before[kind]) for kind in before}
    print("\nkind: before, after, left behind")
    for kind, found in left.items():
        print(f"{kind}: {len(before[kind])}, {len(after[kind])}, {len(found)} {found or ''}")
    sys.exit(1 if any(left.values()) else os.EX_OK)


if __name__ == "__main__":
    main()
