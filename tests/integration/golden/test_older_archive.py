"""An archive of version 0.1.0 is read as it was: `archive-0.1.0.zip` is a part of the first one.

That was `model-queries-reduced.zip` (its hash is in docs/archive.md); here are its cells of one
query with 1 and 64 clients, and one that was captured, with the table of cells of that version.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from modelstress import analysis
from modelstress.samples.archive import unpack

ARCHIVE = Path(__file__).with_name("archive-0.1.0.zip")
KEPT = [
    "invocations", "executions", "ok", "incorrect", "error", "timeout", "rejected", "median_ms",
    "q1_ms", "q3_ms",
]  # fmt: skip


def test_its_cells_have_the_numbers_that_they_had(tmp_path: Path) -> None:
    unpack(ARCHIVE, tmp_path / "old")
    data = tmp_path / "old/data"
    for profile, least in (("reduced", 10), ("anatomy", 1)):
        table = data / "derived/model-queries" / profile / "cells.csv"
        before = pd.read_csv(table).set_index(["tool", "cell"])
        shutil.rmtree(table.parent)
        made = analysis.load(data, "model-queries", profile).cells.set_index(["tool", "cell"])
        assert len(made) >= least
        pd.testing.assert_frame_equal(
            made[KEPT], before.loc[made.index, KEPT], check_dtype=False, rtol=1e-9
        )
