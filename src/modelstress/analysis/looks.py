"""What is still to be measured until comparisons are decided, and how long that may take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modelstress.analysis.contrasts import records
from modelstress.analysis.derived import Derived
from modelstress.analysis.estimates import MARGIN, WORDS, confidence_of, estimates, log_estimate
from modelstress.stats.deciding import blocks_missing

Key = tuple[str, str]
"""Tool and id of a cell."""


SIDES = ("cell", "other_cell")
"""Of a placebo that was measured on purpose; as a comparison, it is measured until decided."""


@dataclass(frozen=True)
class Look:
    """What comparisons say after so many starts of each.

    Attributes:
        counts: comparisons by their status.
        wanted: cells of comparisons that are undecided, placebos included; not of those without
            any pair of starts to compare: others would be as invalid, or time out as often.
        missing_starts: cell to the starts that its comparisons are short of, if estimates and
            spreads stay as they are; of comparisons for which that can be told.
        beyond: undecided comparisons that would take more starts than can be told.
    """

    counts: dict[str, int]
    wanted: frozenset[Key]
    missing_starts: dict[Key, int]
    beyond: int


def look(derived: Derived, looks: Sequence[int], margin: float = MARGIN) -> Look:
    """Judge every comparison of latencies by what was measured so far.

    Args:
        derived: tables of all that was measured.
        looks: numbers of starts at which it is looked, ascending, fixed beforehand.
        margin: 0.10 for ±10 %, within which a ratio is *same*.
    """
    found, equals = estimates(derived, margin, looks), derived.placebos
    confidence = confidence_of(derived, looks)
    counts = dict.fromkeys(WORDS.values(), 0)
    wanted: set[Key] = set()
    missing: dict[Key, int] = {}
    beyond = 0
    for row in records(found):
        counts[row["status"]] += 1
        if row["status"] != "undecided":
            continue
        sides = ((row["tool"], row["cell"]), (row["baseline_tool"], row["baseline_cell"]))
        if row["blocks"]:
            wanted |= {*sides}
        short = None
        if np.isfinite(row["ratio_low"]) and np.isfinite(row["ratio_high"]):
            short = blocks_missing(log_estimate(row), math.log1p(margin), confidence)
        beyond += short is None
        for side in sides:
            missing[side] = max(missing.get(side, 0), short or 0)
    copied = equals[(equals["other_cell"].fillna("") != "") & (equals["over"] == "undecided")]
    wanted |= {(row["tool"], row[side]) for row in records(copied) for side in SIDES}
    return Look(counts, frozenset(wanted), missing, beyond)
