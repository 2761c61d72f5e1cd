"""What an archive says of itself to catalogues: data package, crate and Zenodo's metadata."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from modelstress.analysis import cell_record
from modelstress.analysis.derived import Derived
from modelstress.analysis.planned import PLANNED, PlannedCell
from modelstress.config.papers import Paper
from modelstress.samples.archive import FORMAT, KEY, PACKAGE
from modelstress.samples.crate import Author, Crate, Program, Run, licence_address, metadata
from modelstress.samples.data_package import PACKAGE_SCHEMA
from modelstress.samples.provenance import swhid

DATA_LICENCE = "CC-BY-4.0"
WORKFLOW = "workflow/Snakefile"
SOFTWARE_HERITAGE = "https://archive.softwareheritage.org/"
WRITTEN = {
    "README.md": "What was measured on what, and what is missing",
    "CITATION.cff": "How to cite the data",
    "ARTIFACT.md": "Claims, and how to check each of them",
    "LICENSE": "Licence of the program, its configuration and queries",
    "zenodo.json": "Metadata for a deposit on Zenodo",
    PACKAGE: "Data package: every file with its size and SHA-256",
    f"data/{PLANNED}": "Every planned cell, with the contents it was to be measured with",
}
"""Files of every archive that are no data, and what they are."""


@dataclass(frozen=True)
class Part:
    """One profile of the archive, with what was measured of it.

    Attributes:
        profile: its name.
        planned: its cells.
        derived: its tables.
        replaced: how many invocations were measured again later.
        span: when the first and the last invocation ended, as recorded; None where unrecorded.
    """

    profile: str
    planned: list[PlannedCell]
    derived: Derived
    replaced: int
    span: tuple[str, str] | None


@dataclass(frozen=True)
class Deposit:
    """An archive as one thing to be cited.

    Attributes:
        citation: the project's CITATION.cff.
        study: name of the study.
        study_title: of the study.
        licence: of the data, an SPDX identifier.
        parts: the profile, and the one that was captured beside it.
        papers: that the study is held against.
    """

    citation: Mapping[str, Any]
    study: str
    study_title: str
    licence: str
    parts: Sequence[Part]
    papers: Sequence[Paper] = ()

    @property
    def span(self) -> tuple[str, str] | None:
        """When the first and the last invocation of all parts ended; None where unrecorded."""
        spans = [part.span for part in self.parts if part.span is not None]
        return (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else None

    @property
    def title(self) -> str:
        """The title of the data."""
        return f"{self.study_title}: measurements, profile {self.parts[0].profile}"

    @property
    def abstract(self) -> str:
        """One sentence: what they are, and when they were measured."""
        what = "Samples of stress tests, with everything that tables and figures are made of."
        if self.span is None:
            return what
        return f"{what} Measured from {self.span[0][:10]} to {self.span[1][:10]}."

    @property
    def published(self) -> str:
        """The day of the last measurement, else that of the program's release."""
        day = self.span[1] if self.span else self.citation.get("date-released", "")
        return str(day)[:10]

    @property
    def commits(self) -> list[str]:
        """Commits of the program that measured, without a mark of changes."""
        return values(self.parts[0].derived, "git.commit")

    @property
    def swhids(self) -> list[str]:
        """The same as persistent identifiers."""
        return [one for commit in self.commits if (one := swhid("rev", commit)) is not None]

    @property
    def program_licences(self) -> list[str]:
        """Licences of the program, any of which may be chosen."""
        licences = self.citation["license"]
        return [str(one) for one in (licences if isinstance(licences, list) else [licences])]

    @property
    def articles(self) -> dict[str, str]:
        """DOI to title: of the study's papers, and what the program itself refers to."""
        found = {paper.doi: paper.title for paper in self.papers if paper.doi}
        for reference in self.citation.get("references", ()):
            if "doi" in reference:
                found.setdefault(str(reference["doi"]), str(reference["title"]))
        return found


def values(derived: Derived, key: str) -> list[str]:
    """The distinct values of a field of the provenance, as people read them."""
    facts = derived.provenance
    return [cell_record.told(key, str(value)) for value in facts.loc[facts["key"] == key, "value"]]


def _authors(deposit: Deposit) -> list[Author]:
    authors = []
    for one in deposit.citation["authors"]:
        given, family = str(one.get("given-names", "")), str(one.get("family-names", ""))
        name = str(one.get("name") or " ".join(filter(None, (given, family))))
        address = str(one.get("orcid") or one.get("website") or "")
        authors.append(Author(name, given, family, address))
    return authors


