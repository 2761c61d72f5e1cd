"""Marks: small letters that carry the flags of a cell into every table and figure.

Only flags that change how one number is read have a letter. Those that nearly every cell of a
dataset has (`PLAIN`) are counted in one sentence of a table's note, and stay in its CSV file.
"""

from collections.abc import Iterable

LETTERS = {
    "stale": ("s", "stale: the tool or the model has changed since it was measured"),
    "invalid": ("i", "invalid: invalid invocations are left out (listed with their reasons)"),
    "some-invalid": ("i", "invalid: invalid invocations are left out (listed with their reasons)"),
    "burst": ("b", "burst: a thread has fewer than ten executions in the window, no lasting load"),
    "unverified": ("u", "unverified: results were not compared with an oracle"),
    "incomplete": ("p", "partial: fewer complete invocations than planned"),
    "unplanned": ("x", "not planned: the study does not ask for this cell (any more)"),
    "missing": ("m", "missing: planned, not measured"),
    "damaged": ("d", "damaged: samples or record cannot be read"),
    "wedged": ("h", "hung: the server hung while it was measured, and was restarted"),
    "aborted": ("a", "aborted: stopped before its end"),
    "partial": ("p", "partial: fewer complete invocations than planned"),
}
OTHER = ("f", "flagged: see the list of flagged cells")
INVALID = LETTERS["invalid"][0]
PLAIN = {
    "several-hosts": "have starts from several machines",
    "several-settings": "have starts under several settings of the machine",
    "few-invocations": "have too few starts for an interval without assumptions",
    "one-invocation": "have one start",
    "histograms": "were measured as histograms of seconds, so that latencies have three digits and "
    "steadiness is judged by medians of seconds",
    "change-point": "were not steady",
    "trend": "were not steady",
    "unsteady": "reached the most seconds of their warm-up before they were steady",
    "client-has-tool": "have the tool in their clients, with whose cost it was measured",
    "machine-changed": "were measured while the machine became faster or slower",
    "autocorrelation": "have executions that resemble their neighbours, so that intervals and "
    "tests within one start promise too much",
}
"""Flags without a letter, and what a note says of the cells that have them."""
SILENT = frozenset({*PLAIN, "too-few", "censored", "median-censored", "empty", "no-record",
                    "no-samples", "coarse-window"})  # fmt: skip
"""Flags that need no letter: the table says the same in words or numbers."""


def letters(flags: str) -> str:
    """The marks of a cell's flags (codes separated by `;`), each letter once, sorted."""
    codes = [code for code in flags.split(";") if code and code not in SILENT]
    marks = {LETTERS.get(code, OTHER)[0] for code in codes}
    if INVALID in marks:  # the other codes are then its reasons
        marks.discard(OTHER[0])
    return "".join(sorted(marks))


def common(flags: Iterable[str]) -> str:
    """One sentence on the flags without a letter, of so many cells; empty where there are none."""
    cells = [set(str(codes).split(";")) for codes in flags]
    meant = {
        meaning: {code for code in PLAIN if PLAIN[code] == meaning} for meaning in PLAIN.values()
    }
    counts = {
        meaning: sum(bool(codes & cell) for cell in cells) for meaning, codes in meant.items()
    }
    told = [f"{count} {meaning}" for meaning, count in counts.items() if count]
    return f"Of {len(cells)} measured cells, {'; '.join(told)}." if told else ""


def notes(marks: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The letters that occur in `marks` and what they mean."""
    used = set("".join(marks))
    meanings = dict([*LETTERS.values(), OTHER])
    return tuple((letter, meanings[letter]) for letter in sorted(used))
