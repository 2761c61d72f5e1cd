"""The report: one self-contained HTML page with tables, figures, flagged cells and provenance."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from modelstress.analysis import Derived
from modelstress.report import frames, marks, render
from modelstress.report.render import Table
from modelstress.report.results import Drawn, Results
from modelstress.samples.files import write_once

MANY = 4
"""Distinct values of a provenance field from which on only their number is shown."""


@dataclass(frozen=True)
class Section:
    """One study on the page: a title for readers, its derived tables and its results."""

    title: str
    derived: Derived
    results: Results


def build(path: Path, sections: Sequence[Section]) -> Path:
    """Write the page; returns its path. It needs no other file and no network.

    Raises:
        MeasureError: the file cannot be written.
    """
    text = page(sections)

    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8", newline="\n")

    write_once(path, fill)
    return path


def page(sections: Sequence[Section]) -> str:
    """The page as text; the same for the same sections."""
    environment = Environment(
        loader=PackageLoader("modelstress.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    template = environment.get_template("report.html.j2")
    reports = [_context(section) for section in sections]
    return template.render(reports=reports, version=metadata.version("modelstress"))


def _context(section: Section) -> dict[str, Any]:
    """What the template shows of one study."""
    derived, made = section.derived, section.results
    cells, starts = derived.cells, derived.invocations
    flagged = cells[cells["flags"].map(marks.letters) != ""]
    unfinished = starts[starts["state"] != "complete"]
    return {
        "title": section.title,
        "study": derived.study,
        "profile": derived.profile,
        "settings": [str(setting) for setting, _ in frames.settings(cells)],
        "numbers": _numbers(cells, flagged),
        "contents": [
            {"number": item.number, "title": render.title(item.number)}
            for item in (*made.tables, *made.figures)
        ],
        "tables": [_shown(table) for table in made.tables],
        "figures": [_shown(drawn) for drawn in made.figures],
        "cells": len(cells),
        "flagged": _rows(flagged, ("cell", "state", "flags", "remarks")),
        "unfinished": _rows(
            unfinished, ("cell", "invocation", "state", "executions", "remarks")
        ),
        "provenance": _provenance(derived.provenance),
    }


def _shown(item: Table | Drawn) -> dict[str, Any]:
    # Both escape every text that they put into their HTML.
    return {"number": item.number, "html": Markup(item._repr_html_())}  # noqa: S704


def _rows(frame: pd.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            name: str(value).replace(";", ", ").replace(" | ", "; ") if name != "cell" else value
            for name, value in row.items()
        }
        for row in frame[list(names)].to_dict("records")
    ]


def _numbers(cells: pd.DataFrame, flagged: pd.DataFrame) -> list[tuple[str, str]]:
    executions, ok = int(cells["executions"].sum()), int(cells["ok"].sum())
    measured = int((cells["invocations"] > 0).sum())
    return [
        (f"{measured} / {len(cells)}", "cells measured"),
        (f"{int(cells['invocations'].sum())}", "complete invocations"),
        (f"{executions:,}".replace(",", "\u202f"), "measured executions"),
        (f"{ok / executions:.2%}" if executions else "–", "answered correctly in time"),
        (f"{len(flagged)}", "flagged cells"),
    ]


def _provenance(facts: pd.DataFrame) -> list[dict[str, Any]]:
    """Recorded fields; those that differ nearly everywhere, such as seeds, as their number."""
    shown = []
    for key, rows in facts.groupby("key", sort=True):
        if len(rows) >= MANY:
            count = int(rows["invocations"].sum())
            shown.append({"key": key, "value": f"({len(rows)} values)", "invocations": count})
            continue
        shown += rows[["key", "value", "invocations"]].to_dict("records")
    return shown
