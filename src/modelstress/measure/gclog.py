"""Garbage collection pauses of a Java server, from its own log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GC_LOG = "gc.log"
"""Its name in the server's working folder."""
_PAUSE = re.compile(r"^\[(\d+)ns\]\[gc(?:,phases)?\s*\].* Pause .* ([0-9.,]+)ms$")


@dataclass(frozen=True)
class Pauses:
    """Stop-the-world pauses; times in milliseconds."""

    count: int = 0
    total_ms: float = 0.0
    longest_ms: float = 0.0


def gc_flag(log: str) -> str:
    """JVM flag that writes the log read here: decorated with the monotonic clock and the tag.

    Args:
        log: name in the program's working folder; a path could contain the flag's separators.
    """
    return f"-Xlog:gc*:file={log}:timenanos,tags:filecount=0"


def read_pauses(
    logs: Sequence[Path], spans_ns: Sequence[tuple[int, int]] | None = None
) -> Pauses | None:
    """Pauses that were logged, or those in intervals of the server's monotonic clock.

    Args:
        logs: one per start of the server, in any order.
        spans_ns: begin and end of each interval; None: all there are.

    Returns:
        None when there is no log (the server is no JVM, or never started).
    """
    read = 0
    pauses = []
    for log in logs:
        with suppress(OSError), log.open(encoding="utf-8", errors="replace") as lines:
            read += 1
            for line in lines:
                if (pause := _PAUSE.match(line)) and _within(int(pause[1]), spans_ns):
                    pauses.append(float(pause[2].replace(",", ".")))
    if not read:
        return None
    return Pauses(len(pauses), round(sum(pauses), 3), max(pauses, default=0.0))


def _within(at_ns: int, spans_ns: Sequence[tuple[int, int]] | None) -> bool:
    return spans_ns is None or any(begin <= at_ns <= end for begin, end in spans_ns)
