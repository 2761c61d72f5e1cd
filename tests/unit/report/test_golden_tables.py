"""Each renderer of each kind of table against a golden file, read and approved by a person.

After a change that is meant, `pytest --override-ini=addopts= -p no:cacheprovider` with the
environment variable UPDATE_GOLDEN=1 writes the files again; read the difference before committing.
"""

import os
from pathlib import Path

import example_cells as example
import pytest

from modelstress.report import render, tables

GOLDEN = Path(__file__).parent / "golden"
MAKERS = {"table-02": tables.medians, "table-05": tables.failures, "table-06": tables.incorrect}


@pytest.mark.parametrize("number", MAKERS)
@pytest.mark.parametrize("suffix", ["csv", "tex", "html"])
def test_rendered_table(number, suffix):
    table = MAKERS[number](number, example.cells(), example.FACTORS, example.SETTING)
    text = getattr(render, suffix)(table)
    golden = GOLDEN / f"{number}.{suffix}"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8", newline="\n")
    assert text == golden.read_text(encoding="utf-8")


def test_no_failures_at_all():
    fine = example.cells().iloc[:5]
    table = tables.failures("table-05", fine, example.FACTORS, example.SETTING)
    assert "0 of 600 executions in 0 of 5 cells" in render.html(table)
    assert "none" in render.tex(table)
    assert len(render.csv(table).splitlines()) == 1
