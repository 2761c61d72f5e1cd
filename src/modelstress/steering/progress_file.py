"""How far a steered study is, as its coordinator writes it for pages and other programs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from modelstress.config.errors import MeasureError
from modelstress.samples.files import read_plain, write_text

FRESH_S = 30.0
"""Age from which on a file is of a coordinator that has ended."""
MOST_BYTES = 4 << 20
NAME = "progress.json"


class WorkerState(BaseModel):
    """A worker.

    Attributes:
        name: of the worker.
        machine: name of its machine.
        state: ``joining``, ``anchors``, ``waiting``, ``measuring``, ``refused`` or ``gone``.
        now: the start that it measures; empty where it measures none.
        done: starts that it delivered, anchors included.
        last_heartbeat: when it was last heard of, ISO 8601 in UTC; empty: unknown.
        why: why it was refused.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    machine: str = ""
    state: str = ""
    now: str = ""
    done: int = 0
    last_heartbeat: str = ""
    why: str = ""


class Progress(BaseModel):
    """How far a study is; its unit is the start of the servers, which several cells may share.

    Attributes:
        study, profile: names.
        at: when this was so, in UTC.
        queue: a coordinator is at work.
        planned: all starts, those that strategies added included.
        queued, running: not measured yet; being measured, or not collected.
        done: in ``data/raw``, each once.
        failed: given up.
        left_out: a strategy took them from the queue.
        refused: workers that could not join.
        late: results that came with an old fence and were dropped.
        anchors: measurements of anchors that were collected.
        seconds_left: None where it cannot be told.
        workers: in the order in which they were last heard of.
        failures, notes: sentences: of failed starts, and of what strategies decided, latest first.
    """

    model_config = ConfigDict(frozen=True)

    study: str
    profile: str
    at: datetime
    queue: bool
    planned: int = 0
    queued: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    left_out: int = 0
    refused: int = 0
    late: int = 0
    anchors: int = 0
    seconds_left: float | None = None
    workers: tuple[WorkerState, ...] = ()
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def now() -> datetime:
    """Now, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def folder_of(data: Path, study: str, profile: str) -> Path:
    """``steering/<study>/<profile>`` of a data folder: what a coordinator keeps."""
    return data / "steering" / study / profile


def write(folder: Path, progress: Progress) -> None:
    """Write the coordinator's file, all at once."""
    write_text(folder / NAME, progress.model_dump_json(indent=2))


def said(file: Path, at: datetime | None = None) -> Progress | None:
    """What a coordinator said lately; None where none runs.

    A file that is damaged is as good as none: the samples tell the progress, too.

    Args:
        file: that it writes.
        at: the time now.
    """
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
        found = Progress.model_validate_json(read_plain(file))
    except (OSError, MeasureError, ValidationError):
        return None
    when = found.at if found.at.tzinfo else found.at.replace(tzinfo=UTC)
    age_s = ((at or datetime.now(UTC)) - when).total_seconds()
    return found if found.queue and abs(age_s) <= FRESH_S else None
