"""Whether the warm-up of one invocation was enough."""

from pathlib import Path

from modelstress import stats
from modelstress.analysis import raw


def settled(folder: Path) -> bool | None:
    """Judge the latencies of a finished invocation, in the order of their starts.

    Returns:
        None when there are too few executions to say.
    """
    invocation = raw.read(folder, int(folder.name.removeprefix("i")))
    return stats.steadiness(invocation.executions.course_ms).steady
