"""Measured until decided, and verified again, on a real server and clients that wait a share."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.e2e.conftest import command

LOOK, WAITED = 4, 300


def slower_beside_itself(copy: Path) -> None:
    """One query, and the same with clients that wait three times as long as it takes."""
    file = copy / "config/profiles/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile |= {"invocations": LOOK, "looks": [LOOK, LOOK + 1], "placebos": 1, "constraints": []}
    profile["settings"] |= {"executions": 20, "warmup": {"executions": 10, "seconds": 1}}
    profile["settings"].pop("window", None)
    profile["levels"] = {"model": ["train-2016-repair-1"], "threads": [1]}
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    file = copy / "config/studies/model-queries.yaml"
    study = yaml.safe_load(file.read_text(encoding="utf-8"))
    study["factors"] = {
        "tool": ["example"], "backend": ["memory"], "language": ["eol"], "protocol": ["http"],
        "model": ["train-2016-repair-1"], "query": ["RouteSensor"], "threads": [1],
        "waited_percent": [0, WAITED],
    }  # fmt: skip
    study |= {"constraints": [], "interleave": [], "tasks": {}}
    study["comparisons"] = {
        "waiting": {
            "title": "clients that wait", "level": {"waited_percent": WAITED},
            "baseline": {"waited_percent": 0},
        }
    }  # fmt: skip
    file.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")


@pytest.mark.timeout(560)
def test_a_claim_is_measured_until_it_is_decided_and_verified_again(copy: Path) -> None:
    slower_beside_itself(copy)
    run = command("modelstress", "run", "--until", "decided", "--profile", "smoke", cwd=copy)
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    looked = re.search(rf"look 1 of 2, {LOOK} starts: 1 slower, 0 faster, 0 same, 0 und", said)
    assert looked and "every comparison is decided" in said, said

    derived = command("modelstress", "derive", "--profile", "smoke", cwd=copy)
    assert derived.returncode == 0, derived.stderr
    tables = copy / "data/derived/model-queries/smoke"
    [pair] = pd.read_csv(tables / "estimates.csv").to_dict("records")
    # how much slower depends on the machine: a CPU that sleeps meanwhile is slower to begin again
    assert pair["status"] == "slower" and 1 < pair["ratio_low"] < pair["ratio"]
    placebos = pd.read_csv(tables / "placebos.csv", keep_default_na=False)
    copied = placebos[placebos["other_cell"] != ""]
    assert list(copied["kind"]) == ["two starts"] * len(copied) and len(copied) >= LOOK - 1
    assert copied["other_cell"].str.contains("placebo=two-starts").all()
    cells = pd.read_csv(tables / "cells.csv")
    assert len(cells) == 2 and not cells["cell"].str.contains("placebo").any()

    verified = command(
        "modelstress", "verify-claims", ".", "--study", "model-queries", "--profile", "smoke",
        "--budget", "8min", "--json", cwd=copy,
    )  # fmt: skip
    assert verified.returncode == 0, verified.stdout + verified.stderr
    [claim] = json.loads(verified.stdout)
    assert claim["verdict"] == "reproduced", claim
    again = list(copy.glob("data/raw/model-queries/verify-claims/example/*/i??/cell.json"))
    assert len(again) == 2 * claim["blocks"] >= 6, "measured anew, without the copy"
