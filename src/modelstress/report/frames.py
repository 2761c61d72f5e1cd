"""Shaping derived tables for printing: settings, series and the order of queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import pandas as pd

from modelstress.config.levels import written
from modelstress.config.outcomes import OUTCOMES
from modelstress.report import marks

UNKNOWN = "unknown"
IDENTITY = ("tool", "backend", "language", "protocol")
"""Factors that always name a series, however many levels they have."""
POSITION = ("query", "threads")
"""Factors that are the rows, columns or facets of a table or figure."""
MOST_SERIES = 12
"""Series of a figure from which on there is one figure for each combination of other factors."""


@dataclass(frozen=True)
class Setting:
    """Executor and topology: measurements of different settings are never shown together."""

    executor: str
    topology: str

    def __str__(self) -> str:
        return f"executor {self.executor}; {self.topology}"


def unlike(note: str) -> str:
    """The remark beside every comparison on what differs from the papers; empty without a note."""
    return f"Not the setting of the papers: {note} (docs/setting.md)." if note else ""


def belong(rows: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """The rows of another derived table that were measured in a setting.

    As in `settings`, those of cells that were not measured stand with the only setting there is.
    """
    mine = (rows["executor"] == setting.executor) & (rows["topology"] == setting.topology)
    alone = (mine | (rows["executor"] == UNKNOWN)).all()
    return rows if alone else rows[mine]


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


def words(level: object) -> str:
    """A level for readers: truth values as on and off, blank where a cell has no such factor."""
    return {"true": "on", "false": "off"}.get(word := written(level), word)


def series_factors(cells: pd.DataFrame, factors: Sequence[str]) -> tuple[str, ...]:
    """Factors that tell series apart: the identity, and others as far as they are needed.

    A factor is needed when cells of one query differ in it and in nothing named before. One that
    only goes with the query (a deadline, say) or with the tool is not. The model is, as soon as
    there is more than one: times on different models must not be taken for comparable.
    """
    identity = [name for name in IDENTITY if name in cells]
    others = [name for name in factors if name not in (*IDENTITY, *POSITION)]
    names = ["query", *identity]
    told = {name: [words(level) for level in cells[name]] for name in (*names, *others)}
    rows = list(zip(*(told[name] for name in names), strict=True))
    apart = len(set(rows))
    for name in others:
        more = list(zip(rows, told[name], strict=True))
        if len(set(more)) > apart or (name == "model" and len(set(told[name])) > 1):
            names.append(name)
            rows, apart = more, len(set(more))
    return tuple(names[1:])


def constants(cells: pd.DataFrame, factors: Sequence[str]) -> dict[str, str]:
    """The levels of the factors that do not name a series; of which tools, if not of all."""
    known = (*POSITION, *series_factors(cells, factors))
    fixed = {}
    for name in factors:
        levels = cells[name].map(words)
        here = levels[levels != ""]
        if name in known or here.empty:
            continue
        fixed[name] = " or ".join(dict.fromkeys(here))
        if len(here) < len(levels):
            fixed[name] += f" ({', '.join(dict.fromkeys(cells.loc[here.index, 'tool']))})"
    return fixed


def context(cells: pd.DataFrame, factors: Sequence[str], setting: Setting) -> str:
    """What holds for all of these cells, for a caption: setting and levels."""
    fixed = [f"{name} {level}" for name, level in constants(cells, factors).items()]
    return "; ".join([str(setting), *([", ".join(fixed)] if fixed else [])])


def titles(cells: pd.DataFrame) -> str:
    """What the tools are, in one line: `cdo: Eclipse CDO 4.7.0 on H2; ...`."""
    rows = cells[["tool", "tool_title"]].drop_duplicates()
    named = rows[(rows["tool_title"] != "") & (rows["tool_title"] != rows["tool"])]
    return "; ".join(f"{tool}: {title}" for tool, title in named.itertuples(index=False, name=None))


def totals(cells: pd.DataFrame) -> str:
    """How many cells stand behind something, how often they were started, and all outcomes."""
    measured = int((cells["invocations"] > 0).sum())
    planned = f" of {len(cells)}" if measured < len(cells) else ""
    executions = int(cells["executions"].sum())
    said = f"{_count(measured)}{planned} cells measured, {_count(cells['invocations'].sum())} "
    said += f"complete invocations, {_count(executions)} executions"
    counts = {name: int(cells[name].sum()) for name in OUTCOMES}
    named = ", ".join(f"{_count(count)} {name}" for name, count in counts.items() if count)
    more = "".join(f" {one[0].upper()}{one[1:]}." for one in cautions(cells))
    return f"{said}: {named}.{more}" if named else f"{said}.{more}"


def cautions(cells: pd.DataFrame) -> list[str]:
    """What a caption says of cells with invalid invocations, and of those that are bursts."""
    left_out, used = int(cells["invocations_invalid"].sum()), int(cells["invocations"].sum())
    found = []
    if left_out:
        found.append(
            f"{_count(left_out)} of {_count(left_out + used)} invocations are invalid and left out"
        )
    measured = cells[cells["invocations"] > 0]
    burst = int(_has(measured, "burst").sum())
    if burst:
        found.append(
            f"{_count(burst)} of {_count(len(measured))} cells are bursts, with fewer than ten "
            "executions in a thread's window"
        )
    return found


def common(cells: pd.DataFrame) -> str:
    """One sentence on the flags of measured cells that have no letter."""
    return marks.common(cells.loc[cells["invocations"] > 0, "flags"])


def _has(cells: pd.DataFrame, code: str) -> "pd.Series[bool]":
    return cells["flags"].fillna("").map(lambda flags: code in str(flags).split(";")).astype(bool)


def keys(cells: pd.DataFrame) -> list[tuple[str, str]]:
    """Tool and id of every cell."""
    return list(zip(cells["tool"], cells["cell"], strict=True))


def by_task(cells: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The cells of every task: the queries that ask the same, or a query alone."""
    column = "task" if "task" in cells else "query"
    for task, here in cells.groupby(column, sort=False):
        yield str(task), here


