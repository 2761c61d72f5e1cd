"""Printed tables as CSV, LaTeX (booktabs) and HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Any

import pandas as pd

from modelstress.analysis import sheets
from modelstress.stats.censoring import BLANK_FROM


@dataclass(frozen=True)
class Entry:
    """What stands in one place of a table: text and the letters of its marks."""

    text: str
    marks: str = ""


@dataclass(frozen=True)
class Table:
    """A table as it is printed, and the numbers behind it.

    `labels` head the label columns, `groups` the numeric ones: a group title over its columns.
    Each row of `rows` has one string per label and one Entry per numeric column. `data` is the
    tidy table for programs, which becomes the CSV. `kind` is failures, incorrect, or one of
    `config.figures.TableKind`; `about` names the comparison that a table is of, if any.
    """

    number: str
    caption: str
    labels: tuple[str, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Entry, ...]], ...]
    notes: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    data: pd.DataFrame
    kind: str = ""
    about: str = ""

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return html(self)


LEFT = "text-align: left"
"""Said in the elements themselves: notebooks align all cells to the right."""
READABLE = f"{LEFT}; max-width: min(60rem, 92vw)"
"""Sentences over and below a table: a wide one is scrolled, they are not."""
TEXT_WIDTH, TEXT_HEIGHT = 345, 550
r"""Of LaTeX's class `article`, points."""
CHARACTER, APART, LINE = 4.6, 12, 11
r"""Width of a character, room between columns and height of a line in `\small`, points."""
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
AROUND, FEWEST_ROWS = 150, 12
"""Points for caption and notes; rows of a part of a long table at least."""
WIDEST = 28
"""Characters of a label column at most; longer labels are broken."""


def milliseconds(value: float) -> str:
    """A latency with three to four digits that matter."""
    if pd.isna(value):
        return "–"
    if value == 0:
        return "0"
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4
    return f"{value:,.{decimals}f}".replace(",", "\u202f")


def median(cell: "pd.Series[Any]") -> str:
    """A cell's median latency; `> 60 000` where it lies among timeouts, which lasted so long."""
    if pd.isna(cell["median_ms"]) and cell["timeout_share"] >= BLANK_FROM:
        return f">\u00a0{milliseconds(cell['timeout_ms'])}"
    return milliseconds(cell["median_ms"])


def csv(table: Table) -> str:
    """The tidy numbers, six significant digits, blanks where nothing can be stated."""
    return sheets.csv(table.data, float_format="%.6g")


def html(table: Table) -> str:
    """A `<table>` with caption, header groups, marks as superscripts and notes in the footer."""
    width = len(table.labels) + sum(len(columns) for _, columns in table.groups)
    top = "".join(f'<th rowspan="2" style="{LEFT}">{escape(label)}</th>' for label in table.labels)
    top += "".join(
        f'<th class="group" colspan="{len(columns)}">{escape(title)}</th>'
        for title, columns in table.groups
    )
    under = "".join(
        f'<th class="number">{escape(column)}</th>'
        for _, columns in table.groups
        for column in columns
    )
    lines = [
        f'<table class="printed" style="{_places(table)}">',
        f'<caption style="{LEFT}"><div style="{READABLE}">',
        f"<b>{title(table.number)}.</b> {escape(table.caption)}</div></caption>",
        f"<thead><tr>{top}</tr>",
        f"<tr>{under}</tr></thead>",
        "<tbody>",
    ]
    previous: tuple[str, ...] = ()
    for labels, entries in table.rows:
        first = ' class="first"' if labels[:1] != previous[:1] else ""
        heads = "".join(
            f'<th style="{LEFT}">{escape(text)}</th>' for text in _sparse(labels, previous)
        )
        cells = "".join(f"<td>{escape(e.text)}{_sup(e.marks)}</td>" for e in entries)
        lines.append(f"<tr{first}>{heads}{cells}</tr>")
        previous = labels
    lines.append("</tbody>")
    if table.notes or table.remarks:
        explained = [f"<sup>{letter}</sup> {escape(text)}" for letter, text in table.notes]
        remarks = [escape(remark) for remark in table.remarks]
        text = "; ".join(explained) + (". " if explained else "") + " ".join(remarks)
        note = f'<div style="{READABLE}">{text}</div>'
        lines.append(f'<tfoot><tr><td colspan="{width}">{note}</td></tr></tfoot>')
    return "\n".join([*lines, "</table>"]) + "\n"


def none(table: Table) -> str:
    """A sentence instead of a table that has nothing to show, such as that of failures."""
    subject = table.caption.split(";")[0]
    return f"<p><b>{title(table.number)}.</b> {escape(subject)}: none.</p>\n"


def _places(table: Table) -> str:
    """Widths of the label columns and where each begins, for ``table.css``: they stay in sight."""
    columns = zip(table.labels, *(labels for labels, _ in table.rows), strict=True)
    widths = [min(WIDEST, max(map(len, column))) for column in columns]
    return "; ".join(
        f"--w{n}: {width}ch; --l{n}: calc({sum(widths[: n - 1])}ch + {1.2 * (n - 1):.1f}rem)"
        for n, width in enumerate(widths, start=1)
    )


def document(table: Table) -> str:
    """A page with nothing but the table, for a browser."""
    css = resources.files("modelstress.report").joinpath("templates/table.css").read_text("utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{title(table.number)}</title>\n<style>\nbody {{ font-family: sans-serif; }}\n"
        f"{css}</style></head>\n<body>\n{html(table)}</body>\n</html>\n"
    )


