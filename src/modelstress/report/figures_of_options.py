"""Which figures of options a study has, and what their captions say. Nothing is drawn here."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from modelstress.analysis import Derived
from modelstress.report import grouping, screening, treemaps, trees, weighted
from modelstress.report.sketches import Shared, Sketch, TooFew


def of_options(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch | TooFew]:
    """Return effects, trees, treemaps and weighted levels, as far as a study asks for them."""
    yield from _screening(derived, cells, shared)
    yield from _trees(derived, cells, shared)
    yield from _weighted(derived, cells, shared)


def _screening(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch]:
    """One figure for each screening of options."""
    projection = derived.projection
    for told, rows in screening.told(derived, shared.setting):  # the table says why others are not
        caption = (
            f"Effects of {int(rows.iloc[0]['options'])} options and of their pairs on the median "
            f"latency in {int(rows.iloc[0]['cells'])} cells{f' ({told})' if told else ''}"
            f"{shared.where('', cells, projection)}."
        )
        draw = partial(screening.plot, rows)
        yield Sketch("screening", caption, draw, reading=screening.READING)


def _trees(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch | TooFew]:
    """A tree, and a treemap, for each share of the worst; the treemaps come after all trees."""
    if derived.trees is None:
        return
    projection = derived.projection
    found = list(trees.parts(grouping.belong(derived.trees, shared.setting), projection))
    for told, _, rows in found:
        where = f"{f' ({told})' if told else ''}{shared.where('', cells, projection)}"
        if not rows.iloc[0]["told"]:
            few = "too-few" in str(rows.iloc[0]["flags"])
            why = "worst cells" if few else "differences beyond those of permuted classes"
            worst = f"{rows.iloc[0]['worst_share']:.0%}".replace("%", " %")
            yield TooFew("tree", f"the worst {worst} of {told or 'all cells'}", why)
            continue
        caption = f"{trees.finding(rows)} Tree{where}: {trees.worth(rows)}."
        reading = (
            "Each row has the cells of the row that it hangs from with the level that it names. "
            "Bars: share of the worst among its cells; coloured where they are more than half "
            "when both classes weigh the same. Bold: a leaf of the worst."
        )
        yield Sketch("tree", caption, partial(trees.plot, rows), reading=reading)
    for told, share, rows in found:
        if not rows.iloc[0]["told"]:
            continue
        options = treemaps.nested_by(rows)
        there = screening.cells_of(rows, cells, projection)
        worst = f"{share:.0%}".replace("%", " %")
        caption = (
            f"All {len(there)} cells, nested by the options of the tree of the worst {worst}"
            f"{f' ({told})' if told else ''}{shared.where('', cells, projection)}."
        )
        reading = (
            "A tile is a cell, the darker the slower; framed: among the worst; black: mostly "
            "timed out. A level is on the same side in all parts."
        )
        draw = partial(treemaps.plot, there, options, float(rows.iloc[0]["cutoff_ms"]))
        yield Sketch("treemap", caption, draw, reading=reading)


def _weighted(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch]:
    """One figure for each group of cells whose levels are weighted."""
    if derived.weighted is None:
        return
    projection = derived.projection
    for told, rows in weighted.parts(grouping.belong(derived.weighted, shared.setting), projection):
        if rows["ratio"].isna().all():
            continue  # the table says why
        caption = (
            f"Expected latency of each level, the other options weighted by their use, over that "
            f"of the option's other levels{f' ({told})' if told else ''}"
            f"{shared.where('', cells, projection)}."
        )
        reading = "Points: ratios of weighted means; bars: 99 % intervals over starts."
        yield Sketch("weighted", caption, partial(weighted.plot, rows), reading=reading)
