"""Sentences about comparisons: in how many of them a level is slower, where most, by how much."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNCLEAR, UNKNOWN
from modelstress.report import claims_words as words
from modelstress.report import placebo_words
from modelstress.report.claims_decisions import (
    PHRASES,
    SAME,
    UNDECIDED,
    WITHIN_MARGIN,
    places,
    whole,
)
from modelstress.report.claims_decisions import tally as over_starts
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


def directions(derived: Derived, comparison: str) -> str:
    """In how many pairs the compared level is slower, faster, or neither, over all and by tool."""
    return each(derived, comparison, _directions)


def by_query(derived: Derived, comparison: str, **only: object) -> str:
    """One line per operation: directions over starts and the range of ratios by configuration.

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
    """How pairs stand by the papers' rule: `slower in 3 of 14, faster in 2, no clear …`."""
    counts = rows["verdict"].value_counts()
    known_count = len(rows) - int(counts.get(UNKNOWN, 0))
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
    rows = sides.rows
    head = f"**{title(sides)}**, {words.many(len(rows), 'pair')} of cells {alike(sides)}"
    if sides.known().empty:
        return words.paragraphs(f"{head}.", left_out(sides))
    return words.paragraphs(_over(head, sides), *_within(sides), left_out(sides))


def _over(head: str, sides: Pairs) -> str:
    """What the pairs decide over starts, together and by tool."""
    told = sides.known()
    counts = told["status"].value_counts()
    with_interval = len(told) - int(counts.get(FEW, 0))
    numbers = {name: int(counts.get(name, 0)) for name in PHRASES}
    if not with_interval:
        return (
            f"{head}. **Over starts nothing can be said**: none of "
            f"{words.many(len(told), 'pair')} has enough starts for an interval."
        )
    parts = [
        f"{head}. **Over starts**, {title(sides, ' was slower than ')} in {numbers[SLOWER]} of "
        f"{with_interval}, faster in {numbers[FASTER]} and {WITHIN_MARGIN} in {numbers[SAME]}; "
        f"{numbers[UNDECIDED]} are undecided",
        f"{numbers[FEW]} more with too few starts for an interval" if numbers[FEW] else "",
    ]
    false = placebo_words.about(with_interval * (1 - sides.confidence))
    text = (
        f"{'; '.join(filter(None, parts))} ({_sure(sides)} intervals of the ratio of medians, "
        "paired by start and machine). "
        f"Chance alone is allowed {false} of {words.many(with_interval, 'direction')}."
    )
    lines = [whole(row, sides) for _, row in sides.decisions.iterrows()]
    return words.paragraphs(text, words.bullets(lines))


def _within(sides: Pairs) -> Iterator[str]:
    """What the papers' rule says, within the starts, with its placebos beside every count."""
    told, rates = sides.known(), sides.placebo_rates
    counts = {name: told[told["verdict"] == name] for name in (SLOWER, FASTER, UNCLEAR, FEW)}
    text = (
        "**By the papers' method**, within the starts that were measured, "
        f"{title(sides, ' was slower than ')} in {len(counts[SLOWER])} of {len(told)} "
        f"(Mann–Whitney p < {THRESHOLDS.alpha} and |Cliff's delta| ≥ {THRESHOLDS.negligible}), "
        f"faster in {len(counts[FASTER])}"
    )
    remain = [
        int((counts[name]["p_adjusted"] < THRESHOLDS.alpha).sum()) for name in (SLOWER, FASTER)
    ]
    text += (
        f" ({remain[0]} and {remain[1]} after Holm's correction for {len(told)}); "
        f"{words.many(len(counts[UNCLEAR]), 'pair')} showed no clear difference"
    )
    if len(counts[FEW]):
        text += f", and {len(counts[FEW])} have too few executions to find any"
    by_tool = {str(tool): rows for tool, rows in told.groupby("tool", sort=False)}
    found = placebo_words.expected(
        rates, placebo_words.WITHIN, {tool: len(rows) for tool, rows in by_tool.items()}
    )
    yield f"{text}. {_if_equal(found, len(told))}"
    yield words.bullets(
        f"{words.plain(tool)}: {tally(rows)}; "
        f"{placebo_words.beside(rates, placebo_words.WITHIN, tool)}."
        for tool, rows in by_tool.items()
    )


def within_one(row: Any) -> str:
    """What the papers' rule says of one pair: `slower within the starts (δ +0.45, p = 1e-5)`."""
    if row["verdict"] == UNKNOWN:
        return "a side has no latencies"
    texts = {UNCLEAR: "no clear difference", FEW: "too few executions to tell"}
    said = texts.get(row["verdict"], row["verdict"])
    delta, p = words.delta(row["delta"]), words.p_value(row["p"])
    return f"{said} within the starts (δ {delta}, {p})"


