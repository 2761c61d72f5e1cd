"""What a program's log says last."""

from __future__ import annotations

from pathlib import Path

TAIL_BYTES = 1 << 16


def last_error(log: Path) -> str | None:
    """The sentence of the last ``error: …`` line of a log, or None."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL_BYTES))
            lines = file.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return None
    said = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return said[-1] if said else None
