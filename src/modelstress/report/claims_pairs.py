"""Sentences about comparisons: in how many of them a level is slower, where most, by how much."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNCLEAR, UNKNOWN
from modelstress.report import claims_words as words
from modelstress.report import grouping
from modelstress.report.claims_places import by_load
from modelstress.report.claims_sides import (
    Pairs,
    absent,
    alike,
    each,
    left_out,
    title,
    what,
    where,
)
from modelstress.stats.thresholds import THRESHOLDS

WITHIN = "Tests and Cliff's delta hold within the starts that were measured."


def directions(derived: Derived, comparison: str) -> str:
    """In how many pairs the compared level is slower, faster, or neither, over all and by tool."""
    return each(derived, comparison, _directions)


def by_query(derived: Derived, comparison: str, **only: object) -> str:
    """One line per operation: directions and the range of Cliff's delta by configuration.

    `only` are levels that the compared cells have, such as ``language="ocl"``.
    """

    def say(sides: Pairs) -> str:
        rows = sides.rows
        for name, level in only.items():
            rows = rows[rows[name] == level]
        return _by_query(sides, rows) if len(rows) else absent(comparison)

    return each(derived, comparison, say)


def largest(derived: Derived, comparison: str) -> str:
    """The pairs that lie furthest apart, in proportion and in milliseconds."""
    return each(derived, comparison, _largest)


def gains(derived: Derived, comparison: str) -> str:
    """One line per configuration: how many times as fast each operation is, with interval.

    With the least load.
    """
    return each(derived, comparison, _gains)


def overhead(derived: Derived, comparison: str) -> str:
    """What the compared level costs in ms with the least load, by tool."""
    return each(derived, comparison, _overhead)


def tally(rows: pd.DataFrame) -> str:
    """How the pairs of some rows stand: `slower in 3 of 14, faster in 2, no clear …`."""
    counts = rows["verdict"].value_counts()
    known_count = len(rows) - int(counts.get(UNKNOWN, 0))
    if not known_count:
        return "nothing can be said, as a side has no latencies"
    named = [
        (SLOWER, SLOWER), (FASTER, FASTER), (UNCLEAR, "no clear difference"),
        (FEW, "too few executions to tell"),
    ]  # fmt: skip
    there = [(text, int(counts[name])) for name, text in named if counts.get(name, 0)]
    if len(there) == 1:
        text, count = there[0]
        phrase = "in the one pair" if count == 1 else f"in all {count}"
        return f"{text} {phrase}"
    first, *others = [f"{text} in {count}" for text, count in there]
    return ", ".join([f"{first} of {known_count}", *others])


def _directions(sides: Pairs) -> str:
    known_rows, rows = sides.known(), sides.rows
    head = f"**{title(sides)}**, {words.many(len(rows), 'pair')} of cells {alike(sides)}"
    parts = [f"{head}."]
    if len(known_rows):
        counts = {
            name: known_rows[known_rows["verdict"] == name]
            for name in (SLOWER, FASTER, UNCLEAR, FEW)
        }
        text = (
            f"{head}: {title(sides, ' was slower than ')} in {len(counts[SLOWER])} of "
            f"{len(known_rows)} (Mann–Whitney p < {THRESHOLDS.alpha} and |Cliff's delta| ≥ "
            f"{THRESHOLDS.negligible}), faster in {len(counts[FASTER])}; "
            f"in {len(counts[UNCLEAR])} there is no clear difference"
        )
        if len(counts[FEW]):
            text += f", and in {len(counts[FEW])} there are too few executions to find any"
        remain = [
            int((counts[name]["p_adjusted"] < THRESHOLDS.alpha).sum()) for name in (SLOWER, FASTER)
        ]
        adjusted = (
            f"With p adjusted for all {len(known_rows)} (Holm), {remain[0]} and {remain[1]} of "
            "these directions remain."
        )
        parts = [f"{text}. {adjusted} {WITHIN}", _over(known_rows, sides)]
    lines = [
        f"{words.plain(tool)}: {tally(tool_rows)}{_unknown(tool_rows)}."
        for tool, tool_rows in rows.groupby("tool", sort=False)
    ]
    listing = words.bullets(lines) if len(lines) > 1 else ""
    return words.paragraphs(*parts, listing, left_out(sides))


def _unknown(rows: pd.DataFrame) -> str:
    blank = int((rows["verdict"] == UNKNOWN).sum())
    if not blank or blank == len(rows):
        return ""
    return f" ({words.many(blank, 'pair')} more without latencies)"


def _over(known_rows: pd.DataFrame, sides: Pairs) -> str:
    """What remains over invocations, where starts differ too."""
    there = known_rows[known_rows["over_ratio_low"].notna()]
    few = len(known_rows) - len(there)
    if there.empty:
        return (
            f"For intervals over invocations, {words.many(few, 'pair')} of {len(known_rows)} "
            f"{'has' if few == 1 else 'have'} too few of them."
        )
    above = int((there["over_ratio_low"] > 1).sum())
    below = int((there["over_ratio_high"] < 1).sum())
    rest = f"; {words.many(few, 'more pair')} had too few invocations for one" if few else ""
    return (
        f"Over invocations, the {_sure(sides)} interval of the ratio of the medians lies wholly "
        f"above 1 in {above} of {len(there)}, wholly below 1 in {below}, and includes 1 in "
        f"{len(there) - above - below}{rest}."
    )


def _sure(sides: Pairs) -> str:
    return f"{100 * sides.confidence:g}{words.SPACE}%"


def _by_query(sides: Pairs, rows: pd.DataFrame) -> str:
    lines = []
    for operation, operation_rows in grouping.by_operation(rows, sides.projection):
        tallies = [
            f"{words.plain(place)}: {tally(place_rows)}{_range(place_rows)}"
            for place, place_rows in operation_rows.groupby("place", sort=False)
        ]
        lines.append(f"**{words.plain(operation)}** — {'; '.join(tallies)}.")
    loads = f"Over all {sides.projection.load_title}, " if sides.projection.load else ""
    head = f"{loads}{title(sides)}, with the range of Cliff's delta:"
    return words.paragraphs(head, words.bullets(lines))


def _range(rows: pd.DataFrame) -> str:
    deltas = words.known(rows["delta"])
    if deltas.empty:
        return ""
    if not rows["verdict"].isin([SLOWER, FASTER]).any():
        return f" (|δ| at most {deltas.abs().max():.2f})"
    if len(deltas) == 1:
        return f" (δ {words.delta(deltas.iloc[0])})"
    return f" (δ {words.delta(deltas.min())} to {words.delta(deltas.max())})"


def _largest(sides: Pairs) -> str:
    known_rows = sides.known()
    if known_rows.empty:
        return f"No pair of {title(sides, ' and ')} has latencies on both sides."
    lines = []
    for verdict, end, which in ((SLOWER, -1, "cost"), (FASTER, 0, "gain")):
        verdict_rows = known_rows[(known_rows["verdict"] == verdict) & known_rows["ratio"].notna()]
        if verdict_rows.empty:
            lines.append(f"In no pair was {title(sides, f' clearly {verdict} than ')}.")
            continue
        by_ratio = verdict_rows.sort_values("ratio", kind="stable").iloc[end]
        lines.append(
            f"The largest {which} in proportion: {where(by_ratio, sides.projection)}, "
            f"{proportion(by_ratio, sides)}."
        )
        by_ms = verdict_rows.sort_values("shift_ms", kind="stable").iloc[end]
        place = where(by_ms, sides.projection)
        lines.append(f"The largest {which} in time: {place}, {shift(by_ms, sides)}.")
    return words.bullets(lines)


def proportion(row: Any, found: Pairs) -> str:
    """The ratio of a pair with its best interval: over invocations where there is one."""
    kind = "over_ratio" if pd.notna(row["over_ratio_low"]) else "ratio"
    about = "over invocations" if kind == "over_ratio" else "within one start"
    value = float(row[kind])
    text = f"{words.times(value)} times the latency ({words.percent(value)}"
    if pd.notna(row[f"{kind}_low"]):
        ends = words.ends(row[f"{kind}_low"], row[f"{kind}_high"])
        text += f"; {_sure(found)} interval {about} {ends}"
    return f"{text})"


def shift(row: Any, found: Pairs) -> str:
    """The shift of a pair in ms with its interval."""
    text = words.signed_ms(row["shift_ms"])
    if pd.isna(row["shift_low_ms"]):
        return text
    ends = words.span_ms(row["shift_low_ms"], row["shift_high_ms"], found.confidence, signed=True)
    return f"{text} ({ends}, within one start)"


def _gains(sides: Pairs) -> str:
    projection = sides.projection
    least, load_rows = by_load(sides.rows, projection)[0]
    lines = []
    for place, place_rows in load_rows.groupby("place", sort=False):
        speedups = [
            f"{words.plain(row[projection.operation])} {_gain(row, sides)}"
            for _, row in place_rows.iterrows()
        ]
        lines.append(f"{words.plain(place)}: {'; '.join(speedups)}.")
    load, count = words.with_load(projection, least), words.many(len(load_rows), "pair")
    head = ", ".join(filter(None, [f"**{title(sides)}**", load, count]))
    return words.paragraphs(f"{head}:", words.bullets(lines))


def _gain(row: Any, sides: Pairs) -> str:
    if row["verdict"] == UNKNOWN:
        return "unknown, as a side has no latencies"
    kind = "over_ratio" if pd.notna(row["over_ratio_low"]) else "ratio"
    about = "over invocations" if kind == "over_ratio" else "within one start"
    value, low, high = (float(row[f"{kind}{end}"]) for end in ("", "_low", "_high"))
    if row["verdict"] in (UNCLEAR, FEW) or pd.isna(value):
        return f"{_one(row)} (δ {words.delta(row['delta'])})"
    if value < 1:  # how many times as fast is the inverse
        value, low, high, word = 1 / value, 1 / high, 1 / low, "as fast"
    else:
        word = "the latency"
    ends = f" ({_sure(sides)} interval {about} {words.ends(low, high)})"
    return f"{words.times(value)} times {word}{'' if np.isnan(low) else ends}"


def _overhead(sides: Pairs) -> str:
    least, load_rows = by_load(sides.rows, sides.projection)[0]
    lines = list(_overheads(load_rows, sides))
    load = words.with_load(sides.projection, least).replace("with", "With", 1)
    shifts = "the shift of the latency (Hodges–Lehmann):"
    head = ", ".join(filter(None, [load, title(sides), shifts]))
    return words.paragraphs(head, words.bullets(lines))


def _overheads(rows: pd.DataFrame, sides: Pairs) -> Iterator[str]:
    for name, tool_rows in rows.groupby("tool", sort=False):
        tool = words.plain(name)
        known_rows = tool_rows[tool_rows["shift_ms"].notna()].sort_values("shift_ms", kind="stable")
        if known_rows.empty:
            count = words.many(len(tool_rows), "pair")
            yield f"{tool}: none of {count} has latencies on both sides."
            continue
        low, high = known_rows.iloc[0], known_rows.iloc[-1]
        if len(known_rows) == 1:
            yield f"{tool}: {shift(low, sides)}, {what(low, sides.projection)}; {_one(low)}."
            continue
        least, most = (what(row, sides.projection) for row in (low, high))
        yield (
            f"{tool}: from {shift(low, sides)}, {least}, to {shift(high, sides)}, "
            f"{most}; the median of {words.many(len(known_rows), 'shift')} is "
            f"{words.signed_ms(known_rows['shift_ms'].median())}; "
            f"{tally(tool_rows)}{_unknown(tool_rows)}."
        )


def _one(row: Any) -> str:
    texts = {SLOWER: "slower", FASTER: "faster", FEW: "too few executions to tell"}
    return texts.get(row["verdict"], "no clear difference")
