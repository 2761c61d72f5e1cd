"""What the coordinator of a steered study says of its queue, as it writes it for pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from modelstress.config.errors import MeasureError
from modelstress.samples.files import read_plain

STALE_S = 30.0
"""Age from which on a file is of a coordinator that has ended."""
MOST_BYTES = 4 << 20
MOST_WORKERS = 200


class Worker(BaseModel):
    """A machine that takes jobs."""

    model_config = ConfigDict(frozen=True)

    name: str
    machine: str = ""
    state: str = ""
    now: str = ""
    done: int = 0
    why: str = ""


class Queue(BaseModel):
    """The queue of a steered study.

    Attributes:
        at: when this was so (ISO 8601).
        queued, running, done, failed: starts in this state; failed ones were given up.
        left_out: starts that a strategy took from the queue.
        late: results that came too late and were not counted.
        seconds_left: None where it is not known.
        workers: machines that joined.
        failures, notes: sentences, the latest first.
    """

    model_config = ConfigDict(frozen=True)

    at: datetime
    queue: bool = False
    queued: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    left_out: int = 0
    late: int = 0
    seconds_left: float | None = None
    workers: tuple[Worker, ...] = ()
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def queue_file(data: Path, study: str, profile: str) -> Path:
    """``data/steering/<study>/<profile>/progress.json``."""
    return data / "steering" / study / profile / "progress.json"


def queue_of(file: Path, now: datetime | None = None) -> Queue | None:
    """The queue as it was written lately; None where no coordinator runs.

    A file that is damaged is as good as none: the samples tell the progress, too.
    """
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
        found = Queue.model_validate_json(read_plain(file))
    except (OSError, MeasureError, ValidationError):
        return None
    at = found.at if found.at.tzinfo else found.at.replace(tzinfo=UTC)
    age_s = ((now or datetime.now(UTC)) - at).total_seconds()
    return found if found.queue and age_s <= STALE_S else None
