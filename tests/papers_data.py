"""A small dataset with known medians, and a paper with an entry of each kind to hold against it."""

import json
from pathlib import Path

import numpy as np
import synthetic

from modelstress.config.papers import Paper, Papers, SettingPage

ROOT = Path(__file__).parents[1]
SPREAD = np.linspace(0.99, 1.01, 21)
"""Factors of the executions of each start; their median is 1."""

_ALL = {"model": "jdt1", "connection": "per-execution", "query_text": "same"}
_CDO = _ALL | {"tool": "cdo", "backend": "h2", "language": "ocl", "query": "OQ"}
_HAWK = _ALL | {
    "tool": "hawk", "backend": "neo4j", "language": "eol", "query": "HQ1", "fidelity": "paper",
    "attributes": "none", "querying": "synchronous",
}  # fmt: skip
_MOGWAI = _ALL | {"tool": "mogwai", "backend": "neoemf", "language": "ocl", "query": "MQ"}
MEDIANS = (
    (100, _CDO | {"protocol": "tcp", "threads": 1}),
    (400, _CDO | {"protocol": "tcp", "threads": 64}),
    (700, _CDO | {"protocol": "http", "threads": 1}),
    (420, _CDO | {"protocol": "http", "threads": 64}),
    (150, _HAWK | {"protocol": "tcp", "threads": 1}),
    (200, _HAWK | {"protocol": "tcp", "threads": 64}),
    (180, _HAWK | {"protocol": "http", "threads": 1}),
    (50, _HAWK | {"protocol": "tcp", "threads": 1, "fidelity": "improved"}),
    (100, _HAWK | {"protocol": "tcp", "threads": 1, "backend": "orientdb"}),
    (50, _HAWK | {"protocol": "tcp", "threads": 1, "query": "HQ2", "attributes": "declared"}),
    (300, _MOGWAI | {"protocol": "tcp", "threads": 1}),
)
"""Median (ms) and levels of each cell."""
CENSORED = _HAWK | {"protocol": "tcp", "threads": 8}
"""A cell of whose executions two in three time out."""


def write(data_dir):
    """Write the dataset: two starts of 21 executions for each cell."""
    for median, levels in MEDIANS:
        for number in range(2):
            table = synthetic.samples(median * SPREAD, number=number)
            _window(synthetic.write(data_dir, levels, number, table))
    outcomes = ["timeout"] * 14 + ["ok"] * 7
    synthetic.write(data_dir, CENSORED, 0, synthetic.samples(900 * SPREAD, outcomes))
    bad = ["error"] + ["ok"] * 20
    failing = _MOGWAI | {"protocol": "http", "threads": 1}
    for number in range(2):
        synthetic.write(data_dir, failing, number, synthetic.samples(300 * SPREAD, bad))
    return data_dir


def _window(folder):
    """Record a window of a second in which garbage collection took 80 ms."""
    path = folder / "cell.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["window"] = {"begin_ns": 0, "end_ns": 1_000_000_000}
    record["server"] = {"gc_window": {"count": 4, "total_ms": 80.0, "longest_ms": 30.0}}
    path.write_text(json.dumps(record), encoding="utf-8")


def entry(name, theirs, ours, **more):
    """An entry as it stands in a paper's file."""
    about = {"topic": "protocol", "title": name, "says": f"{name} was so.", "where": "1"}
    return {"id": name, **about, "theirs": {"printed": "so", **theirs}, "ours": ours, **more}


def papers(*entries):
    """A paper of 2020 with these entries, and a setting of one line."""
    paper = {
        "paper": "one2020", "title": "One (2020)", "year": 2020, "study": synthetic.STUDY,
        "executions": 1000, "choices": [{"only": {"fidelity": "paper", "query_text": "same"}}],
        "cases": {
            "grabats": {
                "queries": ["OQ", "MQ", "HQ1", "HQ2"], "constants": {"elements": 4_900_000},
                "models": ["jdt4", "jdt1"],
            },
        },
        "absent": ["its tables"], "entries": list(entries),
    }  # fmt: skip
    setting = {
        "title": "What differs", "note": "all is new", "lead": "See below.",
        "rows": [
            {
                "what": "Java", "theirs": "8", "source": "1", "here": "17", "means": "faster",
                "recorded": ["versions.python", "cells.model", "cells.executions"],
            }
        ],
        "models": {"jdt1": {"elements": 202_130}},
    }  # fmt: skip
    return Papers(SettingPage.model_validate(setting), (Paper.model_validate(paper),))
