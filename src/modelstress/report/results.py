"""All tables and figures of a study, numbered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from modelstress.analysis import Derived, Timeline
from modelstress.config.measures import LATENCY
from modelstress.config.roles import TableLayout
from modelstress.report import (
    comparisons,
    contrasts,
    faults,
    figures,
    grouping,
    growth,
    mixes,
    normality,
    render,
    screening,
    tables,
    trees,
    weighted,
    windows,
)
from modelstress.report.artifacts import Drawn, NotDrawn, Results
from modelstress.report.compared import Compared
from modelstress.report.compared import comparisons as comparisons_of
from modelstress.report.compared import contrasts as contrasts_of
from modelstress.report.grouping import Setting
from modelstress.report.paper_layout import pages
from modelstress.report.render import Table
from modelstress.report.sketches import Shared, Sketch, TooFew


def results(derived: Derived, timelines: Sequence[Timeline] = ()) -> Results:
    """All tables and figures; different settings never share one.

    Tables are made at once, figures are drawn when they are looked at.
    """
    # A copy lies in few blocks of memory: rows are taken from it thousands of times.
    derived = replace(derived, cells=derived.cells.copy())
    settings = list(grouping.settings(derived.cells))
    made: list[Table] = []
    drawn: list[Drawn] = []
    not_drawn: list[NotDrawn] = []
    for i, (setting, cells) in enumerate(settings):
        suffix = f"-{chr(ord('a') + i)}" if len(settings) > 1 else ""
        compared = [*comparisons_of(derived, setting), *contrasts_of(derived, setting)]
        tables_of = _tables(derived, cells, compared, setting, suffix)
        made += [table for table in tables_of if _wanted(table, derived)]
        setting_timelines = [t for t in timelines if t.cell in set(cells["cell"])]
        shared = Shared.of(cells, derived.cells, derived.projection, setting)
        sketches = list(figures.figures(derived, cells, compared, shared, setting_timelines))
        drawn += _numbered([one for one in sketches if isinstance(one, Sketch)], suffix)
        too_few = [one for one in sketches if isinstance(one, TooFew)]
        kinds = dict.fromkeys((one.kind, one.about) for one in too_few)
        not_drawn += [_not_drawn(too_few, *kind) for kind in kinds]
    return Results(derived.study, tuple(made), tuple(drawn), tuple(not_drawn))


ALWAYS = ("failures", "incorrect")
"""Kinds of tables that no study leaves out."""


def _wanted(table: Table, derived: Derived) -> bool:
    """Whether the study shows a table."""
    wanted = derived.projection.shown.tables
    return wanted is None or table.kind in (*wanted, *ALWAYS)


def _numbered(sketches: Sequence[Sketch], suffix: str) -> Iterator[Drawn]:
    """The figures; how they are read is said by the first of each kind, and named by the others."""
    first: dict[tuple[str, str], str] = {}
    for n, sketch in enumerate(sketches, start=1):
        number = f"figure-{n:02d}{suffix}"
        said = first.setdefault((sketch.kind, sketch.reading), number)
        reading = sketch.reading
        if reading and said != number:
            reading = f"Read as {render.title(said)}."
        caption = " ".join(filter(None, (sketch.caption, reading)))
        yield Drawn(number, sketch.kind, caption, sketch.draw, sketch.about)


def _not_drawn(too_few: Sequence[TooFew], kind: str, about: str) -> NotDrawn:
    """One sentence on the figures of a kind that are not drawn."""
    whys: dict[str, list[str]] = {}
    for one in too_few:
        if (one.kind, one.about) == (kind, about):
            whys.setdefault(one.why, []).append(one.what)
    parts = [f"{', '.join(dict.fromkeys(what))} (too few {why})" for why, what in whys.items()]
    return NotDrawn(kind, f"Not drawn: {'; '.join(parts)}; the tables have the numbers.", about)


def _tables(
    derived: Derived,
    cells: pd.DataFrame,
    compared: Sequence[Compared],
    setting: Setting,
    suffix: str,
) -> Iterator[Table]:
    """The numbered tables in the order of their numbers, then those that no paper has."""
    made: dict[int, Table] = {}
    projection, layout = derived.projection, derived.projection.layout
    for number, wanted in pages(layout, list(cells[projection.operation].dropna().unique())):
        page = pd.concat([grouping.of_operation(cells, projection, name) for name in wanted])
        made[number] = tables.medians(_name(number, suffix), page, projection, setting)
    for wanted_number, make in (
        (layout.failures, tables.failures), (layout.incorrect, tables.incorrect)
    ):  # fmt: skip
        number = wanted_number or _next(made, layout)
        made[number] = make(_name(number, suffix), cells, projection, setting)
    of_latency = [comparison for comparison in compared if comparison.measure == LATENCY]
    extra = [comparison for comparison in of_latency if comparison.name not in layout.comparisons]
    extra += [comparison for comparison in compared if comparison.measure != LATENCY]
    for comparison in of_latency:
        numbers = layout.comparisons.get(comparison.name)
        for case, part in comparison.cases(projection) if numbers else ():
            # Operations that the paper does not have come after everything that is numbered so far.
            numbered = numbers is not None and case < len(numbers)
            number = numbers[case] if numbers and numbered else _next(made, layout)
            made[number] = comparisons.table(_name(number, suffix), part, projection, setting)
    for number in sorted(made):
        yield made[number]
    normal = normality.normality(f"table-E1{suffix}", derived.shapes, cells, projection, setting)
    if normal is not None:
        yield normal
    for n, comparison in enumerate(extra, start=2):
        make_extra = comparisons.table if comparison.measure == LATENCY else contrasts.table
        yield make_extra(f"table-E{n}{suffix}", comparison, projection, setting)
    disturbed = grouping.belong(derived.faults, setting)
    lost = faults.table(f"table-F1{suffix}", disturbed, cells, projection, setting)
    if lost is not None:
        yield lost
    apart = grouping.belong(derived.operations, setting)
    mixed = mixes.table(f"table-M1{suffix}", apart, cells, projection, setting)
    if mixed is not None:
        yield mixed
    cut = windows.table(f"table-W1{suffix}", derived.windows, cells, projection, setting)
    if cut is not None:
        yield cut
    grown = growth.table(f"table-G1{suffix}", derived.growth_fits, cells, projection, setting)
    if grown is not None:
        yield grown
    of_options = [
        screening.table(f"table-S1{suffix}", derived.effects, cells, projection, setting),
        trees.table(f"table-T1{suffix}", derived.trees, cells, projection, setting),
        weighted.table(f"table-U1{suffix}", derived.weighted, cells, projection, setting),
        weighted.machines(f"table-H1{suffix}", derived.machines, cells, projection, setting),
    ]
    yield from (one for one in of_options if one is not None)


def _next(made: Iterable[int], layout: TableLayout) -> int:
    """The number after all that are made and all that the paper has."""
    return max(*made, layout.first_free - 1) + 1


def _name(number: int, suffix: str) -> str:
    return f"table-{number:02d}{suffix}"
