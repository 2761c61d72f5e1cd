"""Tables and figures of effect sizes and ratios."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from example_cells import PROJECTION, SETTING
from example_tables import COMPARED, SIDES, compared, comparison
from figure_texts import assert_no_overlap, texts
from matplotlib.collections import QuadMesh

from modelstress.report import comparisons, effects, render
from modelstress.report.compared import Compared


def entries(table):
    [(_, row)] = table.rows
    return [entry.text for entry in row]


def test_deltas_stand_where_the_test_rejects():
    table = comparisons.deltas("table-08", comparison(), PROJECTION, SETTING)
    assert entries(table) == ["+0.99", "·", "–", "−0.50"]
    assert "protocol" not in table.labels
    assert "http is slower in 1, faster in 1 of 3 comparisons" in table.remarks[-1]
    assert "1 more have no latencies" in table.remarks[-1]
    assert "8 cells measured, 16 complete invocations" in table.caption
    assert "Table 8" in render.html(table) and r"\begin{table}" in render.tex(table)
    assert render.csv(table).count("\n") == 5


def test_what_differs_from_the_papers_stands_beside_every_comparison():
    unlike = replace(comparison(), note="all is new")
    for table in (
        comparisons.deltas("table-08", unlike, PROJECTION, SETTING),
        comparisons.ratios(
            "table-10", unlike.within(PROJECTION, ["PosLength"]), PROJECTION, SETTING
        ),
    ):
        assert table.remarks[-1] == "Not the setting of the papers: all is new (docs/setting.md)."
    alone = comparisons.deltas("table-08", comparison(), PROJECTION, SETTING)
    assert "papers" not in " ".join(alone.remarks)


def test_ratios_are_of_the_baseline_to_the_other():
    table = comparisons.ratios("table-10", comparison(ranked=True), PROJECTION, SETTING)
    # Dunn does not reject the second: its interval is printed, and marked
    assert entries(table) == ["2.00–2.50", "2.00–2.50\u00a0n.s.", "–", "0.25–0.50"]
    assert "n.s." in table.remarks[-1] and "1 of 3" in table.remarks[-1]
    data = table.data
    assert data["printed_low"].tolist() == pytest.approx([2, 2, np.nan, 0.25], nan_ok=True)
    assert data["printed_high"].tolist() == pytest.approx([2.5, 2.5, np.nan, 0.5], nan_ok=True)
    assert data["over_ratio_high"].tolist() == pytest.approx([1, 1, np.nan, 8], nan_ok=True)


def test_a_ratio_of_nothing_is_blank():
    rows = pd.DataFrame(
        [compared(1, 0.001, 1.0, (0.0, 0.0)), compared(2, 0.001, 1.0, (1e-4, 1e-3))]
    )
    table = comparisons.ratios("table-10", comparison(rows, ranked=True), PROJECTION, SETTING)
    assert entries(table) == ["–", "1000–10000"]


def test_the_cases_of_the_papers_have_their_tables():
    rows = pd.DataFrame([compared(1, 0.5, 0.0, query=q) for q in ("PosLength", "OQ", "Mine")])
    whole = Compared("protocol", rows, SIDES, "protocol", "http", "tcp", False)
    found = {number: set(part.rows["query"]) for number, part in whole.cases(PROJECTION)}
    assert found == {0: {"OQ"}, 1: {"PosLength"}, 2: {"Mine"}}


def test_heat_map():
    figure = effects.heat_map(comparison(), PROJECTION)
    assert_no_overlap(figure)
    assert {"+0.99", "n.s.", "−0.50", "Is http slower than tcp?"} <= set(texts(figure))
    axes = figure.axes[0]
    [fields] = [one for one in axes.collections if isinstance(one, QuadMesh)]
    assert fields.get_array().filled(np.nan).ravel().tolist() == pytest.approx(
        [0.987, np.nan, np.nan, -0.5], nan_ok=True
    )
    assert len(axes.patches) == 1  # hatched: not compared


def test_every_row_of_a_large_heat_map_is_named():
    rows = pd.DataFrame(
        compared(t, 1e-3, 0.5, query=query, backend=backend)
        for query in ("PosLength", "RouteSensor", "SwitchSet", "OQ")
        for backend in "abcdefgh"
        for t in (1, 2, 4, 8, 16, 32, 64)
    )
    figure = effects.heat_map(comparison(rows), PROJECTION)
    assert_no_overlap(figure)
    assert len(figure.axes[0].get_yticklabels()) == 32


def test_ratios_over_threads_are_those_over_invocations():
    figure = effects.ratios(comparison(ranked=True), PROJECTION)
    assert_no_overlap(figure)
    [axes] = figure.axes
    assert "how many times as long tcp takes (log scale)" in texts(figure)
    assert "From top to bottom: 1, 4, 8 client threads" in texts(figure)
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in points] == pytest.approx(
        [1 / 0.45, np.nan, 1 / 3], nan_ok=True
    )
    assert points[0].get_ydata() < points[-1].get_ydata()  # from top to bottom: y is inverted
    bars = [
        line
        for line in axes.lines
        if len(line.get_xdata()) == 2 and line.get_xdata()[0] != line.get_xdata()[1]
    ]
    assert [bar.get_xdata()[0] for bar in bars] == pytest.approx([1, 1 / 8])
    assert "over invocations" in effects.meaning(comparison(ranked=True))
    blank = comparison(COMPARED.assign(over_ratio_low=np.nan, over_ratio_high=np.nan), ranked=True)
    assert effects.shown(blank) == "ratio"
    assert "within one start" in effects.meaning(blank)
