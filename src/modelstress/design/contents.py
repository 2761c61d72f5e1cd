"""Contents that a cell's numbers depend on; when they change, the cell is stale."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from modelstress.config.project import Project
from modelstress.design.cells import Cell
from modelstress.samples.provenance import sha256_file, sha256_jar


def contents_of(project: Project, cell: Cell) -> dict[str, str]:
    """Hex digests (sha256) by name; what is not there to be hashed is left out.

    ``jar``: the tool's programs with their libraries. ``model``: the model file. ``query``: its
    text, or those of a mix. ``settings``: executions, warm-up, deadlines, JVM flags and options.
    ``client``: its client program, where that is another one. ``node.<name>``: likewise of a node.
    ``attributes``: the declarations, in a cell that has them.
    """
    model = project.model_file(str(cell.levels["model"]))
    jar = project.jar(cell.tool)
    files = [cell.query_file(project, name) for name in cell.queries] or [cell.query_file(project)]
    texts = [_hash_once(file, file.stat().st_mtime_ns) for file in files]
    found = {
        "query": texts[0] if len(texts) == 1 else hash_json(texts),
        "settings": _settings(cell),
    }
    if cell.attributes == "declared":
        found["attributes"] = hash_json(declared(project, cell.model.case))
    if jar.is_file():
        found["jar"] = sha256_jar(jar)
    if cell.tool.client is not None and (client := project.client(cell.tool)).is_file():
        found["client"] = sha256_jar(client)
    for name, program in project.node_programs(cell.tool).items():
        if program.is_file():
            found[f"node.{name}"] = sha256_jar(program)
    if model.is_file():
        found["model"] = _hash_once(model, model.stat().st_mtime_ns)
    return found


def _settings(cell: Cell) -> str:
    tool = cell.tool
    # without what is not set: a setting that is new does not make every cell stale; and what is
    # done about a server that hangs leaves the numbers of one that does not as they are
    whole: dict[str, Any] = {
        "settings": cell.settings.model_dump(exclude={"wedge_s", "restarts"}, exclude_none=True),
        "jvm": {"server": tool.jvm.server, "client": tool.jvm.client},
        "options": tool.options,
        "driver_options": tool.driver_options,
    }
    if tool.nodes:
        whole["nodes"] = {name: node.model_dump() for name, node in tool.nodes.items()}
    return hash_json(whole)


def declared(project: Project, case: str) -> list[dict[str, Any]]:
    """A case's attribute declarations as a server program gets them.

    Raises:
        ConfigError: the case has none, or their file is wrong.
    """
    file = project.attributes_file(case)
    return _declared(project, case, file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache
def _declared(project: Project, case: str, mtime_ns: int) -> list[dict[str, Any]]:
    return [attribute.model_dump(exclude_none=True) for attribute in project.attributes(case)]


def hash_json(value: Any) -> str:
    """Hex digest (sha256) of a value as JSON, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@lru_cache
def _hash_once(file: Path, mtime_ns: int) -> str:
    return sha256_file(file)
