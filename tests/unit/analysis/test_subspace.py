"""A subspace against the whole: a known ratio is found, an equal part is not told apart."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelstress.analysis.projection import Projection
from modelstress.analysis.subspace import subspace
from modelstress.config.errors import ConfigError

OPTIONS = [f"option{i}" for i in range(6)]
PROJECTION = Projection(factors=("tool", "operation", *OPTIONS), operation="operation")


def cells(seed: int = 0, ratio: float = 2.0) -> pd.DataFrame:
    """All combinations; a second level of option1 costs so many times as much."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for levels in itertools.product([1, 0], repeat=6):
        noise = float(np.exp(rng.normal(0, 0.1)))
        rows.append({
            "tool": "orb", "operation": "call", **dict(zip(OPTIONS, levels, strict=True)),
            "flags": "", "executor": "process", "topology": "2 CPUs", "cell": str(levels),
            "median_ms": noise * (ratio if levels[1] == 0 else 1.0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def starts(table: pd.DataFrame) -> pd.DataFrame:
    parts = [
        table.assign(
            invocation=n, used=True, machine="m",
            median_ms=table["median_ms"]
            * np.exp(np.random.default_rng(n).normal(0, 0.02, len(table))),
        )
        for n in range(2)
    ]  # fmt: skip
    return pd.concat(parts)


def test_the_ratio_of_the_part_to_the_rest_is_that_of_its_level() -> None:
    found = subspace(cells(), {"option1": 0})
    assert (found.cells, found.fitting, found.unmeasured) == (64, 32, 0)
    assert found.ratio == pytest.approx(2, rel=0.07)
    assert found.ratio_low < 2 < found.ratio_high and found.ratio_low > 1.5
    assert found.p < 1e-9
    assert list(found.whole) == sorted(found.whole) and found.chosen.size == 32


def test_a_part_like_the_rest_is_not_told_from_it() -> None:
    told = [subspace(cells(seed, 1.0), {"option3": 1}) for seed in range(20)]
    assert sum(one.p < 0.01 for one in told) <= 2
    assert sum(one.ratio_low < 1 < one.ratio_high for one in told) >= 18


def test_levels_are_the_same_when_written_alike_and_stars_are_open() -> None:
    found = subspace(
        cells(), {"option1": "0", "option2": "*", "option3": 1.0}, projection=PROJECTION
    )
    assert found.fixed == {"option1": "0", "option3": "1"}
    assert found.left == ("option0", "option2", "option4", "option5") and found.fitting == 16


def test_effects_are_those_inside() -> None:
    table = cells()
    inside = subspace(
        table, {"option0": 1}, invocations=starts(table), projection=PROJECTION
    ).effects
    assert set(inside.loc[inside["strong"].astype(bool), "terms"]) >= {"option1"}
    assert set(inside["options"]) == {5} and set(inside["cells"]) == {32}
    without = subspace(
        table, {"option1": 1}, invocations=starts(table), projection=PROJECTION
    ).effects
    assert "option1" not in set(without["terms"])


def test_cells_without_a_median_are_counted_and_timeouts_are_longest() -> None:
    table = cells()
    table.loc[0, ["median_ms", "flags"]] = [np.nan, "missing"]
    table.loc[1, ["median_ms", "flags"]] = [np.nan, "censored;median-censored"]
    found = subspace(table, {"option1": 1})
    assert found.unmeasured == 1 and np.isinf(found.whole[-1]) and found.cells == 63


def test_the_whole_has_nothing_to_stand_against() -> None:
    found = subspace(cells(), {})
    assert found.caveats[0].code == "all" and np.isnan(found.ratio) and np.isnan(found.p)


@pytest.mark.parametrize(
    ("fixed", "told"),
    [
        ({"optoin1": 1}, "did you mean 'option1'"),
        ({"option1": 7}, "no level '7'"),
        ({"median_ms": 1}, "no option 'median_ms'"),
    ],
)
def test_what_is_unknown_is_named(fixed: dict[str, int], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        subspace(cells(), fixed, projection=PROJECTION)


def test_a_part_without_cells_says_so() -> None:
    some = cells().query("option0 == 1 or option1 == 1")
    with pytest.raises(ConfigError, match="no measured cell has option0 0 and option1 0"):
        subspace(some, {"option0": 0, "option1": 0})
    with pytest.raises(ConfigError, match="no column"):
        subspace(some, {}, measure="median")
