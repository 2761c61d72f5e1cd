"""What goes into an archive of a dataset: everything that its tables and figures are made of."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from modelstress.analysis.anatomy import anatomy, captured
from modelstress.analysis.archive_text import Part, citation, readme
from modelstress.analysis.derive import derive
from modelstress.analysis.derived import damaged
from modelstress.analysis.planned import PLANNED, planned_beside, planned_text
from modelstress.analysis.raw import check_ended, profile_folder
from modelstress.analysis.write import derived_folder, write
from modelstress.config.base import read_yaml
from modelstress.config.errors import ConfigError
from modelstress.config.project import TOOLS, Project
from modelstress.design.kinds import kind_of
from modelstress.samples.archive import FORMAT, KEY, Sizes, pack

OF_UNFINISHED = re.compile(r"cell\.json|samples\.parquet|client-\d+\.mssf|threads-.*\.txt")
"""Of an invocation that did not end well, what is read of it; its logs stay where they are."""
FINISHED = re.compile(r"i\d+(\.invalid-\d+)?")


def archive_path(project: Project, study: str, profile: str) -> Path:
    """Where the archive of a study's profile is written unless told otherwise."""
    return project.root / "archives" / f"{study}-{profile}.zip"


def archive(
    project: Project,
    study: str,
    profile: str,
    path: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Sizes:
    """Write the archive of a study's profile, and of the one captured beside it if it was measured.

    Its derived tables are made anew first, so that they are those of the samples in it.

    Raises:
        ConfigError: nothing was measured, something is being measured, or the project lacks what
            makes data citable.
        MeasureError: a file cannot be read or written.
    """
    parts = [_part(project, study, profile)]
    beside = project.anatomy_of(profile, study)
    if beside and captured(project.root / "data", study, beside.profile):
        parts.append(_part(project, study, beside.profile))
    about, title = _citation_file(project), project.study(study).title
    files = dict(_files(project, study, [part.profile for part in parts]))
    described = project.study(study)
    for folder in kind_of(described).configuration(project, described):
        files = _tree(project, folder) | files  # a package has what the project has not
    span = _span(files)
    texts = {
        f"data/{PLANNED}": planned_text({(study, p.profile): p.planned for p in parts}),
        "CITATION.cff": citation(about, title, parts, span),
        "README.md": readme(about, title, parts, span, archive_path(project, study, profile).name),
    }
    files |= {name: text.encode() for name, text in texts.items()}
    return pack(path, files, _package(about, title, study, parts), _described(files), progress)


def _part(project: Project, study: str, profile: str) -> Part:
    """Derive a profile's tables anew.

    Raises:
        ConfigError: something is damaged, none of its invocations is complete, or one of them is
            not over.
    """
    data = project.root / "data"
    root = profile_folder(data, study, profile)
    check_ended(root, "archive")
    planned = planned_beside(data, study, profile) or []
    derived = derive(data, study, profile, planned, workers=len(os.sched_getaffinity(0)))
    if broken := damaged(derived):
        raise ConfigError(
            f"{root}: {broken[0]}; measure that cell again with 'modelstress run CELL --rerun "
            "all', or move the folder out of data/raw: what is archived must be what was measured"
        )
    if not derived.cells["invocations"].sum():
        invalid = int((derived.invocations["state"] == "invalid").sum())
        what, remedy = ("complete", "measure some cells first")
        if invalid:
            what = f"valid, {invalid} {'is' if invalid == 1 else 'are'} invalid"
            remedy = "the report says why; measure them again when the machine is quiet"
        raise ConfigError(
            f"{root}: no invocation of study {study!r}, profile {profile!r} is {what}; {remedy}"
        )
    write(derived, data, anatomy(data, derived) if captured(data, study, profile) else None)
    replaced = sum(1 for _ in root.glob("*/*/.i*.replaced-*"))
    return Part(profile, planned, derived, replaced)


def _files(project: Project, study: str, profiles: list[str]) -> Iterator[tuple[str, Path | bytes]]:
    """Name in the archive and file: samples, derived tables, configuration, licence."""
    root, data = project.root, project.root / "data"
    for profile in profiles:
        for folder in sorted(profile_folder(data, study, profile).glob("*/*/i*/")):
            finished = FINISHED.fullmatch(folder.name) is not None
            for file in sorted(folder.iterdir()):
                wanted = finished or OF_UNFINISHED.fullmatch(file.name)
                if file.is_file() and wanted and not file.name.startswith("."):
                    yield file.relative_to(root).as_posix(), file
        yield from _tree(project, derived_folder(data, study, profile)).items()
    for name in project.tool_names:
        yield f"{TOOLS}/{name}.yaml", project.descriptor(name)
    yield from _tree(project, root / "config").items()
    licence = root / "LICENSE"
    if not licence.is_file():
        raise ConfigError(
            f"{licence}: is not there; data without a licence cannot be used, add one"
        )
    yield "LICENSE", licence


def _tree(project: Project, folder: Path) -> dict[str, Path | bytes]:
    """All files below a folder, or the file itself, but hidden ones, by their places."""
    files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    paths = {project.place(path): path for path in files if path.is_file()}
    return {
        name: path
        for name, path in paths.items()
        if not any(part.startswith(".") for part in name.split("/"))
    }


def _citation_file(project: Project) -> dict[str, Any]:
    path = project.root / "CITATION.cff"
    about = read_yaml(path)
    needed = ("authors", "license", "title", "version")
    lacking = [name for name in needed if not isinstance(about, dict) or not about.get(name)]
    if lacking:
        raise ConfigError(f"{path}: field '{lacking[0]}' is missing; data are cited by it, add it")
    return dict(about)


def _span(files: Mapping[str, Path | bytes]) -> tuple[str, str] | None:
    """When the first and the last invocation ended, as they recorded it."""
    ended = []
    for name, file in files.items():
        if name.endswith("/cell.json") and isinstance(file, Path):
            try:
                record = json.loads(file.read_text(encoding="utf-8"))
                ended.append(str(record["ended"]))
            except (OSError, ValueError, LookupError, TypeError):
                continue  # a damaged record says nothing of when
    return (min(ended), max(ended)) if ended else None


def _package(about: Mapping[str, Any], title: str, study: str, parts: list[Part]) -> dict[str, Any]:
    """The data package (Frictionless, version 1) without its resources."""
    licences = about["license"] if isinstance(about["license"], list) else [about["license"]]
    sources = [{"title": f"{about['title']} {about['version']}"}]
    for reference in about.get("references", ()):
        doi = {"path": f"https://doi.org/{reference['doi']}"} if "doi" in reference else {}
        sources.append({"title": str(reference["title"]), **doi})
    captured_beside = parts[1].profile if len(parts) > 1 else None
    return {
        "profile": "data-package",
        "name": f"{study}-{parts[0].profile}".lower(),
        "title": f"{title}: measurements, profile {parts[0].profile}",
        "version": str(about["version"]),
        "licenses": [{"name": str(licence)} for licence in licences],
        "contributors": [
            {"title": _name(author), "role": "author"} for author in about["authors"]
        ],
        "sources": sources,
        "keywords": list(about.get("keywords", ())),
        KEY: {
            "format": FORMAT,
            "study": study,
            "profile": parts[0].profile,
            "captured": captured_beside,
        },
    }  # fmt: skip


def _name(author: Mapping[str, Any]) -> str:
    names = (author.get("given-names"), author.get("family-names"))
    return str(author.get("name") or " ".join(filter(None, names)))


def _described(files: Mapping[str, Path | bytes]) -> dict[str, dict[str, Any]]:
    """What the packages of the derived tables say of their columns, by name in the archive."""
    resources = {}
    for name, file in files.items():
        if name.startswith("data/derived/") and name.endswith("/datapackage.json"):
            assert isinstance(file, Path)  # noqa: S101 - all files of that folder are
            package = json.loads(file.read_text(encoding="utf-8"))
            for resource in package["resources"]:
                fields = ("profile", "title", "encoding", "schema")
                where = f"{name.rpartition('/')[0]}/{resource['path']}"
                resources[where] = {field: resource[field] for field in fields if field in resource}
    return resources
