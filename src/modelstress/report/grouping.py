"""Shaping derived tables for printing: settings, series, operations and loads."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.flags import flagged
from modelstress.analysis.projection import TASK, Projection
from modelstress.config.base import Level
from modelstress.config.levels import written
from modelstress.config.outcomes import OUTCOMES
from modelstress.report import footnotes, paper_layout

UNKNOWN = "unknown"
NO_LOAD = ""
"""The one level of the load in a study that does not vary it."""
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
    mask = (rows["executor"] == setting.executor) & (rows["topology"] == setting.topology)
    alone = (mask | (rows["executor"] == UNKNOWN)).all()
    return rows if alone else rows[mask]


def settings(cells: pd.DataFrame) -> Iterator[tuple[Setting, pd.DataFrame]]:
    """The cells of every setting, most cells first.

    Cells without a recorded setting (missing ones) stand with the only setting there is; with
    several settings it is not known where they belong.
    """
    named = cells["executor"] != UNKNOWN
    named_settings = [
        Setting(*key) for key in cells.loc[named, ["executor", "topology"]].value_counts().index
    ]
    if len(named_settings) <= 1:
        yield (named_settings[0] if named_settings else Setting(UNKNOWN, UNKNOWN)), cells
        return
    for setting in named_settings:
        mask = (cells["executor"] == setting.executor) & (cells["topology"] == setting.topology)
        yield setting, cells[mask]


def words(level: Any) -> str:
    """A level for readers: truth values as on and off, blank where a cell has no such factor."""
    return _words(level)


@lru_cache(maxsize=4096, typed=True)  # of the same few levels, a million times a report
def _words(level: Hashable) -> str:
    return {"true": "on", "false": "off"}.get(word := written(level), word)


def series_factors(cells: pd.DataFrame, projection: Projection) -> tuple[str, ...]:
    """Factors that tell series apart: those of the role, and others as far as they are needed.

    A factor is needed when cells of one operation differ in it and in nothing named before. One
    that only goes with the operation (a deadline, say) or with the tool is not. The dataset is, as
    soon as there is more than one: times on different datasets must not be taken for comparable.
    """
    always = [name for name in projection.series if name in cells]
    others = [name for name in projection.factors if name not in (*always, *projection.position)]
    names = [projection.operation, *always]
    told = {name: [words(level) for level in cells[name]] for name in (*names, *others)}
    rows = list(zip(*(told[name] for name in names), strict=True))
    apart = len(set(rows))
    for name in others:
        more = list(zip(rows, told[name], strict=True))
        if len(set(more)) > apart or (name == projection.dataset and len(set(told[name])) > 1):
            names.append(name)
            rows, apart = more, len(set(more))
    return tuple(names[1:])


def constants(cells: pd.DataFrame, projection: Projection) -> dict[str, str]:
    """The levels of the factors that do not name a series; of which tools, if not of all."""
    shown_factors = (*projection.position, *series_factors(cells, projection))
    names = [name for name in projection.factors if name not in shown_factors]
    return {name: levels for name in names if (levels := _levels(cells, name))}


def _levels(cells: pd.DataFrame, name: str) -> str:
    """All levels of a factor, and of which tools, if not of all; empty where there is none."""
    levels = cells[name].map(words)
    present_levels = levels[levels != ""]
    told = " or ".join(dict.fromkeys(present_levels))
    if 0 < len(present_levels) < len(levels):
        told += f" ({', '.join(dict.fromkeys(cells.loc[present_levels.index, 'tool']))})"
    return told


def fixed(cells: pd.DataFrame, projection: Projection) -> dict[str, str]:
    """The factors that have one level in all cells; of which tools, if not of all."""
    shown_factors = (*projection.position, *projection.series)
    names = [name for name in projection.factors if name not in shown_factors]
    return {
        name: _levels(cells, name) for name in names if len({*cells[name].map(words)} - {""}) == 1
    }


def settled(cells: pd.DataFrame, projection: Projection) -> str:
    """The factors of `fixed` with their levels, for the head of a page; captions leave them out."""
    return ", ".join(f"{name} {level}" for name, level in fixed(cells, projection).items())


def context(cells: pd.DataFrame, projection: Projection, setting: Setting) -> str:
    """What holds for all of these cells, for a caption: setting and levels."""
    fixed = [f"{name} {level}" for name, level in constants(cells, projection).items()]
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
    sentence = f"{_count(measured)}{planned} cells measured, {_count(cells['invocations'].sum())} "
    sentence += f"complete invocations, {_count(executions)} executions"
    counts = {name: int(cells[name].sum()) for name in OUTCOMES}
    named = ", ".join(f"{_count(count)} {name}" for name, count in counts.items() if count)
    more = "".join(f" {caution[0].upper()}{caution[1:]}." for caution in cautions(cells))
    return f"{sentence}: {named}.{more}" if named else f"{sentence}.{more}"


def cautions(cells: pd.DataFrame) -> list[str]:
    """What a caption says of cells with invalid invocations, and of those that are bursts."""
    left_out, used = int(cells["invocations_invalid"].sum()), int(cells["invocations"].sum())
    sentences = []
    if left_out:
        sentences.append(
            f"{_count(left_out)} of {_count(left_out + used)} invocations are invalid and left out"
        )
    measured = cells[cells["invocations"] > 0]
    burst = int(flagged(measured["flags"], "burst").sum())
    if burst:
        sentences.append(
            f"{_count(burst)} of {_count(len(measured))} cells are bursts: a thread has fewer than "
            "ten executions"
        )
    return sentences


def common(cells: pd.DataFrame) -> str:
    """One sentence on the flags of measured cells that have no letter."""
    return footnotes.common(cells.loc[cells["invocations"] > 0, "flags"])


def keys(cells: pd.DataFrame) -> list[tuple[str, str]]:
    """Tool and id of every cell."""
    return list(zip(cells["tool"], cells["cell"], strict=True))


def by_task(cells: pd.DataFrame, projection: Projection) -> Iterator[tuple[str, pd.DataFrame]]:
    """The cells of every task: the operations that do the same, or one alone."""
    column = TASK if TASK in cells else projection.operation
    for task, task_cells in cells.groupby(column, sort=False):
        yield str(task), task_cells


def by_operation(cells: pd.DataFrame, projection: Projection) -> Iterator[tuple[str, pd.DataFrame]]:
    """The cells of every operation, in order of appearance."""
    for operation, operation_cells in cells.groupby(projection.operation, sort=False):
        yield str(operation), operation_cells


def operations(cells: pd.DataFrame, projection: Projection) -> list[str]:
    """The operations in the order of the paper's tables, then of appearance."""
    return paper_layout.ordered(
        projection.layout, list(cells[projection.operation].dropna().unique())
    )


