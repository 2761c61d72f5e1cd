"""All tables and figures of a study, numbered."""

from collections.abc import Iterator, Sequence

import pandas as pd

from modelstress.analysis import Derived, Timeline
from modelstress.report import comparisons, faults, figures, frames, mixes, shapes, tables
from modelstress.report.compared import Compared
from modelstress.report.compared import comparisons as comparisons_of
from modelstress.report.drawn import Drawn, Results
from modelstress.report.frames import Setting
from modelstress.report.pages import CASES, numbered, pages
from modelstress.report.render import Table

PUBLISHED = {"protocol": (7, 8), "tools": (9, 10)}
"""Comparisons that the papers print: table numbers for each of their cases."""


def results(derived: Derived, timelines: Sequence[Timeline] = ()) -> Results:
    """All tables and figures; different settings never share one.

    Tables are made at once, figures are drawn when they are looked at.
    """
    factors = ("tool", *derived.factors)
    settings = list(frames.settings(derived.cells))
    made: list[Table] = []
    drawn: list[Drawn] = []
    for i, (setting, cells) in enumerate(settings):
        suffix = f"-{chr(ord('a') + i)}" if len(settings) > 1 else ""
        compared = list(comparisons_of(derived, setting))
        made += _tables(derived, cells, compared, factors, setting, suffix)
        mine = [t for t in timelines if t.cell in set(cells["cell"])]
        here = figures.figures(derived, cells, compared, setting, mine)
        for n, one in enumerate(here, start=1):
            number = f"figure-{n:02d}{suffix}"
            drawn.append(Drawn(number, one.kind, one.caption, one.draw, one.about))
    return Results(derived.study, tuple(made), tuple(drawn))


def _tables(
    derived: Derived,
    cells: pd.DataFrame,
    compared: Sequence[Compared],
    factors: Sequence[str],
    setting: Setting,
    suffix: str,
) -> Iterator[Table]:
    """The numbered tables in the order of their numbers, then those that no paper has."""
    made: dict[int, Table] = {}
    for number, wanted in pages(list(cells["query"].dropna().unique())):
        page = pd.concat([cells[cells["query"] == query] for query in wanted])
        made[number] = tables.medians(_name(number, suffix), page, factors, setting)
    made[5] = tables.failures(_name(5, suffix), cells, factors, setting)
    made[6] = tables.incorrect(_name(6, suffix), cells, factors, setting)
    extra = [one for one in compared if one.name not in PUBLISHED]
    for one in compared:
        for case, part in numbered(one) if one.name in PUBLISHED else ():
            # Queries that the papers do not have come after everything that is numbered so far.
            known = case < len(CASES)
            number = PUBLISHED[one.name][case] if known else max(*made, 10) + 1
            made[number] = comparisons.table(_name(number, suffix), part, factors, setting)
    for number in sorted(made):
        yield made[number]
    normal = shapes.normality(f"table-E1{suffix}", derived.shapes, cells, factors, setting)
    if normal is not None:
        yield normal
    for n, one in enumerate(extra, start=2):
        yield comparisons.table(f"table-E{n}{suffix}", one, factors, setting)
    disturbed = frames.belong(derived.faults, setting)
    lost = faults.table(f"table-F1{suffix}", disturbed, cells, factors, setting)
    if lost is not None:
        yield lost
    apart = frames.belong(derived.operations, setting)
    mixed = mixes.table(f"table-M1{suffix}", apart, cells, factors, setting)
    if mixed is not None:
        yield mixed


def _name(number: int, suffix: str) -> str:
    return f"table-{number:02d}{suffix}"
