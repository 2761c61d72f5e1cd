"""Sentences about comparisons: in how many of them a level is slower, where most, by how much."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.projection import Projection
from modelstress.report import claims_words as words
from modelstress.report import compared, frames
from modelstress.report.claims_places import by_load, places
from modelstress.report.compared import Compared
from modelstress.report.frames import Setting
from modelstress.stats.thresholds import THRESHOLDS

NEGLIGIBLE = "negligible"
SLOWER, FASTER, UNCLEAR, FEW, UNKNOWN = "slower", "faster", "unclear", "few", "unknown"
WITHIN = "Tests and Cliff's delta hold within the starts that were measured."


@dataclass(frozen=True)
class Pairs:
    """The pairs of one comparison in one setting, and words for its two sides.

    `rows` are those of `Derived.comparisons` with two columns more: `verdict` (how the cell stands
    to its baseline: slower, faster, unclear, few, where there are so few executions that no
    difference could be significant, or unknown) and `place` (the configuration without
    what is compared, the operation and the load). `alone` counts cells of the compared level that
    are in no pair.
    """

    setting: Setting
    rows: pd.DataFrame
    factor: str
    level: str
    base: str
    alone: int
    confidence: float
    projection: Projection

    def known(self) -> pd.DataFrame:
        """The pairs of which both sides have latencies."""
        return self.rows[self.rows["verdict"] != UNKNOWN]


def pairs(derived: Derived, comparison: str) -> list[Pairs]:
    """The pairs of a comparison by setting; an empty list where the profile has none."""
    every = derived.comparisons
    mine = every[every["comparison"] == comparison] if len(every) else every
    alone = replace(derived, comparisons=mine)
    return [
        _pairs(derived, one, setting)
        for setting, _ in frames.settings(derived.cells)
        for one in compared.comparisons(alone, setting)
    ]


def absent(comparison: str) -> str:
    """What is said where a profile has no cells for a comparison."""
    return (
        f"*This profile has no two cells that differ only in what “{words.plain(comparison)}” "
        "compares, so "
        "nothing is said about it here.*"
    )


def verdicts(rows: pd.DataFrame) -> "np.ndarray[Any, Any]":
    """How each cell stands to its baseline: a direction needs p and an effect, not one of them."""
    decided = rows["p"] < THRESHOLDS.alpha
    clear = decided & (rows["magnitude"] != NEGLIGIBLE)
    sizes = zip(rows["n"], rows["baseline_n"], strict=True)
    few = np.array(
        [_smallest_p(int(n), int(other)) >= THRESHOLDS.alpha for n, other in sizes], bool
    )
    chosen = [
        rows["p"].isna() | rows["delta"].isna(),
        clear & (rows["delta"] > 0),
        clear & (rows["delta"] < 0),
        ~decided & few,
    ]
    return np.select(chosen, [UNKNOWN, SLOWER, FASTER, FEW], UNCLEAR)


def _smallest_p(n: int, other: int) -> float:
    """The p of two samples of which every value of one is above every value of the other."""
    return 2 / comb(n + other, n)


def directions(derived: Derived, comparison: str) -> str:
    """In how many pairs the compared level is slower, faster, or neither, over all and by tool."""
    return each(derived, comparison, _directions)


def by_query(derived: Derived, comparison: str, **only: object) -> str:
    """One line per operation: directions and the range of Cliff's delta by configuration.

    `only` are levels that the compared cells have, such as ``language="ocl"``.
    """

    def say(found: Pairs) -> str:
        rows = found.rows
        for name, level in only.items():
            rows = rows[rows[name] == level]
        return _by_query(found, rows) if len(rows) else absent(comparison)

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


def each(derived: Derived, comparison: str, say: Callable[[Pairs], str]) -> str:
    """What is said of every setting; its name stands before it where there are several."""
    found = pairs(derived, comparison)
    if not found:
        return absent(comparison)
    parts = []
    for one in found:
        named = f"*Measured with {words.plain(one.setting)}.*" if len(found) > 1 else ""
        parts.append(words.paragraphs(named, say(one)))
    return words.paragraphs(*parts)


def _pairs(derived: Derived, one: Compared, setting: Setting) -> Pairs:
    projection = derived.projection
    named = projection.only(n for n in projection.factors if n != one.factor or n == "tool")
    rows = one.rows.assign(verdict=verdicts(one.rows), place=places(one.rows, named))
    between = one.factor in ("tool", "")
    plain = one.factor in (*projection.series, projection.operation)
    level = "the other configuration" if between else one.level if plain else ""
    return Pairs(
        setting, rows, one.factor, level or f"{one.factor} {one.level}", one.base,
        0 if between else _alone(derived, one, setting), derived.confidence, projection,
    )  # fmt: skip


def _alone(derived: Derived, one: Compared, setting: Setting) -> int:
    """How many cells have a compared level and are in no pair."""
    cells = frames.belong(derived.cells, setting)
    levels = set(one.rows[one.factor].map(frames.words))
    paired = set(zip(one.rows["tool"], one.rows["cell"], strict=True))
    every = zip(cells["tool"], cells["cell"], cells[one.factor].map(frames.words), strict=True)
    return sum(level in levels and (tool, cell) not in paired for tool, cell, level in every)


def where(row: Any, projection: Projection) -> str:
    """`SwitchSet on hawk / neo4j / eol with 4 threads`."""
    return loaded(_what(row, projection), row, projection)


def loaded(what: str, row: Any, projection: Projection) -> str:
    """What a row is about, with its load."""
    load = words.with_load(projection, words.load_of(row, projection))
    return " ".join(filter(None, [what, load]))


def _what(row: Any, projection: Projection) -> str:
    return words.plain(f"{row[projection.operation]} on {row['place']}")


def tally(rows: pd.DataFrame) -> str:
    """How the pairs of some rows stand: `slower in 3 of 14, faster in 2, no clear …`."""
    counts = rows["verdict"].value_counts()
    known = len(rows) - int(counts.get(UNKNOWN, 0))
    if not known:
        return "nothing can be said, as a side has no latencies"
    named = [
        (SLOWER, SLOWER), (FASTER, FASTER), (UNCLEAR, "no clear difference"),
        (FEW, "too few executions to tell"),
    ]  # fmt: skip
    there = [(text, int(counts[name])) for name, text in named if counts.get(name, 0)]
    if len(there) == 1:
        text, count = there[0]
        every = "in the one pair" if count == 1 else f"in all {count}"
        return f"{text} {every}"
    first, *others = [f"{text} in {count}" for text, count in there]
    return ", ".join([f"{first} of {known}", *others])


def _directions(found: Pairs) -> str:
    known, rows = found.known(), found.rows
    head = f"**{_title(found)}**, {words.many(len(rows), 'pair')} of cells {_alike(found)}"
    parts = [f"{head}."]
    if len(known):
        counts = {name: known[known["verdict"] == name] for name in (SLOWER, FASTER, UNCLEAR, FEW)}
        text = (
            f"{head}: {_title(found, ' was slower than ')} in {len(counts[SLOWER])} of "
            f"{len(known)} (Mann–Whitney p < {THRESHOLDS.alpha} and |Cliff's delta| ≥ "
            f"{THRESHOLDS.negligible}), faster in {len(counts[FASTER])}; "
            f"in {len(counts[UNCLEAR])} there is no clear difference"
        )
        if len(counts[FEW]):
            text += f", and in {len(counts[FEW])} there are too few executions to find any"
        remain = [
            int((counts[name]["p_adjusted"] < THRESHOLDS.alpha).sum()) for name in (SLOWER, FASTER)
        ]
        adjusted = (
            f"With p adjusted for all {len(known)} (Holm), {remain[0]} and {remain[1]} of these "
            "directions remain."
        )
        parts = [f"{text}. {adjusted} {WITHIN}", _over(known, found)]
    lines = [
        f"{words.plain(tool)}: {tally(here)}{_unknown(here)}."
        for tool, here in rows.groupby("tool", sort=False)
    ]
    listing = words.bullets(lines) if len(lines) > 1 else ""
    return words.paragraphs(*parts, listing, _left_out(found))


def _title(found: Pairs, between: str = " against ") -> str:
    return f"{words.plain(found.level)}{between}{words.plain(found.base)}"


def _alike(found: Pairs) -> str:
    """In what the two sides of a pair agree."""
    if found.factor in ("tool", ""):
        return f"that did the same task{_same(found)}"
    return f"that differ in {words.plain(found.factor)} (and what follows from it) only"


def _same(found: Pairs) -> str:
    """` on the same model with as many threads`, as far as the study has a dataset and a load."""
    projection = found.projection
    text = f" on the same {projection.noun(projection.dataset).one}" if projection.dataset else ""
    if not projection.load:
        return text
    noun = projection.noun(projection.load)
    counted = not any(isinstance(load, str) for load in frames.loads(found.rows, projection))
    return f"{text} with {f'as many {noun.many}' if counted else f'the same {noun.one}'}"


def _unknown(rows: pd.DataFrame) -> str:
    blank = int((rows["verdict"] == UNKNOWN).sum())
    if not blank or blank == len(rows):
        return ""
    return f" ({words.many(blank, 'pair')} more without latencies)"


def _over(known: pd.DataFrame, found: Pairs) -> str:
    """What remains over invocations, where starts differ too."""
    there = known[known["over_ratio_low"].notna()]
    few = len(known) - len(there)
    if there.empty:
        return (
            f"For intervals over invocations, {words.many(few, 'pair')} of {len(known)} "
            f"{'has' if few == 1 else 'have'} too few of them."
        )
    above = int((there["over_ratio_low"] > 1).sum())
    below = int((there["over_ratio_high"] < 1).sum())
    rest = f"; {words.many(few, 'more pair')} had too few invocations for one" if few else ""
    return (
        f"Over invocations, the {_sure(found)} interval of the ratio of the medians lies wholly "
        f"above 1 in {above} of {len(there)}, wholly below 1 in {below}, and includes 1 in "
        f"{len(there) - above - below}{rest}."
    )


def _sure(found: Pairs) -> str:
    return f"{100 * found.confidence:g}{words.SPACE}%"


def _left_out(found: Pairs) -> str:
    blank = len(found.rows) - len(found.known())
    text = ""
    if blank:
        text = (
            f"Of {words.many(blank, 'pair')} nothing can be said: a side was not measured, or has "
            "no latency that may be used."
        )
    if found.alone:
        one = found.alone == 1
        text += (
            f" {words.many(found.alone, 'further cell')} with {words.plain(found.level)} "
            f"{'is' if one else 'are'} in no pair: {'it has' if one else 'they have'} no "
            "counterpart in this profile, or the study leaves such cells out."
        )
    return text.strip()


def _by_query(found: Pairs, rows: pd.DataFrame) -> str:
    lines = []
    for operation, here in frames.by_operation(rows, found.projection):
        tallies = [
            f"{words.plain(place)}: {tally(mine)}{_range(mine)}"
            for place, mine in here.groupby("place", sort=False)
        ]
        lines.append(f"**{words.plain(operation)}** — {'; '.join(tallies)}.")
    loads = f"Over all {found.projection.load_title}, " if found.projection.load else ""
    head = f"{loads}{_title(found)}, with the range of Cliff's delta:"
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


def _largest(found: Pairs) -> str:
    known = found.known()
    if known.empty:
        return f"No pair of {_title(found, ' and ')} has latencies on both sides."
    lines = []
    for verdict, end, which in ((SLOWER, -1, "cost"), (FASTER, 0, "gain")):
        mine = known[(known["verdict"] == verdict) & known["ratio"].notna()]
        if mine.empty:
            lines.append(f"In no pair was {_title(found, f' clearly {verdict} than ')}.")
            continue
        by_ratio = mine.sort_values("ratio", kind="stable").iloc[end]
        lines.append(
            f"The largest {which} in proportion: {where(by_ratio, found.projection)}, "
            f"{proportion(by_ratio, found)}."
        )
        by_ms = mine.sort_values("shift_ms", kind="stable").iloc[end]
        place = where(by_ms, found.projection)
        lines.append(f"The largest {which} in time: {place}, {shift(by_ms, found)}.")
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


def _gains(found: Pairs) -> str:
    projection = found.projection
    least, here = by_load(found.rows, projection)[0]
    lines = []
    for place, mine in here.groupby("place", sort=False):
        speedups = [
            f"{words.plain(row[projection.operation])} {_gain(row, found)}"
            for _, row in mine.iterrows()
        ]
        lines.append(f"{words.plain(place)}: {'; '.join(speedups)}.")
    load, count = words.with_load(projection, least), words.many(len(here), "pair")
    head = ", ".join(filter(None, [f"**{_title(found)}**", load, count]))
    return words.paragraphs(f"{head}:", words.bullets(lines))


def _gain(row: Any, found: Pairs) -> str:
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
    ends = f" ({_sure(found)} interval {about} {words.ends(low, high)})"
    return f"{words.times(value)} times {word}{'' if np.isnan(low) else ends}"


def _overhead(found: Pairs) -> str:
    least, here = by_load(found.rows, found.projection)[0]
    lines = list(_overheads(here, found))
    load = words.with_load(found.projection, least).replace("with", "With", 1)
    shifts = "the shift of the latency (Hodges–Lehmann):"
    head = ", ".join(filter(None, [load, _title(found), shifts]))
    return words.paragraphs(head, words.bullets(lines))


def _overheads(rows: pd.DataFrame, found: Pairs) -> Iterator[str]:
    for name, mine in rows.groupby("tool", sort=False):
        tool = words.plain(name)
        known = mine[mine["shift_ms"].notna()].sort_values("shift_ms", kind="stable")
        if known.empty:
            yield f"{tool}: none of {words.many(len(mine), 'pair')} has latencies on both sides."
            continue
        low, high = known.iloc[0], known.iloc[-1]
        if len(known) == 1:
            yield f"{tool}: {shift(low, found)}, {_what(low, found.projection)}; {_one(low)}."
            continue
        least, most = (_what(row, found.projection) for row in (low, high))
        yield (
            f"{tool}: from {shift(low, found)}, {least}, to {shift(high, found)}, "
            f"{most}; the median of {words.many(len(known), 'shift')} is "
            f"{words.signed_ms(known['shift_ms'].median())}; {tally(mine)}{_unknown(mine)}."
        )


def _one(row: Any) -> str:
    texts = {SLOWER: "slower", FASTER: "faster", FEW: "too few executions to tell"}
    return texts.get(row["verdict"], "no clear difference")
