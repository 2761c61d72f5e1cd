"""Words of generated sentences: numbers with their units, intervals beside them, and lists."""

import re
from collections.abc import Iterable, Sequence

import pandas as pd

from modelstress.report import render

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
    shown = MARKUP.sub(lambda found: found[0][:-1] + _entities(found[0][-1]), line)
    # Formulas are looked for in a finished page too, though not in code.
    return MATH.sub(lambda found: f"<code>{_entities(found[0])}</code>", shown)


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
    return f"{'−' if value < 0 else '+'}{ms(abs(value))}"


def times(value: float) -> str:
    """A ratio, with about three digits."""
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
    """Two ratios as the ends of a range."""
    return f"{times(low)} to {times(high)}"


def span_ms(low: float, high: float, confidence: float, signed: bool = False) -> str:
    """An interval of latencies, or of differences of latencies."""
    word = signed_ms if signed else ms
    return f"{100 * confidence:g}{SPACE}% interval {word(low)} to {word(high)}"


def listed(items: Iterable[str], most: int = MOST) -> str:
    """`a, b and c`; beyond `most`, the rest is counted."""
    every = list(items)
    if len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return " and ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))


def runs(values: Sequence[int], every: Sequence[int]) -> str:
    """Thread counts as ranges of those that there are: `1–4 and 16`."""
    places = [every.index(value) for value in sorted(values)]
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


def with_threads(values: Sequence[int], every: Sequence[int]) -> str:
    """`with 1 thread`, `with 1–4 threads`."""
    noun = "thread" if list(values) == [1] else "threads"
    return f"with {runs(values, every)} {noun}"


def threads(count: object) -> str:
    """`1 thread`, `4 threads`."""
    return many(int(str(count)), "thread")


def bullets(lines: Iterable[str]) -> str:
    """A Markdown list."""
    return "\n".join(f"- {line}" for line in lines)


def paragraphs(*parts: str) -> str:
    """Markdown paragraphs of the parts that say something."""
    return "\n\n".join(filter(None, parts))


def known(values: "pd.Series[float]") -> "pd.Series[float]":
    """The values that are no blanks."""
    return values[values.notna()]