def _count(number: float) -> str:
    return f"{int(number):,}".replace(",", "\u202f")


def by_models(cells: pd.DataFrame) -> list[pd.DataFrame]:
    """The cells divided into groups without a model in common, in the order of their queries.

    Queries that were asked on the same model belong together, those of different cases do not.
    """
    groups: list[tuple[set[str], set[str]]] = []
    for query, here in cells.groupby("query", sort=False):
        queries, models = {str(query)}, set(here["model"].map(words))
        for group in [each for each in groups if each[1] & models]:
            groups.remove(group)
            queries |= group[0]
            models |= group[1]
        groups.append((queries, models))
    places = {query: place for place, query in enumerate(dict.fromkeys(cells["query"]))}
    groups.sort(key=lambda group: min(places[query] for query in group[0]))
    return [cells[cells["query"].isin(queries)] for queries, _ in groups]


def panels(cells: pd.DataFrame, factors: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """The cells of each figure, with what is special to it; one figure while it can be read.

    Too many series are divided by the levels of the factors beyond the identity. What is special
    are levels other than the usual ones, which come first; a figure of them has the tools that have
    them, beside their own usual cells. Where those are too many for one figure, and in the
    figure without anything special, cells of other tools stand for comparison, as far as they do
    not have such a factor; where they divide by factors of their own, the first of their levels do.
    """
    names = series_factors(cells, factors)
    others = [name for name in names if name not in IDENTITY]
    if not others or len(series(cells, names)) <= MOST_SERIES:
        return [("", cells)]
    levels = cells[others].map(words)
    usual = tuple(_usual(levels[name]) for name in others)
    combined = list(dict.fromkeys(levels.itertuples(index=False, name=None)))
    queries: dict[tuple[str, ...], set[str]] = {}
    for one in combined:
        if not any(_within(one, other) for other in combined if other != one):
            here = cells.loc[(levels == list(one)).all(axis=1), "query"]
            queries.setdefault(reduce(_joined, combined, one), set()).update(here)
    divided = []
    for whole, wanted in queries.items():
        special = {n: v for n, v, u in zip(others, whole, usual, strict=True) if v not in ("", u)}
        asked = cells["query"].isin(wanted)
        fits = asked & _fit(levels, whole)
        plain = tuple(
            u if n in special else v for n, v, u in zip(others, whole, usual, strict=True)
        )
        mine = (levels[list(special)] == list(special.values())).all(axis=1) & fits
        same = cells["tool"].isin(cells.loc[mine, "tool"])
        beside = cells[asked & same & (mine | _fit(levels, plain))]
        few = len(series(beside, series_factors(beside, factors))) <= MOST_SERIES
        named = ", ".join(f"{name} {level}" for name, level in special.items())
        divided.append((named, beside if special and few else cells[fits]))
    return divided


def _usual(levels: pd.Series) -> str:
    """The first level that a cell has, which is the first of the study's."""
    return str(levels[levels != ""].iloc[0])


def _fit(levels: pd.DataFrame, whole: tuple[str, ...]) -> pd.Series:
    """Which rows have no other levels than these."""
    fits: pd.Series = levels.apply(lambda row: _within(tuple(row), whole), axis=1)
    return fits


def _within(levels: tuple[str, ...], one: tuple[str, ...]) -> bool:
    """Whether all levels are those of `one`, as far as there are any."""
    return all(level in ("", other) for level, other in zip(levels, one, strict=True))


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """`one` with the levels that it lacks from `other`, unless they contradict each other."""
    if all(a == b or "" in (a, b) for a, b in zip(one, other, strict=True)):
        return tuple(a or b for a, b in zip(one, other, strict=True))
    return one


def series(cells: pd.DataFrame, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The distinct series, in order of appearance, as levels of `names`."""
    rows = cells[list(names)].map(words).drop_duplicates()
    return [tuple(row) for row in rows.itertuples(index=False, name=None)]


def select(cells: pd.DataFrame, names: Sequence[str], one: tuple[str, ...]) -> pd.DataFrame:
    """The cells of one series."""
    wanted = pd.Series(True, index=cells.index)
    for name, level in zip(names, one, strict=True):
        wanted &= cells[name].map(words) == level
    return cells[wanted]


def threads(cells: pd.DataFrame) -> list[int]:
    """Thread counts, ascending."""
    return sorted({int(count) for count in cells["threads"].dropna()})


def label(names: Sequence[str], one: Sequence[str]) -> str:
    """A series for a legend: its identity as it stands, other factors with their names."""
    return " / ".join(
        level if name in IDENTITY else f"{name} = {level}"
        for name, level in zip(names, one, strict=True)
        if level
    )


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
