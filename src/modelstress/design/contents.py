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
    text. ``settings``: executions, warm-up, deadlines, JVM flags and options.
    """
    model = project.model_file(str(cell.levels["model"]))
    query = project.query_file(
        cell.model.case, str(cell.levels["language"]), str(cell.levels["query"])
    )
    jar = project.jar(cell.tool)
    found = {"query": sha256_file(query), "settings": _settings(cell)}
    if jar.is_file():
        found["jar"] = sha256_jar(jar)
    if model.is_file():
        found["model"] = _hash_once(model, model.stat().st_mtime_ns)
    return found


def _settings(cell: Cell) -> str:
    tool = cell.tool
    whole: dict[str, Any] = {
        "settings": cell.settings.model_dump(),
        "jvm": {"server": tool.jvm.server, "client": tool.jvm.client},
        "options": tool.options,
        "driver_options": tool.driver_options,
    }
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


@lru_cache
def _hash_once(file: Path, mtime_ns: int) -> str:
    return sha256_file(file)
