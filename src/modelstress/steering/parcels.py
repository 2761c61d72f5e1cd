"""What a worker measured as one bounded zip, and its way into ``data/raw``.

Names in a parcel are numbers and plain file names: where files go is decided by the receiver.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelstress.config.errors import MeasureError
from modelstress.config.project import Project
from modelstress.design.contents import contents_of
from modelstress.design.plan import Run
from modelstress.measure import folders
from modelstress.measure.verify_dataset import recheck
from modelstress.samples import seals
from modelstress.samples.archive import DAMAGED
from modelstress.samples.files import write_json
from modelstress.samples.record import read_record

MEMBER = re.compile(
    r"(?P<cell>0|[1-9]\d{0,3})/(?P<part>result|invalid-[1-9]\d{0,2})/"
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,120})"
)
MOST_FILES = 4096
CHUNK = 1 << 20
ARRIVING = ".arriving"
"""Ending of the hidden folder in which an invocation waits for its name."""
STEERING = "steering"
"""Field of ``provenance`` in ``cell.json``: who measured it, and with which permit."""


@dataclass(frozen=True)
class Arrived:
    """The unpacked folders of one cell of a start: its result, and attempts that were invalid."""

    result: Path
    attempts: tuple[Path, ...]


def mark(folder: Path, words: dict[str, Any]) -> None:
    """Write into an invocation's provenance that it was steered, and seal it anew.

    Raises:
        MeasureError: its record cannot be read or written.
    """
    record = read_record(folder / seals.RECORD)
    provenance = {**(record.get("provenance") or {}), STEERING: words}
    write_json(folder / seals.RECORD, seals.resealed({**record, "provenance": provenance}))


def pack(results: Sequence[Path], most_bytes: int) -> bytes:
    """The files of the cells of a start, and of their invalid attempts, as one zip.

    Args:
        results: folder ``i<NN>`` of each cell.
        most_bytes: that they may have.

    Raises:
        MeasureError: they have more, or one cannot be read.
    """
    packed = io.BytesIO()
    total = count = 0
    try:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number, result in enumerate(results):
                parts = {"result": result}
                for place, attempt in enumerate(folders.attempts(result), 1):
                    parts[f"invalid-{place}"] = attempt
                for part, folder in parts.items():
                    for file in sorted(folder.iterdir()):
                        if file.name.startswith(".") or not file.is_file():
                            continue
                        total, count = total + file.stat().st_size, count + 1
                        if total > most_bytes or count > MOST_FILES:
                            raise MeasureError(
                                f"{result}: has more than {most_bytes >> 20} MiB; raise "
                                "'steering.most_mib' of the profile"
                            )
                        archive.write(file, f"{number}/{part}/{file.name}")
    except OSError as error:
        raise MeasureError(f"{results[0]}: cannot be packed: {error}") from error
    return packed.getvalue()


def unpack(data: bytes, into: Path, cells: int, most_bytes: int) -> list[Arrived]:
    """Unpack a parcel into a new folder; nothing of it is trusted.

    Args:
        data: the zip.
        into: a folder that is made.
        cells: how many the start has.
        most_bytes: that all files may have.

    Raises:
        MeasureError: it is damaged, too large, or has other members than a parcel has; nothing is
            left in ``into``.
    """
    into.mkdir(parents=True)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member, name in _members(archive, cells, most_bytes):
                target = into / name["cell"] / name["part"] / name["name"]
                target.parent.mkdir(parents=True, exist_ok=True)
                _extract(archive, member, target)
    except (*DAMAGED, OSError) as error:
        shutil.rmtree(into, ignore_errors=True)
        raise MeasureError(f"the parcel is damaged: {error}") from error
    arrived = []
    for number in range(cells):
        folder = into / str(number)
        attempts = sorted(folder.glob("invalid-*"), key=lambda path: int(path.name[8:]))
        arrived.append(Arrived(folder / "result", tuple(attempts)))
    return arrived


def _members(
    archive: zipfile.ZipFile, cells: int, most_bytes: int
) -> list[tuple[zipfile.ZipInfo, re.Match[str]]]:
    """Members with the parts of their names.

    Raises:
        ValueError: one has another name, comes twice, or all are too large.
    """
    members = archive.infolist()
    names = {member.filename for member in members}
    if len(members) > MOST_FILES or len(names) != len(members):
        raise ValueError("too many files, or one twice")
    if sum(member.file_size for member in members) > most_bytes:
        raise ValueError(f"more than {most_bytes >> 20} MiB")
    found = []
    for member in members:
        name = MEMBER.fullmatch(member.filename)
        if name is None or int(name["cell"]) >= cells:
            raise ValueError(f"a member is called {member.filename[:80]!r}")
        found.append((member, name))
    return found


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    left = member.file_size
    with archive.open(member) as stream, target.open("xb") as file:
        while part := stream.read(min(CHUNK, left + 1)):
            left -= len(part)
            if left < 0:
                raise ValueError("a file is larger than it says")
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def problems(project: Project, run: Run, arrived: Arrived) -> list[str]:
    """What is wrong with what arrived of a cell, as sentences.

    The records must be sealed, of this cell and invocation, with its seed and measured with the
    contents that this project has now; samples must be possible and say what the oracle says.
    """
    found = []
    for folder in (arrived.result, *arrived.attempts):
        checks = recheck(project, folder)
        if len(checks) != 1 or Path(checks[0].folder) != folder:
            return [f"{folder.name}: there is no invocation in it"]
        found += [f"{folder.name}: {problem}" for problem in checks[0].problems]
        if not found:
            found += [f"{folder.name}: {why}" for why in _differs(project, run, folder)]
    return found


def _differs(project: Project, run: Run, folder: Path) -> list[str]:
    record = read_record(folder / seals.RECORD)
    if not seals.is_sealed(record):
        return ["its record has no seal"]
    expected = {
        "study": run.cell.study, "profile": run.cell.profile, "cell": run.cell.id,
        "invocation": run.invocation, "seed": run.seed, "levels": dict(run.cell.levels),
    }  # fmt: skip
    wrong = [name for name, value in expected.items() if record.get(name) != value]
    if wrong:
        return [f"field {wrong[0]!r} is of another start"]
    measured = (record.get("provenance") or {}).get("contents") or {}
    now = contents_of(project, run.cell)
    other = [name for name, digest in now.items() if measured.get(name) != digest]
    return [f"it was measured with another {other[0]}"] if other else []


def place(arrived: Arrived, folder: Path) -> bool:
    """Move what arrived of a cell to its place, at once and for good; False: it is there already.

    May be repeated after a crash in between. What was there before, of other programs, is set
    aside as by ``modelstress run --rerun stale``.

    Args:
        arrived: verified.
        folder: ``i<NN>`` below ``data/raw``.

    Raises:
        MeasureError: it cannot be moved.
    """
    try:
        if _seal(folder) == _seal(arrived.result) != "":
            return False
        folder.parent.mkdir(parents=True, exist_ok=True)
        there = {_seal(attempt) for attempt in folders.attempts(folder)}
        if folders.finished(folder):
            folders.hide_attempts(folder)
            there = set()
        for number, attempt in enumerate(arrived.attempts, 1):
            if _seal(attempt) not in there:
                target = folder.with_name(f"{folder.name}{folders.ATTEMPT}{number}")
                folders.set_aside(target)
                _moved(attempt, target)
        folders.set_aside(folder)
        if folder.is_dir():
            folder.rmdir()  # an empty one
        _moved(arrived.result, folder)
    except OSError as error:
        raise MeasureError(f"{folder}: cannot be written: {error.strerror or error}") from error
    return True


def _moved(source: Path, target: Path) -> None:
    """Rename, over file systems too, and wait until the name is on the disk."""
    waiting = target.with_name(f".{target.name}{ARRIVING}")
    shutil.rmtree(waiting, ignore_errors=True)
    shutil.move(source, waiting)
    waiting.rename(target)
    fd = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _seal(folder: Path) -> str:
    """The seal of an invocation's record; empty where there is none."""
    try:
        return str(read_record(folder / seals.RECORD).get(seals.SEAL, ""))
    except (OSError, MeasureError):
        return ""


def digest(data: bytes) -> str:
    """Hex digest (sha256)."""
    return hashlib.sha256(data).hexdigest()
