"""Configurations in sentences: what they are called, and with which loads they were measured."""

from typing import Any

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.report import grouping


def places(rows: pd.DataFrame, projection: Projection) -> "pd.Series[str]":
    """The configuration of each row: its series, and what else tells the rows of its tool apart.

    Operation and load are not named; the dataset only where one operation was executed on several.
    Factors that the projection does not have are not named either, such as the one that is
    compared.
    """
    named: dict[Any, str] = {}
    dataset = projection.dataset
    for _, rows_of_tool in rows.groupby("tool", sort=False):
        series = grouping.series_factors(rows_of_tool, projection)
        names = [name for name in series if name in projection.factors]
        if dataset in names:
            datasets = rows_of_tool.groupby(projection.operation)[dataset].nunique()
            if datasets.max() == 1:
                names.remove(dataset)
        levels = rows_of_tool[names].map(grouping.words).itertuples(index=False, name=None)
        labels = [grouping.label(names, series_levels, projection) for series_levels in levels]
        named |= zip(rows_of_tool.index, labels, strict=True)
    return pd.Series(named, index=rows.index, dtype="object")


def by_load(rows: pd.DataFrame, projection: Projection) -> list[tuple[Level, pd.DataFrame]]:
    """The rows of each level of the load, least first; all together where none has a level."""
    levels = grouping.loads(rows, projection)
    parts = [(level, grouping.with_load(rows, projection, level)) for level in levels]
    return parts or [(grouping.NO_LOAD, rows)]


def along_load(rows: pd.DataFrame, projection: Projection) -> pd.DataFrame:
    """The rows in the order of their loads."""
    if not projection.load:
        return rows
    order = {level: place for place, level in enumerate(grouping.loads(rows, projection))}
    ordered = rows[projection.load].map(order).sort_values(kind="stable")
    return rows.loc[ordered.index]


def several_loads(rows: pd.DataFrame, projection: Projection) -> bool:
    """Whether the rows have more than one level of the load."""
    return bool(projection.load) and rows[projection.load].nunique() > 1
