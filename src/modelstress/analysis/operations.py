"""A mix taken apart: what became of each of its queries."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from modelstress.analysis import raw
from modelstress.analysis.executions import OK, TIMEOUT, Part
from modelstress.analysis.latency import described, shortest
from modelstress.config.outcomes import OUTCOMES
from modelstress.stats import censoring

NOTHING = Part(np.zeros(len(OUTCOMES), np.int64), np.empty(0), 0, float("nan"))


def rows(
    used: Sequence[raw.Invocation], confidence: float, known: bool
) -> Iterator[dict[str, Any]]:
    """Rows of the table `operations`, in the order of names; none of a cell with one query.

    Args:
        used: the invocations of a cell that are in its statistics.
        confidence: of the medians' intervals.
        known: whether the cell's median is; where the server died early, those of its parts are
            not either.
    """
    parts = [start.executions.operations() for start in used]
    names = sorted({name for part in parts for name in part})
    for name in names if len(names) > 1 else ():
        operation_parts = [part.get(name, NOTHING) for part in parts]
        yield {"operation": name, **_row(operation_parts, confidence, known)}


def _row(parts: Sequence[Part], confidence: float, latencies_known: bool) -> dict[str, Any]:
    outcomes = np.sum([part.counts for part in parts], axis=0)
    row: dict[str, Any] = {
        "executions": int(outcomes.sum()),
        **dict(zip(OUTCOMES, outcomes.tolist(), strict=True)),
    }
    row["timeout_ms"] = shortest(part.timeout_ms for part in parts)
    if latencies_known:
        ranked = [
            censoring.ranked(part.latencies_ms, int(part.counts[TIMEOUT]), int(part.counts[OK]))
            for part in parts
        ]
        row |= described(ranked, confidence, row["timeout_ms"])[0]
    return row
