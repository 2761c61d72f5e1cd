"""Contents that a cell's numbers depend on; when they change, the cell is stale."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.kinds import kind_named
from modelstress.samples.provenance import sha256_file, sha256_jar


def contents_of(project: Project, cell: Cell) -> dict[str, str]:
    """Hex digests (sha256) by name; what is not there to be hashed is left out.

    ``jar``: the tool's programs with their libraries. ``settings``: executions, warm-up,
    deadlines, JVM flags and options. ``client``: its client program, where that is another one.
    ``node.<name>``: likewise of a node. Further ones are the workload kind's.
    """
    contents = {**kind_named(cell.workload).contents(project, cell), "settings": _settings(cell)}
    jar = project.jar(cell.tool)
    if jar.is_file():
        contents["jar"] = sha256_jar(jar)
    if cell.tool.client is not None and (client := project.client(cell.tool)).is_file():
        contents["client"] = sha256_jar(client)
    for name, program in project.node_programs(cell.tool).items():
        if program.is_file():
            contents[f"node.{name}"] = sha256_jar(program)
    return contents


def _settings(cell: Cell) -> str:
    tool = cell.tool
    # without what is not set: a setting that is new does not make every cell stale; and what is
    # done about a server that hangs leaves the numbers of one that does not as they are
    settings = cell.settings.model_dump(exclude={"wedge_s", "restarts"}, exclude_none=True)
    parts: dict[str, Any] = {
        # with a setting that there is no more, or all that was measured before would be stale
        "settings": {**settings, "repeat_unsettled": False},
        "jvm": {"server": tool.jvm.server, "client": tool.jvm.client},
        "options": tool.options,
        "driver_options": tool.driver_options,
    }
    if tool.nodes:
        parts["nodes"] = {name: node.model_dump() for name, node in tool.nodes.items()}
    return hash_json(parts)


def hash_json(value: Any) -> str:
    """Hex digest (sha256) of a value as JSON, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def hash_file(file: Path) -> str:
    """Hex digest (sha256) of a file; taken once for each time that it is changed."""
    return _hash_once(file, file.stat().st_mtime_ns)


@lru_cache
def _hash_once(file: Path, mtime_ns: int) -> str:
    return sha256_file(file)
