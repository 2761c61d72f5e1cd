"""Bytes through network interfaces, as the kernel counts them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def passed(table: Path) -> dict[str, tuple[int, int]]:
    """Bytes received and sent by every interface of a network, by name.

    Args:
        table: ``/proc/<process>/net/dev`` of a process in that network; ``/sys/class/net`` would
            show the network of whoever mounted it.
    """
    traffic = {}
    with suppress(OSError, ValueError, IndexError):
        for line in table.read_text().splitlines()[2:]:
            name, _, rest = line.partition(":")
            fields = rest.split()
            traffic[name.strip()] = int(fields[0]), int(fields[8])
    return traffic
