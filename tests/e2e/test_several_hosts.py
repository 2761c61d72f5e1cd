"""Cells of several hosts at once, never two on one machine; and jobs of clusters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import needs
import pytest
import yaml

from tests.e2e.conftest import BIN, ROOT, environment, workflow

STAND_IN = Path(__file__).with_name("tracing_modelstress.py")
MACHINES = {"lab-a": ["a-server", "a-client"], "lab-b": ["b"], "lab-c": ["c", "a-client"]}


def grouped(project: Path) -> None:
    """Three groups of machines, of which two have a machine in common."""
    file = project / "config" / "config.yaml"
    config = yaml.safe_load(file.read_text())
    config["executor"] = "docker"
    config["hosts"] = {
        host: {
            "server": {"context": machines[0], "address": "192.0.2.1"},
            "clients": [{"context": machines[-1]}],
        }
        for host, machines in MACHINES.items()
    }
    file.write_text(yaml.safe_dump(config))


def test_hosts_measure_at_once_but_no_machine_twice(copy: Path, tmp_path: Path) -> None:
    grouped(copy)
    commands = tmp_path / "bin"
    commands.mkdir()
    stand_in = commands / "modelstress"
    stand_in.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
    stand_in.chmod(0o755)
    trace = tmp_path / "trace" / "lines"
    trace.parent.mkdir()
    env = {
        **environment(), "PATH": f"{commands}:{BIN}:{os.environ['PATH']}", "TRACE": str(trace),
        "MACHINES": json.dumps(MACHINES),
    }  # fmt: skip
    done = subprocess.run(
        ["snakemake", "--cores", "4", "--until", "cell", "--config", "profile=smoke"],
        cwd=copy, env=env, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    lines = Counter(trace.read_text().splitlines())
    assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
    cells = lines["begin lab-a"]
    assert cells >= 4
    expected = {f"{word} {host}": cells for word in ("begin", "end") for host in MACHINES}
    assert lines == expected


@pytest.mark.parametrize(
    "cluster", [pytest.param(name, marks=mark) for name, mark in needs.clusters.items()]
)
def test_a_cell_is_a_job_of_a_cluster(
    copy: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned only: there is no cluster here."""
    folder = ROOT / "workflow" / "profiles" / cluster
    monkeypatch.setenv("MODELSTRESS_PROJECT", str(copy))
    chosen = ["--workflow-profile", str(folder), "--until", "cell", "--dry-run"]
    if cluster == "kubernetes":  # the volume, here as in the pods
        chosen += ["--default-storage-prefix", str(copy)]
    planned = workflow(copy, *chosen)
    said = planned.stdout + planned.stderr
    assert planned.returncode == 0, said
    assert len(re.findall(r"Job \d+: Measuring ", said)) == 7, said
