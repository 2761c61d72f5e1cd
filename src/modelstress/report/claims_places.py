"""What configurations are called in sentences."""

from collections.abc import Sequence

import pandas as pd

from modelstress.report import frames


def places(rows: pd.DataFrame, factors: Sequence[str]) -> "pd.Series[str]":
    """The configuration of each row: its identity, and what else tells the rows of its tool apart.

    Query and threads are not named; the model only where one query was asked on several. Factors
    that are left out of `factors` are not named either, such as the one that is compared.
    """
    named = pd.Series("", index=rows.index, dtype="object")
    for _, mine in rows.groupby("tool", sort=False):
        names = [name for name in frames.series_factors(mine, factors) if name in factors]
        if "model" in names and mine.groupby("query")["model"].nunique().max() == 1:
            names.remove("model")
        levels = mine[names].map(frames.words).itertuples(index=False, name=None)
        named[mine.index] = [frames.label(names, one) for one in levels]
    return named