def of_operation(cells: pd.DataFrame, projection: Projection, *operations: str) -> pd.DataFrame:
    """The cells of some operations."""
    return cells[cells[projection.operation].isin(operations)]


def _count(number: float) -> str:
    return f"{int(number):,}".replace(",", "\u202f")


def by_datasets(cells: pd.DataFrame, projection: Projection) -> list[pd.DataFrame]:
    """The cells divided into groups without a dataset in common, in the order of their operations.

    Operations on the same dataset belong together, those of different cases do not.
    """
    if not projection.dataset:
        return [cells]
    groups: list[tuple[set[str], set[str]]] = []
    for operation, operation_cells in by_operation(cells, projection):
        together, datasets = {operation}, set(operation_cells[projection.dataset].map(words))
        for group in [candidate for candidate in groups if candidate[1] & datasets]:
            groups.remove(group)
            together |= group[0]
            datasets |= group[1]
        groups.append((together, datasets))
    places = {name: place for place, name in enumerate(dict.fromkeys(cells[projection.operation]))}
    groups.sort(key=lambda group: min(places[name] for name in group[0]))
    return [of_operation(cells, projection, *together) for together, _ in groups]


def panels(cells: pd.DataFrame, projection: Projection) -> list[tuple[str, pd.DataFrame]]:
    """The cells of each figure, with what is special to it; one figure while it can be read.

    Too many series are divided by the levels of the factors that have no role. What is special
    are levels other than the usual ones, which come first; a figure of them has the tools that have
    them, beside their own usual cells. Where those are too many for one figure, and in the
    figure without anything special, cells of other tools stand for comparison, as far as they do
    not have such a factor; where they divide by factors of their own, the first of their levels do.
    """
    names = series_factors(cells, projection)
    others = [name for name in names if name not in projection.series]
    if not others or len(series(cells, names)) <= MOST_SERIES:
        return [("", cells)]
    levels = cells[others].map(words)
    usual = tuple(_usual(levels[name]) for name in others)
    combined = list(dict.fromkeys(levels.itertuples(index=False, name=None)))
    asked_of: dict[tuple[str, ...], set[str]] = {}
    for combination in combined:
        if not any(_within(combination, other) for other in combined if other != combination):
            combination_operations = cells.loc[
                (levels == list(combination)).all(axis=1), projection.operation
            ]
            asked_of.setdefault(reduce(_joined, combined, combination), set()).update(
                combination_operations
            )
    divided = []
    for joined_levels, wanted in asked_of.items():
        special = {
            n: v for n, v, u in zip(others, joined_levels, usual, strict=True) if v not in ("", u)
        }
        operation_mask = cells[projection.operation].isin(wanted)
        fits = operation_mask & _fit(levels, joined_levels)
        plain = tuple(
            u if n in special else v for n, v, u in zip(others, joined_levels, usual, strict=True)
        )
        special_mask = (levels[list(special)] == list(special.values())).all(axis=1) & fits
        same = cells["tool"].isin(cells.loc[special_mask, "tool"])
        beside = cells[operation_mask & same & (special_mask | _fit(levels, plain))]
        few = len(series(beside, series_factors(beside, projection))) <= MOST_SERIES
        named = ", ".join(f"{name} {level}" for name, level in special.items())
        divided.append((named, beside if special and few else cells[fits]))
    return divided


