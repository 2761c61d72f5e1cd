"""Two nodes of one tool that really talk, on hosts of each executor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import needs
import pytest

from modelstress.config.project import Project
from modelstress.hosts import ProcessHosts, cgroup, leftovers
from tests.integration.hosts import two_nodes
from tests.integration.hosts.contained import hosts
from tests.integration.hosts.two_nodes import LARGE_MIB, SMALL_MIB

ALL = ["store", "reader", "store"]
"""What two nodes and the reader's peer are called."""

KINDS = ("memory", "cut", "drop", "disk")
"""Of disturbances; 'process' has the first one only."""


def check(found: dict[str, Any], kinds: tuple[str, ...]) -> None:
    """What holds for two nodes under every executor."""
    assert found["answers"] == ALL
    assert found["cpus"] == {side: found["here"][side] for side in ("store", "reader")}
    assert found["cpus"]["store"] != found["cpus"]["reader"]
    assert found["counters"]["store.group_mib"] > 0 and found["counters"]["reader.group_mib"] > 0
    for kind in kinds:
        during, after = found[kind]
        if kind == "disk":
            assert during == ["OSError", 1 << 16], "only the store's disk is full"
            assert after == [1 << 16, 1 << 16]
        elif kind == "memory":
            assert during == after == ALL, "and the limit is what it was: much can be eaten below"
        else:
            assert during == [None, "reader", "URLError"] or during == [
                None, "reader", "TimeoutError",
            ], "the reader still answers, and does not reach the store"  # fmt: skip
            assert after == ALL
    assert found["files"][1] == []
    assert found["eaten"] == ["x", None], "only the reader's memory is small"
    assert found["ended"] == [None, 137]
    nodes = found["record"]["nodes"]
    assert [nodes[name]["memory_mib"] for name in ALL[:2]] == [LARGE_MIB, SMALL_MIB]


def counted(found: dict[str, Any]) -> None:
    """Each node's link has its own counters."""
    for host in ("store", "reader", "client0"):
        assert found["counters"][f"net.{host}.sent_bytes"] > 0


@needs.memory_limits
def test_processes(tmp_path: Path) -> None:
    asked = two_nodes.setup(tmp_path, "two-processes")
    found = two_nodes.observed(lambda: ProcessHosts(asked), asked, *KINDS[:1])
    check(found, KINDS[:1])
    assert [found["record"]["nodes"][name]["oom_kills"] for name in ALL[:2]] == [0, 1]
    assert leftovers("two-processes") == [] and list(cgroup._groups("two-processes")) == []


@needs.memory_limits
def test_namespaces(tmp_path: Path) -> None:
    argv = [sys.executable, two_nodes.__file__, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    check(found, KINDS)
    counted(found)
    assert found["devices"] == ["lo"] and found["mounts"] == []
    assert leftovers("two-nodes") == [] and list(cgroup._groups("two-nodes")) == []


@needs.containers
@pytest.mark.usefixtures("unchanged")
def test_containers(project: Project, tmp_path: Path) -> None:
    asked = two_nodes.setup(tmp_path / "work", "two-containers", disk_mib=two_nodes.DISK_MIB)
    found = two_nodes.observed(lambda: hosts(project, asked), asked, *KINDS)
    check(found, KINDS)
    counted(found)
    assert len(found["record"]["machines"]) == 3
