"""Rows as frames with the described columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from modelstress.analysis.columns import Column

DTYPES: dict[str, Any] = {
    "string": "object",
    "integer": "Int64",
    "number": "float64",
    "boolean": "boolean",
}


def framed(
    described: Mapping[str, Column],
    rows: Iterable[Mapping[str, Any]],
    factors: Sequence[str],
    study: str,
    profile: str,
) -> pd.DataFrame:
    """A table with the described columns, typed; blanks where unknown.

    Factors stand after `cell`, or after `tool` in a table without cells.
    """
    names = list(described)
    if factors:
        at = names.index("cell" if "cell" in names else "tool") + 1
        names[at:at] = [name for name in factors if name not in described]
    rows = list(rows)
    frame = pd.DataFrame(rows, columns=names)
    frame["study"], frame["profile"] = study, profile
    frame = frame.astype({name: DTYPES[column.type] for name, column in described.items()})
    for name in factors:
        if frame[name].isna().any():  # cells of other tools: 120000 must not become 120000.0
            frame[name] = pd.Series([row.get(name) for row in rows], dtype="object")
    return frame