def _usual(levels: pd.Series) -> str:
    """The first level that a cell has, which is the first of the study's."""
    return str(levels[levels != ""].iloc[0])


def _fit(levels: pd.DataFrame, joined_levels: tuple[str, ...]) -> pd.Series:
    """Which rows have no other levels than these."""
    fits: pd.Series = levels.apply(lambda row: _within(tuple(row), joined_levels), axis=1)
    return fits


def _within(levels: tuple[str, ...], reference: tuple[str, ...]) -> bool:
    """Whether all levels are those of `reference`, as far as there are any."""
    return all(level in ("", other) for level, other in zip(levels, reference, strict=True))


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """`first` with the levels that it lacks from `second`, unless they contradict each other."""
    if all(a == b or "" in (a, b) for a, b in zip(first, second, strict=True)):
        return tuple(a or b for a, b in zip(first, second, strict=True))
    return first


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


def loads(cells: pd.DataFrame, projection: Projection) -> list[Level]:
    """The levels of the load, numbers ascending, others in order of appearance; one without any."""
    if not projection.load:
        return [NO_LOAD]
    levels = [_plain(level) for level in cells[projection.load].dropna().unique()]
    numbers = [level for level in levels if isinstance(level, int | float)]
    return [*sorted(numbers), *(level for level in levels if isinstance(level, str))]


def with_load(cells: pd.DataFrame, projection: Projection, load: Level) -> pd.DataFrame:
    """The cells with one level of the load."""
    return cells[cells[projection.load] == load] if projection.load else cells


def along(cells: pd.DataFrame, projection: Projection, levels: Sequence[Level]) -> pd.DataFrame:
    """One row per level of the load: the first of several, blanks where there is none."""
    if not projection.load:
        return cells.head(1).set_axis([NO_LOAD], axis="index").reindex(list(levels))
    return cells.drop_duplicates(projection.load).set_index(projection.load).reindex(list(levels))


def _plain(level: object) -> Level:
    """A level as Python has it: whole numbers without a point, which blanks gave them."""
    value = level.item() if isinstance(level, np.generic) else level
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | float) else str(value)


def loaded(projection: Projection, load: Level) -> str:
    """A level of the load in words: `4 threads`, `link fast`."""
    noun = projection.noun(projection.load)
    if load == NO_LOAD:
        return "all"
    if isinstance(load, str):
        return f"{noun.one} {load}"
    return f"{load} {noun.one if load == 1 else noun.many}"


def an(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def over(projection: Projection, word: str) -> str:
    """The load as the end of a phrase, ` by client threads`; empty where nothing varies it."""
    comma = "" if word.startswith(",") else " "
    return f"{comma}{word} {projection.load_title}" if projection.load else ""


def load_columns(
    projection: Projection, loads: Sequence[Level], *more: str
) -> tuple[str, tuple[str, ...]]:
    """Heading and columns of a table with a column per load, and further ones."""
    return projection.load_title, (*(str(load) or "all" for load in loads), *more)


def by(projection: Projection, names: Sequence[str], operation: bool = True) -> str:
    """What the rows and columns of a table are: `by query, tool and client threads`."""
    rows = [projection.row_title, *names] if operation else [*names]
    if projection.load:
        return f"by {', '.join(rows)} and {projection.load_title}"
    return f"by {' and '.join(filter(None, [', '.join(rows[:-1]), *rows[-1:]]))}"


def tidy(
    rows: pd.DataFrame, projection: Projection, names: Iterable[str], values: Iterable[str]
) -> pd.DataFrame:
    """One row per cell for a CSV file: operation, series, load, then values; no column twice."""
    roles = (projection.operation, *names, projection.load)
    wanted = [*(name for name in roles if name in rows), *values]
    return rows[list(dict.fromkeys(wanted))].reset_index(drop=True)


def label(names: Sequence[str], one: Sequence[str], projection: Projection) -> str:
    """A series for a legend: levels of its role as they stand, other factors with their names."""
    return " / ".join(
        level if name in projection.series else f"{name} = {level}"
        for name, level in zip(names, one, strict=True)
        if level
    )


def at(cells: pd.DataFrame, projection: Projection, load: Level) -> pd.Series | None:
    """The cell with a level of the load; None when there is none.

    When a cell was measured under several ids (its definition changed), the one that can be
    relied on most comes first: planned before unplanned, measured before missing.
    """
    load_cells = with_load(cells, projection, load)
    if load_cells.empty:
        return None
    if len(load_cells) == 1:
        only: pd.Series = load_cells.iloc[0]
        return only
    unplanned = load_cells["flags"].str.contains("unplanned", regex=False)
    order = pd.DataFrame({"unplanned": unplanned, "empty": load_cells["executions"] == 0})
    first = order.sort_values(["unplanned", "empty"], kind="stable").index[0]
    cell: pd.Series = load_cells.loc[first]
    return cell
