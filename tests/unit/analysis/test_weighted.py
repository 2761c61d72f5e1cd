"""Levels weighted by use: the expected latency of a mixture that is known."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelstress.analysis.projection import Projection
from modelstress.analysis.weighted import expect, weighted

OPTIONS = ("protocol", "pool", "watch")
PROJECTION = Projection(factors=("tool", "operation", *OPTIONS), operation="operation")
USE = {"protocol": {"tcp": 8.0, "unix": 2.0}}


def cells() -> pd.DataFrame:
    """Unix takes 1 ms, tcp 2 ms; without a pool three times as much."""
    rows: list[dict[str, Any]] = []
    for levels in itertools.product(["tcp", "unix"], [1, 0], [1, 0]):
        rows.append({
            "tool": "orb", "operation": "call", **dict(zip(OPTIONS, levels, strict=True)),
            "flags": "", "executor": "process", "topology": "2 CPUs", "cell": str(levels),
            "median_ms": (2.0 if levels[0] == "tcp" else 1.0) * (3.0 if levels[1] == 0 else 1.0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def starts(table: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(
        table.assign(
            invocation=n, used=True,
            median_ms=table["median_ms"]
            * np.exp(np.random.default_rng(n).normal(0, 0.01, len(table))),
        )
        for n in range(4)
    )  # fmt: skip


def test_levels_have_the_latency_of_the_mixture_of_the_others() -> None:
    rows = weighted(cells(), starts(cells()), PROJECTION, USE)
    by_level = {(row["option"], row["level"]): row for row in rows}
    assert by_level["pool", "1"]["expected_ms"] == pytest.approx(0.8 * 2 + 0.2 * 1, rel=0.02)
    assert by_level["pool", "0"]["ratio"] == pytest.approx(3, rel=0.02)
    assert by_level["pool", "0"]["ratio_low"] > 2.8
    # the weights of an option are not those of its own levels
    assert by_level["protocol", "tcp"]["expected_ms"] == pytest.approx(4, rel=0.02)
    watch = by_level["watch", "1"]
    assert watch["ratio_low"] < 1 < watch["ratio_high"]
    assert {row["cells"] for row in rows} == {8} and {row["level_cells"] for row in rows} == {4}


def test_weights_change_what_is_expected() -> None:
    equal = weighted(cells(), starts(cells()), PROJECTION, {})
    by_level = {(row["option"], row["level"]): row for row in equal}
    assert by_level["pool", "1"]["expected_ms"] == pytest.approx(1.5, rel=0.02)


def test_a_setting_of_several_options_is_expected() -> None:
    found = expect(cells(), starts(cells()), OPTIONS, USE, {"pool": 0, "watch": 1})
    assert found.value == pytest.approx(3 * 1.8, rel=0.02) and found.runs == 2


def test_cells_without_a_median_have_no_part() -> None:
    table = cells()
    table.loc[0, "median_ms"] = np.nan
    rows = weighted(table, starts(table), PROJECTION, USE)
    assert {row["left_out"] for row in rows} == {1} and {row["cells"] for row in rows} == {7}
