"""What a scoreboard needs of one start: its state, where it ran, its failures, its measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.analysis import cell_record, raw
from modelstress.analysis.summary import (
    MOST_SURVIVORS,
    latencies_of,
    median_of,
    throughput_of,
)
from modelstress.config.outcomes import FAILURES

RUNNING = "running"
ENDED_BADLY = ("aborted", "damaged", "partial")
"""States of a start that was not measured to its end, or whose files say nothing."""
DIGITS = 12
"""Hex digits by which a build is told from others."""


@dataclass(frozen=True)
class Measure:
    """A column of a start's values.

    Attributes:
        name: in addresses.
        title: for readers, with the unit.
        unit: beside numbers; empty for a ratio.
        more_is_worse: whether high values are the worst.
    """

    name: str
    title: str
    unit: str
    more_is_worse: bool = True


MEASURES = (
    Measure("latency", "median latency (ms)", "ms"),
    Measure("throughput", "throughput (right answers/s)", "/s", more_is_worse=False),
    Measure("jitter", "jitter (coefficient of dispersion of latency)", ""),
)


@dataclass(frozen=True)
class Start:
    """One start of a cell.

    Attributes:
        number: of the invocation.
        state: one of ``raw.STATES``, or ``running``.
        levels: factor to level, as recorded.
        machine: that measured; empty where nothing is recorded.
        build: digest of the program that was measured, shortened; empty likewise.
        seconds: that the invocation took.
        ended_s: when it ended (seconds of the epoch).
        executions: in the measured window.
        failures: of them, those that were wrong, refused, late or not answered.
        values: one for each of ``MEASURES``, NaN where it is not known.
    """

    number: int
    state: str
    levels: Mapping[str, Any]
    machine: str = ""
    build: str = ""
    seconds: float = 0.0
    ended_s: float = 0.0
    executions: int = 0
    failures: int = 0
    values: tuple[float, ...] = (np.nan,) * len(MEASURES)

    @property
    def failing(self) -> bool:
        """Whether it ended badly, or any of its measured executions did."""
        return self.state in ENDED_BADLY or (self.state == "complete" and self.failures > 0)


def start_of(found: raw.Invocation, ended_s: float) -> Start:
    """Summarise an invocation; nothing is measured of an invalid one."""
    record = found.record
    facts: dict[str, Any] = {
        "number": found.number, "state": found.state, "levels": found.levels, "ended_s": ended_s,
        "machine": cell_record.host(record), "build": _build(record),
        "seconds": float(record.get("seconds") or 0.0),
    }  # fmt: skip
    if found.state != "complete":
        return Start(**facts)
    counts = found.executions.counts()
    executions = sum(counts.values())
    failures = counts["incorrect"] + sum(counts[name] for name in FAILURES)
    latencies = latencies_of(found)
    median, dispersion = np.nan, np.nan
    if not (_died(record) and counts["ok"] <= MOST_SURVIVORS * executions):
        median = median_of(found)
        dispersion = stats.coefficient_of_dispersion(latencies) if np.isfinite(median) else np.nan
    values = (median, throughput_of(found).ok_per_s, dispersion)
    return Start(**facts, executions=executions, failures=failures, values=values)


def _build(record: Mapping[str, Any]) -> str:
    return (cell_record.content(record, "jar") or "")[:DIGITS]


def _died(record: Mapping[str, Any]) -> bool:
    return any(reason.code == "server-died" for reason in cell_record.validity(record))
