"""Capture files for Wireshark: classic pcap, time stamps in nanoseconds."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from modelstress.config.errors import MeasureError

MAGIC_NS = 0xA1B23C4D
SNAP_LENGTH = 262_144
ETHERNET = 1
_HEADER = struct.Struct("<IHHiIII")
_RECORD = struct.Struct("<IIII")

HEADER = _HEADER.pack(MAGIC_NS, 2, 4, 0, 0, SNAP_LENGTH, ETHERNET)
"""The first 24 bytes of a file, see draft-ietf-opsawg-pcap."""


def record(time_ns: int, frame: bytes) -> bytes:
    """A packet as it stands in a file.

    Args:
        time_ns: since 1970.
        frame: whole, from its Ethernet header on.
    """
    seconds, rest = divmod(time_ns, 1_000_000_000)
    return _RECORD.pack(seconds, rest, len(frame), len(frame)) + frame


def read(file: Path) -> Iterator[tuple[int, bytes]]:
    """Time in ns since 1970 and frame of every packet; an incomplete last one is left out.

    Raises:
        MeasureError: it is no capture file of this format.
    """
    with file.open("rb") as stream:
        head = stream.read(_HEADER.size)
        if len(head) < _HEADER.size or _HEADER.unpack(head)[::6] != (MAGIC_NS, ETHERNET):
            raise MeasureError(f"{file}: not a pcap file of Ethernet frames with nanoseconds")
        yield from _records(stream)


def _records(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    while len(head := stream.read(_RECORD.size)) == _RECORD.size:
        seconds, rest, captured, _ = _RECORD.unpack(head)
        frame = stream.read(captured)
        if len(frame) < captured:
            return
        yield seconds * 1_000_000_000 + rest, frame
