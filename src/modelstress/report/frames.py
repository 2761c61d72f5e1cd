"""Shaping derived tables for printing: settings, series and the order of queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

UNKNOWN = "unknown"
IDENTITY = ("tool", "backend", "language", "protocol")
"""Factors that always name a series, however many levels they have."""
POSITION = ("query", "threads")
"""Factors that are the rows, columns or facets of a table or figure."""


@dataclass(frozen=True)
class Setting:
    """Executor and topology: measurements of different settings are never shown together."""

    executor: str
    topology: str

    def __str__(self) -> str:
        return f"executor {self.executor}; {self.topology}"


def settings(cells: pd.DataFrame) -> Iterator[tuple[Setting, pd.DataFrame]]:
    """The cells of every setting, most cells first.

    Cells without a recorded setting (missing ones) stand with the only setting there is; with
    several settings it is not known where they belong.
    """
    named = cells["executor"] != UNKNOWN
    known = [
        Setting(*key) for key in cells.loc[named, ["executor", "topology"]].value_counts().index
    ]
    if len(known) <= 1:
        yield (known[0] if known else Setting(UNKNOWN, UNKNOWN)), cells
        return
    for setting in known:
        mine = (cells["executor"] == setting.executor) & (cells["topology"] == setting.topology)
        yield setting, cells[mine]


def series_factors(cells: pd.DataFrame, factors: Sequence[str]) -> tuple[str, ...]:
    """Factors that tell series apart: the identity, and whatever else varies in these cells."""
    others = [name for name in factors if name not in (*IDENTITY, *POSITION)]
    varying = [name for name in others if cells[name].nunique(dropna=False) > 1]
    return (*(name for name in IDENTITY if name in cells), *varying)


def constants(cells: pd.DataFrame, factors: Sequence[str]) -> dict[str, str]:
    """Factors that have one level in all of these cells and do not name a series."""
    others = [name for name in factors if name not in (*IDENTITY, *POSITION)]
    return {
        name: str(cells[name].iloc[0])
        for name in others
        if len(cells) and cells[name].nunique(dropna=False) == 1
    }


def series(cells: pd.DataFrame, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The distinct series, in order of appearance, as levels of `names`."""
    rows = cells[list(names)].astype(str).drop_duplicates()
    return [tuple(row) for row in rows.itertuples(index=False, name=None)]


def select(cells: pd.DataFrame, names: Sequence[str], one: tuple[str, ...]) -> pd.DataFrame:
    """The cells of one series."""
    wanted = pd.Series(True, index=cells.index)
    for name, level in zip(names, one, strict=True):
        wanted &= cells[name].astype(str) == level
    return cells[wanted]


def threads(cells: pd.DataFrame) -> list[int]:
    """Thread counts, ascending."""
    return sorted({int(count) for count in cells["threads"].dropna()})


def label(names: Sequence[str], one: Sequence[str]) -> str:
    """A series for a legend: its identity as it stands, other factors with their names."""
    words = (
        level if name in IDENTITY else f"{name} = {level}"
        for name, level in zip(names, one, strict=True)
    )
    return " / ".join(words)


def at(cells: pd.DataFrame, count: int) -> pd.Series | None:
    """The cell with so many threads; None when there is none.

    When a cell was measured under several ids (its definition changed), the one that can be
    relied on most comes first: planned before unplanned, measured before missing.
    """
    here = cells[cells["threads"] == count]
    if here.empty:
        return None
    unplanned = here["flags"].str.contains("unplanned", regex=False)
    order = pd.DataFrame({"unplanned": unplanned, "empty": here["executions"] == 0})
    first = order.sort_values(["unplanned", "empty"], kind="stable").index[0]
    found: pd.Series = here.loc[first]
    return found
