"""Listings of the report, which a script sorts and filters: claims, cells, care, provenance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import numpy as np
import pandas as pd

from modelstress.analysis import Derived, cell_record
from modelstress.config.claims import SINGLE_RULES, Claim, Claims
from modelstress.report import cell_summary, claims_words, summary_tables
from modelstress.report.render import milliseconds
from modelstress.report.style import three_digits
from modelstress.report.summary_tables import LONG

CODE = re.compile(r"</?code>|\*\*")
MANY = 4
"""Distinct values of a provenance field from which on only their number is shown."""
DECISIONS, SINGLE = "Decisions", "Single comparisons"
CLAIMS = {DECISIONS: ("mean over starts",), SINGLE: SINGLE_RULES}
"""Titles of the listings of claims, and the rules by which these are decided."""


@dataclass(frozen=True)
class Listing:
    """A table of words, a row per thing.

    Attributes:
        name: of its place on the page.
        title: its heading.
        about: a sentence on it; empty: none is needed.
        heads: of its columns.
        rows: a word per column.
        short: columns whose words are never broken.
        closed: whether it is folded up, since it is long or for few readers.
    """

    name: str
    title: str
    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    short: frozenset[str] = frozenset()
    closed: bool = False


def claims(made: Claims, title: str) -> Listing:
    """The claims of one of ``CLAIMS``: what is decided first, largest effects before others."""
    known = [claim for claim in made.claims if claim.rule in CLAIMS[title]]
    ordered = sorted(known, key=lambda claim: (claim.status == "undecided", -_far(claim)))
    rows = tuple(
        (
            claim.comparison,
            claim.tool,
            claim.status,
            _estimate(claim),
            _interval(claim),
            _said(claim),
        )
        for claim in ordered
    )
    decided = sum(claim.status not in ("undecided", "opposed") for claim in known)
    single = title == SINGLE
    about = f"{decided} of {len(known)} are decided. "
    about += (
        "A pair of cells each. Those by tests within one start, and what papers print, are in "
        "claims.csv."
        if single
        else "Each is over all pairs of cells that differ in nothing else."
    )
    heads = ("comparison", "tool", "status", "ratio", "interval", "claim")
    return Listing(
        title.split()[0].lower(), title, about, heads, rows,
        frozenset(heads[:-1]), single or len(rows) > LONG,
    )  # fmt: skip


def _said(claim: Claim) -> str:
    """The sentence of a claim in plain text: it is kept as Markdown."""
    return unescape(CODE.sub("", claim.text))


def _far(claim: Claim) -> float:
    if not claim.estimate or claim.estimate < 0:
        return 0.0
    return max(claim.estimate, 1 / claim.estimate)


def _estimate(claim: Claim) -> str:
    return "–" if claim.estimate is None else claims_words.times(claim.estimate)


def _interval(claim: Claim) -> str:
    if claim.low is None or claim.high is None:
        return "–"
    return f"{claims_words.times(claim.low)}–{claims_words.times(claim.high)}"


def cells(derived: Derived) -> Listing:
    """Percentiles, throughput and errors of every measured cell (``summary.csv``)."""
    summary = cell_summary.cell_summary(derived)
    rows = tuple(
        (
            str(row["operation"]), str(row["configuration"]), str(row["load"]),
            _ms(row["p50_ms"]), _ms(row["p95_ms"]), three_digits(row["correct_per_s"]),
            str(row["errors"]),
        )
        for row in summary.to_dict("records")
    )  # fmt: skip
    heads = ("operation", "configuration", "load", "p50 ms", "p95 ms", "correct/s", "errors")
    return Listing(
        "cells", "All cells", "Latencies of correct answers; timeouts rank as longest.", heads,
        rows, frozenset(heads), closed=True,
    )  # fmt: skip


def _ms(latency: float) -> str:
    return "timeout" if latency == np.inf else milliseconds(latency)


def care(derived: Derived) -> list[Listing]:
    """What to know before numbers are used; listings without rows say so or are left out."""
    counted, started = len(derived.cells), len(derived.invocations)
    flagged = summary_tables.flagged(derived)
    about = (
        f"What to know about {len(flagged)} of {counted} cells before their numbers are used."
        if len(flagged)
        else "None: every planned cell was measured, verified, steady and valid."
    )
    made = [_listing("flagged", "Flagged cells", about, flagged)]
    invalid = summary_tables.invalid(derived).rename(
        columns={"incorrect_any": "wrong answers", "checked_any": "answers checked"}
    )
    made.append(_listing(
        "invalid", "Invalid invocations",
        f"{len(invalid)} of {started} invocations are invalid: the conditions of measurement were "
        "not met. They are in no statistic, table or figure.", invalid,
    ))  # fmt: skip
    made.append(_listing(
        "unfinished", "Invocations that are not complete",
        "They are kept beside the others and are in no statistic.",
        summary_tables.unfinished(derived),
    ))  # fmt: skip
    made.append(_listing("failures", "Failure messages", "", summary_tables.failures(derived)))
    return [one for one in made if one.rows or one.name == "flagged"]


SHORT = frozenset({
    "state", "invocation", "wrong answers", "answers checked", "executions", "outcome",
    "invocations",
})  # fmt: skip


MOST_NAMES = 8
"""Names of a recorded field, such as jars, from which on only the first are shown."""
SIGNED = re.compile(r"(?<![\w.-])-(?=\d)")
PERCENT = re.compile(r"(?<=\d)%")


def _listing(name: str, title: str, about: str, frame: pd.DataFrame) -> Listing:
    rows = _words(frame)
    return Listing(name, title, about, tuple(map(str, frame)), rows, SHORT, len(rows) > LONG)


def _words(frame: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """The rows as words; sentences have a minus sign, and a space before the percent sign."""
    return tuple(
        tuple(
            PERCENT.sub(" %", SIGNED.sub("−", str(word)))
            if name in ("remarks", "reasons")
            else str(word)
            for name, word in zip(frame, row, strict=True)
        )
        for row in frame.itertuples(index=False, name=None)
    )


def _shortened(value: str) -> str:
    names = value.split(", ")
    if len(names) <= MOST_NAMES:
        return value
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


def provenance(facts: pd.DataFrame) -> Listing:
    """Recorded fields; those that differ nearly everywhere, such as seeds, as their number."""
    shown: list[tuple[str, str, str]] = []
    for key, rows in facts.groupby("key", sort=True):
        if len(rows) >= MANY:
            count = int(rows["invocations"].sum())
            shown.append((str(key), f"({len(rows)} values)", str(count)))
            continue
        for value, count in zip(rows["value"], rows["invocations"], strict=True):
            told = _shortened(cell_record.told(str(key), str(value)))
            shown.append((str(key), told, str(count)))
    about = "" if shown else "Nothing was recorded."
    heads = ("field", "value", "invocations")
    short = frozenset({"field", "invocations"})
    return Listing("provenance", "Provenance", about, heads, tuple(shown), short, closed=True)
