"""Tables of comparisons: effect sizes of one factor, and ratios to one tool."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from modelstress.report import frames, marks
from modelstress.report.frames import Setting
from modelstress.report.render import Entry, Table

SIGNIFICANCE = 0.01
NOTHING = Entry("–")
UNDECIDED = "·"
"""Stands where the test does not reject: the sign of an effect is not known."""
DATA = (
    "baseline_tool", "baseline_cell", "n", "baseline_n", "u", "p", "p_adjusted", "delta",
    "delta_low", "delta_high", "magnitude", "shift_ms", "shift_low_ms", "shift_high_ms", "ratio",
    "ratio_low", "ratio_high", "flags",
)  # fmt: skip


def deltas(
    number: str,
    compared: pd.DataFrame,
    factor: tuple[str, str, str],
    factors: Sequence[str],
    setting: Setting,
) -> Table:
    """Cliff's delta of one level of a factor against another, by query, series and threads.

    Args:
        number: such as ``table-07``.
        compared: rows of ``analysis.contrasts``.
        factor: its name, the level compared and the baseline's.
        factors: all factors, the tool first.
        setting: where everything was measured.
    """
    name, level, base = factor
    caption = (
        f"Cliff's delta of latency, {name} {level} against {base} (+1: always slower, -1: always "
        f"faster), where Mann–Whitney's p < {SIGNIFICANCE}"
    )
    decided = int((compared["p"] < SIGNIFICANCE).sum())
    slower = int(((compared["p"] < SIGNIFICANCE) & (compared["delta"] > 0)).sum())
    remark = (
        f"{UNDECIDED}: p of the one comparison is {SIGNIFICANCE} or more. {level} is slower in "
        f"{slower}, faster in {decided - slower} of {len(compared)} comparisons. The CSV file has "
        "p adjusted for their number (Holm), intervals, and the shift in ms. All tests hold within "
        "the starts that were measured."
    )
    rest = [each for each in factors if each != name]
    return _table(number, caption, compared, rest, setting, _delta, remark)


def ratios(
    number: str, compared: pd.DataFrame, base: str, factors: Sequence[str], setting: Setting
) -> Table:
    """Bounds of the median ratio of the baseline's latency to that of each configuration.

    ``compared`` has the ratio of a configuration to the baseline; the papers print its inverse,
    as does this table: above 1 the baseline is slower.
    """
    caption = (
        f"99 % bounds of the median ratio of latencies, {base} / other (above 1: {base} is slower)"
    )
    known = compared["dunn_p"].dropna()
    alike = int((known >= SIGNIFICANCE).sum())
    remark = (
        f"1.0–1.0: Dunn's test (Bonferroni) does not reject that both are alike, which holds for "
        f"{alike} of {len(known)} comparisons. All tests hold within the starts that were measured."
    )
    return _table(number, caption, compared, factors, setting, _ratio, remark, ("dunn_p",))


def _table(
    number: str,
    caption: str,
    compared: pd.DataFrame,
    factors: Sequence[str],
    setting: Setting,
    entry: Callable[["pd.Series[Any]"], Entry],
    remark: str,
    more: Sequence[str] = (),
) -> Table:
    """Rows: query and series; columns: client threads."""
    names = tuple(n for n in frames.series_factors(compared, factors) if n in factors)
    counts = frames.threads(compared)
    rows, used = [], []
    for query, here in compared.groupby("query", sort=False):
        for one in frames.series(here, names):
            mine = frames.select(here, names, one)
            entries = [_at(mine, count, entry) for count in counts]
            used += [each.marks for each in entries]
            rows.append(((str(query), *one), tuple(entries)))
    said = f"{caption}, by query, {', '.join(names)} and client threads"
    named = frames.titles(compared)
    wanted = ["query", *names, "threads", *DATA, *more, "executor", "topology", "cell"]
    return Table(
        number,
        f"{said}; {frames.context(compared, factors, setting)}.",
        ("query", *names),
        (("client threads", tuple(str(count) for count in counts)),),
        tuple(rows),
        marks.notes(used),
        tuple(filter(None, (f"Tools: {named}." if named else "", remark))),
        compared[list(dict.fromkeys(wanted))].reset_index(drop=True),
    )


def _at(compared: pd.DataFrame, count: int, entry: Callable[["pd.Series[Any]"], Entry]) -> Entry:
    here = compared[compared["threads"] == count]
    return NOTHING if here.empty else entry(here.iloc[0])


def _delta(row: "pd.Series[Any]") -> Entry:
    letters = marks.letters(str(row["flags"]))
    if pd.isna(row["p"]):
        return Entry("–", letters)
    if not row["p"] < SIGNIFICANCE:
        return Entry(UNDECIDED, letters)
    return Entry(f"{row['delta']:+.2f}".replace("-", "−"), letters)


def _ratio(row: "pd.Series[Any]") -> Entry:
    letters = marks.letters(str(row["flags"]))
    if pd.isna(row["ratio_low"]):
        return Entry("–", letters)
    if not row["dunn_p"] < SIGNIFICANCE:
        return Entry("1.0–1.0", letters)
    low, high = 1 / float(row["ratio_high"]), 1 / float(row["ratio_low"])
    return Entry(f"{_bound(low)}–{_bound(high)}", letters)


def _bound(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
