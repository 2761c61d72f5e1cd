"""Two points in time: which level changed is told, and of equal ones nothing is."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelstress.analysis.changes import changes
from modelstress.analysis.compare import DatasetComparison
from modelstress.analysis.projection import Projection
from modelstress.report import compare as report

NAMES = ("operation", "pool", "watch", "size")


def compared(seed: int, slower: float = 1.0, all_by: float = 1.0) -> DatasetComparison:
    """32 pairs of cells; those with watch 0 became slower by a factor."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for levels in itertools.product(["call", "ping"], [1, 0], [1, 0], [10, 20, 30, 40]):
        truth = all_by * (slower if levels[2] == 0 else 1.0)
        ratio = truth * float(np.exp(rng.normal(0, 0.03)))
        rows.append({**dict(zip(NAMES, levels, strict=True)), "over_ratio": ratio})
    frame = pd.DataFrame(rows)
    nothing = pd.DataFrame()
    projection = Projection(factors=("tool", *NAMES))
    return DatasetComparison(NAMES, (), 0.05, 0.99, frame, nothing, projection, nothing)


def test_the_level_that_changed_is_told_and_no_other() -> None:
    rows = changes(compared(1, slower=1.3))
    changed = rows[rows["changed"].fillna(False).astype(bool)]
    [row] = changed.to_dict("records")
    assert (row["factor"], row["level"], row["against"]) == ("watch", "0", "1")
    assert row["effect"] == pytest.approx(1.3, rel=0.04)
    assert row["effect_low"] < 1.3 < row["effect_high"]
    by_level = rows.set_index(["factor", "level"])["ratio"]
    assert by_level["watch", "0"] == pytest.approx(1.3, rel=0.03)
    assert by_level["watch", "1"] == pytest.approx(1.0, rel=0.03)
    assert by_level["", ""] == pytest.approx(1.3**0.5, rel=0.03)


def test_what_changed_everywhere_is_no_change_of_an_effect() -> None:
    rows = changes(compared(2, all_by=1.5))
    assert not rows["changed"].fillna(False).astype(bool).any()
    first = rows.iloc[0]
    assert first["ratio_low"] > 1.4 and first["cells"] == 32 and first["factor"] == ""


def test_of_equal_datasets_nothing_changed() -> None:
    told = [changes(compared(seed))["changed"].fillna(False).astype(bool).any()
            for seed in range(10, 40)]  # fmt: skip
    assert sum(told) <= 2


def test_pairs_without_a_ratio_are_counted() -> None:
    comparison = compared(3)
    comparison.cells.loc[[0, 5], "over_ratio"] = [np.nan, np.inf]
    rows = changes(comparison)
    assert rows.iloc[0]["cells"] == 30 and set(rows["left_out"]) == {2}
    comparison.cells["over_ratio"] = np.nan
    assert changes(comparison).empty


def test_factors_that_go_together_and_few_pairs_have_no_effects() -> None:
    comparison = compared(4)
    comparison.cells["pool"] = comparison.cells["watch"]
    rows = changes(comparison)
    assert rows["effect"].isna().all() and rows["ratio"].notna().all()
    few = compared(5)
    few.cells.drop(index=range(4, 32), inplace=True)
    rows = changes(few)
    assert rows["effect"].isna().all() and rows["ratio_low"].isna().all()


def test_it_is_shown_for_terminals_and_pull_requests() -> None:
    rows = changes(compared(1, slower=1.3))
    text = report.changes(rows)
    [line] = [line for line in text.splitlines() if line.endswith("yes")]
    assert line.startswith("watch") and "1.3" in line
    assert "| watch | 0 | 16 |" in report.changes(rows, markdown=True)
