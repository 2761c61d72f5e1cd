"""Images of the fake tool, and a daemon that is found again as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_cells import FAKE

from modelstress.config.project import Project
from modelstress.hosts.containers import daemon, images
from tests.integration.hosts.contained import ROOT, inventory


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """The base image; the fake tool's images on it are removed in the end."""
    client = daemon.connect()
    yield images.build_base(client, ROOT / "docker", print)
    for image in client.images.list("modelstress/fake"):
        client.images.remove(image.id, force=True)


@pytest.fixture
def project(tmp_path: Path, base: str) -> Project:
    """A project with the fake tool's image."""
    root = tmp_path / "project"
    (root / "config").mkdir(parents=True)
    (root / "config" / "config.yaml").write_text("executor: docker\n")
    shutil.copytree(ROOT / "docker", root / "docker")
    query = root / "queries" / "train" / "ocl" / "Q.ocl"
    query.parent.mkdir(parents=True)
    query.write_text("q")
    fakes = root / "fakes"
    fakes.mkdir()
    shutil.copy2(FAKE, fakes / "tool.py")
    images.build_tool(daemon.connect(), "fake", fakes / "tool.py", root / "docker", None, print)
    return Project(root)


@pytest.fixture
def unchanged() -> Iterator[None]:
    """Nothing is left, whatever happened."""
    before = inventory()
    yield
    assert inventory() == before
