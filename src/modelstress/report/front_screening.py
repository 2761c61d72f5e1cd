"""The front page of a screening: which options matter, where no single decisions are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.grouped import levels_of
from modelstress.report import claims_words as words
from modelstress.report import screening
from modelstress.report.grouping import Setting
from modelstress.stats.effects import Term, named, terms_named

MOST = 5
"""Effects that have a sentence each."""
TOGETHER = {
    2: ("both or none", "one of them"),
    3: ("one or all three", "none or two of them"),
}
"""Number of options to which of their second levels an interaction has above, and below."""


@dataclass(frozen=True)
class Screened:
    """One screening of options.

    Attributes:
        rows: its effects, the largest first.
        cells: that it was made of, the one with all first levels before all others.
        others: how many other screenings there are.
    """

    rows: pd.DataFrame
    cells: pd.DataFrame
    others: int

    @property
    def strong(self) -> pd.DataFrame:
        """The effects that are told from noise."""
        return screening.strong_ones(self.rows)


def screened(derived: Derived, cells: pd.DataFrame, setting: Setting) -> Screened | None:
    """Return the screening with most cells; None where no effects are told.

    Args:
        derived: of the study's profile.
        cells: of the setting.
        setting: whose effects.
    """
    there = [rows for _, rows in screening.told(derived, setting)]
    if not there:
        return None
    rows = max(there, key=lambda one: int(one.iloc[0]["cells"]))
    return Screened(rows, screening.cells_of(rows, cells, derived.projection), len(there) - 1)


def finding(found: Screened) -> list[str]:
    """The title of the front page, in plain text: what matters most."""
    strong = found.strong.head(2)
    if strong.empty:
        return [screening.finding(found.rows)]
    return [f"Latency changes most with {' and '.join(map(_named, _effects(strong)))}"]


def sentences(found: Screened) -> list[str]:
    """One sentence for each of the largest strong effects, Markdown."""
    return [_sentence(effect, found.cells) for effect in _effects(found.strong.head(MOST))]


def closing(found: Screened) -> list[str]:
    """How many effects are strong, what that means, and what else there is, Markdown."""
    margin = words.times(float(found.rows.iloc[0]["margin_ratio"]))
    options = int(found.rows.iloc[0]["options"])
    lines = [
        f"{len(found.strong)} of {words.many(len(found.rows), 'effect')} of {options} options and "
        f"of few of them together are strong: noise alone hardly has any of more than {margin} "
        "times the latency, and ranks confirm them."
    ]
    if any(effect.others for effect in _effects(found.strong)):
        lines.append(
            "Where the design does not tell effects from one another, the likely one is named; "
            "`modelstress follow-up` chooses cells that tell more of them."
        )
    if found.others:
        lines.append(f"There {'are' if found.others > 1 else 'is'} "
                     f"{words.many(found.others, 'other screening')} below.")  # fmt: skip
    return lines


class _Effect(NamedTuple):
    """A row of the table, taken apart: the likely term, its ratio, and how many others share it."""

    term: Term
    ratio: float
    others: int


def _effects(rows: pd.DataFrame) -> list[_Effect]:
    return [
        _Effect(
            terms_named(str(row["likely"]))[0], float(row["ratio"]),
            len(terms_named(str(row["terms"]))) - 1,
        )
        for _, row in rows.iterrows()
    ]  # fmt: skip


def _named(effect: _Effect) -> str:
    others = f", or {words.many(effect.others, 'other')}" if effect.others else ""
    return f"{named([effect.term])} (×{words.times(effect.ratio)}{others})"


def _sentence(effect: _Effect, cells: pd.DataFrame) -> str:
    name, times = words.plain(named([effect.term])), words.times(effect.ratio)
    levels = _levels(effect.term, cells)
    if len(levels) == 1:
        what = "{1} instead of {0}".format(*levels[0])
    else:
        both, one = TOGETHER[len(levels)]
        seconds = [
            f"{words.plain(option)} {second}"
            for option, (_, second) in zip(effect.term, levels, strict=True)
        ]
        what = f"{both} of {words.listed(seconds, len(seconds))}, over that with {one}"
    others = words.many(effect.others, "other effect")
    told = f"; not told from {others}" if effect.others else ""
    return f"**{name}**: {times} times the latency with {what}{told}."


def _levels(term: Term, cells: pd.DataFrame) -> list[tuple[str, str]]:
    """The first and the second level of each option, in words, escaped."""
    found = []
    for words_of_cells in levels_of(cells, term).values():
        levels = list(dict.fromkeys(words_of_cells))
        found.append((words.plain(levels[0]), words.plain(levels[-1])))
    return found