def package(deposit: Deposit) -> dict[str, Any]:
    """The data package (Data Package v2) without its resources."""
    about, parts = deposit.citation, deposit.parts
    sources = [{"title": str(about["title"]), "version": str(about["version"])}]
    sources += [
        {"title": title, "path": f"https://doi.org/{doi}"}
        for doi, title in deposit.articles.items()
    ]
    contributors = [
        {
            "title": author.name, "roles": ["author"],
            **({"givenName": author.given} if author.given else {}),
            **({"familyName": author.family} if author.family else {}),
        }
        for author in _authors(deposit)
    ]  # fmt: skip
    keywords = list(map(str, about.get("keywords") or ()))
    return {
        "$schema": PACKAGE_SCHEMA,
        "name": f"{deposit.study}-{parts[0].profile}".lower(),
        "title": deposit.title,
        "description": deposit.abstract,
        "version": str(about["version"]),
        "licenses": [{"name": deposit.licence, "path": licence_address(deposit.licence)}],
        "contributors": contributors,
        "sources": sources,
        **({"keywords": keywords} if keywords else {}),
        KEY: {
            "format": FORMAT,
            "study": deposit.study,
            "profile": parts[0].profile,
            "captured": parts[1].profile if len(parts) > 1 else None,
        },
    }


def zenodo(deposit: Deposit) -> str:
    """The metadata of a deposit on Zenodo, as its interface takes them."""
    related = [
        {"identifier": doi, "relation": "references", "scheme": "doi"} for doi in deposit.articles
    ]
    related += [
        {"identifier": one, "relation": "isCompiledBy", "scheme": "swh"} for one in deposit.swhids
    ]
    creators = [
        {
            "name": f"{author.family}, {author.given}" if author.family else author.name,
            **({"orcid": author.address.rpartition("/")[2]} if "orcid" in author.address else {}),
        }
        for author in _authors(deposit)
    ]
    about = {
        "title": deposit.title,
        "upload_type": "dataset",
        "description": deposit.abstract,
        "creators": creators,
        "access_right": "open",
        "license": deposit.licence.lower(),
        "version": str(deposit.citation["version"]),
        "keywords": list(map(str, deposit.citation.get("keywords") or ())),
        "related_identifiers": related,
    }
    if deposit.published:
        about["publication_date"] = deposit.published
    return json.dumps({"metadata": about}, indent=1, ensure_ascii=False) + "\n"


def crate(deposit: Deposit, names: Collection[str]) -> bytes:
    """The archive's ``ro-crate-metadata.json``.

    Args:
        deposit: what it is.
        names: of the archive's files.
    """
    about = deposit.citation
    licence = deposit.program_licences[0]
    identifiers = deposit.swhids
    address = str(about.get("repository-code") or about.get("url") or "")
    if not address:  # a program without a page of its own is known by its commit
        address = f"{SOFTWARE_HERITAGE}{identifiers[0]}" if identifiers else "#program"
    parts = _crate_parts(deposit, names)
    workflow = WORKFLOW if WORKFLOW in names else ""
    return metadata(
        Crate(
            title=deposit.title, description=deposit.abstract, licence=deposit.licence,
            published=deposit.published, version=str(about["version"]),
            authors=_authors(deposit), keywords=list(map(str, about.get("keywords") or ())),
            cited={f"https://doi.org/{doi}": title for doi, title in deposit.articles.items()},
            parts=parts, workflow=workflow,
            program=Program(
                str(about["title"]), str(about["version"]), licence, address, identifiers
            ),
            runs=[_run(deposit, part, parts) for part in deposit.parts],
        )
    )  # fmt: skip


def _crate_parts(deposit: Deposit, names: Collection[str]) -> dict[str, tuple[str, str]]:
    """Files and folders that the crate names: texts, tables, configuration; samples by tool."""
    files = sorted({*names, PACKAGE})
    parts = {name: (name, WRITTEN[name]) for name in files if name in WRITTEN}
    for name in files:
        path = PurePosixPath(name)
        top = path.parts[0]
        if top == "workflow":
            parts[name] = (path.name, "Workflow that measured" if name == WORKFLOW else "Its rule")
        elif top == "LICENSES":
            parts[name] = (path.name, f"Text of the licence {path.stem}")
        elif top == "data" and path.parts[1] == "raw":
            tool = path.parts[4]
            parts["/".join(path.parts[:5]) + "/"] = (
                f"samples of {tool}, profile {path.parts[3]}",
                "An invocation per folder: samples.parquet, and cell.json with its provenance",
            )
        elif name.startswith("data/derived/") and path.suffix in (".csv", ".parquet"):
            parts[name] = (path.stem, f"Derived table of profile {path.parts[3]}")
        elif top not in WRITTEN and top != "data":
            parts[f"{top}/"] = (top, f"The study's {top}")
    return parts


def _run(deposit: Deposit, part: Part, parts: Mapping[str, Any]) -> Run:
    """The measuring of one profile."""
    cells = part.derived.cells
    below = (f"data/raw/{deposit.study}/{part.profile}/",
             f"data/derived/{deposit.study}/{part.profile}/")  # fmt: skip
    measured = int((cells["invocations"] > 0).sum())
    return Run(
        name=f"profile {part.profile}",
        description=f"{measured} of {len(part.planned)} planned cells measured, "
        f"{int(cells['invocations'].sum())} invocations",
        ended=part.span[1] if part.span else "",
        parameters={"studies": deposit.study, "profile": part.profile},
        inputs=[name for name in parts if name.endswith("/") and not name.startswith("data/")],
        results=[name for name in parts if name.startswith(below)],
    )
