"""Measured until decided, and verified again, on a real server: CDO over HTTP against TCP."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.e2e.conftest import command

EXECUTIONS, LOOK = 2, 3


def http_beside_tcp(copy: Path) -> None:
    """One query over both protocols, with a copy in turns, looked at after three starts."""
    file = copy / "config/profiles/smoke.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile |= {"invocations": LOOK, "looks": [LOOK, LOOK + 1], "placebos": 1, "constraints": []}
    profile["settings"] |= {"executions": EXECUTIONS, "warmup": {"executions": 0, "seconds": 0}}
    profile["settings"].pop("window", None)
    profile["levels"] |= {
        "tool": ["cdo"], "threads": [1], "query": ["PosLength"], "protocol": ["tcp", "http"],
        "http_transport": ["stock"], "poll_interval_ms": [5000],
    }  # fmt: skip
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")


@pytest.mark.timeout(560)
def test_a_claim_is_measured_until_it_is_decided_and_verified_again(copy: Path) -> None:
    http_beside_tcp(copy)
    run = command("modelstress", "run", "--until", "decided", "--profile", "smoke", cwd=copy)
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    looked = re.search(r"look 1 of 2, 3 starts: 1 slower, 0 faster, 0 same, 0 undecided", said)
    assert looked and "every comparison is decided" in said, said

    derived = command("modelstress", "derive", "--profile", "smoke", cwd=copy)
    assert derived.returncode == 0, derived.stderr
    tables = copy / "data/derived/model-queries/smoke"
    [pair] = pd.read_csv(tables / "estimates.csv").to_dict("records")
    # a poll of Net4j's HTTP comes once in seconds, whatever the machine
    assert pair["status"] == "slower" and pair["ratio_low"] > 1 and pair["blocks"] == LOOK
    placebos = pd.read_csv(tables / "placebos.csv", keep_default_na=False)
    copied = placebos[placebos["other_cell"] != ""]
    assert list(copied["kind"]) == ["one start"] * len(copied) and len(copied) >= LOOK
    assert "placebo=one-start" in copied["other_cell"].iloc[0]
    cells = pd.read_csv(tables / "cells.csv")
    assert len(cells) == 2 and not cells["cell"].str.contains("placebo").any()

    verified = command(
        "modelstress", "verify-claims", ".", "--study", "model-queries", "--profile", "smoke",
        "--budget", "8min", "--json", cwd=copy,
    )  # fmt: skip
    assert verified.returncode == 0, verified.stdout + verified.stderr
    [claim] = json.loads(verified.stdout)
    assert claim["verdict"] == "reproduced" and claim["blocks"] >= LOOK
    again = list(copy.glob("data/raw/model-queries/verify-claims/cdo/*/i??/cell.json"))
    assert len(again) == 2 * LOOK, "measured anew, without the copy"
