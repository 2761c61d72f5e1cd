"""The same cells under every executor, and a fault, from the study to the tables."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import needs
import nobody
import pandas as pd
import pytest
import yaml

from modelstress.hosts.containers import daemon
from tests.e2e.conftest import command, environment, ours

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


def measured(project: Path, profile: str) -> list[dict[str, Any]]:
    """Run the workflow; what it measured."""
    chosen = ("--config", f"profile={profile}", f"studies=['{STUDY}']")
    done = command("snakemake", "--cores", "all", *chosen, cwd=project)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert ours(project) == []
    return records(project, profile)


def asked_in_window(samples: Path) -> dict[str, int]:
    """Measured executions by operation."""
    frame = pd.read_parquet(samples, columns=["operation", "phase"])
    counts = frame.loc[frame["phase"] == "measure", "operation"].value_counts()
    return {str(name): int(count) for name, count in counts.items() if count}


@pytest.mark.timeout(580)
@needs.containers
def test_every_tool_in_containers_and_a_fault_under_a_mix(copy: Path) -> None:
    with_profile(
        copy, "contained",
        {
            "executor": ["docker"], "mode": ["closed", "open"], "rate_per_s": [20],
            "threads": [2], "fault": ["none", "link-cut"], "query": ["SwitchSet", "inspection"],
        },
        [
            {"when": {"mode": "open"}, "only": {"tool": ["hawk"], "fault": ["link-cut"]}},
            {"when": {"mode": "open"}, "only": {"protocol": ["tcp"]}},
            {"when": {"mode": "open"}, "only": {"query": ["inspection"]}},
            {"when": {"mode": "closed"}, "only": {"query": ["SwitchSet"]}},
            *ONE_PROTOCOL,
            {"when": {"mode": "open"}, "at_most": {"executions": 180}},
            {"when": {"mode": "closed"}, "at_most": {"executions": 16}},
        ],
        executions=180,
    )  # fmt: skip
    found = measured(copy, "contained")
    quiet = [r for r in found if r["levels"]["fault"] == "none"]
    assert every_tool(quiet)
    for record in quiet:
        assert record["outcomes"]["measure"] == {"ok": 16}, record["cell"]
        assert record["provenance"]["executor"] == "docker"
    assert len(found) == 4 and containers() == [] and networks() == []
    [mixed] = copy.glob(f"data/raw/{STUDY}/contained/hawk/*inspection*/i00/samples.parquet")
    asked = pd.read_parquet(mixed, columns=["operation"])["operation"].value_counts()
    assert set(asked.index) == {"RouteSensor", "SwitchSet", "ConnectedSegments", "PosLength"}
    assert asked["RouteSensor"] > asked["PosLength"], "four times its weight"

    tables = copy / "results" / STUDY / "tables"
    apart = pd.concat([pd.read_csv(file) for file in tables.glob("table-M1*.csv")])
    assert apart.set_index("operation")["executions"].to_dict() == asked_in_window(mixed)
    [file] = tables.glob("table-F1*.csv")
    table = pd.read_csv(file)
    [row] = table.to_dict("records")
    assert (row["tool"], row["kind"], row["recovered"]) == ("hawk", "link-cut", "by itself")
    assert row["lasted_s"] >= 3 and row["executions"] == 180
    page = (copy / "results" / STUDY / "notebooks" / "faults.html").read_text()
    assert "1 of 1 invocation recovered by itself" in page and "link-cut" in page


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


@pytest.mark.timeout(580)
@pytest.mark.parametrize(
    ("executor", "how"),
    [
        pytest.param("docker", signal.SIGKILL, marks=needs.containers),
        pytest.param("docker", signal.SIGINT, marks=[needs.containers, pytest.mark.long]),
        pytest.param("namespace", signal.SIGKILL, marks=[needs.namespaces, pytest.mark.long]),
        pytest.param("namespace", signal.SIGINT, marks=[needs.namespaces, pytest.mark.long]),
    ],
)
def test_a_controller_that_ends_in_the_middle_of_a_cell(
    copy: Path, executor: str, how: signal.Signals
) -> None:
    levels = {"tool": ["cdo"], "protocol": ["tcp"], "executor": [executor], "fault": ["none"]}
    with_profile(copy, "ended", {**levels, "mode": ["closed"], "threads": [2, 4]}, executions=320)
    chosen = ("--study", STUDY, "--profile", "ended")
    if executor == "docker":
        made = command("modelstress", "images", "cdo", cwd=copy)
        assert made.returncode == 0, made.stderr
    argv = ["modelstress", "run", "--all", *chosen]
    with (copy / "run.log").open("w") as log:
        run = subprocess.Popen(argv, cwd=copy, env=environment(), stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 120
            while "measure" not in (copy / "run.log").read_text():
                assert time.monotonic() < deadline and run.poll() is None, log.name
                time.sleep(0.05)
            assert executor != "docker" or len(containers()) >= 5
            [begun] = copy.glob(f"data/raw/{STUDY}/ended/cdo/*/i00.work")
            run.send_signal(how)
            code = run.wait(60)
        finally:
            if run.poll() is None:
                run.kill()
    killed = how == signal.SIGKILL
    assert code == (-how if killed else 128 + how)
    if executor == "docker":
        assert (containers() != []) == killed, "after SIGKILL nobody was left to remove them"
    listed = command("modelstress", "cells", *chosen, "--json", cwd=copy)
    runs = json.loads(listed.stdout)["runs"]
    [other] = [run["cell"] for run in runs if run["cell"] != begun.parent.name]
    another = command("modelstress", "run", other, *chosen, cwd=copy)
    assert another.returncode == 0, another.stderr
    assert not (killed and executor == "docker") or "containers removed" in another.stderr
    assert left(executor, copy) == [], "not even beside another cell"
    resumed = command(*argv, cwd=copy)
    assert resumed.returncode == 0, resumed.stderr
    assert [r["outcomes"]["measure"] for r in records(copy, "ended")] == [{"ok": 320}] * 2
    assert left(executor, copy) == []


def left(executor: str, project: Path) -> list[Any]:
    """Containers, networks and processes of ours."""
    docker = containers() + networks() if executor == "docker" else []
    return docker + ours(project)
