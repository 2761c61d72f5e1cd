"""Research object crates: ``ro-crate-metadata.json`` of an archive (Workflow Run RO-Crate 0.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modelstress.samples.data_package import media_type

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

METADATA = "ro-crate-metadata.json"
VERSION = "1.1"
"""Of RO-Crate: that which the profiles of runs extend."""
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
"""Address to name and version; of a crate without a workflow only the first."""
LANGUAGE = "snakemake"
WORKFLOW_TYPES = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"


@dataclass(frozen=True)
class Author:
    """A person, or an organization where there is only one name.

    Attributes:
        name: the whole one.
        given: first names; empty for an organization.
        family: last names; empty for an organization.
        address: URL that identifies them, such as an ORCID; empty where there is none.
    """

    name: str
    given: str = ""
    family: str = ""
    address: str = ""


@dataclass(frozen=True)
class Program:
    """What made the data: its name, version, licence, and addresses that identify it."""

    name: str
    version: str
    licence: str
    address: str
    identifiers: Sequence[str] = ()


@dataclass(frozen=True)
class Run:
    """One run of the workflow: what went in, what came out.

    Attributes:
        name: for people.
        description: what was measured.
        ended: when the last part of it ended, ISO 8601; empty where nobody knows.
        parameters: name to value.
        inputs: paths in the crate.
        results: paths in the crate.
    """

    name: str
    description: str
    ended: str
    parameters: Mapping[str, str]
    inputs: Sequence[str]
    results: Sequence[str]


@dataclass(frozen=True)
class Crate:
    """All that a crate says.

    Attributes:
        title: of the data.
        description: one sentence.
        licence: of the data, an SPDX identifier.
        published: day or time, ISO 8601.
        version: of the data.
        authors: one at least.
        keywords: any.
        cited: DOI address to title of what the data belong to.
        parts: path to its name and description; a folder ends with ``/``.
        workflow: path of the main workflow among the parts; empty where there is none.
        program: that measured.
        runs: of the workflow, or of the program where there is no workflow.
    """

    title: str
    description: str
    licence: str
    published: str
    version: str
    authors: Sequence[Author]
    keywords: Sequence[str]
    parts: Mapping[str, tuple[str, str]]
    workflow: str
    program: Program
    runs: Sequence[Run]
    cited: Mapping[str, str] = field(default_factory=dict)


def licence_address(licence: str) -> str:
    """The address of a licence's page by its SPDX identifier."""
    return f"https://spdx.org/licenses/{licence}"


def metadata(about: Crate) -> bytes:
    """The crate's ``ro-crate-metadata.json``: the same bytes for the same words.

    No time and no identifier is made up: everything in it is an argument.
    """
    from rocrate.rocrate import ROCrate  # late: only who writes an archive needs it

    crate = ROCrate(version=VERSION)
    _root(crate, about)
    _parts(crate, about)
    _program(crate, about.program)
    inputs = _workflow(crate, about) if about.workflow else {}
    actions = [_action(crate, about, run, n, inputs) for n, run in enumerate(about.runs, start=1)]
    crate.root_dataset["mentions"] = _one(actions)
    text = json.dumps(crate.metadata.generate(), indent=1, sort_keys=True, ensure_ascii=False)
    return f"{text}\n".encode()


def _add(crate: ROCrate, address: str, types: str, **properties: Any) -> Any:
    """An entity that is no file; keywords are properties as schema.org has them."""
    kept = {name: value for name, value in properties.items() if value not in ("", [], None)}
    return crate.add_jsonld({"@id": address, "@type": types, **kept})


