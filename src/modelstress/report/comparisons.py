"""Tables of comparisons: effect sizes of one factor, and ratios to one tool."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.analysis.within_starts import FASTER, SLOWER, verdicts
from modelstress.report import footnotes, grouping, placebo_words
from modelstress.report.compared import Compared
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table
from modelstress.report.residue import residue
from modelstress.stats.thresholds import THRESHOLDS

NOTHING = Entry("–")
UNDECIDED = "·"
"""Stands where the test does not reject: the sign of an effect is not known."""
NOT_SIGNIFICANT = "n.s."
"""Stands behind an interval where Dunn's test does not reject, which says nothing of its place."""
DATA = (
    "baseline_tool", "baseline_cell", "n", "baseline_n", "u", "p", "p_adjusted", "dunn_p", "delta",
    "delta_low", "delta_high", "magnitude", "shift_ms", "shift_low_ms", "shift_high_ms", "ratio",
    "ratio_low", "ratio_high", "over_ratio", "over_ratio_low", "over_ratio_high", "flags",
)  # fmt: skip


def table(number: str, compared: Compared, projection: Projection, setting: Setting) -> Table:
    """The table of a comparison: ratios where configurations were ranked, else effect sizes."""
    make = ratios if compared.ranked else deltas
    return make(number, compared, projection, setting)


def deltas(number: str, compared: Compared, projection: Projection, setting: Setting) -> Table:
    """Cliff's delta of one level of a factor against another, by query, series and threads.

    Args:
        number: such as ``table-08``.
        compared: the comparison, not empty.
        projection: of the study.
        setting: where everything was measured.
    """
    rows, level, base = compared.rows, compared.level, compared.base
    caption = (
        f"Cliff's delta of latency, {compared.factor} {level} against {base} (+1: always slower, "
        f"−1: always faster), where Mann–Whitney's p < {THRESHOLDS.alpha}"
    )
    tested = int(rows["p"].notna().sum())
    sides = list(verdicts(rows))
    remark = (
        f"{UNDECIDED}: p of the one comparison is {THRESHOLDS.alpha} or more. Within the "
        f"starts (p < {THRESHOLDS.alpha}, |delta| ≥ {THRESHOLDS.negligible}) {level} is slower in "
        f"{sides.count(SLOWER)}, faster in {sides.count(FASTER)} of {tested} comparisons."
        f"{_untested(rows)} {placebo_words.remark(compared.placebo_rates)} The CSV file has "
        "p adjusted for their number (Holm), intervals, and the shift in ms. All tests hold within "
        "the starts that were measured; over_ratio is the ratio of the medians over invocations."
    )
    rest = compared.telling(projection)
    return of_entries(number, "deltas", caption, compared, rest, setting, _delta, remark)


def ratios(number: str, compared: Compared, projection: Projection, setting: Setting) -> Table:
    """Bounds of the median ratio of the baseline's latency to that of each configuration.

    The rows have the ratio of a configuration to the baseline; the papers print its inverse, as
    does this table: above 1 the baseline is slower. The CSV file has both, those as printed in
    ``printed_low`` and ``printed_high``. Where Dunn's test does not reject, the papers print 1–1.
    That a test does not reject is no ratio of one, so the interval is printed here, marked.
    """
    base = compared.base
    caption = (
        f"99 % bounds of the median ratio of latencies, {base} / other (above 1: {base} is slower)"
    )
    rows = compared.rows
    p_values = rows["dunn_p"].dropna()
    alike = int((p_values >= THRESHOLDS.alpha).sum())
    remark = (
        f"{NOT_SIGNIFICANT}: Dunn's test (Bonferroni) finds no significant difference, which "
        f"holds for {alike} of {len(p_values)} comparisons; that is no ratio of 1, for which the "
        f"papers print 1.0–1.0.{_untested(rows)} All tests and these bounds hold "
        "within the starts that were measured. "
        f"{placebo_words.remark(compared.placebo_rates)} The CSV file has, as over_ratio, the "
        "ratio of the medians over invocations, other / baseline."
    )
    printed = rows.apply(_printed, axis=1, result_type="expand")
    shown = replace(compared, rows=rows.assign(printed_low=printed[0], printed_high=printed[1]))
    more = ("printed_low", "printed_high")
    return of_entries(number, "ratios", caption, shown, projection, setting, _ratio, remark, more)


