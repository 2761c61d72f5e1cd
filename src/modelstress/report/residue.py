"""Residue: cells that fall on a point or an entry that another cell has taken already.

The word is that of golang/perf's ``benchproc``, for what a projection leaves out.
"""

from collections.abc import Sequence

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.report import grouping


def residue(cells: pd.DataFrame, projection: Projection, names: Sequence[str] | None = None) -> str:
    """One sentence on cells that are not shown, and in what they differ; empty without any.

    Args:
        cells: of a table or figure that has one place for each operation, series and load.
        projection: of the study.
        names: factors that tell series apart there; by default those that are needed.
    """
    series = grouping.series_factors(cells, projection) if names is None else names
    place = [name for name in dict.fromkeys((*projection.position, *series)) if name in cells]
    told = cells[[*dict.fromkeys((*place, *projection.factors))]].map(grouping.words)
    more = int(told.duplicated(place).sum()) if place else max(0, len(cells) - 1)
    if not more:
        return ""
    levels = told.groupby(place, sort=False).nunique() if place else told.nunique().to_frame().T
    apart = [str(name) for name in levels if levels[name].max() > 1]
    differ = ", ".join(apart) or "their ids only"
    if more == 1:
        differ = ", ".join(apart) or "its id only"
        return f"1 cell at a point already taken differs in {differ} and is not shown."
    return f"{more} cells at points already taken differ in {differ} and are not shown."


def with_residue(caption: str, cells: pd.DataFrame, projection: Projection) -> str:
    """A caption, and what its figure does not show."""
    return " ".join(filter(None, (caption, residue(cells, projection))))