def _one(values: Sequence[Any]) -> Any:
    """A single value alone, as RO-Crate recommends; several as a list."""
    return values[0] if len(values) == 1 else list(values)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _root(crate: ROCrate, about: Crate) -> None:
    """What is said of the whole: title, licence, authors, profiles."""
    root = crate.root_dataset
    root["name"], root["description"] = about.title, about.description
    root["datePublished"], root["version"] = about.published, about.version
    if about.keywords:
        root["keywords"] = list(about.keywords)
    root["license"] = _add(
        crate, licence_address(about.licence), "CreativeWork", name=about.licence,
        identifier=about.licence, description="Licence of the data",
    )  # fmt: skip
    authors = [_author(crate, a, n) for n, a in enumerate(about.authors, start=1)]
    root["author"] = _one(authors)
    if organizations := [author for author in authors if author.type == "Organization"]:
        root["publisher"] = organizations[0]
    if about.cited:
        root["citation"] = _one(
            [
                _add(crate, address, "ScholarlyArticle", name=title)
                for address, title in about.cited.items()
            ]
        )
    profiles = dict(list(PROFILES.items())[: None if about.workflow else 1])
    root["conformsTo"] = _one(
        [
            _add(crate, address, "CreativeWork", name=name, version=version)
            for address, (name, version) in profiles.items()
        ]
    )


def _author(crate: ROCrate, author: Author, number: int) -> Any:
    address = author.address or f"#author-{number}"
    person = bool(author.given or author.family)
    return _add(
        crate, address, "Person" if person else "Organization", name=author.name,
        givenName=author.given, familyName=author.family,
    )  # fmt: skip


def _parts(crate: ROCrate, about: Crate) -> None:
    """The files and folders of the archive."""
    for path, (name, description) in about.parts.items():
        properties = {"name": name, "description": description}
        if path.endswith("/"):
            crate.add_dataset(dest_path=path, properties=properties)
            continue
        properties["encodingFormat"] = media_type(path)
        if path == about.workflow:
            properties |= {"version": about.program.version}
            crate.add_workflow(
                dest_path=path, lang=LANGUAGE, main=True, properties=properties
            )  # fmt: skip
        else:
            crate.add_file(dest_path=path, properties=properties)
    readme = crate.dereference("README.md")
    if readme is not None:
        readme["about"] = crate.root_dataset


def _program(crate: ROCrate, program: Program) -> None:
    _add(
        crate, program.address, "SoftwareApplication", name=program.name, url=program.address,
        softwareVersion=program.version, identifier=_one(program.identifiers),
        license={"@id": licence_address(program.licence)},
    )  # fmt: skip
    _add(
        crate, licence_address(program.licence), "CreativeWork", name=program.licence,
        identifier=program.licence, description="Licence of the program",
    )  # fmt: skip


def _workflow(crate: ROCrate, about: Crate) -> dict[str, Any]:
    """Completes the main workflow; its formal parameters by name."""
    workflow = crate.dereference(about.workflow)
    workflow["license"] = {"@id": licence_address(about.program.licence)}
    workflow["conformsTo"] = {"@id": WORKFLOW_TYPES}
    workflow["url"] = {"@id": about.program.address}
    workflow["isPartOf"] = {"@id": about.program.address}
    names = dict.fromkeys(name for run in about.runs for name in run.parameters)
    inputs = {
        name: _add(
            crate, f"#input-{name}", "FormalParameter", name=name, additionalType="Text",
            conformsTo={"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"},
        )
        for name in names
    }  # fmt: skip
    if inputs:
        workflow["input"] = _one(list(inputs.values()))
    return inputs


def _action(crate: ROCrate, about: Crate, run: Run, number: int, inputs: Mapping[str, Any]) -> Any:
    """A run with its parameters, inputs and results."""
    values = []
    for name, value in run.parameters.items():
        made = _add(crate, f"#run-{number}-{name}", "PropertyValue", name=name, value=value)
        if name in inputs:
            made["exampleOfWork"] = inputs[name]
            examples = [*_listed(inputs[name].get("workExample")), made]
            inputs[name]["workExample"] = _one(examples)
        values.append(made)
    return _add(
        crate, f"#run-{number}", "CreateAction", name=run.name, description=run.description,
        endTime=run.ended, instrument={"@id": about.workflow or about.program.address},
        agent={"@id": about.authors[0].address or "#author-1"},
        object=[*({"@id": value.id} for value in values), *({"@id": i} for i in run.inputs)],
        result=_one([{"@id": result} for result in run.results]),
        actionStatus="http://schema.org/CompletedActionStatus",
    )  # fmt: skip
