"""The papers' rule of a direction, within the starts that were measured."""

from math import comb
from typing import Any

import numpy as np
import pandas as pd

from modelstress.stats.thresholds import THRESHOLDS

NEGLIGIBLE = "negligible"
SLOWER, FASTER, UNCLEAR, FEW, UNKNOWN = "slower", "faster", "unclear", "few", "unknown"


def verdicts(rows: pd.DataFrame) -> "np.ndarray[Any, Any]":
    """How each cell stands to its baseline: a direction needs p and an effect, not one of them.

    Args:
        rows: with ``p`` of Mann–Whitney, ``delta`` and ``magnitude`` of Cliff, and the numbers of
            latencies of both sides, ``n`` and ``baseline_n``.

    Returns:
        ``slower``, ``faster``, ``unclear``, ``few`` (so few executions that no difference could be
        significant) or ``unknown`` (a side has no latencies) of each row.
    """
    decided = rows["p"] < THRESHOLDS.alpha
    clear = decided & (rows["magnitude"] != NEGLIGIBLE)
    sizes = zip(rows["n"], rows["baseline_n"], strict=True)
    few = np.array(
        [_smallest_p(int(n), int(other)) >= THRESHOLDS.alpha for n, other in sizes], bool
    )
    chosen = [
        rows["p"].isna() | rows["delta"].isna(),
        clear & (rows["delta"] > 0),
        clear & (rows["delta"] < 0),
        ~decided & few,
    ]
    return np.select(chosen, [UNKNOWN, SLOWER, FASTER, FEW], UNCLEAR)


def _smallest_p(n: int, other: int) -> float:
    """The p of two samples of which every value of one is above every value of the other."""
    return 2 / comb(n + other, n)
