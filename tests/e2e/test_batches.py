"""Batches: one job of the workflow measures several invocations of the plan."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import yaml

from tests.e2e.conftest import command, workflow

TINY = ("--until", "derive", "--config", "profile=smoke", "batch=2")


def tiny(copy: Path) -> None:
    """Three invocations of one cell."""
    file = copy / "config/profiles/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile["invocations"] = 3
    profile["levels"] |= {"tool": ["cdo"], "threads": [1], "query": ["PosLength"]}
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")


def batches(copy: Path) -> list[str]:
    return sorted(file.name for file in (copy / "data/plan/model-queries/smoke").glob("*.done"))


def records(copy: Path) -> dict[str, int]:
    found = copy.glob("data/raw/model-queries/smoke/*/*/i??/cell.json")
    return {file.parent.name: file.stat().st_mtime_ns for file in found}


def test_a_plan_in_batches_is_measured_once(copy: Path) -> None:
    tiny(copy)
    done = workflow(copy, *TINY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [name.partition(".")[0] for name in batches(copy)] == ["0-1", "2-2"]
    measured = records(copy)
    assert sorted(measured) == ["i00", "i01", "i02"]
    plan = copy / "data/plan/model-queries/smoke.parquet"
    written = plan.stat().st_mtime_ns
    tables = (copy / "data/derived/model-queries/smoke/cells.csv").read_bytes()

    again = workflow(copy, *TINY)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "Measuring positions 0 to 1" in done.stdout + done.stderr
    assert not re.search("Measuring|Deriving", again.stdout + again.stderr)
    assert records(copy) == measured and plan.stat().st_mtime_ns == written

    # What was moved away is measured again, and nothing else; tables are made of it.
    gone = next(copy.glob("data/raw/model-queries/smoke/*/*/i02"))
    shutil.rmtree(gone)
    third = workflow(copy, *TINY)
    assert third.returncode == 0, third.stdout + third.stderr
    now = records(copy)
    assert {name for name in now if now[name] != measured[name]} == {"i02"}
    assert (copy / "data/derived/model-queries/smoke/cells.csv").read_bytes() != tables

    # Without a job, and what is no batch.
    run = ["modelstress", "run", "--profile", "smoke", "--positions"]
    done = command(*run, "0-2", cwd=copy)
    assert done.stdout == "3 of 3 invocations were measured already\n", done.stderr
    for wrong in ("2-1", "0-3", "x", "-1", "0-"):
        done = command(*run[:-1], f"--positions={wrong}", cwd=copy)
        assert done.returncode == 2 and done.stderr.startswith("error: --positions is "), wrong
