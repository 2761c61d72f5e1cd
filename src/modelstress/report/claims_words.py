"""Words of generated sentences: numbers with their units, intervals beside them, and lists."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from modelstress.analysis import selection
from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.report import grouping, render

SPACE = "\u202f"
"""Between a number and its unit: narrow, and no line breaks there."""
MOST = 6
"""Items of a list from which on the rest is only counted."""
BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
"""Line breaks and other characters that nobody sees."""
MARKUP = re.compile(
    r"[&<>*`\[\]|~#{]|(?<![^\W_])_|_(?![^\W_])"  # what Markdown and HTML consist of
    r"|:(?=//)|(?<=www)\.|@"  # addresses that become links
    r"|^[-+=](?=[-=\s]|$)|^\d{1,9}[.)](?=\s|$)"  # lists and rules
)
MATH = re.compile(r"[$\\]+")
UNMARKED = re.compile(r"[\w .,:;=+/()@-]+")


def plain(text: object) -> str:
    """A recorded word as Markdown that shows it, whatever characters it has, on one line.

    Names of machines, titles, levels and the papers' texts come with a dataset, from anybody.
    """
    line = BREAKS.sub(" ", str(text)).strip(" ")
    shown = MARKUP.sub(lambda match: match[0][:-1] + _entities(match[0][-1]), line)
    # Formulas are looked for in a finished page too, though not in code.
    return MATH.sub(lambda match: f"<code>{_entities(match[0])}</code>", shown)


def code(text: object) -> str:
    """A recorded id as code, or as plain text where code could not hold it."""
    return f"`{text}`" if UNMARKED.fullmatch(str(text)) else plain(text)


def _entities(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)


def many(count: int, one: str, more: str = "") -> str:
    """`1 cell`, `3 cells`; `more` is a plural that is not made with an s."""
    return f"{number(count)} {one if count == 1 else more or one + 's'}"


def number(count: int) -> str:
    """A count, thousands apart."""
    return f"{count:,}".replace(",", SPACE)


def delta(value: float) -> str:
    """Cliff's delta with its sign."""
    return f"{value:+.2f}".replace("-", "−")


def ms(value: float) -> str:
    """A latency."""
    return f"{render.milliseconds(value)}{SPACE}ms"


def signed_ms(value: float) -> str:
    """A difference of latencies."""
    if math.isnan(value):
        return render.milliseconds(value)
    return f"{'−' if value < 0 else '+'}{ms(abs(value))}"


def times(value: float) -> str:
    """A ratio, with about three digits."""
    if math.isnan(value):
        return "–"
    if value >= 100:
        return f"{value:,.0f}".replace(",", SPACE)
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def percent(ratio: float) -> str:
    """How much more (+) or less (−) a ratio means."""
    change = 100 * (ratio - 1)
    decimals = 0 if abs(change) >= 10 else 1
    return f"{change:+,.{decimals}f}{SPACE}%".replace("-", "−").replace(",", SPACE)


def share(part: int, whole: int) -> str:
    """A part of a whole in percent, rounded down: only the whole is 100 %."""
    if part in (0, whole):
        return f"{100 * part // whole}{SPACE}%"
    return f"{10_000 * part // whole / 100:.2f}{SPACE}%"


def p_value(p: float) -> str:
    """A p-value; doubles end near 1e-308, so the smallest are only bounded."""
    return f"p = {p:.2g}" if p >= 1e-300 else "p < 1e-300"


def ends(low: float, high: float) -> str:
    """Two ratios as the ends of a range, of which one may be among timeouts."""
    return between(-math.inf if low == 0 else low, high, times)


def between(low: float, high: float, say: Callable[[float], str]) -> str:
    """The ends of a range, of which one may be infinite."""
    if math.isinf(high):
        return f"at least {say(low)}"
    return f"at most {say(high)}" if math.isinf(low) else f"{say(low)} to {say(high)}"


def span_ms(low: float, high: float, confidence: float, signed: bool = False) -> str:
    """An interval of latencies, or of differences of latencies."""
    word = signed_ms if signed else ms
    return f"{100 * confidence:g}{SPACE}% interval {between(low, high, word)}"


def listed(items: Iterable[str], most: int = MOST) -> str:
    """`a, b and c`; beyond `most`, the rest is counted."""
    texts = list(items)
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


class LoadWords(NamedTuple):
    """The load in sentences, `from the fewest to the most threads`, `more than one number of …`."""

    least: str
    most: str
    noun: str
    several: str


def load_words(projection: Projection, loads: Sequence[Level]) -> LoadWords:
    """Words for these levels of the load: numbers are counted, others have an order only."""
    if not projection.load:
        return LoadWords("least", "most", "load", "more than one load")
    noun = projection.noun(projection.load)
    if any(isinstance(load, str) for load in loads):
        return LoadWords("first", "last", noun.one, f"more than one {noun.one}")
    return LoadWords("fewest", "most", noun.many, f"more than one number of {noun.many}")


def load_of(row: Any, projection: Projection) -> Level:
    """The level of the load in a row, a whole number without a point; blank where it has none."""
    level = selection.level(row[projection.load]) if projection.load else None
    if isinstance(level, float) and level.is_integer():
        return int(level)
    return level if isinstance(level, int | float | str) else grouping.NO_LOAD


def runs(values: Sequence[Level], every: Sequence[Level]) -> str:
    """Levels of the load as ranges of those that there are: `1–4 and 16`; text is listed."""
    places = sorted(every.index(value) for value in values)
    if any(isinstance(value, str) for value in values):
        return listed((plain(every[place]) for place in places), len(places))
    parts: list[list[int]] = []
    for place in places:
        if parts and place == parts[-1][-1] + 1:
            parts[-1].append(place)
        else:
            parts.append([place])
    return listed(
        f"{every[part[0]]}–{every[part[-1]]}" if len(part) > 1 else f"{every[part[0]]}"
        for part in parts
    )


def with_loads(projection: Projection, values: Sequence[Level], every: Sequence[Level]) -> str:
    """`with 1 thread`, `with 1–4 threads`, `with link slow and fast`; empty without a load."""
    if not projection.load or grouping.NO_LOAD in values:
        return ""
    noun = projection.noun(projection.load)
    if any(isinstance(value, str) for value in values):
        return f"with {noun.one} {runs(values, every)}"
    return f"with {runs(values, every)} {noun.one if list(values) == [1] else noun.many}"


def with_load(projection: Projection, load: Level) -> str:
    """`with 4 threads`; empty without a load."""
    return "" if load == grouping.NO_LOAD else f"with {plain(grouping.loaded(projection, load))}"


def bullets(lines: Iterable[str]) -> str:
    """A Markdown list."""
    return "\n".join(f"- {line}" for line in lines)


def paragraphs(*parts: str) -> str:
    """Markdown paragraphs of the parts that say something."""
    return "\n\n".join(filter(None, parts))


def known(values: "pd.Series[float]") -> "pd.Series[float]":
    """The values that are no blanks."""
    return values[values.notna()]
