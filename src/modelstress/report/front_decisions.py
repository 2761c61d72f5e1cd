"""Decisions of the front page: what each does to the latency, at the least and at the most load."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.estimates import mean_ratio
from modelstress.analysis.projection import Projection
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNKNOWN
from modelstress.config.base import Level
from modelstress.report import grouping
from modelstress.report.claims_decisions import DECIDED, SAME
from modelstress.report.claims_sides import Pairs, pairs
from modelstress.report.grouping import Setting

DIRECTED = (SLOWER, FASTER)
LONGEST = 70
"""Characters of a title, so that names of any length leave room for the figure."""


@dataclass(frozen=True, eq=False)
class AtLoad:
    """Ratios of a decision at one load: one per operation and configuration, and their mean.

    `decided` says of each ratio whether it is slower, faster or the same over starts.
    """

    load: Level
    ratios: "np.ndarray[Any, np.dtype[np.float64]]"
    decided: "np.ndarray[Any, np.dtype[np.bool_]]"
    mean: float


@dataclass(frozen=True, eq=False)
class Decision:
    """One comparison of the study and one tool.

    Attributes:
        title: in plain words, `protocol: http instead of tcp on cdo`.
        sides: the pairs of the comparison in this setting, of all tools.
        rows: the pairs of this tool that have a ratio, as in `Pairs.rows`.
        row: of ``Derived.decisions``.
        status: as there; few where no pair has an interval.
        mean: ratio over all pairs with an interval; without any, over all pairs.
        at: the least and the most load, or the only one.
        in_turns: whether all blocks were measured in turns, on a server that served both sides.
    """

    title: str
    sides: Pairs
    rows: pd.DataFrame
    row: "pd.Series[Any]"
    status: str
    mean: float
    at: tuple[AtLoad, ...]
    in_turns: bool

    @property
    def size(self) -> float:
        """How far the mean is from 1, either way, on the scale of logarithms."""
        return abs(float(np.log(self.mean)))


def decisions(derived: Derived) -> list[Decision]:
    """The decisions of the setting in which most pairs have ratios, the largest effect first."""
    by_setting: dict[Setting, list[Decision]] = {}
    compared = derived.comparisons
    for name in dict.fromkeys(compared["comparison"] if len(compared) else ()):
        for sides in pairs(derived, name):
            by_setting.setdefault(sides.setting, []).extend(_of(sides, str(name)))
    if not by_setting:
        return []
    made = max(by_setting.values(), key=lambda found: sum(len(one.rows) for one in found))
    return sorted(made, key=lambda one: -round(one.size, 9))


def none(found: Sequence[Decision]) -> Decision | None:
    """The decision that does not matter: of those that are the same, the one nearest to 1."""
    same = [one for one in found if one.status == SAME]
    return same[-1] if same else None


def _of(sides: Pairs, comparison: str) -> Iterator[Decision]:
    """The decisions of a comparison, one per tool that has a ratio."""
    for _, row in sides.decisions.iterrows():
        rows = sides.rows[sides.rows["tool"] == row["tool"]]
        known = rows[(rows["status"] != UNKNOWN) & np.isfinite(rows["paired"].astype(float))]
        if known.empty:
            continue
        decided = bool(row["comparisons"])
        yield Decision(
            title=titled(sides, comparison, str(row["tool"])), sides=sides, rows=known, row=row,
            status=str(row["status"]) if decided else FEW,
            mean=float(row["ratio"]) if decided else mean_ratio(list(known["paired"])),
            at=tuple(_at(known, sides.projection)),
            in_turns=bool((known["shared"] == known["blocks"]).all() and known["blocks"].any()),
        )  # fmt: skip


def titled(sides: Pairs, comparison: str, tool: str) -> str:
    """`protocol: http instead of tcp on cdo`, `store: hawk instead of cdo`.

    What the study says is decided goes before the two sides. Where it says nothing, the
    comparison's name goes before several operations, which have nothing else in common.
    """
    decided = sides.projection.decisions.get(comparison, "")
    if sides.factor == "tool":
        text = f"{tool} instead of {sides.base}"
    else:
        operations = sides.factor == sides.projection.operation
        several = operations and sides.rows[sides.factor].nunique() > 1
        text = f"{sides.level} instead of {sides.base} on {tool}"
        if several or not sides.factor:
            decided = decided or comparison.replace("_", " ")
    text = f"{decided}: {text}" if decided else text
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _at(rows: pd.DataFrame, projection: Projection) -> Iterator[AtLoad]:
    loads = grouping.loads(rows, projection)
    for load in dict.fromkeys((loads[0], loads[-1])):
        there = grouping.with_load(rows, projection, load)
        told = there[there["status"] != FEW]
        ratios = there["paired"].to_numpy(np.float64)
        means = (told if len(told) else there)["paired"]
        decided = there["status"].isin(DECIDED).to_numpy(bool)
        yield AtLoad(load, ratios, decided, mean_ratio(list(means)))
