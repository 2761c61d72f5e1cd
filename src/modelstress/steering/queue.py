"""The coordinator's side of a queue: its schema, its workers' role, its starts and results."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import procrastinate
import psycopg
from procrastinate import jobs, sync_psycopg_connector
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager
from psycopg import sql
from psycopg.types.json import Jsonb

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.steering.connections import connector_of
from modelstress.steering.keys import Key

TASK = "modelstress.measure"
TABLES = Path(__file__).with_name("schema.sql")
BATCH = 1000
MOST_FENCES = 25
"""Permits after which a start is given up: it takes its workers along."""
CALLED = (
    "procrastinate_fetch_job_v2", "procrastinate_finish_job_v1",
    "procrastinate_register_worker_v1", "procrastinate_unregister_worker_v1",
    "procrastinate_update_heartbeat_v1", "procrastinate_prune_stalled_workers_v1",
    "study", "shipped_programs", "join_study", "tell", "take", "take_anchor", "deliver",
    "give_back",
)  # fmt: skip
"""Functions that a worker calls, and all that it may."""


@dataclass(frozen=True)
class Wanted:
    """A start that is to be in the queue.

    Attributes:
        key: of the start.
        contents: digest of what it is measured with.
        queue: its name; see ``keys.queue_name``.
        levels: of a cell that the plan does not have; None otherwise.
        priority: higher ones are fetched first.
        kept: it is measured already.
        anew: it is measured again although it was kept.
    """

    key: Key
    contents: str
    queue: str
    levels: Mapping[str, Level] | None = None
    priority: int = 0
    kept: bool = False
    anew: bool = False


@dataclass(frozen=True)
class Delivered:
    """A result that was accepted and not collected yet."""

    kind: str
    key: Key
    worker: str
    fence: int
    archive: bytes = field(repr=False)


def create(connection: psycopg.Connection, schema: str, *, own_database: bool) -> None:
    """Make the schema with procrastinate's tables and ours, unless it is there.

    Args:
        connection: of the coordinator, with ``schema`` as its search path.
        schema: name of the queue's schema.
        own_database: nobody else uses the database, so that nobody else gets any right in it.

    Raises:
        ConfigError: the role may not make one, or what is there is of another version.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [schema])
        made = connection.execute("SELECT to_regnamespace(%s)", [schema]).fetchone()
        if made is not None and made[0] is not None:
            there = connection.execute("SELECT to_regclass('starts')").fetchone()
            if there is None or there[0] is None:
                raise ConfigError(
                    f"schema {schema} of the database is not one of modelstress; drop it, or give "
                    "another database"
                )
            return
        try:
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        except psycopg.errors.InsufficientPrivilege as error:
            raise ConfigError(
                "the role of --database may not create schemas; GRANT CREATE ON DATABASE to it"
            ) from error
        connection.execute(SchemaManager.get_schema())
        connection.execute(TABLES.read_text(encoding="utf-8").encode())
        _harden(connection, schema)
        if own_database:
            connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")


def _harden(connection: psycopg.Connection, schema: str) -> None:
    """Let functions run with the owner's rights, and nobody call them but who is granted it."""
    name = sql.Identifier(schema)
    connection.execute(sql.SQL("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {} FROM PUBLIC").format(name))
    for function in CALLED:
        connection.execute(
            sql.SQL("ALTER FUNCTION {}.{} SECURITY DEFINER SET search_path = {}, pg_temp").format(
                name, sql.Identifier(function), name
            )
        )


