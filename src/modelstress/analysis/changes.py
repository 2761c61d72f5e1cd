"""Two points in time of one configuration space: what changed, and whether an effect did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student_t

from modelstress.analysis.compare import DatasetComparison
from modelstress.config.levels import written
from modelstress.stats.machines import linear_fit
from modelstress.stats.results import Values

COLUMNS = (
    "factor", "level", "cells", "left_out", "ratio", "ratio_low", "ratio_high", "against", "effect",
    "effect_low", "effect_high", "changed",
)  # fmt: skip
LEAST_FREEDOM = 5
"""Pairs of cells beyond what is estimated, below which there are no intervals."""


def changes(comparison: DatasetComparison) -> pd.DataFrame:
    """Return how much slower B is than A over all pairs of cells, and at each level of a factor.

    Pairs of cells are the replicates: what an interval says holds for further cells of such levels,
    and not only for the starts of these. Whether an effect changed is the ratio of the effect of a
    level in B to that in A, against the first level of its factor, by least squares with all
    factors at once: what other factors changed is no noise of it. Intervals are simultaneous over
    all effects (Bonferroni), so that of equal datasets one changed effect or more is told with the
    comparison's error at most.

    Args:
        comparison: of two datasets; pairs without a ratio are left out.

    Returns:
        A row for all pairs (``factor`` is empty), then one for each level of each factor in which
        pairs differ: ``cells``, ``left_out``; ``ratio``, geometric mean of B / A, with Student's
        interval; of levels after the first, ``effect`` (in B over that in A) ``against`` the first
        one, with its interval, and ``changed`` where that has no 1 in it.
    """
    pairs = comparison.cells
    known = pairs["over_ratio"].notna() & np.isfinite(pairs["over_ratio"].astype(float))
    left, there = int((~known).sum()), pairs[known].reset_index(drop=True)
    if there.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    logs = np.log(there["over_ratio"].to_numpy(dtype=np.float64))
    alpha = 1 - comparison.confidence
    words = {name: there[name].map(written) for name in comparison.matched if name in there}
    varied = {name: column for name, column in words.items() if column.nunique() > 1}
    rows: list[dict[str, Any]] = [{"factor": "", "level": "", **_mean(logs, alpha)}]
    effects = _effects(varied, logs, alpha)
    for name, column in varied.items():
        first = column.iloc[0]
        for level in dict.fromkeys(column):
            row = {"factor": name, "level": level, **_mean(logs[column == level], alpha)}
            if level != first:
                row |= {"against": first, **effects.get((name, level), {})}
            rows.append(row)
    found = pd.DataFrame(rows, columns=list(COLUMNS)).assign(left_out=left)
    return found.astype({"changed": "boolean"})


def _mean(logs: Values, alpha: float) -> dict[str, Any]:
    """Return the geometric mean of ratios with its interval over pairs of cells."""
    row: dict[str, Any] = {"cells": logs.size, "ratio": float(np.exp(logs.mean()))}
    if logs.size <= LEAST_FREEDOM:
        return row
    aside = student_t.ppf(1 - alpha / 2, logs.size - 1) * logs.std(ddof=1) / np.sqrt(logs.size)
    ends = np.exp([logs.mean() - aside, logs.mean() + aside])
    return {**row, "ratio_low": float(ends[0]), "ratio_high": float(ends[1])}


def _effects(
    varied: dict[str, pd.Series[str]], logs: Values, alpha: float
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return how the effect of each level against its factor's first one changed.

    Nothing where factors go together, or where there are too few pairs.
    """
    named = list(_dummies(varied))
    if not named or logs.size - len(named) - 1 < LEAST_FREEDOM:
        return {}
    columns = np.column_stack([np.ones(logs.size), *(column for _, column in named)])
    try:
        fit = linear_fit(columns, logs, [""] * logs.size)
    except ValueError:  # factors that go together cannot be told from one another
        return {}
    beyond = float(student_t.ppf(1 - alpha / 2 / len(named), fit.freedom))
    found = {}
    for (key, _), value, error in zip(named, fit.estimates[1:], fit.errors[1:], strict=True):
        low, high = (float(np.exp(value + way * beyond * error)) for way in (-1, 1))
        found[key] = {
            "effect": float(np.exp(value)), "effect_low": low, "effect_high": high,
            "changed": low > 1 or high < 1,
        }  # fmt: skip
    return found


def _dummies(varied: dict[str, pd.Series[str]]) -> Iterator[tuple[tuple[str, str], Values]]:
    """Return a column for each level after the first of each factor."""
    for name, column in varied.items():
        for level in list(dict.fromkeys(column))[1:]:
            yield (name, level), np.where(column == level, 1.0, 0.0)
