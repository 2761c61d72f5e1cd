"""Table and figure of the effects of options."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from modelstress.analysis.projection import Projection
from modelstress.report import screening
from modelstress.report.grouping import Setting

PROJECTION = Projection(factors=("tool", "operation"), operation="operation")
SETTING = Setting("process", "2 CPUs")


def rows(operation: str = "call", strong: int = 3) -> pd.DataFrame:
    ratios = np.geomspace(1.5, 1.001, 30)
    return pd.DataFrame({
        "operation": operation, "cells": 64, "options": 8,
        "terms": [f"option{i}" for i in range(30)], "likely": [f"option{i}" for i in range(30)],
        "terms_order": 1, "ratio": ratios, "margin_ratio": 1.1, "strong": np.arange(30) < strong,
        "variance_share": 0.01, "flags": "", "method": "contrasts", "partly": "",
        "executor": "process", "topology": "2 CPUs",
    })  # fmt: skip


def cells() -> pd.DataFrame:
    return pd.DataFrame({"tool": ["orb"], "operation": ["call"]})


@pytest.mark.parametrize(
    ("strong", "told"),
    [(0, "No option of 8"), (1, "option0 of 30 effects are"), (3, "option0 and 2 more of 30")],
)
def test_the_title_says_the_finding(strong: int, told: str) -> None:
    assert told.removesuffix(" are") in screening.finding(rows(strong=strong))


def test_the_table_has_the_largest_effects_of_each_operation() -> None:
    none = rows("ping").iloc[:1].assign(flags="irregular", terms=None)
    fitted = rows().assign(method="least squares, paired")
    fitted.loc[:1, "partly"] = "a × b (+0.33)"
    both = pd.concat([fitted, none], ignore_index=True)
    table = screening.table("table-S1", both, cells(), PROJECTION, SETTING)
    assert table is not None
    assert [labels[1] for labels, _ in table.rows] == [f"option{i}" for i in range(20)]
    assert [str(entry.text) for entry in table.rows[0][1]] == ["1.500", "1.100", "strong", "1.0 %"]
    assert table.remarks == (
        "operation call: by least squares, paired; 2 estimates have parts of pairs that are left "
        "out (docs/statistics.md).",
        "operation ping: main effects are not apart from one another in these cells, or there are "
        "too few cells and starts to tell the noise.",
    )
    assert len(table.data) == 31
    assert screening.table("table-S1", None, cells(), PROJECTION, SETTING) is None


def test_the_figure_has_a_dot_for_each_and_the_margin() -> None:
    axes = screening.plot(rows()).axes[0]
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    assert drawn["strong"] == 3 and drawn["not told from noise"] == 17
    assert axes.get_xscale() == "log"
    low, high = axes.get_xlim()
    assert low == pytest.approx(1 / high, rel=0.01), "a ratio and its inverse are as far from 1"


def test_aliased_pairs_are_named_by_the_first_and_counted() -> None:
    aliased = rows(strong=1)
    aliased.loc[0, "likely"] = "a × b or c × d or e × f"
    assert screening.finding(aliased) == "a × b or 2 more of 30 effects are strong"
    labels = [text.get_text() for text in screening.plot(aliased).axes[0].get_yticklabels()]
    assert labels[-1] == "a × b or 2 more"
