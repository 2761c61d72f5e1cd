"""Archives: one zip with a data package, the same bytes for the same contents.

``pack`` writes one, ``unpack`` gets its files back and checks each against the package's hashes.
What belongs into an archive is decided in ``analysis/archive``.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from modelstress.config.base import NAME
from modelstress.config.errors import ConfigError, MeasureError
from modelstress.samples.data_package import distinct, hashed, resource
from modelstress.samples.files import TEMPORARY, write_once
from modelstress.samples.provenance import sha256_file

PACKAGE = "datapackage.json"
KEY = "modelstress"
"""Field of the package with what only this program needs: format, study and profiles."""
FORMAT = 1
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every member: when a file was copied says nothing about its content."""
MOST_BYTES = 4 * 1024**3
MOST_PACKAGE = 128 * 1024**2
CHUNK = 1 << 20
DAMAGED = (
    ValueError, EOFError, NotImplementedError, RuntimeError, LookupError, OverflowError,
    struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile,
)  # fmt: skip
"""What reading a damaged zip raises; a RuntimeError when it says that it is encrypted."""

Progress = Callable[[int, int], None]
"""Told how many of how many files are done."""


class _Resource(BaseModel):
    """A file of an archive, as its package describes it."""

    model_config = ConfigDict(strict=True)

    path: str
    bytes: Annotated[int, Field(ge=0, lt=2**62)]
    hash: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class _Package(BaseModel):
    """What of a package is needed to unpack it."""

    resources: list[_Resource]


def _silent(done: int, total: int) -> None:
    return None


@dataclass(frozen=True)
class Sizes:
    """Of an archive: its bytes, its files, and (files, bytes, packed bytes) by kind of file."""

    bytes: int
    files: int
    kinds: Mapping[str, tuple[int, int, int]]


def pack(
    path: Path,
    files: Mapping[str, Path | bytes],
    package: Mapping[str, Any],
    described: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress = _silent,
) -> Sizes:
    """Write an archive: the files, and a data package that lists and hashes them.

    Args:
        path: of the archive; written under a temporary name first.
        files: name in the archive (with ``/``) to a file or to content.
        package: the data package (Data Package v2) without its resources.
        described: name in the archive to more fields of its resource, such as ``schema``.
        progress: told about every file.

    Raises:
        MeasureError: a file changed meanwhile, or the archive cannot be written.
    """
    names = sorted(files)
    resources = [resource(name, _content(files[name])) for name in names]
    for one in resources:
        one.update((described or {}).get(one["path"], {}))
    distinct(resources)
    descriptor = (
        json.dumps({**package, "resources": resources}, indent=1, ensure_ascii=False) + "\n"
    )
    expected = {r["path"]: r["hash"] for r in resources}
    contents: dict[str, Path | bytes] = {**files, PACKAGE: descriptor.encode()}

    def fill(temporary: Path) -> None:
        progress(0, len(contents))
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for done, name in enumerate(sorted(contents), start=1):
                data = _content(contents[name])
                if expected.get(name, hashed(data)) != hashed(data):
                    raise MeasureError(
                        f"{name}: changed while it was archived; try again when nothing is being "
                        "measured"
                    )
                archive.writestr(_member(name), data)
                progress(done, len(contents))

    write_once(path, fill)
    return sizes(path)


def read_package(path: Path) -> dict[str, Any]:
    """The data package of an archive, or of the folder that one was unpacked to.

    Raises:
        ConfigError: there is none, it is no archive of this program's, or of a newer version.
    """
    try:
        if path.is_dir():
            data = (path / PACKAGE).read_bytes()
        else:
            with zipfile.ZipFile(path) as archive:
                data = _bounded(archive, archive.getinfo(PACKAGE), MOST_PACKAGE)
        package = json.loads(data)
        version = package[KEY]["format"]
        packed = _Package.model_validate(package).resources
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such archive; give the path of one that 'modelstress archive' wrote"
        ) from None
    except (OSError, KeyError, TypeError, *DAMAGED) as error:
        raise ConfigError(
            f"{path}: not an archive of modelstress, or damaged ({_said(error)}); give a .zip that "
            "'modelstress archive' wrote"
        ) from error
    if version != FORMAT:
        raise ConfigError(
            f"{path}: archive of format {version!r}, this version of modelstress reads {FORMAT}; "
            "use a newer one"
        )
    for one in packed:
        _check_name(path, one.path)
    _check_words(path, package[KEY])
    return dict(package)


def _check_words(path: Path, about: Mapping[str, Any]) -> None:
    """Refuse names of a study or profile that are none: they become words of command lines.

    Raises:
        ConfigError: one is missing or has other characters.
    """
    fields = {**about, "captured": about.get("captured") or "none"}
    for field in ("study", "profile", "captured"):
        name = fields.get(field)
        if not isinstance(name, str) or not re.fullmatch(NAME, name):
            raise ConfigError(
                f"{path}: field '{KEY}.{field}' is {name!r:.60}; a name has letters, digits and "
                "'-' only: do not use this archive"
            )


