"""Marks: small letters that carry the flags of a cell into every table and figure."""

from collections.abc import Iterable

LETTERS = {
    "stale": ("s", "stale: the tool or the model has changed since it was measured"),
    "invalid": ("i", "invalid: the conditions of measurement were not met"),
    "unverified": ("u", "unverified: results were not compared with an oracle"),
    "change-point": ("w", "not steady: the level changed during measurement"),
    "trend": ("w", "not steady: the level changed during measurement"),
    "autocorrelation": ("c", "correlated: intervals within one start are too narrow"),
    "incomplete": ("p", "partial: fewer complete invocations than planned"),
    "unplanned": ("x", "not planned: the study does not ask for this cell (any more)"),
    "missing": ("m", "missing: planned, not measured"),
    "damaged": ("d", "damaged: samples or record cannot be read"),
    "several-hosts": ("n", "not on one machine: its starts were measured on several that differ"),
    "wedged": ("h", "hung: the server hung while it was measured, and was restarted"),
    "aborted": ("a", "aborted: stopped before its end"),
    "partial": ("p", "partial: fewer complete invocations than planned"),
}
OTHER = ("f", "flagged: see the list of flagged cells")
INVALID = LETTERS["invalid"][0]
SILENT = frozenset({"few-invocations", "one-invocation", "too-few", "censored", "median-censored",
                    "empty", "no-record", "no-samples"})  # fmt: skip
"""Flags that need no letter: the table says the same in words or numbers."""


def letters(flags: str) -> str:
    """The marks of a cell's flags (codes separated by `;`), each letter once, sorted."""
    codes = [code for code in flags.split(";") if code and code not in SILENT]
    found = {LETTERS.get(code, OTHER)[0] for code in codes}
    if INVALID in found:  # the other codes are then its reasons
        found.discard(OTHER[0])
    return "".join(sorted(found))


def notes(marks: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The letters that occur in `marks` and what they mean."""
    used = set("".join(marks))
    meanings = dict([*LETTERS.values(), OTHER])
    return tuple((letter, meanings[letter]) for letter in sorted(used))
