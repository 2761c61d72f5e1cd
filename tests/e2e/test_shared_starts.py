"""Cells of two protocols on one start of a real server, through the workflow to the tables."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import yaml

from modelstress.analysis.estimates import estimates
from modelstress.analysis.load import load
from tests.e2e.conftest import command, workflow

TINY = ("--until", "derive")
EXECUTIONS = 8


def two_protocols(copy: Path) -> None:
    """One query over TCP and WebSocket, two invocations of each."""
    file = copy / "config/profiles/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile["invocations"] = 2
    profile["settings"]["executions"] = EXECUTIONS
    profile["constraints"] = []
    profile["levels"] |= {
        "tool": ["cdo"], "threads": [1], "query": ["PosLength"], "protocol": ["tcp", "websocket"],
    }  # fmt: skip
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")


def records(copy: Path) -> list[dict]:
    found = sorted(copy.glob("data/raw/model-queries/smoke/*/*/i??/cell.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in found]


def by_start(copy: Path) -> dict[str, list[dict]]:
    starts: dict[str, list[dict]] = {}
    for record in records(copy):
        starts.setdefault(record["start"]["id"], []).append(record)
    return starts


def test_protocols_share_a_start_from_the_plan_to_the_estimates(copy: Path) -> None:
    two_protocols(copy)
    done = workflow(copy, *TINY)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert len(re.findall("Measuring cdo", said)) == 2, "a job for each start, not for each cell"
    starts = by_start(copy)
    assert len(starts) == 2
    for group in starts.values():
        assert {record["levels"]["protocol"] for record in group} == {"tcp", "websocket"}
        assert len({record["server"]["pid"] for record in group}) == 1
        assert all(record["outcomes"]["measure"] == {"ok": EXECUTIONS} for record in group)
        assert all(len(record["start"]["slices"]) == 4 for record in group)

    tables = copy / "data/derived/model-queries/smoke"
    table = pd.read_csv(tables / "invocations.csv")
    table = table[table["state"] != "attempt"]
    assert set(table["start"]) == set(starts) and table["boot"].nunique() == 1
    for record, row in zip(records(copy), table.to_dict("records"), strict=True):
        parts = record["start"]["slices"]
        together = sum(part["end_ns"] - part["begin_ns"] for part in parts) / 1e9
        whole = (record["window"]["end_ns"] - record["window"]["begin_ns"]) / 1e9
        assert together < whole, "what was idle does not count"
        if row["used"]:  # on a busy machine it may be invalid
            assert 0 < row["window_s"] <= together
            assert row["throughput_per_s"] * row["window_s"] >= EXECUTIONS * 0.99

    valid = sum(all(r["validity"]["valid"] for r in group) for group in starts.values())
    found = estimates(load(copy / "data", "model-queries", "smoke"))
    [pair] = found[found["comparison"] == "websocket"].to_dict("records")
    assert pair["blocks"] == pair["shared"] == valid

    again = workflow(copy, *TINY)
    assert again.returncode == 0 and not re.search("Measuring|Deriving", again.stdout)
    gone = next(copy.glob("data/raw/model-queries/smoke/cdo/*websocket*/i01"))
    shutil.rmtree(gone)
    third = workflow(copy, *TINY)
    assert third.returncode == 0, third.stdout + third.stderr
    now = by_start(copy)
    assert len(now) == 2 and len({*now, *starts}) == 3, "the whole start is measured again"
    assert all(len(group) == 2 for group in now.values())

    cell = records(copy)[0]["cell"]
    one = command("modelstress", "run", cell, "--profile", "smoke", "--invocation", "0", cwd=copy)
    assert one.stdout.startswith(f"{cell} is measured already: "), one.stderr
