"""The tables of faults and of mixes, and faults over time."""

from dataclasses import replace

import figure_texts
import numpy as np
import pandas as pd
import pytest
from example_cells import PROJECTION, SETTING
from example_tables import WITH_FAULT, disturbances, disturbed_cells, mixed

from modelstress.report import faults, mixes
from modelstress.report.render import html


def texts(row):
    return [entry.text.replace("\u00a0", " ") for entry in row[1]]


def test_what_is_lost_anyhow_stands_beside_what_a_fault_cost():
    cells = disturbed_cells()
    table = faults.table("table-F1", disturbances(cells), cells, WITH_FAULT, SETTING)
    quiet, cut = table.rows
    assert (quiet[0][0], cut[0][0]) == ("none", "link-cut")
    assert texts(quiet) == ["300", "9 (3.0%)", "1", "–", "–", "–", "–", "–", "–"]
    assert texts(cut) == ["300", "8 (2.7%)", "1", "3.25", "0.25", "1 of 1", "–", "–", "–"]
    assert "query RouteSensor; threads 4" in table.caption
    assert list(table.data["query"]) == ["RouteSensor"]


def test_rows_name_their_threads_where_they_differ():
    cells = disturbed_cells(threads=(4, 64))
    table = faults.table("table-F1", disturbances(cells), cells, WITH_FAULT, SETTING)
    assert table.labels[:2] == ("fault", "threads")
    assert [label[:2] for label, _ in table.rows] == [
        ("none", "4"), ("none", "64"), ("link-cut", "4"), ("link-cut", "64"),
    ]  # fmt: skip


def test_rows_carry_the_marks_of_their_cells():
    cells = disturbed_cells(flags="invalid;client-busy")
    table = faults.table("table-F1", disturbances(cells), cells, WITH_FAULT, SETTING)
    assert [entries[0].marks for _, entries in table.rows] == ["i", "i"]
    assert [letter for letter, _ in table.notes] == ["i"]
    assert "invalid: invalid invocations are left out" in html(table)
    cells = disturbed_cells(flags="change-point;trend;stale")
    quiet, cut = faults.table("table-F1", disturbances(cells), cells, WITH_FAULT, SETTING).rows
    assert (quiet[1][0].marks, cut[1][0].marks) == ("s", "s")


def test_without_a_fault_there_is_no_table():
    cells = disturbed_cells()
    assert (
        faults.table("table-F1", disturbances(cells).iloc[:0], cells, WITH_FAULT, SETTING) is None
    )


@pytest.mark.parametrize("count", [1, 8])
def test_faults_over_time_can_be_read(count):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "start_s": np.sort(rng.uniform(0, 30, 300)), "latency_ms": rng.lognormal(1, 1, 300),
            "outcome": rng.choice(["ok", "timeout", "error", "incorrect", "unfinished"], 300),
        }
    )  # fmt: skip
    found = [faults.Disturbed(f"fault-{n}", frame, 4.0, 7.0, 8.0) for n in range(count)]
    figure = faults.over_time(found, "hawk: Hawk design, this project's implementation")
    figure_texts.assert_no_overlap(figure)


def test_the_queries_of_a_mix_stand_apart():
    operations, cells = mixed()
    table = mixes.table("table-M1", operations, cells, PROJECTION, SETTING)
    assert [label for label, _ in table.rows] == [
        ("inspection", "cdo", "h2", "ocl", "tcp", "PosLength"),
        ("inspection", "cdo", "h2", "ocl", "tcp", "RouteSensor"),
    ]
    assert texts(table.rows[1]) == ["12.5", "40", "2"]
    assert table.rows[0][1][0].marks == "s" and table.groups[0][0] == "4 threads"
    assert mixes.table("table-M1", operations.iloc[:0], cells, PROJECTION, SETTING) is None


def test_a_factor_of_mixes_may_be_called_operation():
    """The table of operations has a column of that name: mixes are levels of the cells."""
    operations, cells = mixed()
    named = replace(PROJECTION, operation="operation", factors=("tool", "operation", "threads"))
    cells = cells.assign(operation="inspection")
    table = mixes.table("table-M1", operations, cells, named, SETTING)
    assert [(label[0], label[-1]) for label, _ in table.rows] == [
        ("inspection", "PosLength"), ("inspection", "RouteSensor"),
    ]  # fmt: skip


def test_without_a_factor_of_operations_all_cells_execute_the_same_mix():
    operations, cells = mixed()
    named = replace(PROJECTION, operation="task", factors=("tool", "threads"))
    cells = cells.assign(task="own-study")
    table = mixes.table("table-M1", operations, cells, named, SETTING)
    assert table.labels[-1] == "operation" and "mix" not in table.labels
    assert [label[-1] for label, _ in table.rows] == ["PosLength", "RouteSensor"]
