"""Tables beside files that a person has read and approved.

After a change that is meant, pytest with the environment variable UPDATE_GOLDEN=1 writes the files
again; read the difference before committing.
"""

import os
from pathlib import Path

from modelstress.report import render
from modelstress.report.render import Table

GOLDEN = Path(__file__).parent / "unit" / "report" / "golden"
SUFFIXES = ("csv", "tex", "html")


def assert_golden(table: Table, name: str) -> None:
    """Every rendering of the table is that of the golden file."""
    for suffix in SUFFIXES:
        text = getattr(render, suffix)(table)
        golden = GOLDEN / f"{name}.{suffix}"
        if os.environ.get("UPDATE_GOLDEN"):
            golden.write_text(text, encoding="utf-8", newline="\n")
        assert text == golden.read_text(encoding="utf-8"), golden.name
