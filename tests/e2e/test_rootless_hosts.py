"""Cells on hosts of network namespaces, by somebody who is not root and has no Docker."""

from __future__ import annotations

import subprocess
from pathlib import Path

import needs
import nobody
import pytest

from tests.e2e.conftest import command, ours
from tests.e2e.executing import ONE_PROTOCOL, STUDY, every_tool, records, with_profile


@pytest.mark.long
@pytest.mark.timeout(580)
@needs.namespaces
def test_every_tool_on_hosts_without_docker_or_root(copy: Path) -> None:
    with_profile(
        copy, "rootless",
        {"executor": ["namespace"], "mode": ["closed"], "threads": [2], "fault": ["none"]},
        ONE_PROTOCOL,
    )  # fmt: skip
    chosen = ("--tool", "hawk", "--backend", "neo4j", "--model", "train-2016-repair-1")
    loaded = command("modelstress", "load", *chosen, cwd=copy)
    assert loaded.returncode == 0, loaded.stderr
    begin = [*nobody.python(copy), "-c", "from modelstress.cli import main; main()"]
    argv = [*begin, "run", "--all", "--study", STUDY, "--profile", "rootless"]
    done = subprocess.run(argv, cwd=copy, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ours(copy) == []
    found = records(copy, "rootless")
    assert every_tool(found)
    for record in found:
        assert record["outcomes"]["measure"] == {"ok": 16}, record["cell"]
        assert record["provenance"]["executor"] == "namespace"
    assert (copy / "data" / "raw" / STUDY).stat().st_uid == nobody.uid()
