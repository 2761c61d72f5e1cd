"""A mix taken apart: what became of each of its queries."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.analysis import raw
from modelstress.analysis.latency import described
from modelstress.config.outcomes import OUTCOMES
from modelstress.stats import censoring

OK, TIMEOUT = OUTCOMES.index("ok"), OUTCOMES.index("timeout")


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
    names = sorted({name for start in used for name in _asked(start)})
    for name in names if len(names) > 1 else ():
        yield {"operation": name, **_row(name, used, confidence, known)}


def _asked(start: raw.Invocation) -> list[str]:
    """Names of the operations of its measured executions."""
    places = np.unique(start.operation_of[start.executions.measured])
    return [start.operations[place] for place in places]


def _places(start: raw.Invocation, name: str) -> list[int]:
    return [place for place, known in enumerate(start.operations) if known == name]


def _row(
    name: str, used: Sequence[raw.Invocation], confidence: float, known: bool
) -> dict[str, Any]:
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
    share = stats.timeout_share(int(outcomes[OK]), int(outcomes[TIMEOUT]))
    if known and not share > censoring.BLANK_ABOVE:
        found |= described(latencies, confidence)[0]
    return found
