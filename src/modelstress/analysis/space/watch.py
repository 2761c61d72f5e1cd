"""Reading a profile's raw samples while they are measured: each start once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from modelstress.analysis import raw
from modelstress.analysis.space.starts import ENDED_BADLY, RUNNING, Start, start_of

WORK = ".work"
Key = tuple[str, str]
"""Tool and cell."""
Mark = tuple[int, int]
"""Of a folder: another one means that something else lies there now."""


@dataclass
class _Cell:
    """The starts of a cell's folder by name, with the mark of each folder when it was read."""

    mark: Mark
    starts: dict[str, tuple[Mark, Start]] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether only another mark of the folder can mean news."""
        return not any(start.state in (RUNNING, "partial") for _, start in self.starts.values())


class Watcher:
    """The starts below a profile's folder of raw samples.

    What was measured is written once, so that a folder is read again only where its own time of
    change, or that of the cell's folder, says that something else lies there. Nothing is written.

    Args:
        root: ``raw.profile_folder``; it need not be there yet.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._cells: dict[Key, _Cell] = {}
        self.unread = 0

    @property
    def starts(self) -> dict[Key, list[Start]]:
        """All that was read so far."""
        return {key: [one for _, one in cell.starts.values()] for key, cell in self._cells.items()}

    def update(self, most_s: float = float("inf")) -> bool:
        """Read what is new, for so many seconds at most; return whether anything changed.

        ``unread`` tells how many cells' folders are left for the next time.
        """
        until = time.monotonic() + most_s
        there = dict(self._folders())
        gone = self._cells.keys() - there.keys()
        for key in gone:
            del self._cells[key]
        wanted = [
            key for key, mark in there.items()
            if (cell := self._cells.get(key)) is None or cell.mark != mark or not cell.settled
        ]  # fmt: skip
        changed = bool(gone)
        for place, key in enumerate(wanted):
            if time.monotonic() > until:
                self.unread = len(wanted) - place
                return changed
            changed |= self._read(key, there[key])
        self.unread = 0
        return changed

    def _folders(self) -> Iterator[tuple[Key, Mark]]:
        """Every cell's folder with its mark."""
        for tool in _scanned(self._root):
            for cell in _scanned(Path(tool.path)):
                try:
                    yield (tool.name, cell.name), _mark(cell.stat(follow_symlinks=False))
                except OSError:
                    continue  # moved away in between

    def _read(self, key: Key, mark: Mark) -> bool:
        """Read a cell's folder; return whether its starts are others than before."""
        before = self._cells.get(key) or _Cell(mark)
        now = _Cell(mark)
        for entry in _scanned(self._root.joinpath(*key)):
            match = raw.FOLDER.fullmatch(entry.name)
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if match is None:
                continue
            known = before.starts.get(entry.name)
            if known is not None and known[0] == _mark(found):
                now.starts[entry.name] = known
                continue
            number, rest = int(match["number"]), match["rest"]
            start = (
                Start(number, RUNNING, {}, ended_s=found.st_mtime)
                if rest == WORK
                else self._start(Path(entry.path), number, rest, found.st_mtime)
            )
            now.starts[entry.name] = _mark(found), start
        self._cells[key] = now
        return {n: s for n, (_, s) in now.starts.items()} != {
            n: s for n, (_, s) in before.starts.items()
        }

    def _start(self, folder: Path, number: int, rest: str, changed_s: float) -> Start:
        finished = not rest or raw.ATTEMPT.fullmatch(rest) is not None
        return start_of(raw.read(folder, number, finished=finished), changed_s)


def last_of_each(starts: list[Start]) -> Iterator[Start]:
    """The start that tells of each invocation of a cell: not what was done again since.

    What ended badly counts only where nothing better has the same number.
    """
    by_number: dict[int, Start] = {}
    for start in starts:
        if start.state not in ("attempt", RUNNING):
            before = by_number.get(start.number)
            if before is None or before.state in ENDED_BADLY:
                by_number[start.number] = start
    yield from by_number.values()


def _scanned(folder: Path) -> list[os.DirEntry[str]]:
    """The folders in a folder, by name; none where it is not there."""
    try:
        with os.scandir(folder) as entries:
            found = [e for e in entries if not e.name.startswith(".")]
            return sorted((e for e in found if e.is_dir(follow_symlinks=False)), key=_name)
    except OSError:
        return []


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _mark(found: os.stat_result) -> Mark:
    return found.st_ino, found.st_mtime_ns
