"""Figure and table of what operations cost while a store grows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import synthetic
from figure_texts import assert_no_overlap
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.config.windows import GrowthStretches
from modelstress.report import growth, render, results

LEVELS = synthetic.LEVELS | {"threads": 1}


def made(folder, objects=100):
    """A cell whose operation becomes slower with what it has created, and one that does not."""
    for protocol, exponent in (("tcp", 0.0), ("http", 0.5)):
        noise = np.exp(np.random.default_rng(2).normal(size=4000) * 0.02)
        values = 10 * np.arange(1, 4001) ** exponent * noise
        synthetic.write(folder, LEVELS | {"protocol": protocol}, 0, synthetic.samples(values))
    asked = GrowthStretches(objects=objects) if objects else None
    whole = study(factors={"protocol": ["tcp", "http"]}).model_copy(update={"growth": asked})
    return results(derive(folder, synthetic.STUDY, synthetic.PROFILE, asked=whole))


def test_a_study_that_does_not_ask_has_none(tmp_path):
    found = made(tmp_path, objects=None)
    assert not found.of("growth") and not found.tables_of("growth")


def test_costs_are_drawn_over_objects(tmp_path):
    [drawn] = made(tmp_path).of("growth")
    panels = {axes.get_title(): axes for axes in drawn.figure.axes}
    assert set(panels) == {"tcp", "http"}, "the levels of the panel's factor are side by side"
    assert len({axes.get_ylim() for axes in panels.values()}) == 1, "on one scale"
    assert drawn.figure.get_supxlabel() == "objects in the store (thousands)"
    assert drawn.figure.get_supylabel() == "duration per object (ms)"
    for axes in panels.values():
        [line] = axes.lines
        assert len(line.get_xdata()) == 40 and max(line.get_xdata()) <= 4
        assert not axes.collections, "few stretches are all drawn"
    [legend] = drawn.figure.legends
    assert "times as long in the end as at first" in legend.get_title().get_text()
    assert_no_overlap(drawn.figure)


def test_the_legend_has_series_that_the_first_panel_has_not(tmp_path):
    for protocol, backend in (("http", "cdo"), ("tcp", "cdo"), ("tcp", "other")):
        levels = LEVELS | {"protocol": protocol, "backend": backend}
        synthetic.write(tmp_path, levels, 0, synthetic.samples([5.0] * 400))
    whole = study(factors={"protocol": ["tcp", "http"], "backend": ["cdo", "other"]}).model_copy(
        update={"growth": GrowthStretches(objects=100)}
    )
    [drawn] = results(derive(tmp_path, synthetic.STUDY, synthetic.PROFILE, asked=whole)).of(
        "growth"
    )
    shown = {text.get_text() for text in drawn.figure.legends[0].get_texts()}
    drawn_lines = {str(line.get_label()) for axes in drawn.figure.axes for line in axes.lines}
    assert shown == drawn_lines and len(shown) == 2


def test_of_many_stretches_the_middle_is_drawn(tmp_path):
    [drawn] = made(tmp_path, objects=10).of("growth")
    for axes in drawn.figure.axes:
        [line], [band] = axes.lines, axes.collections
        assert len(line.get_xdata()) == growth.MOST_POINTS
        edges = band.get_paths()[0].vertices[:, 1]
        assert edges.min() < line.get_ydata().min() and edges.max() > line.get_ydata().max()


@pytest.mark.parametrize(("costs", "said"), [
    ([1.0] * 10 + [5.0] * 80 + [2.0] * 10, "read takes 2 times as long in the end as at first"),
    ([1.0] * 9, "read"),
    ([0.0] * 100, "read"),
])  # fmt: skip
def test_the_title_says_the_ends(costs, said):
    stretches = {"cell": "a", "invocation": 0, "objects": range(len(costs)), "cost_ms": costs}
    assert growth.finding(pd.DataFrame(stretches), "read") == said


def test_a_single_stretch_is_a_point(tmp_path):
    [drawn] = made(tmp_path, objects=4000).of("growth")
    lines = [line for axes in drawn.figure.axes for line in axes.lines]
    assert [len(line.get_xdata()) for line in lines] == [1, 1]
    assert all(line.get_marker() for line in lines)


def test_the_table_says_how_they_grow(tmp_path):
    [table] = made(tmp_path).tables_of("growth")
    rows = {labels[-2]: [entry.text for entry in entries] for labels, entries in table.rows}
    flat, steep = rows["tcp"], rows["http"]
    assert abs(float(flat[2])) < 0.05 and flat[6] == "better"
    assert 0.45 < float(steep[2]) < 0.55 and steep[6] == "worse"
    assert "power" in steep[4] and "constant" in flat[4]
    assert flat[-2:] == ["–", "–"], "nobody knows how large the store was"
    assert table.number == "table-G1" and "exponent" in render.html(table)
    assert set(table.data.columns) >= {"exponent", "laws", "cell", "period_objects"}