def worker_role(connection: psycopg.Connection, schema: str, token_file: Path) -> tuple[str, str]:
    """Name and token of the role of the queue's workers; both are made the first time.

    The role may call the functions of this queue and nothing else: it reads no table but four
    columns of procrastinate's jobs, by which a worker learns that its job was called off.

    Args:
        connection: of the coordinator.
        schema: of the queue.
        token_file: where the token is kept, readable by its owner only.

    Raises:
        ConfigError: the coordinator's role may not create roles.
    """
    role, name = f"{schema}_worker", sql.Identifier(schema)
    token = token_file.read_text(encoding="ascii").strip() if token_file.is_file() else ""
    if not token:
        token = secrets.token_urlsafe(24)
        token_file.parent.mkdir(parents=True, exist_ok=True)
        token_file.touch(mode=0o600)
        token_file.write_text(token, encoding="ascii")
    of_worker = sql.Identifier(role)
    row = connection.execute("SELECT current_database()").fetchone()
    database = sql.Identifier(str(row[0]) if row else "")
    try:
        with connection.transaction():
            there = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            if there.fetchone() is None:
                connection.execute(sql.SQL("CREATE ROLE {}").format(of_worker))
            connection.execute(
                sql.SQL(
                    "ALTER ROLE {} LOGIN NOINHERIT NOCREATEDB NOCREATEROLE CONNECTION LIMIT 256 "
                    "PASSWORD {}"
                ).format(of_worker, sql.Literal(token))
            )
            for statement in (
                "ALTER ROLE {role} IN DATABASE {database} SET search_path = {schema}",
                "GRANT CONNECT ON DATABASE {database} TO {role}",
                "GRANT USAGE ON SCHEMA {schema} TO {role}",
                "GRANT SELECT (id, status, abort_requested, queue_name) "
                "ON {schema}.procrastinate_jobs TO {role}",
            ):
                connection.execute(
                    sql.SQL(statement).format(role=of_worker, schema=name, database=database)
                )
            for function in CALLED:
                connection.execute(
                    sql.SQL("GRANT EXECUTE ON FUNCTION {}.{} TO {}").format(
                        name, sql.Identifier(function), of_worker
                    )
                )
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigError(
            "the role of --database may not create roles for workers; ALTER ROLE … CREATEROLE"
        ) from error
    return role, token


def describe(
    connection: psycopg.Connection, description: Mapping[str, Any], *, finished: bool = False
) -> None:
    """Say what workers must agree with, and whether there is nothing left to do."""
    connection.execute(
        "INSERT INTO about (description, finished) VALUES (%s, %s) ON CONFLICT (one) "
        "DO UPDATE SET description = excluded.description, finished = excluded.finished",
        [Jsonb(dict(description)), finished],
    )


def ship(connection: psycopg.Connection, archives: Mapping[str, bytes]) -> None:
    """Keep the programs of tools for workers that have others; those of before go."""
    with connection.transaction():
        connection.execute("DELETE FROM programs WHERE digest <> ALL(%s)", [[*archives]])
        for digest, archive in archives.items():
            connection.execute(
                "INSERT INTO programs VALUES (%s, %s) ON CONFLICT DO NOTHING", [digest, archive]
            )


def enqueue(connection: psycopg.Connection, wanted: Iterable[Wanted]) -> int:
    """Put starts into the queue that are not in it, each with its job in one transaction.

    A start that was measured meanwhile, such as by ``modelstress run``, is taken out. Repeating it
    changes nothing.

    Returns:
        How many jobs were made.
    """
    made, batch = 0, []
    for one in wanted:
        batch.append(one)
        if len(batch) == BATCH:
            made += _enqueue(connection, batch)
            batch = []
    return made + (_enqueue(connection, batch) if batch else 0)


_ROW = """
INSERT INTO starts AS s (kind, cell, number, contents, levels, queue, priority, state)
VALUES ('planned', %s, %s, %s, %s, %s, %s, CASE WHEN %s THEN 'kept' ELSE 'queued' END)
ON CONFLICT (kind, cell, number) DO UPDATE SET
    contents = excluded.contents, queue = excluded.queue,
    state = CASE
        WHEN s.state = 'delivered' THEN s.state
        WHEN excluded.state = 'kept' THEN 'kept'
        WHEN s.state IN ('kept', 'failed') THEN 'queued'
        WHEN s.contents <> excluded.contents THEN 'queued'
        ELSE s.state END,
    -- whatever is being measured with what there was before comes late
    fence = s.fence + (s.state = 'measuring' AND
        (excluded.state = 'kept' OR s.contents <> excluded.contents))::integer,
    failures = CASE WHEN s.state = 'failed' THEN 0 ELSE s.failures END
"""


