"""Study process-topologies on real processes: PostgreSQL, object managers and clients."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import yaml

from tests.e2e.conftest import check_out, workflow

STUDY = "process-topologies"


def test_two_tiers_and_a_hotspot(tmp_path: Path) -> None:
    copy = check_out(tmp_path / "project")
    file = copy / "config/profiles/process-topologies/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile["levels"] |= {
        "operation": ["customer-operations", "move-by-deltas"],
        "process_topology": ["tiers-2", "tiers-1"],
        "dataset": ["customers", "ferry"],
        "protocol": ["nio"],
        "threads": [4],
    }
    profile["constraints"] = [
        {"when": {"operation": "customer-operations"}, "only": {"process_topology": ["tiers-2"]}}
    ]
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    done = workflow(copy, "--until", "derive", "--config", "profile=smoke", f"studies=['{STUDY}']")
    assert done.returncode == 0, done.stdout + done.stderr

    records = [
        json.loads(found.read_text())
        for found in copy.glob(f"data/raw/{STUDY}/smoke/topology/*/i00/cell.json")
    ]
    nodes = {record["levels"]["operation"]: sorted(record["nodes"]) for record in records}
    assert nodes == {"customer-operations": ["ds1", "m1", "m2"], "move-by-deltas": ["ds1", "m1"]}
    stores = [store.name for store in (copy / "data/stores/topology").iterdir() if store.is_dir()]
    assert sorted(name.partition("-")[0] for name in stores) == ["customers", "ferry"]

    derived = copy / f"data/derived/{STUDY}/smoke"
    cells = pd.read_csv(derived / "cells.csv").set_index("operation")
    assert not cells[["incorrect", "error", "timeout"]].to_numpy().any(), cells
    assert cells.loc["move-by-deltas", "ok"] > 0
    fine = pd.read_csv(derived / "operations.csv").set_index("operation")["ok"]
    assert len(fine) == 5 and (fine > 0).all(), fine
