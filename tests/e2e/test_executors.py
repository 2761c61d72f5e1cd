"""The same cells in containers, and a fault, from the study to the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import needs
import pandas as pd
import pytest

from tests.e2e.conftest import command, ours
from tests.e2e.executing import (
    ONE_PROTOCOL,
    STUDY,
    containers,
    every_tool,
    networks,
    records,
    with_profile,
)  # fmt: skip


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
