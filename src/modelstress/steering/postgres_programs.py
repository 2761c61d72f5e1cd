"""The programs of PostgreSQL: Debian's, those on PATH, or those that the Java programs bring."""

from __future__ import annotations

import io
import lzma
import os
import platform
import re
import shutil
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from modelstress.config.errors import MissingError

DEBIAN = Path("/usr/lib/postgresql")
JARS = (
    "java-shims/*/target/dist/lib/embedded-postgres-binaries-linux-{machine}-*.jar",
    "~/.m2/repository/io/zonky/test/postgres/embedded-postgres-binaries-linux-{machine}/*/*.jar",
)
"""Where zonky's build may be, below the project and among Maven's files."""
MACHINES = {"x86_64": "amd64", "aarch64": "arm64v8"}
MOST_BYTES = 512 << 20
NEEDED = ("initdb", "postgres")


def programs(scratch: Path) -> Path:
    """The folder with ``initdb`` and ``postgres``.

    Args:
        scratch: below the project; zonky's programs are unpacked to a folder in it, once.

    Raises:
        MissingError: there are none; says what to install.
    """
    folders = sorted(DEBIAN.glob("*/bin"), key=_version, reverse=True)
    if found := shutil.which("postgres"):
        folders.append(Path(found).resolve().parent)
    for folder in folders:
        if _complete(folder):
            return folder
    for jar in _jars(scratch):
        return _unpacked(jar, scratch / f"postgresql-{_version_of(jar)}")
    raise MissingError(
        "no programs of PostgreSQL here; install them (Debian: apt-get install postgresql), build "
        "the Java programs, which bring some, or give a server with --database URL"
    )


def _complete(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in NEEDED)


def _version(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", folder.parent.name)) or (0,)


def _version_of(jar: Path) -> str:
    found = re.search(r"-(\d+\.\d+(?:\.\d+)?)\.jar$", jar.name)
    return found[1] if found else "0"


def _jars(scratch: Path) -> list[Path]:
    machine = MACHINES.get(platform.machine(), platform.machine())
    roots = [parent for parent in scratch.resolve().parents if (parent / "config").is_dir()]
    found: list[Path] = []
    for pattern in JARS:
        relative = pattern.format(machine=machine)
        if relative.startswith("~/"):
            found += sorted(Path.home().glob(relative[2:]), reverse=True)
        else:
            found += [jar for root in roots for jar in sorted(root.glob(relative), reverse=True)]
    return found


def _unpacked(jar: Path, folder: Path) -> Path:
    """Unpack the programs, unless they are there; entries that would leave the folder are refused.

    Raises:
        MissingError: the jar is damaged.
    """
    if _complete(folder / "bin"):
        return folder / "bin"
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        with zipfile.ZipFile(jar) as archive:
            [name] = [one for one in archive.namelist() if one.endswith(".txz")]
            if archive.getinfo(name).file_size > MOST_BYTES:
                raise ValueError("larger than PostgreSQL is")
            packed = archive.read(name)
        with tarfile.open(fileobj=io.BytesIO(lzma.decompress(packed))) as tar:
            if sum(member.size for member in tar.getmembers()) > MOST_BYTES:
                raise ValueError("larger than PostgreSQL is")
            # `_inside` is all that Debian 12's Python 3.11.2 has: filters came with 3.11.4
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(part, members=_inside(tar))  # noqa: S202 (each member is looked at)
    except (OSError, ValueError, tarfile.TarError, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise MissingError(f"{jar}: cannot be unpacked ({error}); build it anew") from error
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return folder / "bin"


def _inside(tar: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """What ``tarfile.data_filter`` lets through, but for hard links."""
    for member in tar.getmembers():
        paths = [PurePosixPath(path) for path in (member.name, member.linkname)]
        if any(path.is_absolute() or ".." in path.parts for path in paths):
            raise ValueError(f"{member.name} is outside")
        if not (member.isfile() or member.isdir() or member.issym()):
            raise ValueError(f"{member.name} is no file, folder or symbolic link")
        member.mode &= 0o755
        member.uid, member.gid = os.getuid(), os.getgid()
    return tar.getmembers()
