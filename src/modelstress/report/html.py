"""The report: one self-contained HTML page with tables, figures, flagged cells and provenance."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from modelstress.analysis import (
    Derived,
    anatomy,
    captured,
    disturbed,
    load,
    timelines,
)
from modelstress.config.claims import Claims
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.report import (
    against,
    cell_summary,
    claims_register,
    front,
    grouping,
    listings,
    render,
    summary_tables,
)
from modelstress.report.anatomy import anatomy_results
from modelstress.report.artifacts import Drawn, Results
from modelstress.report.figures import titles
from modelstress.report.files import Images, images, save
from modelstress.report.images import Image
from modelstress.report.render import Table
from modelstress.report.results import results
from modelstress.samples.files import write_once

REPORT = "report.html"
SCRIPT = "templates/listing.js"
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; "
    "base-uri 'none'; form-action 'none'"
)
"""What a browser may do with the page: run the one script that sorts and filters, ask nobody."""


@dataclass(frozen=True)
class Section:
    """One study on the page: a title for readers, its derived tables and its results.

    `anatomy` are the results of the profile captured beside it, `captured` that profile's name;
    `images` the figures that are drawn already, by number; `notebooks` those of the study.
    `opening` is the front page, `opening_image` its figure; `claims` are those that are written.
    """

    title: str
    derived: Derived
    results: Results
    anatomy: Results | None = None
    captured: str = ""
    images: Images = field(default_factory=dict)
    notebooks: tuple[str, ...] = ()
    opening: front.Front | None = None
    opening_image: Image | None = None
    claims: Claims | None = None


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
    claims = claims_register.register(derived, beside_papers)
    claims_register.save(claims, project.results)
    cell_summary.save(cell_summary.cell_summary(derived), study, project.results)
    opening = front.front(derived)
    opening_image = front.images(opening)
    front.save(opening, project.results, opening_image)
    described = _described(data, project)
    definition, beside = described.study(study), described.anatomy_of(profile, study)
    section = Section(
        definition.title, derived, made, images=drawn, notebooks=tuple(definition.notebooks),
        opening=opening, opening_image=opening_image, claims=claims,
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
    script = resources.files("modelstress.report").joinpath(SCRIPT).read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return template.render(
        reports=reports, version=metadata.version("modelstress"), base=base, others=others or {},
        policy=POLICY.format(digest), script=Markup(script),  # noqa: S704  # a file of this package
    )  # fmt: skip


def _context(section: Section) -> dict[str, Any]:
    """What the template shows of one study."""
    derived, made = section.derived, section.results
    cells = derived.cells
    wire = section.anatomy or Results(derived.study, (), ())
    shown = partial(_shown, section)
    return {
        "title": section.title,
        "study": derived.study,
        "profile": derived.profile,
        "tools": grouping.titles(cells),
        "settings": [str(setting) for setting, _ in grouping.settings(cells)],
        "fixed": grouping.settled(cells, derived.projection),
        "front": _front(section),
        "numbers": summary_tables.numbers(derived),
        "claims": [listings.claims(section.claims, of) for of in listings.CLAIMS]
        if section.claims
        else [],
        "kinds": [
            {
                "kind": kind,
                "title": title,
                "figures": [shown(figure) for figure in made.of(kind)],
                "not_drawn": [one.sentence for one in made.not_drawn if one.kind == kind],
            }
            for kind, title in titles(derived.projection).items()
            if made.shown(kind)
        ],
        "captured": section.captured,
        "captured_figures": [shown(drawn) for drawn in wire.figures],
        "tables": [shown(table) for table in made.tables],
        "captured_tables": [shown(table) for table in wire.tables],
        "summary": listings.cells(derived),
        "notebooks": (*section.notebooks, *(["protocol-anatomy"] if section.captured else [])),
        "care": listings.care(derived),
        "provenance": listings.provenance(derived.provenance),
    }


def _front(section: Section) -> str:
    """What answers first, as HTML; empty where a section has none."""
    if section.opening is None:
        return ""
    image = section.opening_image or front.images(section.opening)
    # Names are escaped in it.
    return Markup(section.opening.html(image))  # noqa: S704


def _shown(section: Section, item: Table | Drawn) -> dict[str, Any]:
    if isinstance(item, Drawn):
        html = item.html(section.images.get(item.number) or item.image, section.derived.study)
    else:
        html = render.html(item) if len(item.data) else render.none(item)
    # Both escape every text that they put into their HTML.
    shown = Markup(html)  # noqa: S704
    return {"number": item.number, "title": render.title(item.number), "html": shown}
