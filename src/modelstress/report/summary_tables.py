"""What was measured, and which cells need care: short tables for notebooks and the page."""

from html import escape

import pandas as pd
from pandas.io.formats.style import Styler

from modelstress.analysis import Derived
from modelstress.report import claims_words as words
from modelstress.report import footnotes

LONG = 30
"""Rows of a listing that a reader scrolls past; more are put into a box."""


def numbers(derived: Derived) -> list[tuple[str, str]]:
    """The first numbers to look at, as (number, what it counts)."""
    cells = derived.cells
    left_out = int(cells["invocations_invalid"].sum())
    executions, ok = int(cells["executions"].sum()), int(cells["ok"].sum())
    measured = int((cells["invocations"] > 0).sum())
    return [
        (f"{measured} / {len(cells)}", "cells measured"),
        (f"{int(cells['invocations'].sum())}", "complete invocations"),
        *([(f"{left_out}", "invalid invocations, left out")] if left_out else []),
        (words.number(executions), "measured executions"),
        (words.share(ok, executions) if executions else "–", "answered correctly in time"),
        (f"{len(flagged(derived))}", "flagged cells"),
    ]


def overview(derived: Derived) -> pd.DataFrame:
    """Cells, invocations and executions by tool, dataset and operation; what each tool is."""
    projection, cells = derived.projection, derived.cells.rename(columns={"tool_title": "title"})
    keys = ["tool", "title", *filter(None, [projection.dataset, projection.operation])]
    grouped = cells.groupby(keys, sort=False)
    return grouped.agg(
        planned=("cell", "size"),
        measured=("invocations", lambda counts: int((counts > 0).sum())),
        invocations=("invocations", "sum"),
        executions=("executions", "sum"),
        ok=("ok", "sum"),
    ).reset_index()


def flagged(derived: Derived) -> pd.DataFrame:
    """The cells that carry a mark or have no median, with state, flags and remarks in words."""
    cells = derived.cells
    blank = cells["flags"].str.contains("median-censored", regex=False)
    wanted = (cells["flags"].map(footnotes.letters) != "") | blank
    return _readable(cells.loc[wanted, ["cell", "state", "flags", "remarks"]])


def unfinished(derived: Derived) -> pd.DataFrame:
    """The invocations that are not complete, invalid ones apart, and so in no statistic."""
    starts = derived.invocations
    names = ["cell", "invocation", "state", "executions", "remarks"]
    return _readable(starts.loc[~starts["state"].isin(["complete", "invalid"]), names])


def invalid(derived: Derived) -> pd.DataFrame:
    """The invalid invocations, which are in no statistic, with their reasons.

    Attempts that were measured again are among them, under the same number.
    """
    starts = derived.invocations[derived.invocations["state"] == "invalid"]
    names = ["cell", "invocation", "incorrect_any", "checked_any", "reasons"]
    return _readable(starts.rename(columns={"remarks": "reasons"})[names])


def failures(derived: Derived) -> pd.DataFrame:
    """Distinct failure messages, with the number of invocations that reported each."""
    names = ["cell", "outcome", "message"]
    counted = derived.messages.groupby(names, sort=False)["invocation"].nunique()
    return _readable(counted.rename("invocations").reset_index())


def shown(frame: pd.DataFrame) -> Styler:
    """A listing as a notebook should show it: whole sentences, and a long one scrolls in itself."""
    # Pandas does not escape by itself, and titles and messages are anybody's.
    plain = frame.rename(columns=lambda name: escape(str(name)))
    styler = (
        plain.style.format(escape="html")
        .hide(axis="index")
        .set_table_styles(
            [{"selector": "th, td", "props": "text-align: left; white-space: normal"}]
        )
    )
    if len(frame) <= LONG:
        return styler
    return styler.set_table_styles(
        [
            {"selector": "", "props": "display: block; max-height: 36rem; overflow: auto"},
            {"selector": "thead th", "props": "position: sticky; top: 0; background: white"},
        ],
        overwrite=False,
    )


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Text with separators for readers."""
    text = frame.astype(str).reset_index(drop=True)
    for name, (inner, shown) in {"flags": (";", ", "), "remarks": (" | ", "; ")}.items():
        if name in text:
            text[name] = text[name].str.replace(inner, shown, regex=False)
    return text
