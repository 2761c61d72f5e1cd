"""What the tool ended by its own rules: shown where there is any, apart from failures."""

from __future__ import annotations

import example_cells as example
import pandas as pd

from modelstress.report import mixes, tables


def made(**counts):
    cells = pd.DataFrame([example.cell("PosLength", "tcp", n, 5.0, **counts) for n in (1, 4)])
    return tables.failures("table-05", cells, example.PROJECTION, example.SETTING)


def test_without_any_nothing_is_said_of_it():
    table = made(error=2)
    assert "aborted" not in table.data and "aborted" not in table.caption
    assert not any("aborted" in remark for remark in table.remarks)


def test_a_row_of_its_own_that_is_no_failure():
    table = made(aborted=12)
    [(labels, entries)] = table.rows
    assert labels[-1] == "aborted" and [e.text for e in entries] == ["12\u00a0(10.0%)"] * 2
    assert "unfinished) and aborted ones, as number" in table.caption
    assert table.remarks[1].startswith("0 of 240 executions in 0 of 2 cells")
    assert "In 2 cells the tool aborted 24 more by its own rules" in table.remarks[2]
    assert table.data["aborted"].tolist() == [12, 12]


def test_mixes_have_the_column_where_there_is_any():
    operations, cells = example_mix(0)
    assert "aborted" not in mixes.table("table-M1", operations, cells, *AROUND).data
    operations, cells = example_mix(3)
    data = mixes.table("table-M1", operations, cells, *AROUND).data
    assert list(data.columns).index("aborted") == list(data.columns).index("rejected") + 1


AROUND = (example.PROJECTION, example.SETTING)


def example_mix(aborted):
    from example_tables import mixed

    operations, cells = mixed()
    return operations.assign(aborted=aborted), cells
