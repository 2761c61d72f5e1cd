"""A Hawk store, loaded and served by the real program."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.hawk.hawk_program import LOAD_S, STOP_S, Served, hawk, ready, write_config


@pytest.fixture(scope="session", params=["neo4j", "orientdb"])
def served(
    request: pytest.FixtureRequest, small_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """The small model without declared attributes, over both protocols."""
    folder = tmp_path_factory.mktemp(f"hawk-{request.param}")
    config = {
        "tool": "hawk", "backend": request.param, "model": str(small_model),
        "store": str(folder / "store"), "work": str(folder / "work"), "bind": "127.0.0.1",
        "ports": {"tcp": 0, "http": 0}, "attributes": [], "options": {"cache_mb": 64},
    }  # fmt: skip
    path = write_config(folder, config)
    subprocess.run(hawk("load", "--config", path), check=True, timeout=LOAD_S)
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            hawk("serve", "--config", path), stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        said = ready(process)
        yield Served(said["endpoints"], said["pid"], small_model, folder / "store", config)
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        finally:
            process.kill()
