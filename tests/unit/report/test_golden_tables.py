"""Each renderer of each kind of table against a golden file, read and approved by a person.

Tables of captures and of papers have theirs beside their other tests, which make the data.
"""

from collections.abc import Callable

import example_cells as example
import example_tables as rows
import pytest
from golden_files import assert_golden

from modelstress.report import comparisons, faults, mixes, normality, render, tables
from modelstress.report.render import Table

PROJECTION, SETTING = example.PROJECTION, example.SETTING


def fault_table(number: str) -> Table | None:
    cells = rows.disturbed_cells(threads=(4, 64))
    return faults.table(number, rows.disturbances(cells), cells, rows.WITH_FAULT, SETTING)


MAKERS: dict[str, Callable[[str], Table | None]] = {
    "table-02": lambda n: tables.medians(n, example.cells(), PROJECTION, SETTING),
    "table-05": lambda n: tables.failures(n, example.cells(), PROJECTION, SETTING),
    "table-06": lambda n: tables.incorrect(n, example.cells(), PROJECTION, SETTING),
    "table-08": lambda n: comparisons.deltas(n, rows.comparison(), PROJECTION, SETTING),
    "table-10": lambda n: comparisons.ratios(n, rows.comparison(ranked=True), PROJECTION, SETTING),
    "table-E1": lambda n: normality.normality(n, *rows.tested(), example.MORE, SETTING),
    "table-F1": fault_table,
    "table-M1": lambda n: mixes.table(n, *rows.mixed(), PROJECTION, SETTING),
}


@pytest.mark.parametrize("number", MAKERS)
def test_rendered_table(number: str) -> None:
    table = MAKERS[number](number)
    assert table is not None
    assert_golden(table, number)


def test_no_failures_at_all():
    fine = example.cells().iloc[:5]
    table = tables.failures("table-05", fine, example.PROJECTION, example.SETTING)
    assert "0 of 600 executions in 0 of 5 cells" in render.html(table)
    assert "none" in render.tex(table)
    assert len(render.csv(table).splitlines()) == 1
