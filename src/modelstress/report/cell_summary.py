"""Summary of a run for a terminal: percentiles, correct answers per second and errors of cells."""

from pathlib import Path

import numpy as np
import pandas as pd

from modelstress.analysis import Derived, selection, sheets
from modelstress.config.outcomes import FAILURES
from modelstress.report import grouping
from modelstress.report.claims_places import along_load, places
from modelstress.samples.files import write_text
from modelstress.stats.censoring import BLANK_FROM

FILE = "summary.csv"
COLUMNS = (
    "study", "profile", "cell", "operation", "configuration", "load", "p50_ms", "p95_ms",
    "correct_per_s", "errors", "executions",
)  # fmt: skip


def cell_summary(derived: Derived) -> pd.DataFrame:
    """One row per measured cell, loads ascending within a configuration.

    Returns:
        The columns of ``COLUMNS``: ``load`` in words, blank without one; latencies in ms, infinite
        where they lie among timeouts, blank where nothing was answered; ``errors`` are measured
        executions without a right answer, but for those that the tool ended by its own rules.
    """
    cells, projection = derived.cells, derived.projection
    cells = cells[cells["invocations"] > 0]
    if cells.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    cells = cells.assign(configuration=places(cells, projection))
    rows = pd.concat([
        along_load(part, projection)
        for _, same in grouping.by_operation(cells, projection)
        for _, part in same.groupby("configuration", sort=False)
    ])  # fmt: skip
    p95 = selection.measured(derived, rows, "p95")["value"]
    share = rows["timeout_share"]
    loads = [""] * len(rows)
    if projection.load:
        loads = [_load(level, derived) for level in rows[projection.load]]
    made = rows.assign(
        operation=rows[projection.operation], load=loads,
        p50_ms=rows["median_ms"].mask(share >= BLANK_FROM, np.inf),
        p95_ms=p95.mask(p95.isna() & (share > 0), np.inf),
        correct_per_s=rows["throughput_per_s"],
        errors=rows[[*FAILURES, "incorrect"]].sum(axis=1).astype(int),
    )  # fmt: skip
    return made[list(COLUMNS)].reset_index(drop=True)


def _load(level: object, derived: Derived) -> str:
    if level is None or level is pd.NA or level != level:
        return ""
    [plain] = grouping.loads(pd.DataFrame({derived.projection.load: [level]}), derived.projection)
    return grouping.loaded(derived.projection, plain)


def save(summary: pd.DataFrame, study: str, results_dir: Path) -> Path:
    """Write ``<study>/summary.csv``, six significant digits.

    Raises:
        MeasureError: the file cannot be written.
    """
    folder = results_dir / study
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    write_text(path, sheets.csv(summary, float_format="%.6g"))
    return path
