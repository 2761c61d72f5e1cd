"""CSV files for spreadsheets: texts stay texts there, numbers numbers."""

import io
import re

import pandas as pd
import pytest
import synthetic

from modelstress.analysis import derive, load, sheets, write

FORMULAS = [
    '=HYPERLINK("http://x","y")', "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1,2)",
    "\t=1+1", "\r=1+1", "\n=1+1", "＝1+1",
    "-Xmx1g, -cmd|' /C calc'!A0", "-D(1)",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_is_a_formula(text):
    frame = pd.DataFrame({"level": [text, "plain", None, 7], text: [1.5, -2.0, 3.25, -1e-9]})
    back = pd.read_csv(io.StringIO(sheets.csv(frame), newline=""), dtype=str)
    marked = re.sub(r"^([\t\n])=", r"\1'=", text.replace("\r", "\n"))
    assert back["level"][0] == f"'{marked}"
    assert back["level"].tolist()[1::2] == ["plain", "7"] and back["level"].isna()[2]
    assert list(back.columns)[1].startswith("'")
    assert [float(value) for value in back.iloc[:, 1]] == [1.5, -2.0, 3.25, -1e-9]


def test_no_line_break_within_a_text_begins_a_row():
    text = sheets.csv(pd.DataFrame({"message": ["a\r=1+1\r\n=2", "b\n=3"]}))
    assert pd.read_csv(io.StringIO(text))["message"].tolist() == ["a\n'=1+1\n'=2", "b\n'=3"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_no_text_holds_a_formula_where_cells_are_separated_otherwise(separator):
    """Spreadsheets of many countries take `;`, and quotes inside a cell mean nothing then."""
    text = sheets.csv(pd.DataFrame({"level": [f"a{separator}=cmd|' /C calc'!A0", "b;c;-1.5"]}))
    cells = [cell for line in text.splitlines() for cell in line.split(separator)]
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    assert text.endswith("b;c;-1.5\n")


def test_tables_without_formulas_are_as_pandas_writes_them():
    frame = pd.DataFrame({
        "level": ["a-b", "-Xmx1g, -XX:+UseG1GC", "-1.5", "+2", "1e-3", None],
        "number": [-1, -2, 3, 4, 5, 6],
        "mixed": pd.Series([True, 3, -4, None, "auto", ""], dtype="object"),
        "known": pd.array([True, False, None, True, None, False], "boolean"),
    })  # fmt: skip
    assert sheets.csv(frame) == frame.to_csv(index=False, lineterminator="\n")


def test_derived_tables_keep_formulas_from_spreadsheets_and_read_back_as_they_were(tmp_path):
    for pool in (FORMULAS[0], FORMULAS[2]):
        levels = synthetic.LEVELS | {"pool": pool}
        synthetic.write(tmp_path, levels, 0, synthetic.samples([5.0, 6.0]))
    folder = write(derive(tmp_path, synthetic.STUDY, synthetic.PROFILE), tmp_path)
    text = pd.read_csv(folder / "cells.csv")["pool"]
    assert sorted(text) == sorted(f"'{pool}" for pool in (FORMULAS[0], FORMULAS[2]))
    again = load(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    assert sorted(again.cells["pool"]) == sorted((FORMULAS[0], FORMULAS[2]))
