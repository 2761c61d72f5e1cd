"""Sentences about single executions on the wire, from the captures beside a profile."""

from typing import Any

import pandas as pd

from modelstress.report import claims_words as words
from modelstress.report import frames

GAP = 1000.0
"""A silence (ms) that no server of these studies computes for with such queries."""


def wire(captured: pd.DataFrame | None) -> str:
    """What one execution exchanged, by tool and protocol, from rows of the table `anatomy`."""
    if captured is None or captured.empty:
        return (
            "*No executions were captured beside this profile; a profile whose settings have "
            "`capture`, such as `anatomy`, does that.*"
        )
    known = captured[captured["captured"] > 0]
    lines = []
    for (tool, protocol), here in known.groupby(["tool", "protocol"], sort=False):
        lines.append(f"{words.plain(tool)} over {words.plain(protocol)}, {_counts(here)}.")
    blank = len(captured) - len(known)
    if blank:
        lines.append(f"{words.many(blank, 'variant')} of {len(captured)} captured nothing.")
    profile = str(captured["profile"].iloc[0])
    head = (
        f"Medians of captured executions, profile *{words.plain(profile)}*, one client with "
        "one thread, over the variants of each tool and protocol:"
    )
    return words.paragraphs(head, words.bullets(lines), _waits(known))


def _counts(rows: pd.DataFrame) -> str:
    shown = (
        ("packets", "packet"), ("bytes", "byte"), ("round_trips", "round trip"),
        ("requests", "HTTP request"),
    )  # fmt: skip
    said = [
        f"{_range(rows[name])} {unit}{'' if round(rows[name].max()) == 1 else 's'}"
        for name, unit in shown
        if rows[name].notna().any() and rows[name].max() > 0
    ]
    captured = words.many(int(rows["captured"].sum()), "execution")
    return f"{words.many(len(rows), 'variant')}, {captured}: {words.listed(said)}"


def _range(values: "pd.Series[Any]") -> str:
    low, high = float(values.min()), float(values.max())
    ends = [words.number(round(low)), words.number(round(high))]
    return "–".join(dict.fromkeys(ends))


def _waits(rows: pd.DataFrame) -> str:
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
    varying = [
        name for name in rows.columns
        if name not in ("query", "model", "threads")
        and name in (*frames.IDENTITY, "http_transport", "poll_interval_ms", "tcp_nodelay")
        and rows[name].map(frames.words).nunique() > 1
    ]  # fmt: skip
    said = []
    for _, row in waiting.sort_values("longest_gap_ms", ascending=False).iterrows():
        label = frames.label(varying, [frames.words(row[name]) for name in varying])
        where = words.plain(f"{row['query']} on {label}")
        said.append(f"{where}: {words.ms(row['longest_gap_ms'])} of {words.ms(row['duration_ms'])}")
    return words.paragraphs(f"{head}:", words.bullets(said))
