"""A mix taken apart: what became of each of its queries."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.analysis import raw
from modelstress.samples.schema import OUTCOMES
from modelstress.stats import censoring

OK, TIMEOUT = OUTCOMES.index("ok"), OUTCOMES.index("timeout")


def rows(used: Sequence[raw.Invocation], confidence: float) -> Iterator[dict[str, Any]]:
    """Rows of the table `operations`, in the order of names; none of a cell with one query.

    Args:
        used: the invocations of a cell that are in its statistics.
        confidence: of the medians' intervals.
    """
    names = sorted({name for start in used for name in _asked(start)})
    for name in names if len(names) > 1 else ():
        yield {"operation": name, **_row(name, used, confidence)}


def _asked(start: raw.Invocation) -> list[str]:
    """Names of the operations of its measured executions."""
    places = np.unique(start.operation_of[start.executions.measured])
    return [start.operations[place] for place in places]


def _places(start: raw.Invocation, name: str) -> list[int]:
    return [place for place, known in enumerate(start.operations) if known == name]


def _row(name: str, used: Sequence[raw.Invocation], confidence: float) -> dict[str, Any]:
    outcomes, latencies = np.zeros(len(OUTCOMES), np.int64), []
    for start in used:
        executions = start.executions
        mine = executions.measured & np.isin(start.operation_of, _places(start, name))
        outcomes += np.bincount(executions.outcome[mine], minlength=len(OUTCOMES))
        answered = mine & (executions.outcome == OK)
        latencies.append(executions.duration_ns[answered] / raw.NS_PER_MS)
    found: dict[str, Any] = {
        "executions": int(outcomes.sum()),
        **dict(zip(OUTCOMES, outcomes.tolist(), strict=True)),
    }
    pool = np.concatenate(latencies)
    share = stats.timeout_share(int(outcomes[OK]), int(outcomes[TIMEOUT]))
    if not pool.size or share > censoring.BLANK_ABOVE:
        return found
    over = stats.median_over_invocations(latencies, confidence)
    centre = over if over.interval else stats.median(pool, confidence)
    drawn = stats.box(pool)
    found |= {"median_ms": centre.value, "q1_ms": drawn.q1, "q3_ms": drawn.q3}
    if centre.interval:
        how = "over invocations" if over.interval else "within one start"
        ends = centre.interval
        found |= {"median_low_ms": ends.low, "median_high_ms": ends.high, "median_interval": how}
    return found
