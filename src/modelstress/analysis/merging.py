"""Datasets of several hosts as one: the same cells, told apart by the factor ``host``."""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modelstress.analysis.cell_record import host as recorded_host
from modelstress.analysis.planned import PLANNED, PlannedCell, planned_beside, planned_text
from modelstress.analysis.raw import FOLDER, check_ended, profile_folder
from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.hosts import HOST_NAME
from modelstress.samples import seals
from modelstress.samples.files import read_json, write_json, write_text
from modelstress.samples.provenance import sha256_file
from modelstress.samples.record import read_record

HOST = "host"
"""The factor that a merged dataset has beside those of its studies."""
BESIDE = ("config", "queries")
FILES = ("CITATION.cff", "LICENSE")
"""Of the first part: what makes the merged folder a project that can be reported and archived."""
Key = tuple[str, str]


@dataclass(frozen=True)
class Part:
    """What was measured on one host: the host's name, and a project or an unpacked archive."""

    host: str
    root: Path


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes:
        copied: invocations.
        kept: invocations that were there already, the same.
        cells: planned on more than one host.
        differ: kind of content (``jar``, …) to how many of those cells differ in it.
    """

    copied: int
    kept: int
    cells: int
    differ: Mapping[str, int]


def part_of(argument: str) -> Part:
    """A part from ``NAME=FOLDER``, or from ``FOLDER`` alone when its samples name one host.

    Raises:
        ConfigError: not a folder with samples, no host's name, or more than one.
    """
    name, separator, folder = argument.rpartition("=")
    root = Path(folder).expanduser().resolve()  # no shell expands what stands behind a name
    if not (root / "data" / "raw").is_dir():
        raise ConfigError(
            f"{folder}: no folder data/raw; give a project or the folder of an unpacked archive"
        )
    if not separator:
        name = _only_host(root, folder)
    if not re.fullmatch(HOST_NAME, name):
        raise ConfigError(
            f"{argument}: {name!r} is no name of a host; say NAME={folder}, with letters, digits "
            "and '-'"
        )
    return Part(name, root)


def merge(
    parts: Sequence[Part],
    to: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Merged:
    """Copy the samples of several hosts to one new folder, every cell with the level ``host``.

    Samples stay what they are, byte for byte. In ``cell.json`` the cell's id and levels change, and
    ``merged`` keeps the id that it was measured under. The plan of every part goes to
    ``data/planned.json``, so that what is missing of a host is told. May be repeated: what is there
    is kept.

    Args:
        parts: at least two, with different hosts; configuration is copied from the first.
        to: folder of the merged dataset, new or of an earlier merge.
        progress: told how many of how many invocations are done.

    Raises:
        ConfigError: a host twice, something being measured, or ``to`` holds other samples.
        MeasureError: the disk is full or cannot be written.
    """
    _check(parts, to)
    plans = _planned_there(to, {part.host for part in parts})
    jobs: list[tuple[Path, Path, str]] = []
    for part in parts:
        for study, profile in _profiles(part):
            planned = planned_beside(part.root / "data", study, profile) or []
            plans.setdefault((study, profile), []).extend(on_host(c, part.host) for c in planned)
            target = profile_folder(to / "data", study, profile)
            jobs += [
                (invocation, target, part.host) for invocation in _invocations(part, study, profile)
            ]
    _copy_beside(parts[0].root, to)
    copied = 0
    for done, (source, target, host) in enumerate(jobs, start=1):
        copied += _copied(source, target, host)
        progress(done, len(jobs))
    write_text(to / "data" / PLANNED, planned_text(plans))
    return Merged(copied, len(jobs) - copied, *_differences(plans))


def _planned_there(to: Path, again: Container[str]) -> dict[Key, list[PlannedCell]]:
    """What an earlier merge has planned, of other hosts than those that come again."""
    plans: dict[Key, list[PlannedCell]] = {}
    for folder in sorted((to / "data" / "raw").glob("*/*/")):
        study, profile = folder.parent.name, folder.name
        planned = planned_beside(to / "data", study, profile) or []
        plans[study, profile] = [c for c in planned if str(c.levels.get(HOST)) not in again]
    return plans


def on_host(planned: PlannedCell, host: str) -> PlannedCell:
    """A planned cell as one of a merged dataset; one that has the factor already is left alone."""
    if HOST in planned.levels:
        return planned
    return replace(planned, cell=_id(planned.cell, host), levels={**planned.levels, HOST: host})


def _id(cell: str, host: str) -> str:
    return f"{cell}_{HOST}={host}"


def _only_host(root: Path, folder: str) -> str:
    records = (read_json(file) for file in root.glob("data/raw/*/*/*/*/i*/cell.json"))
    names = {recorded_host(record) for record in records} - {""}
    if len(names) != 1:
        hosts = f"{len(names)} hosts ({', '.join(sorted(names)[:4])})" if names else "no host"
        raise ConfigError(f"{folder}: its samples name {hosts}; say NAME={folder}")
    return names.pop()


def _check(parts: Sequence[Part], to: Path) -> None:
    twice = [name for name, count in Counter(part.host for part in parts).items() if count > 1]
    if twice:
        raise ConfigError(f"host {twice[0]!r} is given twice; give every dataset a name of its own")
    if len(parts) < 2:
        raise ConfigError("one dataset is nothing to merge; give at least two")
    if any(to.resolve() == part.root for part in parts):
        raise ConfigError(f"{to}: is one of the datasets; give a folder of its own to --out")
    _check_other(parts)
    there = next(to.glob("data/raw/*/*/*/*/i*/cell.json"), None)
    if there is not None and HOST not in (read_json(there).get("levels") or {}):
        raise ConfigError(
            f"{to}: holds samples that no merge has brought; give a folder of its own to --out"
        )


def _check_other(parts: Sequence[Part]) -> None:
    """Refuse the same measurement under two names: it would be compared with itself."""
    parts_by_digest: dict[tuple[str, str], Part] = {}
    for part in parts:
        for file in sorted(part.root.glob("data/raw/*/*/*/*/i*/cell.json")):
            folder = file.parent
            samples = folder / "samples.parquet"
            if not samples.is_file():
                continue
            other = parts_by_digest.setdefault((sha256_file(file), sha256_file(samples)), part)
            if other.host != part.host:
                raise ConfigError(
                    f"{part.root} and {other.root}: have the same measurement "
                    f"({folder.relative_to(part.root)}); give datasets of different hosts"
                )


def _profiles(part: Part) -> Iterator[Key]:
    for folder in sorted((part.root / "data" / "raw").glob("*/*/")):
        yield folder.parent.name, folder.name


def _invocations(part: Part, study: str, profile: str) -> Iterator[Path]:
    """Folders of all invocations, also of those that were aborted; ``<tool>/<cell>/i<NN>…``."""
    root = profile_folder(part.root / "data", study, profile)
    check_ended(root, "merge")
    for folder in sorted(root.glob("*/*/i*/")):
        if FOLDER.fullmatch(folder.name):
            yield folder


def _copied(source: Path, to: Path, host: str) -> bool:
    """Copy an invocation to the folder of its profile; False when it is there already.

    Raises:
        ConfigError: another one is there, or it has links.
        MeasureError: it cannot be written.
    """
    record = _checked(source)
    cell = source.parent.name
    if HOST not in (record.get("levels") or {}):
        cell = _id(cell, host)
    target = to / source.parent.parent.name / cell / source.name
    if target.is_dir():
        if _samples(source) == _samples(target):
            return False
        raise ConfigError(
            f"{target}: holds other samples than {source}; give the dataset another name, or merge "
            "into a new folder"
        )
    temporary = target.with_name(f".{target.name}.merging")
    _check_plain(source)
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(source, temporary)
        if record:
            write_json(temporary / "cell.json", _relabelled(record, host))
        temporary.rename(target)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        why = error.strerror or error
        raise MeasureError(f"{target}: cannot be written: {why}; then repeat the merge") from error
    return True


def _check_plain(folder: Path) -> None:
    """Refuse links, whose targets would be copied, and pipes: a dataset may be a stranger's.

    Raises:
        ConfigError: there is one.
    """
    for path in (folder, *folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ConfigError(
                f"{path}: is no plain file but a link or a device; put a copy of the file in its "
                "place"
            )


def _samples(folder: Path) -> dict[str, str]:
    """Hashes of all that was measured: everything but the record, whose labels change."""
    files = (file for file in sorted(folder.iterdir()) if file.is_file())
    return {file.name: sha256_file(file) for file in files if file.name != "cell.json"}


def _checked(folder: Path) -> dict[str, Any]:
    """The record of an invocation whose files are what was sealed; empty where there is none.

    Raises:
        ConfigError: something is damaged.
    """
    if ".aborted-" in folder.name:  # its run was killed, perhaps while it wrote
        return read_json(folder / "cell.json")
    try:
        record = read_record(folder / "cell.json")
        wrong = seals.broken(record, folder)
    except FileNotFoundError:
        return {}
    except MeasureError as error:
        wrong = [str(error)]
    if wrong:
        raise ConfigError(
            f"{folder}: {wrong[0]}; get an undamaged copy, or move that folder away to merge "
            "without it"
        )
    return record


def _relabelled(record: dict[str, Any], host: str) -> dict[str, Any]:
    levels = record.get("levels") or {}
    if HOST in levels:
        return record
    cell = str(record.get("cell"))
    labelled = {
        **record, "cell": _id(cell, host), "levels": {**levels, HOST: host},
        "merged": {"cell": cell},
    }  # fmt: skip
    return seals.resealed(labelled) if seals.is_sealed(record) else labelled


def _copy_beside(root: Path, to: Path) -> None:
    """Configuration and texts of the first part, unless an earlier merge has brought them."""
    try:
        for name in BESIDE:
            if (root / name).is_dir() and not (to / name).exists():
                _check_plain(root / name)
                shutil.copytree(root / name, to / name)
        for name in FILES:
            if (root / name).is_file() and not (to / name).exists():
                _check_plain(root / name)
                to.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, to / name)
    except OSError as error:
        raise MeasureError(f"{to}: cannot be written: {error.strerror or error}") from error


def _differences(plans: Mapping[Key, Sequence[PlannedCell]]) -> tuple[int, dict[str, int]]:
    """How many cells are planned on several hosts, and in what contents how many of them differ."""
    cells, differ = 0, Counter[str]()
    for planned in plans.values():
        hosts: dict[object, list[PlannedCell]] = {}
        for cell in planned:
            same = tuple(sorted((k, str(v)) for k, v in cell.levels.items() if k != HOST))
            hosts.setdefault((cell.tool, same), []).append(cell)
        for group in hosts.values():
            cells += len(group) > 1
            # contents in which hosts must agree for their numbers to differ by the host only
            for name in dict.fromkeys(name for cell in group for name in cell.contents):
                digests = {cell.contents[name] for cell in group if name in cell.contents}
                differ[name] += len(digests) > 1
    return cells, {name: count for name, count in differ.items() if count}
