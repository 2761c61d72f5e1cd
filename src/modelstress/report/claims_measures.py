"""Sentences about comparisons of any measure: where it is higher or lower, and by how much."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.within_starts import FEW, UNCLEAR, UNKNOWN
from modelstress.report import claims_pairs, compared, contrasts, grouping, placebo_words
from modelstress.report import claims_words as words
from modelstress.report.claims_sides import (
    Pairs,
    alike,
    each,
    left_out,
    of_sides,
    title,
    where,
)
from modelstress.report.quantities import quantity, signed, with_unit
from modelstress.stats.thresholds import THRESHOLDS

HIGHER, LOWER = "higher", "lower"


def directions(derived: Derived, comparison: str) -> str:
    """In how many pairs the measure of the compared level is higher, lower, or neither.

    Of latencies, in how many pairs the level is slower or faster.
    """
    if derived.contrasts is None or comparison not in set(derived.contrasts["comparison"]):
        return claims_pairs.directions(derived, comparison)
    return each(derived, comparison, _directions, pairs)


def pairs(derived: Derived, comparison: str) -> list[Pairs]:
    """The pairs of a comparison of another measure by setting."""
    rows = derived.contrasts
    if rows is None:
        return []
    alone = replace(derived, contrasts=rows[rows["comparison"] == comparison])
    return [
        of_sides(derived, setting_comparison, setting, verdicts(setting_comparison))
        for setting, _ in grouping.settings(derived.cells)
        for setting_comparison in compared.contrasts(alone, setting)
    ]


def verdicts(one: compared.Compared) -> "np.ndarray[Any, Any]":
    """How the measure of each cell stands to that of its baseline."""
    rows, upwards = one.rows, one.measure.better == "higher"
    up, down = ("better", "worse") if upwards else ("worse", "better")
    chosen = [
        rows["difference"].isna(), rows["better"] == up, rows["better"] == down,
        rows["difference_low"].isna(),
    ]  # fmt: skip
    return np.select(chosen, [UNKNOWN, HIGHER, LOWER, FEW], UNCLEAR)


def _directions(sides: Pairs) -> str:
    known_rows, rows, measure = sides.known(), sides.rows, sides.measure
    head = f"**{title(sides)}**, {words.many(len(rows), 'pair')} of cells {alike(sides)}"
    if known_rows.empty:
        return words.paragraphs(f"{head}.", left_out(sides))
    counts = {
        name: int((known_rows["verdict"] == name).sum()) for name in (HIGHER, LOWER, UNCLEAR, FEW)
    }
    text = (
        f"{head}: the {measure.title} of {title(sides, f' was {HIGHER} than that of ')} in "
        f"{counts[HIGHER]} of {len(known_rows)}, {LOWER} in {counts[LOWER]} ({measure.better} is "
        f"better); in {counts[UNCLEAR]} there is no clear difference"
    )
    if counts[FEW]:
        text += f", and in {counts[FEW]} there are too few invocations to tell"
    lines = [
        f"{words.plain(tool)}: {_tally(tool_rows)}."
        for tool, tool_rows in known_rows.groupby("tool", sort=False)
    ]
    listing = words.bullets(lines) if len(lines) > 1 else ""
    return words.paragraphs(
        f"{text}. {_rule(sides)}", _furthest(known_rows, sides), listing, left_out(sides)
    )


def _rule(sides: Pairs) -> str:
    """What a direction needs."""
    sure = f"{100 * sides.confidence:g}{words.SPACE}%"
    text = f"A direction needs a {sure} interval over invocations that lies on one side"
    if sides.measure.share:
        text += f", and p < {THRESHOLDS.alpha} of Fisher's exact test over all executions"
    return f"{text}; {placebo_words.NONE}."


def _tally(rows: pd.DataFrame) -> str:
    """How the pairs of a tool stand: `higher in 3 of 4, lower in 1 of 4`."""
    counts = rows["verdict"].value_counts()
    named = (
        (HIGHER, HIGHER), (LOWER, LOWER), (UNCLEAR, "no clear difference"),
        (FEW, "too few invocations to tell"),
    )  # fmt: skip
    parts = [f"{text} in {counts[name]}" for name, text in named if counts.get(name, 0)]
    return f"{', '.join(parts)} of {len(rows)}"


def _furthest(known_rows: pd.DataFrame, sides: Pairs) -> str:
    """The clear pairs that lie furthest apart, one for each direction."""
    column = "ratio" if contrasts.in_ratios(known_rows) else "difference"
    lines = []
    for verdict, end in ((HIGHER, -1), (LOWER, 0)):
        clear = known_rows[known_rows["verdict"] == verdict]
        if len(clear):
            row = clear.sort_values(column, kind="stable").iloc[end]
            place = where(row, sides.projection)
            lines.append(f"Furthest {verdict}: {place}, {_apart(row, column, sides)}.")
    return words.bullets(lines)


def _apart(row: Any, column: str, sides: Pairs) -> str:
    """Both values of a pair with their ratio or difference, and its interval."""
    measure = sides.measure
    say = words.times if column == "ratio" else lambda value: signed(value, measure)
    low, high = (row[f"{column}_{end}"] for end in ("low", "high"))
    both_values = f"{quantity(row['value'], measure)} against " + with_unit(
        quantity(row["baseline_value"], measure), measure
    )
    times = f"{say(row[column])}{' times' if column == 'ratio' else ''}"
    sure = f"{100 * sides.confidence:g}{words.SPACE}% interval over invocations"
    return f"{both_values} ({times}; {sure} {say(low)} to {say(high)})"
