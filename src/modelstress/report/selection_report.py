"""Two selections of cells beside each other, in sentences, a short table and curves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis import Derived, selection
from modelstress.report import claims_words as words
from modelstress.report import distributions, footnotes, grouping, placebo_words
from modelstress.report.grids import Grid, Panel
from modelstress.report.grouping import Setting
from modelstress.stats.censoring import BLANK_FROM
from modelstress.stats.thresholds import THRESHOLDS

NEGLIGIBLE = "negligible"
MOST_ROWS = 20
"""Pairs in the table of a comparison; the others are in none, but all are counted."""


def order(found: selection.SelectionComparison) -> pd.DataFrame:
    """The pairs, those that differ most first; those without latencies last."""
    rows = found.rows
    return rows.loc[rows["delta"].abs().sort_values(ascending=False, kind="stable").index]


def name(row: "pd.Series[Any]", found: selection.SelectionComparison) -> str:
    """What tells a pair from the others: the levels in which its cells agree or differ."""
    rows = found.rows
    varying = [factor for factor in found.agreed if rows[factor].map(grouping.words).nunique() > 1]
    levels = [grouping.words(row[factor]) for factor in varying]
    parts = [grouping.label(varying, levels, found.projection)]
    sides = _sides(row, found)
    if found.rows[[*found.apart]].map(grouping.words).drop_duplicates().shape[0] > 1:
        parts.append(sides[0])
    beside = [f"baseline_{factor}" for factor in found.apart]
    if found.rows[beside].map(grouping.words).drop_duplicates().shape[0] > 1:
        parts.append(f"against {sides[1]}")
    return " ".join(filter(None, parts)) or f"{sides[0]} against {sides[1]}"


def sentences(
    found: selection.SelectionComparison, placebo_rates: pd.DataFrame | None = None
) -> list[str]:
    """What holds of all pairs together: how many, how they differ, and what was left out.

    Over invocations first, then by the papers' rule with its placebos.
    """
    rows = found.rows
    known_rows = rows[rows["p"].notna()]
    decided = (known_rows["p"] < THRESHOLDS.alpha) & (known_rows["magnitude"] != NEGLIGIBLE)
    slower, faster = (int((decided & (known_rows["delta"] * sign > 0)).sum()) for sign in (1, -1))
    still = int((decided & (known_rows["p_adjusted"] < THRESHOLDS.alpha)).sum())
    lines = [
        f"The selections differ in {words.listed(found.apart, 12)}{_following(found)}. "
        f"{words.many(len(rows), 'pair')} of cells agree in everything else; cells are compared "
        "one with one and never pooled.",
    ]
    first, second = _names(found)
    over = rows[rows["over_ratio_low"].notna()]
    if len(over):
        above = int((over["over_ratio_low"] > 1).sum())
        below = int((over["over_ratio_high"] < 1).sum())
        lines.append(
            f"Over invocations, the interval of the ratio of medians lies above 1 in {above} of "
            f"{words.many(len(over), 'pair')}, below 1 in {below}; "
            f"{placebo_words.NONE}."
        )
    if len(known_rows):
        lines.append(
            f"By the papers' rule, within the measured starts, {first} is slower than {second} in "
            f"{slower} of {len(known_rows)}, faster in {faster}; no clear difference in "
            f"{len(known_rows) - slower - faster} (slower "
            f"or faster: Mann–Whitney's p < {THRESHOLDS.alpha} and Cliff's delta at least "
            f"{THRESHOLDS.negligible}). With p adjusted for {words.many(len(known_rows), 'test')} "
            f"(Holm), {still} of these {slower + faster} remain. "
            + placebo_words.remark(pd.DataFrame() if placebo_rates is None else placebo_rates)
        )
    if len(known_rows) < len(rows):
        lines.append(
            f"{words.many(len(rows) - len(known_rows), 'pair')} cannot be judged: a cell of it "
            "has no latencies."
        )
    for count, which in zip(found.alone, ("first", "second"), strict=True):
        if count:
            lines.append(
                f"{words.many(sum(count.values()), 'cell')} of the {which} selection found no "
                f"partner and {'are' if sum(count.values()) > 1 else 'is'} left out "
                f"({by_tool(count)})."
            )
    return lines


def by_tool(counts: Mapping[str, int]) -> str:
    """Numbers of cells by tool."""
    return ", ".join(f"{tool}: {count}" for tool, count in counts.items())


def _following(comparison: selection.SelectionComparison) -> str:
    """What follows from the compared factors, as one side does not have it."""
    if not comparison.follows:
        return ""
    return (
        f", and in what follows from it, since one side of a tool does not have it "
        f"({words.listed(comparison.follows, 12)})"
    )


def pair_sentences(
    row: "pd.Series[Any]", found: selection.SelectionComparison, confidence: float
) -> list[str]:
    """What holds of one pair: over invocations first, then within the measured starts."""
    first, second = _sides(row, found)
    interval = f"{100 * confidence:g}{words.SPACE}% interval"
    if not (row["n"] and row["baseline_n"]):
        lacking = first if not row["n"] else second
        return [f"Nothing can be said of this pair: {lacking} has no latencies."]
    starts = f"{words.many(row['starts'], 'start')} and {row['baseline_starts']}"
    value = "an unknown number of" if pd.isna(row["over_ratio"]) else words.times(row["over_ratio"])
    over = f"Over invocations ({starts}): {first} takes {value} times as "
    over += f"long as {second} at the median"
    if pd.isna(row["over_ratio_low"]):
        several = min(row["starts"], row["baseline_starts"]) > 1
        why = "both mostly timed out" if several else "one start says nothing about the next"
        over += f"; no interval, as {why}."
    else:
        ends = words.ends(row["over_ratio_low"], row["over_ratio_high"])
        over += f" ({interval} {ends})."
        if row["over_ratio_low"] <= 1 <= row["over_ratio_high"]:
            over += " The interval contains 1: other starts might turn it round."
    within = [
        _with_ends("Cliff's delta", row, "delta", words.delta) + f", {row['magnitude']}",
        _with_ends("shift", row, "shift", words.signed_ms, "_ms"),
        _with_ends("ratio of random pairs", row, "ratio", words.times),
        f"Mann–Whitney's {words.p_value(row['p'])}",
    ]
    lines = [
        over,
        f"Within the measured starts ({row['n']} and {row['baseline_n']} executions): "
        f"{'; '.join(within)}. Brackets: {interval}s.",
    ]
    if meanings := [text for _, text in footnotes.notes(footnotes.letters(row["flags"]))]:
        lines.append(f"To be careful with: {'; '.join(meanings)}.")
    return lines


def table(found: selection.SelectionComparison) -> pd.DataFrame:
    """The pairs that differ most, a row each."""
    rows = order(found).head(MOST_ROWS)
    return pd.DataFrame(
        {
            "pair": [name(row, found) for _, row in rows.iterrows()],
            "Cliff's delta": _cells(rows, "delta", words.delta),
            "shift": _cells(rows, "shift", words.signed_ms, "_ms"),
            "ratio over invocations": _cells(rows, "over_ratio", words.times),
            "p": [words.p_value(p) if p == p else "–" for p in rows["p"]],
            "marks": [footnotes.letters(flags) for flags in rows["flags"]],
        }
    )


def curves(row: "pd.Series[Any]", found: selection.SelectionComparison, derived: Derived) -> Figure:
    """Both cells' cumulated shares of latencies: pooled in the left panel, by start beside it.

    Of answers in time; a cell of which at least half timed out has no curve.
    """
    sides = _sides(row, found)
    keys = [(row["tool"], row["cell"]), (row["baseline_tool"], row["baseline_cell"])]
    shares = derived.cells.set_index(["tool", "cell"])["timeout_share"]
    starts = [derived.latencies.get(key, ()) if shares[key] < BLANK_FROM else () for key in keys]
    pooled = {
        side: np.concatenate(latencies)
        for side, latencies in zip(sides, starts, strict=True)
        if len(latencies)
    }
    single = {
        f"{side}, start {i + 1}": values
        for side, latencies in zip(sides, starts, strict=True)
        for i, values in enumerate(latencies)
    }
    panels = {
        ("", title): Panel("", title, series)
        for title, series in (("all starts", pooled), ("each start", single))
    }
    columns = tuple(column for _, column in panels)
    return distributions.ecdf(Grid(("",), columns, (*pooled, *single), panels))


def _names(comparison: selection.SelectionComparison) -> tuple[str, str]:
    """The sides in words: their levels, where each has only one of every factor compared."""
    first, second = (
        comparison.rows[[f"{prefix}{name}" for name in comparison.apart]]
        .map(grouping.words)
        .drop_duplicates()
        for prefix in ("", "baseline_")
    )
    if len(first) == len(second) == 1:
        return _sides(comparison.rows.iloc[0], comparison)
    return "the first", "the second"


def setting(row: "pd.Series[Any]") -> Setting:
    """Where both cells of a pair were measured."""
    return Setting(str(row["executor"]), str(row["topology"]))


def _sides(row: "pd.Series[Any]", comparison: selection.SelectionComparison) -> tuple[str, str]:
    """Both cells in the levels in which they differ."""
    levels = [
        [grouping.words(row[f"{prefix}{factor}"]) for factor in comparison.apart]
        for prefix in ("", "baseline_")
    ]
    first, second = (
        grouping.label(comparison.apart, side_levels, comparison.projection) or "the other"
        for side_levels in levels
    )
    return first, second


def _with_ends(what: str, row: "pd.Series[Any]", column: str, say: Any, unit: str = "") -> str:
    text = f"{what} {say(row[f'{column}{unit}'])}"
    low, high = row[f"{column}_low{unit}"], row[f"{column}_high{unit}"]
    return text if pd.isna(low) else f"{text} [{words.between(low, high, say)}]"


def _cells(rows: pd.DataFrame, column: str, say: Any, unit: str = "") -> Sequence[str]:
    return [
        "–"
        if row[[f"{column}{unit}", f"{column}_low{unit}"]].isna().all()
        else _with_ends("", row, column, say, unit).strip()
        for _, row in rows.iterrows()
    ]
