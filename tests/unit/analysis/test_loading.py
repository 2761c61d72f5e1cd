"""Derived tables read back: the same as they were made."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sick
import synthetic

from modelstress.analysis import PlannedCell, columns, derive, load, planned_text, write
from modelstress.analysis.planned import PLANNED, note_beside, read_planned
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project

WHERE = synthetic.STUDY, synthetic.PROFILE


def same(one, other):
    assert (one.factors, one.confidence) == (other.factors, other.confidence)
    for name in columns.TABLES:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    assert one.latencies.keys() == other.latencies.keys()
    for key, starts in one.latencies.items():
        assert [list(start) for start in starts] == [list(each) for each in other.latencies[key]]


def measured(data):
    """Two tools with factors of their own, one of mixed types, and a start without answers."""
    sick.write(data, "tied")
    for level in (True, "auto", 3):
        levels = synthetic.LEVELS | {"pool": level}
        synthetic.write(data, levels, 0, synthetic.samples([5.0, 6.0]))
        synthetic.write(data, levels, 1, synthetic.samples([5.0, 6.0], ["error", "error"]))
    return derive(data, *WHERE, asked=sick.study())


def test_all_tables_come_back_as_they_were(tmp_path):
    made = measured(tmp_path)
    assert len(made.comparisons) and len(made.groups)
    assert {type(level) for level in made.cells["pool"].dropna()} == {bool, str, int}
    write(made, tmp_path)
    shutil.rmtree(tmp_path / "raw")  # so that nothing can be derived anew
    same(load(tmp_path, *WHERE), made)


def test_nothing_comes_back_of_nothing(tmp_path):
    made = sick.derived(tmp_path, "nothing")
    write(made, tmp_path)
    shutil.rmtree(tmp_path / "raw")
    same(load(tmp_path, *WHERE), made)


@pytest.mark.parametrize("trouble", ["none", "latencies", "column", "damaged", "older"])
def test_what_cannot_be_read_back_is_derived_anew(tmp_path, trouble):
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples([5.0] * 3))
    derived = write(derive(tmp_path, *WHERE), tmp_path)
    synthetic.write(tmp_path, synthetic.LEVELS, 1, synthetic.samples([7.0] * 5))
    for path in (tmp_path / "raw").rglob("*.*"):
        os.utime(path, (1, 1))  # long before the tables
    assert load(tmp_path, *WHERE).cells["ok"].tolist() == [3]
    cells = derived / "cells.parquet"
    if trouble == "none":
        cells.unlink()
    elif trouble == "latencies":
        (derived / "latencies.parquet").unlink()
    elif trouble == "column":
        pd.read_parquet(cells).drop(columns="task").to_parquet(cells)
    elif trouble == "damaged":
        cells.write_bytes(cells.read_bytes()[:-9])
    else:
        os.utime(folder / "cell.json")
        os.utime(derived / "datapackage.json", (2, 2))
    assert load(tmp_path, *WHERE).cells["ok"].tolist() == [8]


def test_an_invocation_that_is_gone_is_in_no_table_any_more(tmp_path):
    for number in (0, 1):
        synthetic.write(tmp_path, synthetic.LEVELS, number, synthetic.samples([5.0] * 3))
    write(derive(tmp_path, *WHERE), tmp_path)
    assert load(tmp_path, *WHERE).cells["ok"].tolist() == [6]
    [gone] = (tmp_path / "raw").rglob("i01")
    shutil.rmtree(gone)
    assert load(tmp_path, *WHERE).cells["ok"].tolist() == [3]


def test_a_study_with_papers_says_what_differs_from_them(tmp_path):
    synthetic.write(tmp_path / "data", synthetic.LEVELS, 0, synthetic.samples([5.0] * 3))
    assert load(tmp_path / "data", *WHERE).note == ""
    root = Project.find(Path(__file__)).root
    assert note_beside(root / "data", "model-queries").startswith("Hawk is re-implemented")
    assert note_beside(root / "data", "no-such-study") == ""


def test_a_plan_beside_the_samples_goes_before_a_project(tmp_path):
    levels = synthetic.LEVELS
    there = PlannedCell("cdo", synthetic.cell_id(levels), "CDO", levels, 1, {"jar": "a" * 64})
    gone = PlannedCell("cdo", "cdo_t64", "CDO", levels | {"threads": 64}, 1)
    (tmp_path / PLANNED).write_text(planned_text({WHERE: [there, gone]}), encoding="utf-8")
    assert read_planned(tmp_path / PLANNED) == {WHERE: [there, gone]}
    synthetic.write(tmp_path, levels, 0, synthetic.samples([5.0] * 3))
    assert load(tmp_path, *WHERE).cells["state"].tolist() == ["complete", "missing"]
    (tmp_path / PLANNED).write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"planned\.json.*unpack the archive again"):
        load(tmp_path, *WHERE)


def test_latencies_keep_the_numbers_of_their_starts(tmp_path):
    for number, value in ((0, 1.0), (2, 3.0)):
        synthetic.write(tmp_path, synthetic.LEVELS, number, synthetic.samples([value] * 2))
    synthetic.write(tmp_path, synthetic.LEVELS, 1, synthetic.samples([2.0]), executor="docker")
    folder = write(derive(tmp_path, *WHERE), tmp_path)
    table = pd.read_parquet(folder / "latencies.parquet")
    assert table["invocation"].tolist() == [0, 0, 2, 2]
    assert table["latency_ms"].tolist() == [1.0, 1.0, 3.0, 3.0]
    assert list(table) == list(columns.LATENCIES)
    [starts] = load(tmp_path, *WHERE).latencies.values()
    assert np.concatenate(starts).tolist() == [1.0, 1.0, 3.0, 3.0]
