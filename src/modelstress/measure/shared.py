"""What a shared start means for the numbers of its cells: the replicate, and who disturbed whom.

Imported late, like ``record_writer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modelstress.measure.histograms import Histograms
from modelstress.measure.observed import Part, Start
from modelstress.measure.rows import Rows
from modelstress.measure.turns import EndedByAnotherError
from modelstress.measure.validity import Reason
from modelstress.samples.schema import PHASES

DISTURBED = "start-disturbed"
"""Code of cells whose start another cell ended, or disturbed by executions that timed out."""


def starts(parts: Sequence[Part], samples: Sequence[Rows | Histograms]) -> list[Start]:
    """The start as each of its cells records it.

    A timeout or a crash belongs to the cell that caused it, which is the one whose load the server
    had then. Its numbers stay; what the others measured on that server is invalid, for the server
    may still have been busy with what nobody waited for any more.

    Args:
        parts: the cells of the start.
        samples: theirs.
    """
    ids = [part.run.invocation.cell.id for part in parts]
    shared = len(parts) > 1
    culprit = _culprit(parts, samples) if shared else None
    made = []
    for number, part in enumerate(parts):
        record: dict[str, Any] = {"id": part.run.start_id, "cells": ids}
        if shared:
            slices = part.run.telemetry.slices_ns(number)
            record["slices"] = [{"begin_ns": begin, "end_ns": end} for begin, end in slices]
        reasons: tuple[Reason, ...] = ()
        if culprit is not None:
            record["disturbed_by"] = ids[culprit]
            if number != culprit:
                did = _did(parts[culprit], samples[culprit])
                message = f"{ids[culprit]}, which shared the start, {did}"
                reasons = (Reason(DISTURBED, "invalid", message),)
        made.append(Start(record, reasons))
    return made


def _culprit(parts: Sequence[Part], samples: Sequence[Rows | Histograms]) -> int | None:
    """The cell that ended the start, or whose execution was the first to time out."""
    for number, part in enumerate(parts):
        failure = part.load.failure
        if failure is not None and not isinstance(failure, EndedByAnotherError):
            return number
    late = [
        (first, number)
        for number, (part, had) in enumerate(zip(parts, samples, strict=True))
        if isinstance(had, Rows) and (first := had.first_timeout_ns(part.offsets_ns)) is not None
    ]
    return min(late)[1] if late else None


def _did(part: Part, samples: Rows | Histograms) -> str:
    if part.load.failure is not None:
        return f"ended it: {part.load.failure}"
    count = sum(samples.outcomes(phase).get("timeout", 0) for phase in PHASES)
    return f"had {count} executions that timed out"
