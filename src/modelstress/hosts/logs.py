"""What a program's log says last."""

from __future__ import annotations

import os
from pathlib import Path

TAIL_BYTES = 1 << 16


REASONS = (
    "unable to create native thread", "Cannot allocate memory", "Could not reserve",
    "insufficient memory", "Could not create the Java Virtual Machine", "pthread_create failed",
    "OutOfMemoryError", "Too many open files", "No space left on device",
)  # fmt: skip
"""What a Java virtual machine says before there is a program that could write an error line."""
FULL_BYTES = 1 << 16
"""A log cannot be relied on where less than that is free."""


def last_error(log: Path) -> str | None:
    """The sentence of the last ``error: …`` line of a log, or what else tells why.

    That is the Java virtual machine's own reason (a limit of the machine), or that the log's disk
    is full; None where nothing does.
    """
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL_BYTES))
            lines = file.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return None
    messages = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return messages[-1] if messages else _reason(lines) or _full(log)


def _reason(lines: list[str]) -> str | None:
    """The first line with a reason of the virtual machine's own."""
    matches = (line.strip() for line in lines if any(reason in line for reason in REASONS))
    return next((f"the Java virtual machine says: {line[:300]}" for line in matches), None)


def _full(log: Path) -> str | None:
    try:
        disk = os.statvfs(log)
    except OSError:
        return None
    if disk.f_bavail * disk.f_frsize >= FULL_BYTES:
        return None
    return f"the disk of {log} is full, its log says nothing; free some space"
