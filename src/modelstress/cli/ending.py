"""What ``modelstress results`` says last: the sentences of the front page and a table of cells."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelstress.config.errors import ModelstressError
from modelstress.samples.files import read_plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MANY = 25
"""Cells from which on only some are shown."""
PLAIN_WIDTH = 200
"""Characters of a line where nobody says how wide a terminal is: a file, another program."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
"""What a terminal would obey instead of showing it."""
MARKUP = re.compile(r"\*\*|</?code>")
Row = dict[str, str]


def show(folder: Path, profile: str) -> None:
    """Print what the report of a study says first, and a table with a row per cell.

    Nothing where there is no report; of one of another profile only whose it is.

    Args:
        folder: of the study's results.
        profile: that is asked for.

    Raises:
        ModelstressError: a file cannot be read.
    """
    rows = _rows(folder / "summary.csv")
    if not rows:
        return
    if (other := rows[0]["profile"]) != profile:
        click.echo(
            f"these results are of profile {other}; 'modelstress report --profile {profile}' "
            "writes those of this one"
        )
        return
    console = _console()
    for line in _sentences(folder / "front.md"):
        console.print(line, markup=False, soft_wrap=not sys.stdout.isatty())
    shown, remark = chosen(rows)
    console.print()
    console.print(_table(shown))
    if remark:
        console.print(remark, markup=False, soft_wrap=not sys.stdout.isatty())


def chosen(rows: Sequence[Row]) -> tuple[list[Row], str]:
    """The rows to show, and a remark on the others.

    Of many cells, those of the operation that most cells have: each configuration at its least and
    at its most load.
    """
    if len(rows) <= MANY:
        return list(rows), ""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["operation"]] = counts.get(row["operation"], 0) + 1
    operation = max(counts, key=lambda name: counts[name])
    by_configuration: dict[str, list[Row]] = {}
    for row in rows:
        if row["operation"] == operation:
            by_configuration.setdefault(row["configuration"], []).append(row)
    shown = []
    for same in by_configuration.values():
        shown += [same[0], same[-1]] if len(same) > 1 else same
    bad = [row for row in rows if row["errors"] != "0"]
    errors, executions = (sum(int(row[name]) for row in rows) for name in ("errors", "executions"))
    return shown, (
        f"{len(shown)} of {len(rows)} cells, each configuration at its least and its most load; "
        f"summary.csv has all. Errors of all: {errors} of {executions} executions, in {len(bad)} "
        "cells."
    )


def _console() -> Console:
    """As wide as the terminal; elsewhere lines are not broken, and there are no colours."""
    from rich.console import Console  # not at the start of every command

    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, width=PLAIN_WIDTH, no_color=True, force_terminal=False)


def _table(rows: Sequence[Row]) -> Table:
    """A row per cell, numbers to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD if sys.stdout.isatty() else None, pad_edge=False)
    loads = any(row["load"] for row in rows)
    table.add_column(Text("operation"))
    table.add_column(Text("configuration"))
    if loads:
        table.add_column(Text("load"), justify="right")
    for name in ("p50 ms", "p95 ms", "correct/s", "errors"):
        table.add_column(Text(name), justify="right")
    previous = ""
    for row in rows:
        errors = (
            row["errors"] if row["errors"] == "0" else f"{row['errors']} of {row['executions']}"
        )
        values = [
            row["operation"] if row["operation"] != previous else "", row["configuration"],
            *([row["load"]] if loads else []), number(row["p50_ms"]), number(row["p95_ms"]),
            number(row["correct_per_s"]), errors,
        ]  # fmt: skip
        table.add_row(*(Text(CONTROL.sub(" ", value)) for value in values))
        previous = row["operation"]
    return table


def number(text: str) -> str:
    """A number of the summary with three digits that matter; `timeout` among timeouts.

    >>> [number(text) for text in ("1234.56", "12.345", "0.01234", "inf", "")]
    ['1235', '12.3', '0.0123', 'timeout', '–']
    """
    if not text:
        return "–"
    value = float(text)
    if math.isinf(value):
        return "timeout"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _sentences(file: Path) -> list[str]:
    """Title and sentences of ``front.md`` as plain text, without figure and lines in italics."""
    lines = [line for line in _text(file).splitlines() if line]
    wanted = [line for line in lines if not re.match(r"!\[|\*(?!\*)", line)]
    return [CONTROL.sub(" ", unescape(MARKUP.sub("", line))).removeprefix("# ") for line in wanted]


def _rows(file: Path) -> list[Row]:
    try:
        return list(csv.DictReader(io.StringIO(_text(file), newline="")))
    except csv.Error as error:
        raise ModelstressError(
            f"{file}: cannot be read: {error}; write the report again"
        ) from error


def _text(file: Path) -> str:
    if not file.is_file():
        return ""
    return read_plain(file).decode("utf-8", "replace")
