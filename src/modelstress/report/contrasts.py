"""Tables of comparisons of any measure but latency, and the points of their figures."""

from typing import Any

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.report import footnotes, placebo_words
from modelstress.report.compared import Compared
from modelstress.report.comparisons import of_entries
from modelstress.report.grouping import Setting
from modelstress.report.quantities import signed
from modelstress.report.render import Entry, Table
from modelstress.stats.thresholds import THRESHOLDS

VALUES = ("value", "value_low", "value_high")
BASE = tuple(f"baseline_{name}" for name in VALUES)
DATA = (
    "measure", "unit", "baseline_tool", "baseline_cell", *VALUES, *BASE, "difference",
    "difference_low", "difference_high", "ratio", "ratio_low", "ratio_high", "n", "baseline_n",
    "better", "flags",
)  # fmt: skip

SAID = ("constant", "not-positive")
"""Flags of a pair that need no letter: an entry is a difference, and it has no interval."""


def table(number: str, compared: Compared, projection: Projection, setting: Setting) -> Table:
    """How the measure of each cell stands to its baseline's, by operation, series and load.

    Entries are ratios; of shares, and where a value is not positive, differences.
    """
    rows, measure = compared.rows, compared.measure
    ratios = in_ratios(rows)
    unit = "" if measure.unit == measure.title else f" ({measure.unit or '0 to 1'})"
    what = f"Ratio of {measure.title}" if ratios else f"Difference in {measure.title}{unit}"
    sign = "/" if ratios else "−"
    between = ", ".join(filter(None, (compared.factor, f"{compared.level} {sign} {compared.base}")))
    counts = rows["better"].value_counts()
    known_count = int(rows["difference"].notna().sum())
    blank = len(rows) - known_count
    fisher = f", and Fisher's p < {THRESHOLDS.alpha}" if measure.share else ""
    left = f" {blank} more have no values to compare (–)." if blank else ""
    remark = (
        f"{measure.better.capitalize()} is better. {compared.level} is better in "
        f"{counts.get('better', 0)}, worse in {counts.get('worse', 0)} of {known_count} "
        f"comparisons: the interval over invocations lies on one side{fisher}; "
        f"{placebo_words.NONE}.{left} The CSV file has the values, both intervals and their flags."
    )

    def entry(row: "pd.Series[Any]") -> Entry:
        return _entry(row, compared, ratios)

    rest = compared.telling(projection)
    caption = f"{what}, {between}"
    return of_entries(
        number, "contrasts", caption, compared, rest, setting, entry, remark, data=DATA
    )


def in_ratios(rows: pd.DataFrame) -> bool:
    """Whether all pairs that have values have a ratio, so that a table or sentence is of them."""
    known_rows = rows[rows["difference"].notna()]
    return len(known_rows) > 0 and bool(known_rows["ratio"].notna().all())


def points(compared: Compared) -> pd.DataFrame:
    """The cells of both sides, each once, with the columns VALUES."""
    rows = compared.rows
    cell_values = rows[["tool", "cell", *VALUES]]
    baseline_values = rows[["baseline_tool", "baseline_cell", *BASE]].set_axis(
        cell_values.columns, axis="columns"
    )
    values = pd.concat([cell_values, baseline_values]).drop_duplicates(["tool", "cell"])
    return compared.cells.merge(values, on=["tool", "cell"], how="left", validate="one_to_one")


def _entry(row: "pd.Series[Any]", compared: Compared, ratios: bool) -> Entry:
    codes = str(row["flags"]).split(";")
    letters = footnotes.letters(";".join(code for code in codes if code not in SAID))
    if pd.isna(row["difference"]):
        return Entry("–", letters)
    value = row["ratio" if ratios else "difference"]
    text = f"{value:.3g}" if ratios else signed(value, compared.measure)
    return Entry("\u00a0".join(filter(None, (text, row["better"]))), letters)
