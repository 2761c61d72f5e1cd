"""Study configuration-space on real omniORB: generated, built, measured and derived."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.e2e.conftest import ROOT, check_out, workflow

STUDY = "configuration-space"


@pytest.mark.skipif(
    shutil.which("omniidl") is None, reason="no omniORB (apt-get install omniidl libomniorb4-dev)"
)
def test_a_covering_array_of_options_is_built_and_measured(tmp_path: Path) -> None:
    copy = check_out(tmp_path / "project")
    if (harness := ROOT / "orb/target/harness").is_dir():  # benchmarks are built here anyway
        shutil.copytree(harness, copy / "orb/target/harness")
    file = copy / f"config/profiles/{STUDY}/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile["levels"] |= {
        "operation": ["call", "event"],
        "connectionWatchPeriod": [50000], "maxServerThreadPoolSize": [100],
        "supportCurrent": [1], "clientCallTimeOutPeriod": [0], "supportPerThreadTimeOut": [0],
    }  # fmt: skip
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    done = workflow(copy, "--until", "derive", "--config", "profile=smoke", f"studies=['{STUDY}']")
    assert done.returncode == 0, done.stdout + done.stderr

    records = [
        json.loads(found.read_text())
        for found in copy.glob(f"data/raw/{STUDY}/smoke/omniorb/*/i00/cell.json")
    ]
    assert 4 <= len(records) <= 12
    for factor in ("protocol", "threadPerConnectionPolicy", "threadPolicy", "maxGIOPVersion"):
        assert len({str(record["levels"][factor]) for record in records}) == 2
    assert all(set(record["outcomes"]["measure"]) == {"ok"} for record in records)
    assert {record["java"] for record in (r["provenance"] for r in records)} == {None}

    cells = pd.read_csv(copy / f"data/derived/{STUDY}/smoke/cells.csv")
    assert len(cells) == len(records) and (cells["ok"] > 100).all()
