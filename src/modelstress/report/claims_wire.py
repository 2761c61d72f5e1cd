"""Sentences about single executions on the wire, from the captures beside a profile."""

from typing import Any

import pandas as pd

from modelstress.analysis import columns
from modelstress.analysis.projection import Projection, projection_of
from modelstress.report import claims_words as words
from modelstress.report import grouping

GAP = 1000.0
"""A silence (ms) that no server of these studies computes for with such queries."""


def wire(captured: pd.DataFrame | None, projection: Projection | None = None) -> str:
    """What one execution exchanged, by tool and panel, from rows of the table `anatomy`.

    Args:
        captured: that table; None where nothing was captured.
        projection: of its study; by default that of a study from before roles.
    """
    if captured is None or captured.empty:
        return (
            "*No executions were captured beside this profile; a profile whose settings have "
            "`capture`, such as `anatomy`, does that.*"
        )
    factors = [str(name) for name in captured if name not in columns.ANATOMY]
    projection = (projection or projection_of(None, factors)).only(["tool", *factors])
    keys = ["tool", *(name for name in [projection.panel] if name in captured)]
    if projection.operation not in captured:
        captured = captured.assign(**{projection.operation: ""})
    captured_rows = captured[captured["captured"] > 0]
    lines = []
    for levels, rows in captured_rows.groupby(keys, sort=False):
        lines.append(f"{' over '.join(map(words.plain, levels))}, {_counts(rows)}.")
    blank = len(captured) - len(captured_rows)
    if blank:
        lines.append(f"{words.many(blank, 'variant')} of {len(captured)} captured nothing.")
    profile = str(captured["profile"].iloc[0])
    head = (
        f"Medians of captured executions, profile *{words.plain(profile)}*, one client with "
        f"one thread, over the variants of each {' and '.join(keys)}:"
    )
    return words.paragraphs(head, words.bullets(lines), _waits(captured_rows, projection))


def _counts(rows: pd.DataFrame) -> str:
    shown = (
        ("packets", "packet"), ("bytes", "byte"), ("round_trips", "round trip"),
        ("requests", "HTTP request"),
    )  # fmt: skip
    ranges = [
        f"{_range(rows[name])} {unit}{'' if round(rows[name].max()) == 1 else 's'}"
        for name, unit in shown
        if rows[name].notna().any() and rows[name].max() > 0
    ]
    captured = words.many(int(rows["captured"].sum()), "execution")
    return f"{words.many(len(rows), 'variant')}, {captured}: {words.listed(ranges)}"


def _range(values: "pd.Series[Any]") -> str:
    low, high = float(values.min()), float(values.max())
    ends = [words.number(round(low)), words.number(round(high))]
    return "–".join(dict.fromkeys(ends))


def _waits(rows: pd.DataFrame, projection: Projection) -> str:
    """Where a silence of more than a second makes up an execution: somebody waits for a clock."""
    if rows.empty:
        return ""
    waiting = rows[rows["longest_gap_ms"] > GAP]
    head = (
        f"In {len(waiting)} of {words.many(len(rows), 'variant')} the longest silence between two "
        f"messages is over {words.ms(GAP)}"
    )
    if waiting.empty:
        return f"{head}."
    varying = _varying(rows, projection)
    lines = []
    for _, row in waiting.sort_values("longest_gap_ms", ascending=False).iterrows():
        label = grouping.label(varying, [grouping.words(row[name]) for name in varying], projection)
        where = words.plain(" on ".join(filter(None, [str(row[projection.operation]), label])))
        gap, duration = words.ms(row["longest_gap_ms"]), words.ms(row["duration_ms"])
        lines.append(f"{where}: {gap} of {duration}")
    return words.paragraphs(f"{head}:", words.bullets(lines))


def _varying(rows: pd.DataFrame, projection: Projection) -> list[str]:
    """Factors of series that vary, and others in which a tool's cells of one operation differ."""
    levels = rows[list(projection.factors)].map(grouping.words)
    kinds = [rows[projection.operation], rows["tool"]]
    return [
        name
        for name in projection.factors
        if name not in (*projection.position, projection.dataset)
        and (
            levels[name].nunique() > 1
            if name in projection.series
            else (levels[name].groupby(kinds).nunique() > 1).any()
        )
    ]
