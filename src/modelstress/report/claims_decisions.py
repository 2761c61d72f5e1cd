"""Sentences about decisions: what the ratios of a comparison decide over starts, and by chance."""

from typing import Any

import pandas as pd

from modelstress.analysis.estimates import MARGIN
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNKNOWN
from modelstress.report import claims_words as words
from modelstress.report import grouping, placebo_words
from modelstress.report.claims_sides import Pairs, what

SAME, UNDECIDED, OPPOSED = "same", "undecided", "opposed"
WITHIN_MARGIN = f"the same within ±{100 * MARGIN:.0f}{words.SPACE}%"
PHRASES = {
    SLOWER: SLOWER, FASTER: FASTER, SAME: WITHIN_MARGIN, UNDECIDED: UNDECIDED,
    FEW: "too few starts to tell",
}  # fmt: skip
"""What a status over starts is called, in the order in which they are counted."""
DECIDED = (SLOWER, FASTER, SAME)


def tally(rows: pd.DataFrame) -> str:
    """How some pairs stand over starts: `slower in 3 of 14, faster in 2, undecided in 9`."""
    counts = rows["status"].value_counts()
    known_count = len(rows) - int(counts.get(UNKNOWN, 0))
    if not known_count:
        return "nothing can be said, as a side has no latencies"
    there = [(text, int(counts[name])) for name, text in PHRASES.items() if counts.get(name, 0)]
    if len(there) == 1:
        text, count = there[0]
        return f"{text} in {'the one pair' if count == 1 else f'all {count}'}"
    first, *others = [f"{text} in {count}" for text, count in there]
    return ", ".join([f"{first} of {known_count}", *others])


def ratio(row: Any, confidence: float) -> str:
    """`1.31 times the latency (99 % interval 1.13 to 1.53)`, of a pair or of a decision."""
    prefix = "paired" if "paired" in row else "ratio"
    value, low, high = (row[f"{prefix}{end}"] for end in ("", "_low", "_high"))
    sure = f"{100 * confidence:g}{words.SPACE}%"
    return f"{words.times(value)} times the latency ({sure} interval {words.ends(low, high)})"


def pair(row: Any, sides: Pairs) -> str:
    """What is claimed of one pair over starts."""
    about = f"{what(row, sides.projection)}{_load(row, sides)}"
    if row["status"] in (FEW, UNKNOWN):
        return f"{about}: {PHRASES.get(row['status'], 'a side has no latencies')}."
    starts = words.many(int(row["blocks"]), "pair of starts", "pairs of starts")
    return f"{about}: {PHRASES[row['status']]}, {ratio(row, sides.confidence)} over {starts}."


def _load(row: Any, sides: Pairs) -> str:
    load = words.with_load(sides.projection, words.load_of(row, sides.projection))
    return f" {load}" if load else ""


def whole(row: Any, sides: Pairs) -> str:
    """What is claimed of a decision: over all queries and loads of a tool.

    Args:
        row: of ``Derived.decisions``.
        sides: the pairs of its comparison and setting.
    """
    rows = sides.rows[sides.rows["tool"] == row["tool"]]
    tool, counted = words.plain(row["tool"]), tally(rows)
    if not row["comparisons"]:
        return f"{tool}: {counted}."
    if row["status"] == OPPOSED:
        mean = "no claim over all of them, since some are slower and others are faster"
    else:
        mean = f"{PHRASES[row['status']]} on average, {ratio(row, sides.confidence)}"
    spread = ""
    if row["comparisons"] > 1:
        spread = (
            f" Single ratios lie between {words.times(row['least'])} and "
            f"{words.times(row['largest'])}."
        )
    return f"{tool}: {mean}; {counted}.{spread} {chance(row, sides)}"


def chance(row: Any, sides: Pairs) -> str:
    """The directions that chance may have made among those of a decision, and the placebos."""
    tool = str(row["tool"])
    kind = placebo_words.kind_of(sides.rows[sides.rows["tool"] == tool])
    rate = placebo_words.beside(sides.placebo_rates, placebo_words.OVER, tool, kind)
    of_means = placebo_words.beside(sides.placebo_rates, placebo_words.MEAN, tool, kind)
    several = f"; of means, {of_means}" if row["comparisons"] > 1 else ""
    return (
        f"Chance alone is allowed {placebo_words.about(float(row['false_expected']))} of "
        f"{words.many(int(row['comparisons']), 'direction')}; {rate}{several}."
    )


def places(rows: pd.DataFrame, sides: Pairs) -> str:
    """One line per operation: how each configuration stands over starts, with its ratios."""
    lines = []
    for operation, operation_rows in grouping.by_operation(rows, sides.projection):
        tallies = [
            f"{words.plain(place)}: {tally(place_rows)}{_ratios(place_rows)}"
            for place, place_rows in operation_rows.groupby("place", sort=False)
        ]
        lines.append(f"**{words.plain(operation)}** — {'; '.join(tallies)}.")
    return words.bullets(lines)


def _ratios(rows: pd.DataFrame) -> str:
    known = words.known(rows["paired"].where(rows["status"] != UNKNOWN))
    if known.empty:
        return ""
    if len(known) == 1:
        return f" (ratio {words.times(known.iloc[0])})"
    return f" (ratios {words.ends(known.min(), known.max())})"
