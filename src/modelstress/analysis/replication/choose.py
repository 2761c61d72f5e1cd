"""Which of our cells stand for a paper's."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.anatomy import Anatomy
from modelstress.analysis.contrasts import records
from modelstress.analysis.derived import Derived
from modelstress.analysis.projection import Projection
from modelstress.config.levels import written
from modelstress.config.papers import Paper, SettingPage
from modelstress.config.published_values import Selector
from modelstress.stats.results import Interval, Ratio

KEY = ["tool", "cell"]
Key = tuple[str, str]
"""Tool and cell."""


def having(frame: pd.DataFrame, selector: Selector, blank: bool = False) -> "pd.Series[bool]":
    """Which rows have one of the levels in every factor of the selector.

    With ``blank``, a row without such a factor has them too.
    """
    mask = pd.Series(True, index=frame.index)
    for factor, wanted in selector.items():
        levels = {written(level) for level in (wanted if isinstance(wanted, list) else [wanted])}
        if factor not in frame:
            mask &= blank
            continue
        words = frame[factor].map(written)
        mask &= words.isin(levels) | (words == "" if blank else False)
    return mask


@dataclass(frozen=True)
class Scope:
    """What the entries of one paper are held against: the cells of one setting.

    ``cells`` are measured and stand for the paper's in their models; ``models`` are these, by
    case. ``instead`` has levels that go before the paper's choices, such as another fidelity.
    ``known`` keeps what was chosen.
    """

    derived: Derived
    paper: Paper
    setting: SettingPage
    cells: pd.DataFrame
    models: Mapping[str, str]
    wire: Anatomy | None = None
    instead: Mapping[str, str] | None = None
    known: dict[frozenset[str], pd.DataFrame] = field(default_factory=dict, repr=False)

    @property
    def projection(self) -> Projection:
        """Which factors are operation, load and dataset."""
        return self.derived.projection

    def chosen(self, named: Sequence[Selector] = ()) -> pd.DataFrame:
        """The cells with the levels that the paper's stand for.

        Factors that one of the ``named`` selectors speaks of are left to it.
        """
        paper_factors = {factor for choice in self.paper.choices for factor in choice.only}
        free = frozenset(
            factor for selector in named for factor in selector if factor in paper_factors
        )
        if free not in self.known:  # nearly all entries leave the same factors to the paper
            self.known[free] = self._chosen(free)
        return self.known[free]

    def _chosen(self, free: Collection[str]) -> pd.DataFrame:
        wanted = pd.Series(True, index=self.cells.index)
        for choice in self.paper.choices:
            only = {f: level for f, level in choice.only.items() if f not in free}
            only |= {f: level for f, level in (self.instead or {}).items() if f in only}
            wanted &= ~having(self.cells, choice.when) | having(self.cells, only, blank=True)
        return _planned_first(self.cells[wanted], self.projection)

    def pick(self, selector: Selector) -> pd.DataFrame:
        """The cells that a selector means."""
        cells = self.chosen([selector])
        return cells[having(cells, selector)]

    def over_starts(self, cell: Key, other: Key) -> Ratio | None:
        """The claims' estimate of two cells, whichever is the baseline; None without interval."""
        return self._claims.get((cell, other))

    @cached_property
    def _claims(self) -> Mapping[tuple[Key, Key], Ratio]:
        found: dict[tuple[Key, Key], Ratio] = {}
        confidence = self.derived.confidence
        rows = self.derived.estimates
        for row in records(rows[rows["ratio_low"].notna()] if len(rows) else rows):
            cell, other = (row["tool"], row["cell"]), (row["baseline_tool"], row["baseline_cell"])
            ratio, low, high = (float(row[name]) for name in ("ratio", "ratio_low", "ratio_high"))
            found[cell, other] = Ratio(ratio, Interval(low, high, confidence, confidence))
            found[other, cell] = Ratio(
                1 / ratio, Interval(1 / high, 1 / low, confidence, confidence)
            )
        return found

    def compared(self, comparison: str, selector: Selector) -> pd.DataFrame:
        """Rows of a comparison: a cell that a selector means beside a baseline that is chosen."""
        frame = self.derived.comparisons
        frame = frame[frame["comparison"] == comparison]
        cell_keys = _keys(self.pick(selector))
        baseline_keys = _keys(self.chosen([selector]))
        sides = zip(
            frame["tool"], frame["cell"], frame["baseline_tool"], frame["baseline_cell"],
            strict=True,
        )  # fmt: skip
        wanted = [(a, b) in cell_keys and (c, d) in baseline_keys for a, b, c, d in sides]
        return frame[np.array(wanted, dtype=bool)]


def scope(
    derived: Derived,
    paper: Paper,
    setting: SettingPage,
    cells: pd.DataFrame,
    wire: Anatomy | None = None,
    instead: Mapping[str, str] | None = None,
) -> Scope:
    """A paper's scope in the cells of one setting.

    Of each case it is the first of the paper's models of which a cell was measured; of one without
    models, all cells of its queries.
    """
    projection = derived.projection
    measured = cells[cells["executions"].fillna(0) > 0]
    kept = pd.Series(False, index=measured.index)
    models: dict[str, str] = {}
    for name, case in paper.cases.items():
        mask = measured[projection.operation].isin(case.queries)
        if not case.models:
            kept |= mask
            continue
        there = set(measured.loc[mask, projection.dataset].map(written))
        for model in case.models:
            if model in there:
                models[name] = model
                kept |= mask & (measured[projection.dataset].map(written) == model)
                break
    return Scope(derived, paper, setting, measured[kept], models, wire, instead)


def pairs(
    cells: pd.DataFrame, beside: pd.DataFrame, match: Sequence[str]
) -> list[tuple["pd.Series[Any]", "pd.Series[Any]"]]:
    """Each cell with the only one beside it that agrees in the matched factors."""
    matches = []
    for _, cell in cells.iterrows():
        other = beside[having(beside, {f: written(cell[f]) for f in match if f in cells})]
        if len(other) == 1:
            matches.append((cell, other.iloc[0]))
    return matches


def among(rows: pd.DataFrame, wanted: Collection[tuple[str, str]]) -> pd.DataFrame:
    """The rows of some cells."""
    wanted_keys = set(wanted)
    return rows[np.array([key in wanted_keys for key in keys(rows)], dtype=bool)]


def keys(rows: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """Tool and cell of each row."""
    return tuple((str(tool), str(cell)) for tool, cell in rows[KEY].itertuples(index=False))


def _keys(rows: pd.DataFrame) -> set[tuple[str, str]]:
    return set(keys(rows))


def _planned_first(cells: pd.DataFrame, projection: Projection) -> pd.DataFrame:
    """Leave out unplanned cells beside planned ones of the same roles: their definition changed."""
    unplanned = cells["flags"].fillna("").str.split(";").map(lambda codes: "unplanned" in codes)
    roles = (*projection.series, projection.dataset, *projection.position)
    named = cells[[name for name in roles if name in cells]].map(written).agg("|".join, axis=1)
    return cells[~unplanned | ~named.isin(set(named[~unplanned]))]
