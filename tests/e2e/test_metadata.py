"""Study metadata-scaling on real databases: loaded, measured, checked and derived."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import yaml

from tests.e2e.conftest import check_out, workflow

STUDY = "metadata-scaling"
PROGRAMS = ("client", "server")


def test_updates_on_two_databases_and_over_the_web(tmp_path: Path) -> None:
    copy = check_out(tmp_path / "project")
    file = copy / "config/profiles/metadata-scaling/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile["levels"] |= {
        "backend": ["mariadb", "sqlite"],
        "layout": ["rows"],
        "operation": ["update-shared", "retrieve-uniform"],
        "heap_mib": [128],
        "collector": ["serial"],
    }
    profile["constraints"] = [
        {"when": {"operation": "update-shared"},
         "only": {"backend": ["mariadb"], "control": ["transactions"]}},
        {"when": {"operation": "retrieve-uniform"},
         "only": {"backend": ["sqlite"], "protocol": ["local"]}},
    ]  # fmt: skip
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    done = workflow(copy, "--until", "derive", "--config", "profile=smoke", f"studies=['{STUDY}']")
    assert done.returncode == 0, done.stdout + done.stderr

    records = [
        json.loads(found.read_text())
        for found in copy.glob(f"data/raw/{STUDY}/smoke/metadata/*/i00/cell.json")
    ]
    nodes = {
        (record["levels"]["operation"], record["levels"]["protocol"]): sorted(record["nodes"])
        for record in records
    }
    assert nodes == {
        ("update-shared", "local"): ["database"],
        ("update-shared", "http"): ["database", "service"],
        ("retrieve-uniform", "local"): ["database"],
    }
    flags = [record["provenance"]["jvm"][program] for record in records for program in PROGRAMS]
    assert all({"-Xmx128m", "-XX:+UseSerialGC"} <= set(some) for some in flags), flags
    assert [record["invariants"][0]["holds"] for record in records] == [True] * 3

    cells = pd.read_csv(copy / f"data/derived/{STUDY}/smoke/cells.csv")
    assert not cells[["incorrect", "error", "timeout"]].to_numpy().any(), cells
    assert (cells["ok"] > 0).all(), cells
