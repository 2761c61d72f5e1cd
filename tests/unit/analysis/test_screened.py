"""The table of effects: which cells are screened, and what is said where they cannot be."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.analysis.screened import screened

OPTIONS = [f"option{i}" for i in range(5)]
PROJECTION = Projection(
    factors=("tool", "operation", "threads", *OPTIONS), operation="operation", load="threads"
)


def cells(operations: tuple[str, ...] = ("call",)) -> pd.DataFrame:
    chance = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for operation in operations:
        for levels in itertools.product([1, 0], repeat=5):
            slow = operation == "call" and levels[1] == 0 and levels[3] == 0
            rows.append({
                "tool": "orb", "operation": operation, "threads": 1,
                **dict(zip(OPTIONS, levels, strict=True)),
                "executor": "process", "topology": "2 CPUs",
                "median_ms": (2.0 if slow else 1.0) * float(np.exp(chance.normal(0, 0.02))),
            })  # fmt: skip
    return pd.DataFrame(rows)


def test_the_options_that_matter_and_their_interaction_are_strong() -> None:
    rows = screened(cells(), PROJECTION, 0.01)
    strong = {row["terms"]: row["ratio"] for row in rows if row["strong"]}
    assert set(strong) == {"option1", "option3", "option1 × option3"}
    assert all(1.35 < ratio < 1.48 for ratio in strong.values()), strong  # the square root of 2
    assert {row["options"] for row in rows} == {5} and {row["cells"] for row in rows} == {32}
    assert abs(sum(row["variance_share"] for row in rows) - 1) < 0.05


def test_operations_are_screened_apart() -> None:
    rows = screened(cells(("call", "ping")), PROJECTION, 0.01)
    assert {row["operation"] for row in rows if row["strong"]} == {"call"}
    assert sum(row["operation"] == "ping" for row in rows) == 15


def test_what_is_no_fraction_says_why() -> None:
    for changed, flag in (
        (cells().drop(index=3), "irregular"),
        (cells().assign(median_ms=lambda frame: frame["median_ms"].where(frame.index != 3)),
         "unmeasured"),
    ):  # fmt: skip
        (row,) = screened(changed, PROJECTION, 0.01)
        assert row["flags"] == flag and "ratio" not in row


def test_few_options_are_no_screening() -> None:
    assert (
        screened(cells().query("option0 == 1 and option1 == 1 and option2 == 1"), PROJECTION, 0.01)
        == []
    )
