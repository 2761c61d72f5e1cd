"""The window of an invocation in stretches of seconds or executions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modelstress.analysis import cell_record, raw
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.windows import Windows


def windowed(start: raw.Invocation, asked: Windows) -> Iterator[dict[str, Any]]:
    """Rows of the table `windows`."""
    offsets, counted = cell_record.clock_offsets(start.record), cell_record.objects(start.record)
    for number, stretch in enumerate(start.executions.stretches(offsets, asked, counted)):
        yield {
            "tool": start.tool, "cell": start.cell, "invocation": start.number, "number": number,
            "begin_s": stretch.begin_s, "seconds": stretch.seconds,
            "executions": int(stretch.counts.sum()), "rate_per_s": stretch.rate_per_s,
            "median_ms": stretch.median_ms, "p99_ms": stretch.p99_ms,
            **dict(zip(OUTCOMES, stretch.counts.tolist(), strict=True)), "objects": stretch.objects,
        }  # fmt: skip