def _enqueue(connection: psycopg.Connection, batch: Sequence[Wanted]) -> int:
    rows = [
        (
            one.key.cell, one.key.number, one.contents,
            None if one.levels is None else Jsonb(dict(one.levels)), one.queue, one.priority,
            one.kept and not one.anew,
        )
        for one in batch
    ]  # fmt: skip
    with connection.transaction(), connection.cursor() as cursor:
        cursor.executemany(_ROW, rows)
        return _make_jobs(connection)


_WITHOUT_JOB = """
SELECT cell, number, queue, priority FROM starts s
WHERE kind = 'planned' AND state IN ('queued', 'measuring') AND NOT EXISTS (
    SELECT 1 FROM procrastinate_jobs j WHERE j.id = s.job AND j.status IN ('todo', 'doing'))
FOR UPDATE OF s
"""


def _make_jobs(connection: psycopg.Connection) -> int:
    """Make a job for every start that has none, whatever became of the one it had."""
    rows = connection.execute(_WITHOUT_JOB).fetchall()
    manager = JobManager(sync_psycopg_connector.SyncPsycopgConnector())
    for first in range(0, len(rows), BATCH):
        part = rows[first : first + BATCH]
        made = manager.batch_defer_jobs(
            [
                jobs.Job(
                    id=None, queue=queue, task_name=TASK, priority=priority, lock=None,
                    queueing_lock=None, task_kwargs={"cell": cell, "number": number},
                )
                for cell, number, queue, priority in part
            ],
            connection=connection,
        )  # fmt: skip
        with connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE starts SET job = %s, state = 'queued' "
                "WHERE kind = 'planned' AND cell = %s AND number = %s",
                [(job.id, row[0], row[1]) for job, row in zip(made, part, strict=True)],
            )
    return len(rows)


def sweep(connection: psycopg.Connection, attempts: int) -> None:
    """Give every start that is not measured a job again, or give it up where it fails always.

    Args:
        connection: of the coordinator.
        attempts: failures after which it is given up.
    """
    with connection.transaction():
        connection.execute(
            "UPDATE starts SET state = 'failed', ended_at = clock_timestamp(), why = CASE "
            "WHEN failures >= %(attempts)s THEN why "
            "ELSE fence || ' workers began to measure it, and none delivered a result' END "
            "WHERE kind = 'planned' AND state = 'queued' "
            "AND (failures >= %(attempts)s OR fence >= %(most)s)",
            {"attempts": attempts, "most": MOST_FENCES},
        )
        _make_jobs(connection)
        connection.execute(
            "DELETE FROM procrastinate_jobs j WHERE j.status = 'todo' AND NOT EXISTS (SELECT 1 "
            "FROM starts s WHERE s.job = j.id AND s.state IN ('queued', 'measuring'))"
        )


def retry_stalled(url: str, schema: str, lease_s: float) -> int:
    """Put jobs back whose workers were not heard of for too long; how many.

    Raises:
        psycopg.Error: the database cannot be reached.
    """

    async def retry() -> int:
        app = procrastinate.App(connector=connector_of(url, schema))
        app.connector.patience_s = 0.0  # type: ignore[attr-defined]  # the caller has it
        count = 0
        async with app.open_async():
            manager = app.job_manager
            for job in await manager.get_stalled_jobs(seconds_since_heartbeat=lease_s):
                try:
                    await manager.retry_job(job)
                    count += 1
                except ConnectorException as error:
                    # it has ended meanwhile
                    if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                        raise
            await manager.prune_stalled_workers(2 * lease_s)
        return count

    try:
        return asyncio.run(retry())
    except ConnectorException as error:
        if isinstance(error.__cause__, psycopg.Error):
            raise error.__cause__ from error
        raise


