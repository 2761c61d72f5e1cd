"""The example dataset that is committed: its tables and its page come out of its archive again."""

from __future__ import annotations

import subprocess

import pandas as pd
import pytest

from tests.e2e.conftest import BIN, ROOT, check_out_files
from tools import example

TABLES = ROOT / "archives" / example.ARCHIVE.stem


@pytest.mark.long
@pytest.mark.timeout(900)
def test_its_tables_and_its_page_come_out_of_its_archive(tmp_path):
    there = check_out_files(tmp_path / "there")
    command = ["make", "-o", ".venv/.ready", f"BIN={BIN}", "run", "SOURCE=archive"]
    done = subprocess.run(command, cwd=there, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout + done.stderr

    made = there / "results" / example.STUDY / "tables"
    committed = {file.name: file.read_bytes() for file in TABLES.glob("*.csv")}
    assert {f"table-{number:02}.csv" for number in range(1, 11)} <= committed.keys()
    assert {file.name: file.read_bytes() for file in made.glob("*.csv")} == committed
    data = there / "data" / "archive" / example.ARCHIVE.stem / "data"
    assert example.page(data) == example.PAGE.read_text(encoding="utf-8")


def test_only_what_is_invalid_is_blank_in_its_tables():
    rows = 0
    for number in range(1, 11):
        table = pd.read_csv(TABLES / f"table-{number:02}.csv")
        # a cell without reservations has no flags; two protocols are no groups for Dunn's test
        values = table.drop(columns=["flags", "dunn_p"], errors="ignore")
        # of two cells a single start is valid, so that nothing can be said over invocations
        alone = table["flags"].fillna("").str.contains("one-invocation")
        ends = [name for name in ("over_ratio_low", "over_ratio_high") if name in values]
        values.loc[alone, ends] = 0.0
        blank = table.loc[values.isna().any(axis=1), "flags"].fillna("")
        assert all("invalid" in flags.split(";") for flags in blank), number
        rows += len(table) - len(blank)
    assert rows > 400
