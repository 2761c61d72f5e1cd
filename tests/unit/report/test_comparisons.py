"""Tables of effect sizes and ratios."""

import numpy as np
import pandas as pd
from example_cells import FACTORS, SETTING, cell

from modelstress.report import comparisons, render


def compared(threads, p, delta, ratio=(0.4, 0.5), dunn_p=0.001, **more):
    row = cell("PosLength", "http", threads, 1.0) | {
        "baseline_tool": "cdo", "baseline_cell": "b", "n": 30, "baseline_n": 30, "u": 1.0, "p": p,
        "p_adjusted": p, "delta": delta, "delta_low": delta, "delta_high": delta,
        "magnitude": "large", "shift_ms": 1.0, "shift_low_ms": 0.5, "shift_high_ms": 2.0,
        "ratio": np.mean(ratio), "ratio_low": ratio[0], "ratio_high": ratio[1], "dunn_p": dunn_p,
        "flags": "",
    }  # fmt: skip
    return row | more


ROWS = pd.DataFrame([
    compared(1, 1e-9, 0.987), compared(2, 0.5, 0.1, dunn_p=0.2),
    compared(4, np.nan, np.nan, (np.nan, np.nan), np.nan, flags="missing"),
    compared(8, 1e-4, -0.5, (2, 4)),
])  # fmt: skip


def entries(table):
    [(_, row)] = table.rows
    return [entry.text for entry in row]


def test_deltas_stand_where_the_test_rejects():
    factor = ("protocol", "http", "tcp")
    table = comparisons.deltas("table-08", ROWS, factor, FACTORS, SETTING)
    assert entries(table) == ["+0.99", "·", "–", "−0.50"]
    assert "protocol" not in table.labels
    assert "http is slower in 1, faster in 1 of 4 comparisons" in table.remarks[-1]
    assert "Table 8" in render.html(table) and r"\begin{table}" in render.tex(table)
    assert render.csv(table).count("\n") == 5


def test_ratios_are_of_the_baseline_to_the_other():
    table = comparisons.ratios("table-10", ROWS, "cdo", FACTORS, SETTING)
    assert entries(table) == ["2.00–2.50", "1.0–1.0", "–", "0.25–0.50"]
    assert "1 of 3" in table.remarks[-1]


def test_no_comparison_at_all():
    table = comparisons.deltas(
        "table-07", ROWS.iloc[:0], ("protocol", "http", "tcp"), FACTORS, SETTING
    )
    assert render.html(table) and render.tex(table)
