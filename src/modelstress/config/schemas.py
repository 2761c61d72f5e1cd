"""JSON Schemas of all configuration files, generated; a test fails when they drift."""

from __future__ import annotations

import json
from pathlib import Path

from modelstress.config.base import Strict
from modelstress.config.claims import Claims
from modelstress.config.papers import Paper, SettingPage
from modelstress.config.profile import Profile
from modelstress.config.programs import ServerConfig, Workload
from modelstress.config.steering import Template
from modelstress.config.study import kind_package, kinds
from modelstress.config.tool import MainConfig, Tool


def _of_kinds() -> dict[str, type[Strict]]:
    """``SCHEMAS`` of all kinds of workload: their studies and files."""
    return {name: model for kind in kinds() for name, model in kind_package(kind).SCHEMAS.items()}


SCHEMAS: dict[str, type[Strict]] = {
    "config": MainConfig,
    "profile": Profile,
    "template": Template,
    "tool": Tool,
    "paper": Paper,
    "setting": SettingPage,
    "server-config": ServerConfig,
    "workload": Workload,
    "claims": Claims,
    **_of_kinds(),
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
