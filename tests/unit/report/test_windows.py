"""Figure and table of windows over time."""

from __future__ import annotations

import histogram_samples
import numpy as np
import pytest
import synthetic
from figure_texts import assert_no_overlap
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.config.windows import Windows
from modelstress.report import render, results

LEVELS = synthetic.LEVELS | {"threads": 4}


def made(folder, write=synthetic.write, **asked):
    """A cell that becomes slower and one that does not, two starts of each."""
    for protocol, growth in (("tcp", 1.0), ("http", 3.0)):
        for number in range(2):
            values = 10 * np.linspace(1, growth, 4000) * (1 + number / 50)
            table = synthetic.samples(values, threads=4, number=number)
            write(folder, LEVELS | {"protocol": protocol}, number, table)
    windows = Windows(**asked) if asked else None
    whole = study(factors={"protocol": ["tcp", "http"]}).model_copy(update={"windows": windows})
    return results(derive(folder, synthetic.STUDY, synthetic.PROFILE, asked=whole))


def test_a_study_that_does_not_ask_has_none(tmp_path):
    found = made(tmp_path)
    assert not found.of("windows") and not found.tables_of("windows")


def test_seconds_are_drawn_over_time(tmp_path):
    [drawn] = made(tmp_path, seconds=1).of("windows")
    rate, tail = drawn.figure.axes
    assert rate.get_ylabel().startswith("ok executions per second")
    assert tail.get_ylabel().startswith("p99 latency (ms")
    assert tail.get_xlabel() == "time since the begin of the window (s)"
    assert len(rate.lines) == len(tail.lines) == 4
    assert rate.get_yscale() == tail.get_yscale()
    x = rate.lines[0].get_xdata()
    assert (np.diff(x) > 0).all() and x[0] == 1
    assert_no_overlap(drawn.figure)


def test_executions_are_drawn_over_objects(tmp_path):
    [drawn] = made(tmp_path, executions=400).of("windows")
    rate, tail = drawn.figure.axes
    assert tail.get_xlabel() == "objects so far"
    assert rate.lines[0].get_xdata().tolist() == [400.0 * n for n in range(1, 11)]


@pytest.mark.parametrize("write", [synthetic.write, histogram_samples.write])
def test_the_table_has_both_ends_of_the_window(tmp_path, write):
    found = made(tmp_path, write, seconds=1)
    [table] = found.tables_of("windows")
    rows = {labels[4]: [e.text for e in entries] for labels, entries in table.rows}
    assert 0.9 < float(rows["tcp"][3]) < 1.1
    assert float(rows["http"][3]) < 0.5 and float(rows["http"][6]) > 2
    assert "PosLength" in render.html(table) and table.number == "table-W1"
    data = table.data.set_index("protocol")
    assert data.loc["http", "rate_first_per_s"] > 2 * data.loc["http", "rate_last_per_s"]
    if write is histogram_samples.write:
        [drawn] = found.of("windows")
        assert "The first and the last second of histograms are not whole" in drawn.caption
