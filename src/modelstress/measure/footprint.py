"""What a running program takes of memory before it does anything: its code and its libraries'."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from modelstress.measure.procfs import PROC

ALLOCATED, WRITABLE = 0x2, 0x1
"""Flags of a section of an ELF file: in memory while the program runs; not only to be read."""
NO_BITS = 8
"""Type of a section that has no bytes in the file: it begins as zeros."""
MOST_SECTIONS = 4096


@dataclass(frozen=True)
class Sizes:
    """Bytes of a program or library in memory, as ``size`` of the binutils counts them.

    Attributes:
        text: code, constants and tables.
        data: variables with a value.
        bss: variables that begin as zeros.
    """

    text: int = 0
    data: int = 0
    bss: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.text + self.data + self.bss

    def record(self) -> dict[str, int]:
        """For ``cell.json``."""
        return {"text": self.text, "data": self.data, "bss": self.bss}


def footprint(pid: int | None) -> dict[str, Any] | None:
    """Sizes (bytes) of the program that a process runs, and of each library that is mapped.

    Symbols and debugging information are in neither: they are not loaded, so that a file has the
    same sizes stripped or not. Of a program in a virtual machine they are those of the machine.

    Args:
        pid: of the process; None on another machine.

    Returns:
        ``program`` and ``libraries`` (name to bytes); None where they cannot be found out.
    """
    if pid is None:
        return None
    try:
        program = (PROC / str(pid) / "exe").resolve(strict=True)
        maps = (PROC / str(pid) / "maps").read_text(errors="surrogateescape")
    except OSError:  # it has ended, or is another user's
        return None
    sizes = sizes_of(program)
    if sizes is None:
        return None
    libraries = {}
    for path in sorted(
        {Path(line[at:]) for line in maps.splitlines() if (at := line.find("/")) > 0}
    ):
        if path != program and (found := sizes_of(path)) is not None:
            libraries[path.name] = found.total
    return {"program": sizes.record(), "libraries": libraries}


def sizes_of(file: Path) -> Sizes | None:
    """Sizes of an ELF file; None of any other, and of one that is not there."""
    with suppress(OSError, ValueError, struct.error):
        about = file.stat()
        return _sizes(file, about.st_mtime_ns, about.st_size)
    return None


@lru_cache(maxsize=1024)
def _sizes(file: Path, mtime_ns: int, size: int) -> Sizes | None:
    """Add the sections up that are in memory (System V ABI, "Sections").

    Raises:
        OSError, ValueError, struct.error: it cannot be read, or is damaged.
    """
    with file.open("rb") as stream:
        ident = stream.read(16)
        if ident[:4] != b"\x7fELF" or ident[4] not in (1, 2) or ident[5] not in (1, 2):
            return None
        wide, order = ident[4] == 2, "<" if ident[5] == 1 else ">"
        stream.seek(40 if wide else 32)
        [offset] = struct.unpack(f"{order}{'Q' if wide else 'I'}", stream.read(8 if wide else 4))
        stream.seek(58 if wide else 46)
        entry, count = struct.unpack(f"{order}HH", stream.read(4))
        if count > MOST_SECTIONS:
            raise ValueError(f"{file}: {count} sections")
        # type, flags, address, place in the file, size
        layout = struct.Struct(f"{order}4xIQQQQ" if wide else f"{order}4xIIIII")
        stream.seek(offset)
        table = stream.read(entry * count)
    text = data = bss = 0
    for number in range(count):
        kind, flags, _, _, length = layout.unpack_from(table, number * entry)
        if not flags & ALLOCATED:
            continue
        if kind == NO_BITS:
            bss += length
        elif flags & WRITABLE:
            data += length
        else:
            text += length
    return Sizes(text, data, bss)