def _if_equal(found: float, pairs: int) -> str:
    """What the papers' rule would count without any difference."""
    if np.isnan(found):
        return f"How many it finds where nothing differs is not known: {placebo_words.NONE}."
    return (
        f"Placebos ({placebo_words.ABOUT}) say what such counts are worth: **where nothing "
        f"differs, the method would find about {placebo_words.about(found)} directions in "
        f"{words.many(pairs, 'pair')}.**"
    )


def _sure(sides: Pairs) -> str:
    return f"{100 * sides.confidence:g}{words.SPACE}%"


def _by_query(sides: Pairs, rows: pd.DataFrame) -> str:
    loads = f"Over all {sides.projection.load_title}, " if sides.projection.load else ""
    head = f"{loads}{title(sides)}, over starts:"
    return words.paragraphs(head, places(rows, sides), _placebo(sides))


def _placebo(sides: Pairs) -> str:
    """The placebos of the rule over starts."""
    tools = map(str, sides.rows["tool"])
    return placebo_words.summary(sides.placebo_rates, placebo_words.OVER, tools)


def _largest(sides: Pairs) -> str:
    known_rows = sides.known()
    if known_rows.empty:
        return f"No pair of {title(sides, ' and ')} has latencies on both sides."
    lines = []
    if mostly := int((known_rows["ratio"].isna() & known_rows["shift_ms"].isna()).sum()):
        pairs = words.many(mostly, "pair")
        lines.append(f"In {pairs} a side mostly timed out, and how much slower is not known.")
    for status, end, which in ((SLOWER, -1, "cost"), (FASTER, 0, "gain")):
        decided = sides.rows[sides.rows["status"] == status]
        if decided.empty:
            lines.append(f"In no pair was {title(sides, f' {status} than ')} over starts.")
            continue
        by_ratio = decided.sort_values("paired", kind="stable").iloc[end]
        lines.append(
            f"The largest {which} in proportion: {where(by_ratio, sides.projection)}, "
            f"{proportion(by_ratio, sides)}."
        )
        by_ms = decided.sort_values("shift_ms", kind="stable").iloc[end]
        place = where(by_ms, sides.projection)
        lines.append(f"The largest {which} in time: {place}, {shift(by_ms, sides)}.")
    return words.paragraphs(words.bullets(lines), _placebo(sides))


def proportion(row: Any, found: Pairs) -> str:
    """The ratio of a pair over starts with its interval."""
    ends = words.ends(row["paired_low"], row["paired_high"])
    return (
        f"{words.times(row['paired'])} times the latency ({words.percent(row['paired'])}; "
        f"{_sure(found)} interval over starts {ends})"
    )


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
    return words.paragraphs(f"{head}:", words.bullets(lines), _placebo(sides))


def _gain(row: Any, sides: Pairs) -> str:
    if row["status"] == UNKNOWN:
        return "unknown, as a side has no latencies"
    if row["status"] not in (SLOWER, FASTER):
        known = "" if pd.isna(row["paired"]) else f" (ratio {words.times(row['paired'])})"
        return f"{PHRASES[row['status']]}{known}"
    value, low, high = (float(row[f"paired{end}"]) for end in ("", "_low", "_high"))
    word = "the latency"
    if row["status"] == FASTER:  # how many times as fast is the inverse
        value, low, high, word = 1 / value, 1 / high, 1 / low, "as fast"
    ends = words.ends(low, high)
    return f"{words.times(value)} times {word} ({_sure(sides)} interval over starts {ends})"


def _overhead(sides: Pairs) -> str:
    least, load_rows = by_load(sides.rows, sides.projection)[0]
    lines = list(_overheads(load_rows, sides))
    load = words.with_load(sides.projection, least).replace("with", "With", 1)
    shifts = "the shift of the latency (Hodges–Lehmann):"
    head = ", ".join(filter(None, [load, title(sides), shifts]))
    return words.paragraphs(head, words.bullets(lines), _placebo(sides))


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
            yield (
                f"{tool}: {shift(low, sides)}, {what(low, sides.projection)}; "
                f"over starts {PHRASES[low['status']]}."
            )
            continue
        least, most = (what(row, sides.projection) for row in (low, high))
        yield (
            f"{tool}: from {shift(low, sides)}, {least}, to {shift(high, sides)}, "
            f"{most}; the median of {words.many(len(known_rows), 'shift')} is "
            f"{words.signed_ms(known_rows['shift_ms'].median())}; "
            f"over starts {over_starts(tool_rows)}."
        )
