"""Leaderboards: which configuration answers a question fastest, and what it got wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.projection import TASK, Projection
from modelstress.config.base import Level
from modelstress.config.outcomes import FAILURES
from modelstress.report import claims_words as words
from modelstress.report import footnotes, grouping, render
from modelstress.report.claims_places import places

HEAD = """\
# Leaderboard

Who answers which question fastest? Every question has its own table, with one client and with the \
most. *Median* has the interval over starts in brackets; *× best* divides it by the lowest one of \
the column; *wrong, failed* counts the measured executions without a right answer in time, which \
are in no median. A click on a heading sorts by it.

**A place is no claim.** Intervals of neighbours overlap here with few starts; what is decided \
stands in [the dataset's claims](example.md), and [how to read these numbers](reading.md) says why.
"""
EDGES = 2
"""Levels of the load that have columns: the lowest and the highest."""


def page(derived: Derived) -> str:
    """The leaderboards of a dataset as a page in Markdown: a heading and a table per question.

    Cells of one setting only, that with most cells, are compared.

    Args:
        derived: the tables of a study's profile.
    """
    setting, cells = next(iter(grouping.settings(derived.cells)))
    about = (
        f"Study {words.plain(derived.study)}, profile {words.plain(derived.profile)}; "
        f"{words.plain(setting)}. {words.plain(grouping.titles(cells))}."
    )
    parts = [HEAD.rstrip(), about, *_questions(cells, derived.projection)]
    return "\n\n".join([*parts, *_legend(cells)]) + "\n"


def _questions(cells: pd.DataFrame, projection: Projection) -> Iterator[str]:
    keys = [TASK, *filter(None, [projection.dataset])]
    for task, rows in cells.groupby(keys, sort=False):
        rivals = rows[rows["median_ms"].notna()]
        if len(rivals):
            yield f"## {words.plain(' on '.join(map(str, task)))}"
            yield _table(rivals, projection)


def _table(cells: pd.DataFrame, projection: Projection) -> str:
    """A row for each configuration, those with the lowest median at the first load first."""
    loads = grouping.loads(cells, projection) or [grouping.NO_LOAD]
    shown = list(dict.fromkeys([loads[0], loads[-1]]))[:EDGES]
    name = projection.operation
    label = places(cells, projection)
    if name and cells[name].nunique() > 1:
        label = cells[name].astype(str) + " on " + label
    cells = cells.assign(label=label)
    columns = {load: _column(cells, projection, load) for load in shown}
    heads = ["configuration"]
    for load in shown:
        told = words.plain(grouping.loaded(projection, load))
        heads += [f"median, {told} (ms)", f"× best, {told}", f"wrong, failed, {told}"]
    first = columns[shown[0]]
    order = sorted(cells["label"].unique(), key=lambda one: first.get(one, (float("inf"),))[0])
    lines = [_row(heads), _row(["---", *["---:"] * (len(heads) - 1)])]
    for one in order:
        entries = [columns[load].get(one, (0, "–", "–", "–"))[1:] for load in shown]
        lines.append(_row([words.plain(one), *(text for entry in entries for text in entry)]))
    return "\n".join(lines)


def _column(
    cells: pd.DataFrame, projection: Projection, load: Level
) -> dict[str, tuple[float, str, str, str]]:
    """Configuration to its median (ms) and what stands in the table at one load."""
    rows = cells if load == grouping.NO_LOAD else grouping.with_load(cells, projection, load)
    best = rows["median_ms"].min()
    return {
        str(row["label"]): (
            float(row["median_ms"]), _median(row), f"{row['median_ms'] / best:.2f}", _errors(row),
        )
        for _, row in rows.iterrows()
    }  # fmt: skip


def _median(row: pd.Series[Any]) -> str:
    text = render.median(row)
    if pd.notna(row["median_low_ms"]):
        ends = (render.milliseconds(row[f"median_{end}_ms"]) for end in ("low", "high"))
        text += f" ({' to '.join(ends)})"
    marks = footnotes.letters(row["flags"])
    return text + (f" *{marks}*" if marks else "")


def _errors(row: pd.Series[Any]) -> str:
    failed = int(sum(row[name] for name in FAILURES))
    return f"{int(row['incorrect'])}, {failed} of {words.number(int(row['executions']))}"


def _legend(cells: pd.DataFrame) -> Iterator[str]:
    marks = sorted({mark for flags in cells["flags"] for mark in footnotes.letters(flags)})
    known = dict([*footnotes.LETTERS.values(), footnotes.OTHER])
    if marks:
        yield "Marks: " + "; ".join(f"*{mark}* {known[mark]}" for mark in marks) + "."


def _row(entries: list[str]) -> str:
    return f"| {' | '.join(entries)} |"
