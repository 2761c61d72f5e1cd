"""Figure and table of what operations cost while a store grows."""

from __future__ import annotations

import numpy as np
import synthetic
from figure_texts import assert_no_overlap
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.config.windows import GrowthStretches
from modelstress.report import render, results

LEVELS = synthetic.LEVELS | {"threads": 1}


def made(folder, objects=100):
    """A cell whose operation becomes slower with what it has created, and one that does not."""
    for protocol, exponent in (("tcp", 0.0), ("http", 0.5)):
        noise = np.exp(np.random.default_rng(2).normal(size=4000) * 0.02)
        values = 10 * np.arange(1, 4001) ** exponent * noise
        synthetic.write(folder, LEVELS | {"protocol": protocol}, 0, synthetic.samples(values))
    growth = GrowthStretches(objects=objects) if objects else None
    whole = study(factors={"protocol": ["tcp", "http"]}).model_copy(update={"growth": growth})
    return results(derive(folder, synthetic.STUDY, synthetic.PROFILE, asked=whole))


def test_a_study_that_does_not_ask_has_none(tmp_path):
    found = made(tmp_path, objects=None)
    assert not found.of("growth") and not found.tables_of("growth")


def test_costs_are_drawn_over_objects(tmp_path):
    [drawn] = made(tmp_path).of("growth")
    [axes] = drawn.figure.axes
    assert axes.get_xlabel() == "objects in the store (thousands)"
    assert axes.get_ylabel() == "duration per object (ms)"
    assert len(axes.lines) == 2
    assert max(axes.lines[0].get_xdata()) <= 4
    assert_no_overlap(drawn.figure)


def test_a_single_stretch_is_a_point(tmp_path):
    [drawn] = made(tmp_path, objects=4000).of("growth")
    [axes] = drawn.figure.axes
    assert [len(line.get_xdata()) for line in axes.lines] == [1, 1]
    assert all(line.get_marker() for line in axes.lines)


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
