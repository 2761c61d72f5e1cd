"""Cells of a tool with two nodes, and what its programs noted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from fake_cells import fake_invocation

from modelstress.config.tool import Tool
from modelstress.measure.invocation import Invocation

FAKES = Path(__file__).parent
OPTIONS = {"hang_after": 0, "ready_delay_s": 0, "notes": ""}


def two_nodes(
    folder: Path,
    *,
    writer: dict[str, Any] | None = None,
    replica: dict[str, Any] | None = None,
    **more: Any,
) -> Invocation:
    """An invocation of a replica, the main node, that needs a writer; each with its options."""
    given = fake_invocation(folder, **more)
    programs = {"replica": FAKES / "replica.py", "writer": FAKES / "writer.py"}
    nodes = {
        "replica": {"needs": ["writer"], "role": "reader", "options": replica or {}},
        "writer": {"options": writer or {}},
    }
    about = {
        **given.cell.tool.model_dump(),
        "options": {**OPTIONS, "notes": str(notes(folder))},
        "nodes": {n: {**one, "program": str(programs[n])} for n, one in nodes.items()},
    }
    cell = replace(given.cell, tool=Tool.model_validate(about))
    needs = replace(given.needs, store=None)
    return replace(given, cell=cell, needs=needs, programs=programs)


def notes(folder: Path) -> Path:
    return folder / "notes.jsonl"


def starts(folder: Path) -> list[dict[str, Any]]:
    """What every start of a node noted, in order."""
    return [json.loads(line) for line in notes(folder).read_text().splitlines()]
