"""A comparison of two datasets in the columns of Go's benchstat: old, new, Δ %, `~`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.report import compare, grouping
from modelstress.report.render import milliseconds

ALIKE = "~"
"""Stands for a difference that is not told over starts: the interval of the ratio has 1 in it."""


def benchstat(compared: pd.DataFrame, projection: Projection) -> str:
    """Tells old and new median, and their difference over starts, a line per pair of cells.

    Args:
        compared: one row per pair of cells, columns as in ``analysis.compare``.
        projection: with the factors in which the two cells agree.

    Returns:
        Aligned columns; the last line has the geometric means of what both sides have.
    """
    named = compare.named(compared, projection)
    heads = ["cell", "old ms", "new ms", "Δ %", ""]
    rows = [
        [
            "/".join(_part(name, row[name], projection) for name in named) or "all",
            milliseconds(row["median_a_ms"]), milliseconds(row["median_b_ms"]), _change(row),
            _interval(row),
        ]
        for row in compared.to_dict("records")
    ]  # fmt: skip
    return _aligned([heads, *rows, _means(compared)])


def _part(name: str, level: object, projection: Projection) -> str:
    """A level: as it stands where it is of an operation or series, else with its factor."""
    word = grouping.words(level)
    alone = (projection.operation, *projection.series)
    return word if name in alone else f"{name}={word}"


def _change(row: dict[Any, Any]) -> str:
    low, high, ratio = (row[f"over_ratio{end}"] for end in ("_low", "_high", ""))
    if pd.isna(low) or low <= 1 <= high or not np.isfinite(ratio):
        return ALIKE
    return f"{100 * (ratio - 1):+.2f}%".replace("-", "−")


def _interval(row: dict[Any, Any]) -> str:
    """The interval of the ratio and the starts on both sides, in brackets."""
    counts = f"n={int(row['invocations_a'])}+{int(row['invocations_b'])}"
    low, high = row["over_ratio_low"], row["over_ratio_high"]
    if pd.isna(low) or not np.isfinite(high):
        return f"({counts})"
    ends = " to ".join(f"{100 * (end - 1):+.1f}%" for end in (low, high)).replace("-", "−")
    return f"({ends}, {counts})"


def _means(compared: pd.DataFrame) -> list[str]:
    sides = compared[["median_a_ms", "median_b_ms"]].to_numpy(np.float64)
    sides = sides[(np.isfinite(sides) & (sides > 0)).all(axis=1)]
    if not len(sides):
        return ["geomean", "–", "–", "–", ""]
    old, new = np.exp(np.log(sides).mean(axis=0))
    change = f"{100 * (new / old - 1):+.2f}%".replace("-", "−")
    return ["geomean", milliseconds(float(old)), milliseconds(float(new)), change, ""]


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *numbers, last in rows:
        cells = [one.rjust(width) for one, width in zip(numbers, widths[1:-1], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells, last]).rstrip())
    return "\n".join(lines) + "\n"