def next_delivered(connection: psycopg.Connection) -> Delivered | None:
    """The oldest result that was not collected; None where there is none."""
    row = connection.execute(
        "SELECT s.kind, s.cell, s.number, s.worker, s.fence, r.archive FROM starts s "
        "JOIN results r USING (kind, cell, number) WHERE s.state = 'delivered' "
        "ORDER BY s.ended_at LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    kind, cell, number, worker, fence, archive = row
    return Delivered(kind, Key(cell, number), worker or "", fence, archive)


def keep(connection: psycopg.Connection, one: Delivered) -> None:
    """Note that a result is in its place; the database forgets its content."""
    _ended(connection, one, "kept", "", failures=0)


def refuse(connection: psycopg.Connection, one: Delivered, why: str) -> None:
    """Note that a result is not what it must be: its start is measured again.

    Of an anchor there will be another one.
    """
    _ended(connection, one, "failed" if one.kind == "anchor" else "queued", why, failures=1)


def _ended(
    connection: psycopg.Connection, one: Delivered, state: str, why: str, failures: int
) -> None:
    key = {"kind": one.kind, "cell": one.key.cell, "number": one.key.number}
    where = "kind = %(kind)s AND cell = %(cell)s AND number = %(number)s"
    with connection.transaction():
        connection.execute(
            "UPDATE starts SET state = %(state)s, why = %(why)s, "  # noqa: S608 - of words above
            f"failures = failures + %(failures)s WHERE state = 'delivered' AND {where}",
            {**key, "state": state, "why": why[:1000], "failures": failures},
        )
        connection.execute(f"DELETE FROM results WHERE {where}", key)  # noqa: S608


def leave_out(connection: psycopg.Connection, keys: Sequence[Key], why: str) -> list[Key]:
    """Take starts from the queue; those that were taken, as nobody had begun to measure them."""
    rows = connection.execute(
        "UPDATE starts s SET state = 'left_out', why = %s, ended_at = clock_timestamp() "
        "FROM unnest(%s::text[], %s::integer[]) AS k (cell, number) "
        "WHERE s.kind = 'planned' AND s.state = 'queued' "
        "AND s.cell = k.cell AND s.number = k.number RETURNING s.cell, s.number",
        [why[:1000], [key.cell for key in keys], [key.number for key in keys]],
    )
    return sorted(Key(cell, number) for cell, number in rows.fetchall())


def end_lost_anchors(connection: psycopg.Connection, lease_s: float) -> None:
    """Give up anchors whose workers are gone; their numbers stay taken."""
    connection.execute(
        "UPDATE starts s SET state = 'failed', why = 'its worker is gone' "
        "WHERE s.kind = 'anchor' AND s.state = 'measuring' "
        "AND s.taken_at < clock_timestamp() - make_interval(secs => %s) AND NOT EXISTS ("
        "SELECT 1 FROM members m WHERE m.name = s.worker "
        "AND m.told_at > clock_timestamp() - make_interval(secs => %s))",
        [4 * lease_s, 4 * lease_s],
    )


def added(connection: psycopg.Connection) -> dict[Key, dict[str, Level]]:
    """Starts of cells that strategies have added, with the levels of their cells."""
    rows = connection.execute(
        "SELECT cell, number, levels FROM starts WHERE kind = 'planned' AND levels IS NOT NULL"
    ).fetchall()
    return {Key(cell, number): json.loads(json.dumps(levels)) for cell, number, levels in rows}


def states(connection: psycopg.Connection) -> dict[Key, str]:
    """State of every planned start."""
    rows = connection.execute("SELECT cell, number, state FROM starts WHERE kind = 'planned'")
    return {Key(cell, number): state for cell, number, state in rows.fetchall()}


def open_count(connection: psycopg.Connection) -> int:
    """Starts that are not over: queued, being measured or not collected."""
    row = connection.execute(
        "SELECT count(*) FROM starts WHERE state IN ('queued', 'measuring', 'delivered') "
        "AND (kind = 'planned' OR state = 'delivered')"
    ).fetchone()
    return int(row[0]) if row else 0
