"""A listing of shifts: by how many milliseconds the sides of a comparison differ."""

from typing import Any

import pandas as pd

from modelstress.analysis import Derived
from modelstress.report import claims_words as words
from modelstress.report import grouping
from modelstress.report.claims_places import by_load
from modelstress.report.claims_sides import Pairs, pairs

BLANK = "–"


def shifts(derived: Derived, comparison: str) -> pd.DataFrame:
    """Shift in ms with its interval, with the least and with the most load.

    One row per operation and configuration, in the order of the comparison; no rows where the
    profile has no such cells. Settings never share a row.
    """
    rows = [row for sides in pairs(derived, comparison) for row in _rows(sides)]
    return (
        pd.DataFrame(rows).fillna(BLANK)
        if rows
        else pd.DataFrame(columns=[derived.projection.row_title, "configuration"])
    )


def _rows(sides: Pairs) -> list[dict[str, str]]:
    projection = sides.projection
    levels = [level for level, _ in by_load(sides.rows, projection)]
    rows = []
    for (operation, place), place_rows in sides.rows.groupby(
        [projection.operation, "place"], sort=False
    ):
        row = {projection.row_title: str(operation), "configuration": str(place)}
        for level in dict.fromkeys((levels[0], levels[-1])):
            title = "shift" if level == grouping.NO_LOAD else grouping.loaded(projection, level)
            pair = (
                place_rows
                if level == grouping.NO_LOAD
                else grouping.with_load(place_rows, projection, level)
            )
            row[title] = _shift(pair.iloc[0]) if len(pair) else BLANK
        rows.append(row)
    return rows


def _shift(row: Any) -> str:
    """`+24.1 ms (20.3 to 28.0)`; the ends without their unit, which is the same."""
    if pd.isna(row["shift_ms"]):
        return BLANK
    if pd.isna(row["shift_low_ms"]):
        return words.signed_ms(row["shift_ms"])
    low, high = (words.signed_ms(row[f"shift_{end}_ms"]) for end in ("low", "high"))
    return f"{words.signed_ms(row['shift_ms'])} ({low.removesuffix('ms').strip()} to {high})"
