"""JSON Schemas of all configuration files, generated; a test fails when they drift."""

from __future__ import annotations

import json
from pathlib import Path

from modelstress.config.attributes import Attributes
from modelstress.config.base import Strict
from modelstress.config.jdt_ladder import Ladder
from modelstress.config.papers import Paper, SettingPage
from modelstress.config.profile import Profile
from modelstress.config.programs import ServerConfig, Workload
from modelstress.config.study import Study
from modelstress.config.tool import Case, MainConfig, Tool

SCHEMAS: dict[str, type[Strict]] = {
    "config": MainConfig,
    "study": Study,
    "profile": Profile,
    "tool": Tool,
    "case": Case,
    "attributes": Attributes,
    "jdt-ladder": Ladder,
    "paper": Paper,
    "setting": SettingPage,
    "server-config": ServerConfig,
    "workload": Workload,
}


def schema_text(name: str) -> str:
    """The JSON Schema ``workflow/schemas/<name>.schema.json`` as text."""
    schema = SCHEMAS[name].model_json_schema()
    return (
        json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2)
        + "\n"
    )


def write_schemas(folder: Path) -> None:
    """Write every schema into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMAS:
        (folder / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8")