def of_entries(
    number: str,
    kind: str,
    caption: str,
    compared: Compared,
    projection: Projection,
    setting: Setting,
    entry: Callable[["pd.Series[Any]"], Entry],
    remark: str,
    more: Sequence[str] = (),
    data: Sequence[str] = DATA,
) -> Table:
    """A table with a row per operation and series, a column per load, and one entry per pair.

    Args:
        number: such as ``table-08``.
        kind: see ``Table``.
        caption: its first words.
        compared: the pairs, not empty.
        projection: with the factors that may tell rows apart.
        setting: where everything was measured.
        entry: makes the entry of a pair.
        remark: what it means, and how many pairs are what.
        more: columns of the CSV file before the usual ones.
        data: the usual columns.
    """
    all_rows = compared.rows
    names = tuple(
        n for n in grouping.series_factors(all_rows, projection) if n in projection.factors
    )
    counts = grouping.loads(all_rows, projection)
    rows, used = [], []
    for operation in grouping.operations(all_rows, projection):
        operation_rows = grouping.of_operation(all_rows, projection, operation)
        for levels in grouping.series(operation_rows, names):
            series_rows = grouping.select(operation_rows, names, levels)
            entries = [
                _first(grouping.with_load(series_rows, projection, count), entry)
                for count in counts
            ]
            used += [cell_entry.marks for cell_entry in entries]
            rows.append(((operation, *levels), tuple(entries)))
    title = f"{caption}, {grouping.by(projection, names)}"
    named = grouping.titles(compared.cells)
    remarks = (
        f"Tools: {named}." if named else "", remark, residue(all_rows, projection, names),
        grouping.common(compared.cells), grouping.unlike(compared.note),
    )  # fmt: skip
    return Table(
        number,
        f"{title}; {grouping.context(all_rows, projection, setting)}. "
        f"{grouping.totals(compared.cells)}",
        (projection.row_title, *names),
        (grouping.load_columns(projection, counts),),
        tuple(rows),
        footnotes.notes(used),
        tuple(filter(None, remarks)),
        grouping.tidy(all_rows, projection, names, (*more, *data, "executor", "topology", "cell")),
        kind,
        compared.name,
    )


def _untested(rows: pd.DataFrame) -> str:
    """How many comparisons nothing can be said about."""
    left = int(rows["p"].isna().sum())
    return f" {left} more have no latencies to compare (–)." if left else ""


def _first(rows: pd.DataFrame, entry: Callable[["pd.Series[Any]"], Entry]) -> Entry:
    return NOTHING if rows.empty else entry(rows.iloc[0])


def _delta(row: "pd.Series[Any]") -> Entry:
    letters = footnotes.letters(str(row["flags"]))
    if pd.isna(row["p"]):
        return Entry("–", letters)
    if not row["p"] < THRESHOLDS.alpha:
        return Entry(UNDECIDED, letters)
    return Entry(f"{row['delta']:+.2f}".replace("-", "−"), letters)


def _printed(row: "pd.Series[Any]") -> tuple[float, float]:
    """The bounds as they are printed: baseline / other."""
    low, high = float(row["ratio_low"]), float(row["ratio_high"])
    if pd.isna(low) or pd.isna(row["dunn_p"]) or not high > 0:
        return float("nan"), float("nan")
    return 1 / high, 1 / low if low else float("inf")


def _ratio(row: "pd.Series[Any]") -> Entry:
    letters = footnotes.letters(str(row["flags"]))
    low, high = row["printed_low"], row["printed_high"]
    if pd.isna(low):
        return Entry("–", letters)
    text = f"{_bound(low)}–{_bound(high)}"
    if not low or high == float("inf"):  # the other end is among timeouts
        text = f">\u00a0{_bound(low)}" if low else f"<\u00a0{_bound(high)}"
    if not row["dunn_p"] < THRESHOLDS.alpha:
        text += f"\u00a0{NOT_SIGNIFICANT}"
    return Entry(text, letters)


def _bound(value: float) -> str:
    if value < 0.095:
        return f"{value:.2g}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