def unpack(
    path: Path, folder: Path, most_bytes: int = MOST_BYTES, progress: Progress = _silent
) -> int:
    """Get an archive's files back into a folder; goes on where an earlier attempt stopped.

    Files that are there with the right content are kept. When the folder holds another archive,
    that one's files go, unless they were changed since.

    Args:
        path: of the archive.
        folder: new, empty, or one that an archive was unpacked to before.
        most_bytes: of all files together; what is larger is refused before anything is written.
        progress: told about every file.

    Returns:
        How many files were written.

    Raises:
        ConfigError: not an archive, damaged, too large, a member would leave the folder, or the
            folder holds something else.
        MeasureError: a file cannot be written.
    """
    package = read_package(path)
    expected = {r["path"]: (r["bytes"], r["hash"]) for r in package["resources"]}
    with zipfile.ZipFile(path) as archive:
        members = _members(path, archive, expected, most_bytes)
        _make_room(folder, expected)
        data = _bounded(archive, members.pop(PACKAGE), MOST_PACKAGE)
        # first, so that a second attempt knows what this folder is
        _write(folder / PACKAGE, data)
        written = 0
        progress(0, len(members))
        # last: derived tables that are older than a sample would be taken for outdated
        ordered = sorted(members.items(), key=lambda item: item[0].startswith("data/derived/"))
        for done, (name, member) in enumerate(ordered, start=1):
            if not _is_there(folder / name, *expected[name]):
                _extract(archive, member, folder / name, expected[name])
                written += 1
            progress(done, len(members))
    return written


def sizes(path: Path) -> Sizes:
    """How large an archive is, and what of it takes how much."""
    kinds: dict[str, tuple[int, int, int]] = {}
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    for member in members:
        files, size, packed = kinds.get(kind := _kind(member.filename), (0, 0, 0))
        kinds[kind] = files + 1, size + member.file_size, packed + member.compress_size
    return Sizes(path.stat().st_size, len(members), kinds)


def _kind(name: str) -> str:
    """What a file is, for the list of sizes: ``cell.json``, or ``data/derived``, or its folder."""
    path = PurePosixPath(name)
    if path.parts[:2] == ("data", "raw"):
        return re.sub(r"\d+", "N", path.name)
    return "/".join(path.parts[: 2 if path.parts[0] == "data" else 1])


def _content(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source
    try:
        return source.read_bytes()
    except OSError as error:
        raise MeasureError(f"{source}: cannot be read: {error.strerror}") from error


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, EPOCH)
    member.create_system = 3  # Unix, wherever it is written
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _check_name(path: Path, name: str) -> None:
    """Refuse what is no plain relative path below the folder."""
    parts = name.split("/")
    odd = any(part in ("", ".", "..") or part.startswith(TEMPORARY) for part in parts)
    if odd or "\\" in name or "\0" in name or ":" in parts[0]:
        raise ConfigError(
            f"{path}: refused: its file {name!r} would leave the folder it belongs in"
        )
    if not name.isprintable():  # a terminal would obey it in a message
        raise ConfigError(f"{path}: refused: the name of its file {name!r:.80} has odd characters")


def _members(
    path: Path, archive: zipfile.ZipFile, expected: Mapping[str, tuple[int, str]], most: int
) -> dict[str, zipfile.ZipInfo]:
    """The members by name, when they are what the package lists and fit the bound."""
    listed = archive.infolist()
    members = {member.filename: member for member in listed}
    if odd := sorted(members.keys() ^ {*expected, PACKAGE}):
        raise ConfigError(
            f"{path}: refused: {odd[0]!r} is only in one of archive and {PACKAGE}; get an "
            "undamaged copy"
        )
    if len(members) != len(listed):
        raise ConfigError(f"{path}: refused: two of its files have the same name")
    for member in listed:
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or member.flag_bits & 1:
            raise ConfigError(f"{path}: refused: {member.filename!r} is no plain file")
    total = sum(size for size, _ in expected.values())
    if total > most:
        raise ConfigError(
            f"{path}: refused: its files have {total / 1e9:.1f} GB, more than the "
            f"{most / 1e9:.1f} GB allowed; raise --most-gb if that is meant"
        )
    return members


def _bounded(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """A member's content, at most so many bytes of it, whatever it says of itself."""
    with archive.open(member) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{member.filename} has more than {most} bytes")
    return data


def _extract(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, expected: tuple[int, str]
) -> None:
    """Write one member, never more of it than its size, if it is what its hash says."""
    size, digest = expected

    def fill(temporary: Path) -> None:
        hasher, left = hashlib.sha256(), size
        with archive.open(member) as stream, temporary.open("wb") as file:
            while part := stream.read(max(1, min(CHUNK, left + 1))):
                left -= len(part)
                if left < 0:
                    break
                hasher.update(part)
                file.write(part)
        if left or f"sha256:{hasher.hexdigest()}" != digest:
            raise ValueError("it is not what its hash says")

    try:
        write_once(target, fill)
    except DAMAGED as error:
        raise ConfigError(
            f"{archive.filename}: {member.filename} is damaged ({_said(error)}); get an undamaged "
            "copy"
        ) from error


def _make_room(folder: Path, expected: Mapping[str, tuple[int, str]]) -> None:
    """See that the folder holds nothing but what an archive put there; drop another one's files."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file; give a folder with --to")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not (folder / PACKAGE).is_file():
        raise ConfigError(f"{folder}: is not empty and holds no archive; give another folder --to")
    before = {r["path"]: (r["bytes"], r["hash"]) for r in read_package(folder)["resources"]}
    for name, (size, digest) in before.items():
        if name not in expected and _is_there(folder / name, size, digest):
            (folder / name).unlink()
    raw = folder / "data" / "raw"
    for file in sorted(raw.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and name not in expected and not file.name.startswith(TEMPORARY):
            raise ConfigError(f"{file}: is not the archive's; give an empty folder --to")


def _is_there(file: Path, size: int, digest: str) -> bool:
    try:
        return (
            file.is_file()
            and file.stat().st_size == size
            and f"sha256:{sha256_file(file)}" == digest
        )
    except OSError:
        return False


def _write(path: Path, data: bytes) -> None:
    write_once(path, lambda temporary: _ignore(temporary.write_bytes(data)))


def _ignore(_: object) -> None:
    return None


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
