"""Tables as CSV in which no text is taken for a formula."""

import re
from typing import Any

import pandas as pd

NUMBER = r"[+-]?[\d.]+(?:[eE][+-]?\d+)?$"
OPTIONS = r"-[XD-][\w.:+=, -]*$"
"""Options of a JVM, which provenance is full of; without brackets or bars they call nothing."""
FORMULA = re.compile(rf"(?!{NUMBER}|{OPTIONS})[=+\-@\t\n＝＋－＠]")
"""How a text begins that spreadsheets compute."""
BREAKS = re.compile(r"([;\t\n])")
"""What begins another cell where a spreadsheet's separator is not the comma, quoted or not."""


def csv(frame: pd.DataFrame, float_format: str | None = None) -> str:
    """The table with a header and no index; an apostrophe before texts that would be formulas.

    Levels, titles and messages are anybody's, and spreadsheets run what begins with `=`, `+`, `-`,
    `@`, a tab or a line break. The Parquet files beside it have the texts as they are.
    """
    kept = frame.copy(deep=False)
    for name, column in frame.items():
        if any(_kept(value) is not value for value in column):
            kept[name] = column.astype("object").map(_kept)
    return kept.rename(columns=shielded).to_csv(
        index=False, float_format=float_format, lineterminator="\n"
    )


def shielded(text: str) -> str:
    """A text that no spreadsheet takes for a formula, whatever separates its cells."""
    if "\r" in text:  # alone, it would begin a row: it is not put in quotes
        text = re.sub("\r\n?", "\n", text)
    parts = BREAKS.split(text)
    for i in range(2, len(parts), 2):  # every other one is what separates them
        if FORMULA.match(parts[i]):
            parts[i] = f"'{parts[i]}"
    mark = "'" if FORMULA.match(text) else ""
    return mark + "".join(parts)


def _kept(value: Any) -> Any:
    return shielded(value) if isinstance(value, str) else value
