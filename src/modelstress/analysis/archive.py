"""What goes into an archive of a dataset: everything that its tables and figures are made of."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from modelstress.analysis.anatomy import anatomy, captured
from modelstress.analysis.archive_deposit import (
    DATA_LICENCE,
    Deposit,
    Part,
    crate,
    package,
    zenodo,
)
from modelstress.analysis.archive_text import citation, readme
from modelstress.analysis.derive import derive
from modelstress.analysis.derived import Derived, damaged
from modelstress.analysis.planned import PLANNED, planned_beside, planned_text
from modelstress.analysis.raw import check_ended, profile_folder
from modelstress.analysis.write import LATENCIES, derived_folder, write
from modelstress.config.base import read_yaml
from modelstress.config.errors import ConfigError
from modelstress.config.papers import read_papers
from modelstress.config.project import TOOLS, Project
from modelstress.design.kinds import kind_of
from modelstress.samples.archive import Sizes, pack
from modelstress.samples.crate import METADATA

Texts = Callable[[Derived, str], Mapping[str, str]]
"""From the tables and the name of the archive, more files of it."""
SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}")
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
    *,
    licence: str = DATA_LICENCE,
    texts: Texts = lambda derived, name: {},
) -> Sizes:
    """Write the archive of a study's profile, and of the one captured beside it if it was measured.

    Its derived tables are made anew first, so that they are those of the samples in it.

    Args:
        project: that measured.
        study: name of the study.
        profile: name of the profile.
        path: of the archive.
        progress: told about every file.
        licence: of the data, an SPDX identifier.
        texts: from the tables and the archive's name, more files: name to text.

    Raises:
        ConfigError: nothing was measured, something is being measured, or the project lacks what
            makes data citable.
        MeasureError: a file cannot be read or written.
    """
    if not SPDX.fullmatch(licence):
        raise ConfigError(f"licence {licence!r:.80} is no SPDX identifier; give one as CC-BY-4.0")
    parts = [_part(project, study, profile)]
    beside = project.anatomy_of(profile, study)
    if beside and captured(project.root / "data", study, beside.profile):
        parts.append(_part(project, study, beside.profile))
    deposit = _deposit(project, study, licence, parts)
    files = dict(_files(project, study, [part.profile for part in parts]))
    described = project.study(study)
    for folder in kind_of(described).configuration(project, described):
        files = _tree(project, folder) | files  # a package has what the project has not
    files |= _tree(project, project.root / "workflow")
    own_text = project.root / "LICENSES" / f"{licence}.txt"
    if own_text.is_file():
        files[f"LICENSES/{own_text.name}"] = own_text
    name = archive_path(project, study, profile).name
    written = {
        f"data/{PLANNED}": planned_text({(study, p.profile): p.planned for p in parts}),
        "CITATION.cff": citation(deposit),
        "README.md": readme(deposit, name),
        "zenodo.json": zenodo(deposit),
        **texts(parts[0].derived, name),
    }
    files |= {name: text.encode() for name, text in written.items()}
    files[METADATA] = crate(deposit, files)
    return pack(path, files, package(deposit), _described(files), progress)


def _deposit(project: Project, study: str, licence: str, parts: list[Part]) -> Deposit:
    papers = project.root / "config" / "papers"
    read = read_papers(papers, study).papers if papers.is_dir() else ()
    about = _citation_file(project)
    deposit = Deposit(about, study, project.study(study).title, licence, parts, read)
    if not deposit.published:
        raise ConfigError(
            f"{project.root / 'CITATION.cff'}: field 'date-released' is missing, and no invocation "
            "says when it ended; add it: a dataset has a date"
        )
    return deposit


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
    return Part(profile, planned, derived, replaced, _span(root))


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
        tables = derived_folder(data, study, profile)
        made = _tree(project, tables)
        del made[project.place(tables / LATENCIES)]  # they are in the samples
        yield from made.items()
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
        if not any(part.startswith(".") or part == "__pycache__" for part in name.split("/"))
    }


def _citation_file(project: Project) -> dict[str, Any]:
    path = project.root / "CITATION.cff"
    about = read_yaml(path)
    needed = ("authors", "license", "title", "version")
    lacking = [name for name in needed if not isinstance(about, dict) or not about.get(name)]
    if lacking:
        raise ConfigError(f"{path}: field '{lacking[0]}' is missing; data are cited by it, add it")
    return dict(about)


def _span(root: Path) -> tuple[str, str] | None:
    """When the first and the last invocation of a profile ended, as they recorded it."""
    ended = []
    for file in root.glob("*/*/i*/cell.json"):
        try:
            ended.append(str(json.loads(file.read_text(encoding="utf-8"))["ended"]))
        except (OSError, ValueError, LookupError, TypeError):
            continue  # a damaged record says nothing of when
    return (min(ended), max(ended)) if ended else None


def _described(files: Mapping[str, Path | bytes]) -> dict[str, dict[str, Any]]:
    """What the packages of the derived tables say of their columns, by name in the archive."""
    resources = {}
    for name, file in files.items():
        if name.startswith("data/derived/") and name.endswith("/datapackage.json"):
            assert isinstance(file, Path)  # noqa: S101 - all files of that folder are
            package = json.loads(file.read_text(encoding="utf-8"))
            for resource in package["resources"]:
                fields = ("type", "title", "encoding", "schema")
                where = f"{name.rpartition('/')[0]}/{resource['path']}"
                resources[where] = {field: resource[field] for field in fields if field in resource}
    return resources
