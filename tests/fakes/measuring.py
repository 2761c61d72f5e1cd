"""Measuring cells of the fake tool, and looking at what is left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from fake_cells import (
    processes_of,
    read_rows,
)

from modelstress.measure.cell import Measured, run_invocation
from modelstress.measure.invocation import Invocation


def measure(invocation: Invocation, folder: Path, **more: Any) -> Measured:
    return run_invocation(invocation, lock_file=folder / "lock", lock_wait_s=5, **more)


def measured_rows(invocation: Invocation) -> list[dict[str, Any]]:
    return [row for row in read_rows(invocation).to_pylist() if row["phase"] == "measure"]


def outcomes(invocation: Invocation) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in measured_rows(invocation):
        found[row["outcome"]] = found.get(row["outcome"], 0) + 1
    return found


def nothing_left(folder: Path, invocation: Invocation, *expected: str) -> None:
    """No process, no temporary file, and only the expected folders beside the cell's."""
    assert processes_of(str(folder)) == []
    assert sorted(p.name for p in invocation.folder.parent.iterdir()) == sorted(expected)
    for name in expected:
        assert not list((invocation.folder.parent / name).rglob(".tmp-*"))


def kept(invocation: Invocation, number: int = 0) -> Path:
    return invocation.folder.with_name(f"{invocation.folder.name}.aborted-{number}")


def wait_until(condition: Any, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)
