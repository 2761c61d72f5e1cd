"""What results are called since the golden digests were taken: the one list of substitutions.

A renamed word changes texts and no number. So texts are put into the words of the digests before
they are compared: rows, their order and every number must then be the same, byte for byte.
"""

from __future__ import annotations

import csv
import io
import re

COLUMNS = {"aborted": "0", "timeout_ms": "", "boot": "", "start": "", "shared": "0"}
"""Columns of derived tables that are new, with the value that all rows of study 1 have."""
WORDS = {"unfinished": "aborted"}
"""Today's words to those of the digests; an outcome, in columns and captions."""
_WORDS = re.compile(rf"\b({'|'.join(WORDS)})\b")


def as_before(name: str, text: str) -> str:
    """A text in the words of the digests.

    Args:
        name: of the text, such as ``derived/cells.csv``.
        text: as it is made today.

    Raises:
        ValueError: a new column says something of study 1.
    """
    if name.startswith("derived/") and name.endswith(".csv"):
        text = _without_columns(name, text)
    return _WORDS.sub(lambda found: WORDS[found[0]], text)


def _without_columns(name: str, text: str) -> str:
    header, *rows = csv.reader(io.StringIO(text))
    kept = [at for at, column in enumerate(header) if column not in COLUMNS]
    if len(kept) == len(header):
        return text
    for row in rows:
        for column, value in zip(header, row, strict=True):
            if COLUMNS.get(column, value) != value:
                raise ValueError(f"{name}: column {column} has {value} and not {COLUMNS[column]}")
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(
        [row[at] for at in kept] for row in [header, *rows]
    )
    return made.getvalue()
