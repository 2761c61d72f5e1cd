"""How far a steered study is, as plain data: of its database, of a coordinator's file, or of data/.

Pages read ``of_study``, which needs no database.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from modelstress.config.project import Project
from modelstress.design.plan import starts
from modelstress.design.plan_file import current_plan
from modelstress.measure import folders
from modelstress.samples.files import read_json, write_json

FRESH_S = 30.0
"""Age of a coordinator's file beyond which it says nothing."""
MOST_SHOWN = 20
RATE_S = 600.0
"""The time left is estimated from what was done in the last so many seconds."""


@dataclass(frozen=True)
class WorkerState:
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

    name: str
    machine: str
    state: str
    now: str
    done: int
    last_heartbeat: str
    why: str


@dataclass(frozen=True)
class Progress:
    """How far a study is; its unit is the start of the servers, which several cells may share.

    Attributes:
        study, profile: names.
        at: when this was so, ISO 8601 in UTC.
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
        failures, notes: sentences: of failed starts, and of what strategies decided.
    """

    study: str
    profile: str
    at: str
    queue: bool
    planned: int
    queued: int
    running: int
    done: int
    failed: int = 0
    left_out: int = 0
    refused: int = 0
    late: int = 0
    anchors: int = 0
    seconds_left: float | None = None
    workers: tuple[WorkerState, ...] = ()
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Progress:
        """Of ``as_dict``.

        Raises:
            TypeError, KeyError: it is none.
        """
        known = {field.name: data[field.name] for field in fields(cls)}
        workers = tuple(WorkerState(**worker) for worker in known.pop("workers"))
        failures, notes = tuple(known.pop("failures")), tuple(known.pop("notes"))
        return cls(**known, workers=workers, failures=failures, notes=notes)


def folder_of(project: Project, study: str, profile: str) -> Path:
    """``data/steering/<study>/<profile>``: what a coordinator keeps beside the samples."""
    return project.root / "data" / "steering" / study / profile


def of_study(project: Project, study: str, profile: str) -> Progress:
    """How far a study is: as its coordinator says, else as ``data/raw`` and the plan say.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong.
    """
    data = read_json(folder_of(project, study, profile) / "progress.json")
    try:
        said = Progress.from_dict(data)
        age = datetime.now(UTC) - datetime.fromisoformat(said.at)
        if said.queue and abs(age.total_seconds()) < FRESH_S:
            return said
    except (TypeError, KeyError, ValueError):
        pass
    plan = starts(current_plan(project, study, profile).runs)
    done = sum(
        all(folders.finished(run.cell.folder(project.raw, run.invocation)) for run in start)
        for start in plan
    )
    return Progress(
        study, profile, _now(), queue=False, planned=len(plan), queued=len(plan) - done,
        running=0, done=done,
    )  # fmt: skip


def write(folder: Path, progress: Progress) -> None:
    """Write the coordinator's file, all at once."""
    write_json(folder / "progress.json", progress.as_dict())


def read(
    connection: psycopg.Connection, study: str, profile: str, notes: Sequence[str] = ()
) -> Progress:
    """How far a study is, by its database.

    Args:
        connection: of the coordinator.
        study: name.
        profile: name.
        notes: what strategies decided, latest first.
    """
    rows = connection.execute(
        "SELECT kind, state, count(*), sum(late) FROM starts GROUP BY kind, state"
    ).fetchall()
    counts = {(kind, state): count for kind, state, count, _ in rows}

    def planned(*states: str) -> int:
        return sum(counts.get(("planned", state), 0) for state in states)

    workers = _workers(connection)
    left = planned("queued", "measuring")
    return Progress(
        study=study,
        profile=profile,
        at=_now(),
        queue=True,
        planned=sum(count for (kind, _), count in counts.items() if kind == "planned"),
        queued=planned("queued"),
        running=planned("measuring", "delivered"),
        done=planned("kept"),
        failed=planned("failed"),
        left_out=planned("left_out"),
        refused=sum(worker.state == "refused" for worker in workers),
        late=int(sum(late or 0 for *_, late in rows)),
        anchors=counts.get(("anchor", "kept"), 0),
        seconds_left=_seconds_left(connection, left),
        workers=workers[:1000],
        failures=_failures(connection),
        notes=tuple(notes[:MOST_SHOWN]),
    )


def _workers(connection: psycopg.Connection) -> tuple[WorkerState, ...]:
    rows = connection.execute(
        "SELECT m.name, m.machine, m.state, m.now, m.delivered, "
        "greatest(m.told_at, w.last_heartbeat), m.why FROM members m "
        "LEFT JOIN procrastinate_workers w ON w.id = m.worker "
        "ORDER BY 6 DESC NULLS LAST, m.name"
    ).fetchall()
    return tuple(
        WorkerState(
            name, machine, state, now if state in ("measuring", "anchors") else "", done,
            "" if heard is None else heard.astimezone(UTC).isoformat(timespec="seconds"), why,
        )
        for name, machine, state, now, done, heard, why in rows
    )  # fmt: skip


def _failures(connection: psycopg.Connection) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT cell, number, why FROM starts WHERE kind = 'planned' AND state = 'failed' "
        "ORDER BY ended_at DESC NULLS LAST LIMIT %s",
        [MOST_SHOWN],
    ).fetchall()
    return tuple(f"{cell} i{number:02d}: {why}" for cell, number, why in rows)


def _seconds_left(connection: psycopg.Connection, left: int) -> float | None:
    if not left:
        return 0.0
    row = connection.execute(
        "SELECT count(*), extract(epoch FROM clock_timestamp() - min(ended_at))::float8 "
        "FROM starts WHERE kind = 'planned' AND state IN ('kept', 'delivered') "
        "AND ended_at > clock_timestamp() - make_interval(secs => %s)",
        [RATE_S],
    ).fetchone()
    if row is None or row[0] < 2 or not row[1]:
        return None
    return round(left * float(row[1]) / int(row[0]), 1)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def plain(progress: Progress) -> str:
    """The progress as JSON."""
    return json.dumps(progress.as_dict(), indent=2)
