"""Programs of tools by content: agreed on, shipped to workers that may use them, or refused."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.contents import hash_json
from modelstress.samples.archive import DAMAGED
from modelstress.samples.provenance import sha256_jar

MOST_SHIPPED = 64 << 20
"""Bytes of the programs of one build; larger ones are not shipped."""
MOST_FILES = 2000


def build_of(cell: Cell) -> str:
    """Which programs a cell is measured with: its tool, and where there are several, which."""
    nodes = [f"{name}={node.program}" for name, node in cell.tool.nodes.items() if node.program]
    return " ".join([cell.tool.tool, cell.tool.jar, cell.tool.client or "", *sorted(nodes)]).strip()


def files_of(project: Project, cell: Cell) -> list[Path]:
    """The files of a cell's programs: jars with the libraries beside them, or programs."""
    programs = [project.jar(cell.tool), project.client(cell.tool)]
    programs += project.node_programs(cell.tool).values()
    files: dict[Path, None] = {}
    for program in programs:
        libraries = sorted((program.parent / "lib").glob("*.jar")) if _is_jar(program) else []
        files |= dict.fromkeys(file for file in (program, *libraries) if file.is_file())
    return [*files]


def digests_of(project: Project, cell: Cell) -> dict[str, str]:
    """Program by its place in the project to its digest, libraries included; none if missing."""
    sha256_jar.cache_clear()  # they may have been built again
    programs = {project.jar(cell.tool), project.client(cell.tool)}
    programs |= {*project.node_programs(cell.tool).values()}
    return {
        project.place(program): sha256_jar(program)
        for program in sorted(programs)
        if program.is_file()
    }


def builds(project: Project, cells: Iterable[Cell]) -> dict[str, Cell]:
    """Every build that cells are measured with, with one of its cells."""
    found: dict[str, Cell] = {}
    for cell in cells:
        found.setdefault(build_of(cell), cell)
    return found


def described(project: Project, cells: Iterable[Cell]) -> dict[str, dict[str, str]]:
    """Build to the digests of its programs."""
    return {build: digests_of(project, cell) for build, cell in builds(project, cells).items()}


def shipped(project: Project, cells: Iterable[Cell]) -> dict[str, bytes]:
    """Archives of the programs of all builds that are not too large, by ``shipping_key``."""
    archives = {}
    for cell in builds(project, cells).values():
        files = files_of(project, cell)
        if not files or sum(file.stat().st_size for file in files) > MOST_SHIPPED:
            continue
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, project.place(file))
        archives[shipping_key(digests_of(project, cell))] = packed.getvalue()
    return archives


def shipping_key(digests: Mapping[str, str]) -> str:
    """Digest of all programs of a build."""
    return hash_json(dict(digests))


def differing(project: Project, cell: Cell, wanted: Mapping[str, str]) -> str:
    """What of a build's programs is not as the coordinator's; empty where all is."""
    own = digests_of(project, cell)
    for program, digest in wanted.items():
        if program not in own:
            return f"{program} is not there"
        if own[program] != digest:
            return f"{program} is another one"
    return "" if own.keys() == {*wanted} else "the coordinator's are not built"


def overlay(root: Path, into: Path, real: Iterable[str] = ()) -> Project:
    """A project's folder with data of its own and everything else linked.

    Workers measure there: what they measure is not in the project's ``data/raw`` before the
    coordinator has accepted it. ``data/stores`` is shared.

    Args:
        root: of the project.
        into: the folder to make, or of an earlier run.
        real: places of files, relative to the root, for which there are real folders instead of
            links, so that other programs can be put there.
    """
    paths = [PurePosixPath(name) for name in real]
    into.mkdir(parents=True, exist_ok=True)
    _link(root, into, {parent for path in paths for parent in path.parents}, {*paths})
    stores = root / "data" / "stores"
    stores.mkdir(parents=True, exist_ok=True)
    (into / "data" / "raw").mkdir(parents=True, exist_ok=True)
    _point(into / "data" / "stores", stores)
    return Project(into)


def _link(
    source: Path,
    target: Path,
    folders: set[PurePosixPath],
    files: set[PurePosixPath],
    inside: PurePosixPath = PurePosixPath("."),  # noqa: B008 - immutable
) -> None:
    for entry in source.iterdir():
        place = inside / entry.name
        if place in files or (inside == PurePosixPath(".") and entry.name == "data"):
            continue
        if place in folders and entry.is_dir():
            if (target / entry.name).is_symlink():
                (target / entry.name).unlink()
            (target / entry.name).mkdir(exist_ok=True)
            _link(entry, target / entry.name, folders, files, place)
        elif not (target / entry.name).exists():
            _point(target / entry.name, entry)


def _point(link: Path, to: Path) -> None:
    """Make a link, or mend it."""
    if link.is_symlink():
        if link.readlink() == to:
            return
        link.unlink()
    if not link.exists():
        link.symlink_to(to)


def install(archive: bytes, project: Project, wanted: Mapping[str, str]) -> None:
    """Put shipped programs into an overlay; they must be what the coordinator announced.

    Args:
        archive: of ``shipped``.
        project: an overlay with real folders for the programs.
        wanted: digest of each program.

    Raises:
        ConfigError: it is damaged, too large, or has other files.
    """
    folders = {PurePosixPath(name).parent for name in wanted}
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            members = packed.infolist()
            if (
                len(members) > MOST_FILES
                or sum(member.file_size for member in members) > MOST_SHIPPED
            ):
                raise ValueError("too large")
            for member in members:
                path = PurePosixPath(member.filename)
                known = member.filename in wanted or (
                    path.suffix == ".jar" and path.parent.name == "lib"
                    and path.parent.parent in folders
                )  # fmt: skip
                if not known or path.is_absolute() or ".." in path.parts:
                    raise ValueError(f"a file is called {member.filename[:80]!r}")
                target = project.root / path
                _make_real(project.root, path.parent)
                target.unlink(missing_ok=True)
                target.write_bytes(packed.read(member))
                target.chmod(0o755)
    except (*DAMAGED, OSError) as error:
        raise ConfigError(
            f"the programs that the coordinator ships are damaged: {error}"
        ) from error


def _make_real(root: Path, folder: PurePosixPath) -> None:
    """Make a folder and refuse to write through a link that leads out of the overlay."""
    here = root
    for part in folder.parts:
        here = here / part
        if here.is_symlink():
            here.unlink()
        here.mkdir(exist_ok=True)


def _is_jar(program: Path) -> bool:
    return program.suffix == ".jar"


def forget(folder: Path) -> None:
    """Delete an overlay with what was measured in it; links are not followed."""
    shutil.rmtree(folder, ignore_errors=True)