def tex(table: Table) -> str:
    r"""A `table` environment for `\usepackage{booktabs,graphicx,rotating}`, in UTF-8.

    A wide table is turned (`sidewaystable`) and shrunk as far as it has to be; a long one has
    several floats under one number.
    """
    wide = _points(table)
    turned = wide > TEXT_WIDTH
    shrunk = min(1.0, (TEXT_HEIGHT if turned else TEXT_WIDTH) / wide)
    room = (TEXT_WIDTH if turned else TEXT_HEIGHT) - AROUND
    most = max(FEWEST_ROWS, int(room / (LINE * shrunk)))
    parts = [table.rows[at : at + most] for at in range(0, len(table.rows), most)] or [()]
    texts = [
        _float(table, rows, turned, part, last=part == len(parts) - 1)
        for part, rows in enumerate(parts)
    ]
    return "".join(texts)


def _points(table: Table) -> float:
    r"""About how wide the table is in `\small`."""
    heads = [*table.labels, *(column for _, columns in table.groups for column in columns)]
    rows = [[*labels, *(e.text + e.marks for e in entries)] for labels, entries in table.rows]
    widest = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return sum(widest) * CHARACTER + len(widest) * APART


def _float(
    table: Table,
    rows: Sequence[tuple[tuple[str, ...], tuple[Entry, ...]]],
    turned: bool,
    part: int,
    last: bool,
) -> str:
    environment = "sidewaystable" if turned else "table"
    columns = [column for _, columns in table.groups for column in columns]
    spec = "l" * len(table.labels) + "r" * len(columns)
    top = [""] * len(table.labels)
    top += [rf"\multicolumn{{{len(names)}}}{{c}}{{{_tex(title)}}}" for title, names in table.groups]
    short = _tex(table.caption.split(";")[0])
    first = (
        rf"\caption[{short}]{{{_tex(table.caption)}}}",
        rf"\label{{tab:{table.number}}}",
    )
    again = (r"\addtocounter{table}{-1}", rf"\caption[]{{{short} (continued)}}")
    lines = [
        rf"\begin{{{environment}}}",
        *(again if part else first),
        r"\centering\small",
        rf"{FITTED}{{\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        " & ".join(top) + r" \\",
        _rules(table),
        " & ".join(_tex(text) for text in (*table.labels, *columns)) + r" \\",
        r"\midrule",
    ]
    previous: tuple[str, ...] = ()
    for labels, entries in rows:
        if previous and labels[:1] != previous[:1]:
            lines.append(r"\addlinespace")
        heads = [_tex(text) for text in _sparse(labels, previous)]
        cells = [_tex(e.text) + _textsup(e.marks) for e in entries]
        lines.append(" & ".join([*heads, *cells]) + r" \\")
        previous = labels
    lines += [r"\bottomrule", r"\end{tabular}}"]
    explained = [rf"{_textsup(letter)}\,{_tex(text)}" for letter, text in table.notes]
    footer = "; ".join(explained) + (". " if explained else "")
    footer += " ".join(_tex(remark) for remark in table.remarks)
    if footer and last:
        lines.append(rf"\par\smallskip\footnotesize {footer}")
    return "\n".join([*lines, rf"\end{{{environment}}}"]) + "\n"


def title(number: str) -> str:
    """`table-02-b` as a reader reads it: `Table 2 (b)`; `table-A1` is `Table A1`."""
    kind, _, rest = number.partition("-")
    digits, _, setting = rest.partition("-")
    return f"{kind.capitalize()} {digits.lstrip('0')}{f' ({setting})' if setting else ''}"


def _sparse(labels: tuple[str, ...], previous: tuple[str, ...]) -> list[str]:
    """Labels without those repeated from the row above, up to the first that differs."""
    shown, same = [], bool(previous)
    for i, text in enumerate(labels):
        same = same and i < len(labels) - 1 and previous[i] == text
        shown.append("" if same else text)
    return shown


def _rules(table: Table) -> str:
    at, rules = len(table.labels) + 1, []
    for _, columns in table.groups:
        rules.append(rf"\cmidrule(lr){{{at}-{at + len(columns) - 1}}}")
        at += len(columns)
    return "".join(rules)


def _sup(marks: str) -> str:
    return f"<sup>{escape(marks)}</sup>" if marks else ""


def _textsup(marks: str) -> str:
    return rf"\textsuperscript{{{marks}}}" if marks else ""


_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "–": "--", "\u202f": r"\,", "\u00a0": "~", "\u2009": r"\,", "\u2060": "",
    "[": "{[}", "]": "{]}", "*": "{*}",  # after the end of a row, they would be its arguments
    "±": r"$\pm$", "√": r"$\surd$", "≥": r"$\geq$", "≤": r"$\leq$", "−": r"\textminus{}",
    "δ": r"$\delta$", "Δ": r"$\Delta$", "×": r"\texttimes{}", "→": r"\textrightarrow{}",
    "†": r"\dag{}", "·": r"\textperiodcentered{}",
}  # fmt: skip


def _tex(text: str) -> str:
    text = " ".join(text.splitlines())  # an empty line would end a caption
    return "".join(_TEX.get(character, character) for character in text)
