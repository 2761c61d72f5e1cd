"""The table of effects: which cells are screened, and what is said where they cannot be."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import screened as module
from modelstress.analysis.projection import Projection

OPTIONS = [f"option{i}" for i in range(5)]
PROJECTION = Projection(
    factors=("tool", "operation", "threads", *OPTIONS), operation="operation", load="threads"
)


def cells(operations: tuple[str, ...] = ("call",)) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for operation in operations:
        for levels in itertools.product([1, 0], repeat=5):
            slow = operation == "call" and levels[1] == 0 and levels[3] == 0
            rows.append({
                "tool": "orb", "operation": operation, "threads": 1,
                **dict(zip(OPTIONS, levels, strict=True)),
                "flags": "", "executor": "process", "topology": "2 CPUs",
                "cell": f"{operation}{levels}",
                "median_ms": 2.0 if slow else 1.0,
            })  # fmt: skip
    return pd.DataFrame(rows)


def screened(table: pd.DataFrame, projection: Projection, chance: float) -> list[dict[str, Any]]:
    """With three starts of each cell, as alike as those of one cell are."""
    starts = [
        table.assign(
            invocation=number, machine="m", used=table["median_ms"].notna(),
            median_ms=table["median_ms"] * np.exp(
                np.random.default_rng(number).normal(0, 0.02, len(table))
            ),
        )
        for number in range(3)
    ]  # fmt: skip
    return module.screened(table, pd.concat(starts), projection, chance)


def test_the_options_that_matter_and_their_interaction_are_strong() -> None:
    rows = screened(cells(), PROJECTION, 0.01)
    strong = {row["terms"]: row["ratio"] for row in rows if row["strong"]}
    assert set(strong) == {"option1", "option3", "option1 × option3"}
    assert all(1.35 < ratio < 1.48 for ratio in strong.values()), strong  # the square root of 2
    assert {row["options"] for row in rows} == {5} and {row["cells"] for row in rows} == {32}
    assert abs(sum(row["variance_share"] for row in rows) - 1) < 0.05


def test_the_ratio_is_that_of_the_likely_term_where_its_column_is_the_opposite() -> None:
    """In a half of 2^5 with option4 = option0 × … × option3, pairs are aliased with triples."""
    table = cells()
    signs = table[OPTIONS].map(lambda level: -1 if level == 1 else 1)
    table = table[signs["option4"] == -signs[OPTIONS[:4]].prod(axis=1)]
    signs = signs.loc[table.index]
    large = 0.3 * (signs["option0"] + signs["option1"] + signs["option2"])
    of_three = 0.2 * signs["option0"] * signs["option1"] * signs["option2"]
    table = table.assign(median_ms=np.exp(large + of_three))
    found = {row["likely"]: row for row in screened(table, PROJECTION, 0.01) if row["strong"]}
    row = found["option0 × option1 × option2"]
    assert row["terms"].startswith("option3 × option4 or ")
    assert abs(np.log(row["ratio"]) - 0.4) < 0.02, "and not its opposite, as option3 × option4 has"


def test_operations_are_screened_apart() -> None:
    rows = screened(cells(("call", "ping")), PROJECTION, 0.01)
    assert {row["operation"] for row in rows if row["strong"]} == {"call"}
    assert sum(row["operation"] == "ping" for row in rows) == 15


def test_what_is_no_fraction_says_why() -> None:
    for changed, flag in (
        (cells().query("option0 == option1 or (option0 and option2 and option3 and option4)"),
         "irregular"),
        (cells().assign(median_ms=lambda frame: frame["median_ms"].where(frame.index != 3)),
         "unmeasured"),
    ):  # fmt: skip
        (row,) = screened(changed, PROJECTION, 0.01)
        assert row["flags"] == flag and "ratio" not in row


def test_cells_that_are_missing_leave_least_squares() -> None:
    rows = screened(cells().drop(index=3), PROJECTION, 0.01)
    assert {row["terms"] for row in rows if row["strong"]} == {
        "option1", "option3", "option1 × option3",
    }  # fmt: skip
    assert {row["method"] for row in rows} == {"least squares"}
    assert {row["method"] for row in screened(cells(), PROJECTION, 0.01)} == {"contrasts"}


def on_machines(table: pd.DataFrame, slower: float) -> pd.DataFrame:
    """Three starts of each cell on two machines, one of which is slower, at random."""
    rng = np.random.default_rng(3)
    parts = []
    for number in range(3):
        second = rng.random(len(table)) < 0.5
        noise = np.exp(rng.normal(0, 0.02, len(table)))
        parts.append(
            table.assign(
                invocation=number, used=True, machine=np.where(second, "b", "a"),
                median_ms=table["median_ms"] * noise * np.where(second, slower, 1.0),
            )
        )  # fmt: skip
    return pd.concat(parts)


def test_machines_are_told_from_options() -> None:
    table = cells()
    invocations = on_machines(table, 1.4)
    rows = module.screened(table, invocations, PROJECTION, 0.01)
    strong = {row["terms"]: row["ratio"] for row in rows if row["strong"]}
    assert set(strong) == {"option1", "option3", "option1 × option3"}
    assert all(1.38 < ratio < 1.45 for ratio in strong.values()), strong
    assert {row["method"] for row in rows} == {"least squares, paired"}
    told = {row["machine"]: row for row in module.machines(table, invocations, PROJECTION)}
    assert abs(told["b"]["ratio"] / told["a"]["ratio"] - 1.4) < 0.03
    assert told["a"]["starts"] + told["b"]["starts"] == 96
    assert told["a"]["reason"] == "two machines have no variance"
    apart = invocations.assign(machine=invocations["option0"].map("m{}".format))
    assert {row["reason"] for row in module.machines(table, apart, PROJECTION)} == {
        "too few cells were measured by several machines"
    }
    one = on_machines(table, 1.0).assign(machine="a")
    assert module.machines(table, one, PROJECTION) == []


def test_cells_of_another_plan_do_not_count() -> None:
    more = cells().iloc[:3].assign(cell="other", flags="stale;unplanned", option0=7)
    assert len(screened(pd.concat([cells(), more]), PROJECTION, 0.01)) == 15


def test_few_options_are_no_screening() -> None:
    assert (
        screened(cells().query("option0 == 1 and option1 == 1 and option2 == 1"), PROJECTION, 0.01)
        == []
    )
