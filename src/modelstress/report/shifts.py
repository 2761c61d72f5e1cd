"""A listing of shifts: by how many milliseconds the sides of a comparison differ."""

from typing import Any

import pandas as pd

from modelstress.analysis import Derived
from modelstress.report import claims_words as words
from modelstress.report import frames
from modelstress.report.claims_pairs import Pairs, pairs

BLANK = "–"


def shifts(derived: Derived, comparison: str) -> pd.DataFrame:
    """Shift in ms with its interval, with the fewest and with the most client threads.

    One row per query and configuration, in the order of the comparison; no rows where the profile
    has no such cells. Settings never share a row.
    """
    rows = [row for found in pairs(derived, comparison) for row in _rows(found)]
    return (
        pd.DataFrame(rows).fillna(BLANK)
        if rows
        else pd.DataFrame(columns=["query", "configuration"])
    )


def _rows(found: Pairs) -> list[dict[str, str]]:
    counts = frames.threads(found.rows)
    rows = []
    for (query, place), here in found.rows.groupby(["query", "place"], sort=False):
        row = {"query": str(query), "configuration": str(place)}
        for count in dict.fromkeys((counts[0], counts[-1])):
            mine = here[here["threads"] == count]
            row[words.threads(count)] = _shift(mine.iloc[0]) if len(mine) else BLANK
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
