"""Claims measured again: which are taken, and what a new interval says of one."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelstress.analysis.verdicts import FEWEST, MOST, choose, judged, verdict


@pytest.mark.parametrize(
    ("status", "low", "high", "expected"),
    [
        ("slower", 1.2, 3.0, "reproduced"),
        ("slower", 0.9, 3.0, "undecided"),
        ("slower", 0.5, 0.9, "contradicted"),
        ("slower", 1.01, 1.05, "undecided"),  # the same within the margin, and above 1
        ("faster", 0.3, 0.8, "reproduced"),
        ("faster", 1.1, 2.0, "contradicted"),
        ("faster", 0.5, 1.5, "undecided"),
        ("same", 0.95, 1.05, "reproduced"),
        ("same", 0.8, 1.05, "undecided"),
        ("same", 1.2, 1.5, "contradicted"),
        ("same", 0.5, 0.8, "contradicted"),
        ("slower", math.nan, math.nan, "undecided"),
    ],
)
def test_verdicts(status, low, high, expected):
    assert verdict(status, low, high) == expected


ends = st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)).map(sorted)


@given(ends)
def test_slower_and_faster_are_mirror_images(interval):
    low, high = interval
    assert verdict("slower", low, high) == verdict("faster", 1 / high, 1 / low)


@given(ends, st.sampled_from(["slower", "faster", "same"]))
def test_a_claim_is_not_contradicted_by_an_interval_that_holds_its_ratio(interval, status):
    low, high = interval
    ratio = {"slower": 1.5, "faster": 1 / 1.5, "same": 1.0}[status]
    if low <= ratio <= high:
        assert verdict(status, low, high) != "contradicted"


def row(cell: str, status: str = "slower", error: float = 0.01, base: str = "b") -> dict:
    return {
        "comparison": "protocol", "tool": "t", "cell": cell, "baseline_tool": "t",
        "baseline_cell": base, "blocks": 3, "ratio": 3.0, "ratio_low": 2.5, "ratio_high": 3.5,
        "error": error, "degrees": 5.0, "status": status,
    }  # fmt: skip


def dataset(*rows: dict) -> SimpleNamespace:
    return SimpleNamespace(estimates=pd.DataFrame(rows), confidence=0.99)


def test_the_cheapest_first_and_shared_cells_once():
    seconds = {("t", "a"): 10.0, ("t", "c"): 11.0, ("t", "d"): 500.0, ("t", "b"): 100.0}
    claimed = dataset(row("d"), row("c"), row("a"), row("x"), row("u", "undecided"))
    chosen, there = choose(claimed, seconds.get, budget_s=3 * 121.0)
    assert there == 4, "undecided ones claim nothing"
    assert [claim.row["cell"] for claim in chosen] == ["a", "c"], "the baseline is paid for once"
    assert {claim.starts for claim in chosen} == {FEWEST}
    assert choose(claimed, seconds.get, budget_s=300.0)[0] == []


def test_what_scatters_gets_more_starts():
    [claim], _ = choose(dataset(row("a", error=0.3)), lambda _: 1.0, 1e6)
    assert FEWEST < claim.starts <= MOST


def test_each_claim_stands_beside_what_was_found():
    chosen, _ = choose(dataset(row("a"), row("c"), row("e")), lambda _: 1.0, 1e6)
    new = {**row("a"), "ratio": 0.5, "ratio_low": 0.4, "ratio_high": 0.6, "status": "faster"}
    wide = {**row("c"), "ratio": 1.5, "ratio_low": 0.9, "ratio_high": 2.5, "status": "undecided"}
    table = judged(chosen, dataset(new, {**wide, "error": 0.2})).set_index("cell")
    assert dict(table["verdict"]) == {"a": "contradicted", "c": "undecided", "e": "undecided"}
    assert table.loc["c", "missing_starts"] > 0 and table.loc["e", "blocks"] == 0
    assert math.isnan(table.loc["e", "ratio"]) and table.loc["a", "claimed_ratio"] == 3.0
