"""The report: one self-contained HTML page with tables, figures, flagged cells and provenance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from modelstress.analysis import (
    Derived,
    anatomy,
    captured,
    cell_record,
    disturbed,
    load,
    timelines,
)
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.report import (
    against,
    cell_summary,
    claims_register,
    front,
    grouping,
    render,
    summary_tables,
)
from modelstress.report.anatomy import anatomy_results
from modelstress.report.artifacts import Drawn, Results
from modelstress.report.figures import titles
from modelstress.report.files import Images, images, save
from modelstress.report.render import Table
from modelstress.report.results import results
from modelstress.samples.files import write_once

REPORT = "report.html"
MANY = 4
"""Distinct values of a provenance field from which on only their number is shown."""


@dataclass(frozen=True)
class Section:
    """One study on the page: a title for readers, its derived tables and its results.

    `anatomy` are the results of the profile captured beside it, `captured` that profile's name;
    `images` the figures that are drawn already, by number; `notebooks` those of the study.
    `opening` is the front page, `opening_images` are its figure as SVG and PNG.
    """

    title: str
    derived: Derived
    results: Results
    anatomy: Results | None = None
    captured: str = ""
    images: Images = field(default_factory=dict)
    notebooks: tuple[str, ...] = ()
    opening: front.Front | None = None
    opening_images: tuple[bytes, bytes] | None = None


def build(
    project: Project,
    studies: Sequence[str],
    profile: str,
    data_dir: Path | None = None,
    processes: int = 1,
) -> Path:
    """Write the tables and figures of some studies and `results/report.html`; returns its path.

    The page needs no other file and no network. It is that of the studies asked for last and links
    those of the others: every study has its own, `results/<study>/report.html`, besides. Figures
    are drawn once, by several processes if asked (see `images`). `data_dir` is the project's
    `data` unless another one is given.

    Raises:
        ConfigError: a study or the profile is unknown, or has no samples.
        MeasureError: the file cannot be written.
    """
    data = data_dir or project.root / "data"
    sections = [_section(project, study, profile, data, processes) for study in studies]
    for section in sections:
        study = section.derived.study
        _write(project.results / study / REPORT, page([section], base="../"))
    others = {
        file.parent.name: f"{file.parent.name}/{REPORT}"
        for file in sorted(project.results.glob(f"*/{REPORT}"))
        if file.parent.name not in studies
    }
    path = project.results / REPORT
    _write(path, page(sections, others=others))
    return path


def _write(path: Path, text: str) -> None:
    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8", newline="\n")

    write_once(path, fill)


def _described(data: Path, project: Project) -> Project:
    """The project or archive that the data belong to; `project`, where they lie alone."""
    try:
        return Project.find(data)
    except ConfigError:
        return project


def _section(project: Project, study: str, profile: str, data: Path, processes: int) -> Section:
    derived = load(data, study, profile)
    over_time = {
        cell_timeline.cell: cell_timeline
        for cell_timeline in (*timelines(data, derived), *disturbed(data, derived))
    }
    made = results(derived, list(over_time.values()))
    drawn = images(made.figures, processes)
    save(made, project.results, drawn)
    beside_papers = against.found_beside(derived, data)
    if beside_papers is not None:
        against.save(against.results(beside_papers), project.results)
    claims_register.save(claims_register.register(derived, beside_papers), project.results)
    cell_summary.save(cell_summary.cell_summary(derived), study, project.results)
    opening = front.front(derived)
    opening_images = front.images(opening)
    front.save(opening, project.results, opening_images)
    described = _described(data, project)
    definition, beside = described.study(study), described.anatomy_of(profile, study)
    section = Section(
        definition.title, derived, made, images=drawn, notebooks=tuple(definition.notebooks),
        opening=opening, opening_images=opening_images,
    )  # fmt: skip
    if beside is None or not captured(data, study, beside.profile):
        return section
    wire = anatomy(data, load(data, study, beside.profile))
    return replace(section, anatomy=anatomy_results(wire), captured=beside.profile)


def page(
    sections: Sequence[Section], base: str = "", others: Mapping[str, str] | None = None
) -> str:
    """The page as text; the same for the same sections.

    `base` leads from the page's folder to `results`; `others` are links to reports of other
    studies.
    """
    environment = Environment(
        loader=PackageLoader("modelstress.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    template = environment.get_template("report.html.j2")
    reports = [_context(section) for section in sections]
    return template.render(
        reports=reports, version=metadata.version("modelstress"), base=base, others=others or {}
    )


def _context(section: Section) -> dict[str, Any]:
    """What the template shows of one study."""
    derived, made = section.derived, section.results
    cells = derived.cells
    wire = section.anatomy or Results(derived.study, (), ())
    return {
        "title": section.title,
        "study": derived.study,
        "profile": derived.profile,
        "tools": grouping.titles(cells),
        "settings": [str(setting) for setting, _ in grouping.settings(cells)],
        "fixed": grouping.settled(cells, derived.projection),
        "front": _front(section),
        "numbers": summary_tables.numbers(derived),
        "tables": [_shown(table, {}) for table in made.tables],
        "kinds": [
            {
                "kind": kind,
                "title": title,
                "figures": [_shown(figure, section.images) for figure in made.of(kind)],
                "not_drawn": [one.sentence for one in made.not_drawn if one.kind == kind],
            }
            for kind, title in titles(derived.projection).items()
            if made.shown(kind)
        ],
        "captured": section.captured,
        "notebooks": (*section.notebooks, *(["protocol-anatomy"] if section.captured else [])),
        "anatomy": [
            *(_shown(table, {}) for table in wire.tables),
            *(_shown(drawn, {}) for drawn in wire.figures),
        ],
        "cells": len(cells),
        "flagged": summary_tables.flagged(derived).to_dict("records"),
        "invalid": summary_tables.invalid(derived).to_dict("records"),
        "starts": len(derived.invocations),
        "unfinished": summary_tables.unfinished(derived).to_dict("records"),
        "failures": summary_tables.failures(derived).to_dict("records"),
        "provenance": _provenance(derived.provenance),
    }


def _front(section: Section) -> str:
    """What answers first, as HTML; empty where a section has none."""
    if section.opening is None:
        return ""
    drawn = section.opening_images or front.images(section.opening)
    # Names are escaped in it.
    return Markup(section.opening.html(drawn[0] if drawn else b""))  # noqa: S704


def _shown(item: Table | Drawn, drawn: Images) -> dict[str, Any]:
    if isinstance(item, Drawn) and item.number in drawn:
        html = item.html(*drawn[item.number])
    else:
        html = item._repr_html_()
    # Both escape every text that they put into their HTML.
    shown = Markup(html)  # noqa: S704
    return {"number": item.number, "title": render.title(item.number), "html": shown}


def _provenance(facts: pd.DataFrame) -> list[dict[str, Any]]:
    """Recorded fields; those that differ nearly everywhere, such as seeds, as their number."""
    shown: list[dict[str, Any]] = []
    for key, rows in facts.groupby("key", sort=True):
        if len(rows) >= MANY:
            count = int(rows["invocations"].sum())
            shown.append({"key": key, "value": f"({len(rows)} values)", "invocations": count})
            continue
        for value, count in zip(rows["value"], rows["invocations"], strict=True):
            told = cell_record.told(str(key), str(value))
            shown.append({"key": key, "value": told, "invocations": count})
    return shown
