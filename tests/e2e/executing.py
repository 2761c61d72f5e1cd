"""Small profiles of the extended study, and what its cells leave, for tests of executors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from modelstress.hosts.containers import daemon

STUDY = "model-queries-extended"
QUIET = {
    "link_mbit_s": [0], "link_delay_ms": [0], "link_loss_percent": [0], "server_memory_mib": [0],
    "http_transport": ["long-poll"], "model": ["train-2016-repair-1"], "query": ["SwitchSet"],
    "language": ["ocl", "eol"], "backend": ["h2", "neo4j", "neoemf"],
}  # fmt: skip


def with_profile(
    project: Path,
    name: str,
    levels: dict[str, Any],
    constraints: list[dict[str, Any]] | None = None,
    **settings: Any,
) -> None:
    """A small profile of the extended study, in a project of the test's own."""
    few = {"executions": 16, "warmup": {"executions": 4, "seconds": 0.2, "threads": 2}}
    profile = {
        "profile": name,
        "title": "a test",
        "invocations": 1,
        "settings": {**few, "clients": 2, "timeout_ms": 20_000, **settings},
        "levels": {**QUIET, **levels},
        "constraints": [{"why": "few cells", **constraint} for constraint in constraints or []],
    }
    file = project / "config" / "profiles" / f"{name}.yaml"
    file.write_text(yaml.safe_dump(profile))


ONE_PROTOCOL: list[dict[str, Any]] = [
    {"when": {"mode": "closed", "tool": "cdo"}, "only": {"protocol": ["tcp"]}},
    {"when": {"mode": "closed", "tool": ["hawk", "mogwai"]}, "only": {"protocol": ["http"]}},
]
"""Of each tool: an executor knows nothing of protocols."""


def containers() -> list[str]:
    """Names of all containers of ours, also of those that do not run."""
    # one may go while they are listed: the lock goes some time after its controller
    mine = {"label": daemon.LABEL}
    found = daemon.connect().containers.list(all=True, filters=mine, ignore_removed=True)
    return [container.name for container in found]


def networks() -> list[str]:
    """Names of all networks of ours."""
    return [n.name for n in daemon.connect().networks.list(filters={"label": daemon.LABEL})]


def records(project: Path, profile: str) -> list[dict[str, Any]]:
    """All that was measured."""
    found = project.glob(f"data/raw/{STUDY}/{profile}/*/*/i[0-9][0-9]/cell.json")
    return [json.loads(file.read_text()) for file in found]


def every_tool(found: list[dict[str, Any]]) -> bool:
    """Whether every tool was measured once, over the protocol that was asked for."""
    cells = sorted((r["levels"]["tool"], r["levels"]["protocol"]) for r in found)
    return cells == [("cdo", "tcp"), ("hawk", "http"), ("mogwai", "http")]
