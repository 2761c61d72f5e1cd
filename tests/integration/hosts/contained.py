"""Cells of the fake tool in containers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from fake_cells import fake_invocation

from modelstress.config.hosts import DockerHosts
from modelstress.config.project import Project
from modelstress.hosts import Setup
from modelstress.hosts.containers import ContainerHosts, daemon

ROOT = Project.find(Path(__file__)).root
OPEN = {"executor": "docker", "mode": "open", "rate_per_s": 50}


def inventory() -> dict[str, set[str]]:
    """All containers, networks and volumes of the daemon, ours or not."""
    client = daemon.connect()
    return {
        "containers": {one["Id"] for one in client.api.containers(all=True)},
        "networks": {one.id for one in client.networks.list()},
        "volumes": {one.id for one in client.volumes.list()},
    }


def invocation(project: Project, **request: Any) -> Any:
    """A cell of the fake tool whose program is in its image."""
    levels = {"executor": "docker", **request.pop("levels", {})}
    made = fake_invocation(project.root, levels=levels, **request)
    jar = "fakes/tool.py"
    cell = dataclasses.replace(made.cell, tool=made.cell.tool.model_copy(update={"jar": jar}))
    return dataclasses.replace(made, cell=cell, jar=project.root / jar, project=project)


def hosts(project: Project, asked: Setup, where: DockerHosts | None = None) -> ContainerHosts:
    """Hosts of containers with the fake tool's image."""
    tool = invocation(project).cell.tool
    return ContainerHosts(asked, project, tool, where or DockerHosts())
