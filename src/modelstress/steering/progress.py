"""How far a steered study is, as plain data: of its database, of a coordinator's file, or of data/.

Pages read ``of_study``, which needs no database.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

import psycopg

from modelstress.config.project import Project
from modelstress.design.plan import starts
from modelstress.design.plan_file import current_plan
from modelstress.measure import folders
from modelstress.steering.progress_file import NAME, Progress, WorkerState, folder_of, now, said

MOST_SHOWN = 20
RATE_S = 600.0
"""The time left is estimated from what was done in the last so many seconds."""


def of_study(project: Project, study: str, profile: str) -> Progress:
    """How far a study is: as its coordinator says, else as ``data/raw`` and the plan say.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong.
    """
    found = said(folder_of(project.root / "data", study, profile) / NAME)
    if found is not None:
        return found
    plan = starts(current_plan(project, study, profile).runs)
    done = sum(
        all(folders.finished(run.cell.folder(project.raw, run.invocation)) for run in start)
        for start in plan
    )
    return Progress(
        study=study, profile=profile, at=now(), queue=False, planned=len(plan),
        queued=len(plan) - done, done=done,
    )  # fmt: skip


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
        at=now(),
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
            name=name, machine=machine, state=state, done=done, why=why,
            now=measured if state in ("measuring", "anchors") else "",
            last_heartbeat="" if heard is None
            else heard.astimezone(UTC).isoformat(timespec="seconds"),
        )
        for name, machine, state, measured, done, heard, why in rows
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
