"""How many cells have normal latencies: few, which is why medians and ranks are compared."""

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table
from modelstress.stats.thresholds import THRESHOLDS

DATA = ("n", "w", "p", "skewness", "flags")


def joined(shapes: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of a setting with n, W, p and skewness instead of their own statistics."""
    keys = ["tool", "cell"]
    if shapes.empty:
        return cells.iloc[:0].assign(**dict.fromkeys(DATA, float("nan")))
    rows = cells.drop(columns="flags")
    return rows.merge(shapes[[*keys, *DATA]], on=keys, how="inner", sort=False)


def normality(
    number: str,
    shapes: pd.DataFrame,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """In how many cells Shapiro–Wilk does not reject normality; None where none was tested.

    The CSV has a row per cell with W and p.
    """
    tested = joined(shapes, cells)
    judged_cells = tested[tested["p"].notna()]
    if judged_cells.empty:
        return None
    names = grouping.series_factors(tested, projection)
    counts = grouping.loads(judged_cells, projection)
    rows = []
    for operation in grouping.operations(judged_cells, projection):
        operation_cells = grouping.of_operation(judged_cells, projection, operation)
        for tool, tool_cells in operation_cells.groupby("tool", sort=False):
            shares = [_share(grouping.with_load(tool_cells, projection, count)) for count in counts]
            rows.append(((operation, str(tool)), (*shares, _share(tool_cells))))
    normal = int((judged_cells["p"] >= THRESHOLDS.alpha).sum())
    caption = (
        f"Cells whose latencies Shapiro–Wilk does not tell from a normal sample "
        f"(p ≥ {THRESHOLDS.alpha}), of those tested, {grouping.by(projection, ['tool'])}; "
        f"{setting}. "
        f"In all: {normal} of {len(judged_cells)} cells"
    )
    left = len(tested) - len(judged_cells)
    remark = f"{left} cells are too small or constant and were not tested. " if left else ""
    remark += (
        "The test sees a departure more easily the larger the sample: between "
        f"{int(judged_cells['n'].min())} and {int(judged_cells['n'].max())} executions per cell. "
        "The CSV file has W, p and the skewness of every cell."
    )
    place = ("executor", "topology", "tool_title", "cell")
    data = grouping.tidy(tested, projection, names, (*DATA, *place))
    titles = grouping.titles(tested)
    return Table(
        number, f"{caption}.", (projection.row_title, "tool"),
        (grouping.load_columns(projection, counts, "all"),),
        tuple(rows), footnotes.notes(()),
        tuple(filter(None, (f"Tools: {titles}." if titles else "", remark))), data, "normality",
    )  # fmt: skip


def _share(cells: pd.DataFrame) -> Entry:
    if cells.empty:
        return Entry("–")
    return Entry(f"{int((cells['p'] >= THRESHOLDS.alpha).sum())} of {len(cells)}")
