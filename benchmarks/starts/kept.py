"""Pairs of starts that were measured, one row per pair and block, in tables that are committed.

Measuring takes more hours than a machine is there for: what a row has is enough for the statistics
over starts, so that samples may be lost, and another machine can go on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis import cell_record, raw
from modelstress.analysis.estimates import Start, machine_of, start_of
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.measure import folders
from modelstress.measure.status import read_record
from modelstress.stats.results import Values
from modelstress.stats.thresholds import THRESHOLDS

LEAST = 3
"""Executions without which a start has no interval."""


class Row(NamedTuple):
    """A cell's start and that of another beside it in a block.

    `log_median` is that of ms, with its `variance`; `halves` is the median of the second half of a
    window over the first's, `seconds` are those of the start, divided by the cells that shared it;
    `papers` says whether the papers' rule within starts finds a direction. Where a side is invalid,
    `invalid` says why, and there are no numbers: the row is in nothing, but not tried again.
    `warmed` are executions of a warm-up; `first` says whether the cell is the first of a start that
    both share, whose clients are started first: 1 or 0, -1 where each has its own.
    """

    kind: str
    tool: str
    threads: int
    cell: str
    other_cell: str
    block: int
    machine: str
    log_median: float
    variance: float
    executions: int
    halves: float
    seconds: float
    other_log_median: float
    other_variance: float
    other_executions: int
    other_halves: float
    other_seconds: float
    papers: bool
    invalid: str = ""
    warmed: int = -1
    other_warmed: int = -1
    first: int = -1

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What there is one row of."""
        return self.kind, self.cell, self.other_cell, self.block

    @property
    def start(self) -> Start:
        """The cell's start."""
        return Start(self.machine, "", self.log_median, self.variance)

    @property
    def other(self) -> Start:
        """The other cell's start."""
        return Start(self.machine, "", self.other_log_median, self.other_variance)


class Kept:
    """The rows of a table, and those of what lies in `data/raw/`.

    Args:
        project: whose `data/raw/` is read.
        path: of the table; without one there, there are no rows.
    """

    def __init__(self, project: Project, path: Path) -> None:
        self.raw = project.raw
        self.path = path
        self.rows: dict[tuple[str, str, str, int], Row] = {}
        if path.exists():
            table = pd.read_csv(path)
            table = table.fillna({"invalid": ""})
            found = (Row(*values) for values in table.itertuples(index=False, name=None))
            self.rows = {row.key: row for row in found}

    def row(self, kind: str, cell: Cell, other: Cell, block: int) -> Row | None:
        """A pair's row; None where a side is missing or invalid, or on another machine."""
        row = self.tried(kind, cell, other, block)
        return None if row is None or row.invalid else row

    def tried(self, kind: str, cell: Cell, other: Cell, block: int) -> Row | None:
        """A pair's row, be it invalid; None where a side is missing, or on another machine."""
        key = kind, cell.id, other.id, block
        if key not in self.rows:
            made = _measured(self.raw, kind, cell, other, block)
            if made is None:
                return None
            self.rows[key] = made
        return self.rows[key]

    def write(self) -> None:
        """Write all rows, in the order of their keys."""
        rows: Iterable[Row] = (self.rows[key] for key in sorted(self.rows))
        table = pd.DataFrame(rows, columns=Row._fields)
        table.to_csv(self.path, index=False, float_format="%.6g", lineterminator="\n")


class _Side(NamedTuple):
    start: Start
    latencies: Values
    seconds: float
    invalid: str
    warmed: int
    shared: tuple[str, ...]

    @property
    def halves(self) -> float:
        if self.invalid:
            return math.nan
        middle = len(self.latencies) // 2
        first, second = self.latencies[:middle], self.latencies[middle:]
        return float(np.median(second) / np.median(first))


def _measured(at: Path, kind: str, cell: Cell, other: Cell, block: int) -> Row | None:
    one, two = _side(cell.folder(at, block), block), _side(other.folder(at, block), block)
    if one is None or two is None or one.start.machine != two.start.machine:
        return None
    return Row(
        kind, cell.tool.tool, cell.threads, cell.id, other.id, block, one.start.machine,
        one.start.log_median, one.start.variance, len(one.latencies), one.halves, one.seconds,
        two.start.log_median, two.start.variance, len(two.latencies), two.halves, two.seconds,
        _papers(one, two), one.invalid or two.invalid, one.warmed, two.warmed,
        int(one.shared[0] == cell.id) if other.id in one.shared else -1,
    )  # fmt: skip


def _side(folder: Path, number: int) -> _Side | None:
    if not folders.finished(folder):
        return None
    invocation = raw.read(folder, number)
    latencies = invocation.executions.latencies_ms
    if invocation.state not in ("complete", "invalid"):
        return None
    noted = invocation.record
    where = {"machine": cell_record.machine(noted), "boot": cell_record.boot(noted)}
    record = read_record(folder)
    shared = tuple(record["start"]["cells"])
    seconds = float(record["seconds"]) / len(shared)
    warmed = sum(int((client["warmed"] or {}).get("executions", 0)) for client in record["clients"])
    reasons = ""
    if invocation.state == "invalid":
        reasons = "+".join(caveat.code for caveat in cell_record.invalidity(noted))
    elif len(latencies) < LEAST:
        reasons = "few-executions"
    if not reasons:
        start = start_of(machine_of(where), latencies)
        return _Side(start, latencies, seconds, "", warmed, shared)
    start = Start(machine_of(where), "", math.nan, math.nan)
    return _Side(start, latencies[:0], seconds, reasons, warmed, shared)


def _papers(one: _Side, two: _Side) -> bool:
    """Whether the papers' rule finds a direction between two starts."""
    if one.invalid or two.invalid:
        return False
    delta = stats.cliffs_delta(two.latencies, one.latencies)
    told = stats.mann_whitney(two.latencies, one.latencies).p < THRESHOLDS.alpha
    return bool(told and delta.magnitude != "negligible")
