"""Profile baseline of study model-queries-extended: model stores beside bare ones."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import yaml

from tests.e2e.conftest import check_out, workflow

STUDY = "model-queries-extended"


def test_a_model_store_beside_two_bare_ones(tmp_path: Path) -> None:
    copy = check_out(tmp_path / "project")
    file = copy / "config/profiles/model-queries-extended/baseline.yaml"
    profile = yaml.safe_load(file.read_text(encoding="utf-8"))
    profile |= {"invocations": 1, "placebos": 0}
    profile["settings"] |= {"executions": 40, "warmup": {"executions": 4, "threads": 1}}
    profile["levels"] |= {
        "model": ["train-2016-repair-1"],
        "query": ["SwitchMonitored"],
        "backend": ["neo4j", "postgresql", "native"],
        "threads": [2],
    }
    file.write_text(yaml.safe_dump(profile), encoding="utf-8")
    done = workflow(
        copy, "--until", "derive", "--config", "profile=baseline", f"studies=['{STUDY}']"
    )
    assert done.returncode == 0, done.stdout + done.stderr

    derived = copy / f"data/derived/{STUDY}/baseline"
    cells = pd.read_csv(derived / "cells.csv")
    measured = set(zip(cells["tool"], cells["language"], cells["protocol"], strict=True))
    assert measured == {
        ("hawk", "eol", "tcp"),
        ("hawk", "eol", "http"),
        ("postgresql", "sql", "tcp"),
        ("neo4j", "cypher", "tcp"),
        ("neo4j", "cypher", "http"),
        ("arcadedb", "cypher", "tcp"),
        ("arcadedb", "cypher", "http"),
    }
    assert (cells["ok"] == 40).all(), cells
    comparisons = pd.read_csv(derived / "comparisons.csv")
    assert {"relational", "graph", "bolt"} <= set(comparisons["comparison"])
