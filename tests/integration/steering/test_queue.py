"""The queue in a real PostgreSQL: exactly once by key and fence, and what workers may reach."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from steered_queue import Queue

from modelstress.config.errors import BusyError, ConfigError
from modelstress.steering import progress, queue
from modelstress.steering.connections import connect
from modelstress.steering.postgres import PostgresServer


def test_a_result_is_accepted_once_and_only_with_the_last_fence(queued: Queue) -> None:
    slow, quick = queued.register(), queued.register()
    job, cell, number = queued.fetch(slow)
    [(first, contents, levels)] = queued.call("take", job, slow, "slow", cell, number)
    assert (first, levels) == (1, None)
    assert contents == next(one.contents for one in queued.wanted if one.key.cell == cell)
    assert queued.call("take", job, quick, "quick", cell, number) == [], "it is not its job"

    # the slow one is paused past its lease: its job goes to another
    queued.connection.execute(
        "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour' WHERE id = %s",
        [slow],
    )
    assert queue.retry_stalled(queued.url, queued.schema, 60) == 1
    fetched = [queued.fetch(quick) for _ in range(4)]
    assert (job, cell, number) in fetched
    [(second, _, _)] = queued.call("take", job, quick, "quick", cell, number)
    assert second == 2

    def deliver(fence: int, content: bytes = b"zip") -> str:
        [(said,)] = queued.call("deliver", "planned", cell, number, fence, "w", content)
        return str(said)

    assert deliver(first) == "late"
    assert deliver(second) == "accepted"
    assert deliver(second, b"other") == "again", "the answer to the first time was lost"
    assert deliver(first) == "late" and deliver(second + 1) == "late"
    delivered = queue.next_delivered(queued.connection)
    assert delivered is not None and delivered.archive == b"zip"
    queue.keep(queued.connection, delivered)
    assert deliver(second) == "again"
    assert queue.next_delivered(queued.connection) is None
    assert queued.counts() == {"kept": 1, "queued": 3}
    assert progress.read(queued.connection, "s", "p").late == 3


def test_every_open_start_has_a_job_whatever_became_of_it(queued: Queue) -> None:
    worker = queued.register()
    job, cell, number = queued.fetch(worker)
    queued.call("take", job, worker, "w", cell, number)
    # a worker that ends its job without a result, by mistake or on purpose
    queued.worker.execute("SELECT procrastinate_finish_job_v1(%s, 'succeeded', true)", [job])
    assert queued.jobs() == {"todo": 3}
    queue.sweep(queued.connection, attempts=3)
    assert queued.jobs() == {"todo": 4} and queued.counts() == {"queued": 4}
    for _ in range(2):
        assert queue.enqueue(queued.connection, queued.wanted) == 0, "repeating changes nothing"


def test_a_start_that_always_fails_is_given_up_with_its_reason(queued: Queue) -> None:
    worker = queued.register()
    _, cell, number = first = queued.fetch(worker)
    for attempt in range(3):
        job = first[0] if attempt == 0 else _job_of(queued, cell, worker)
        [(fence, *_)] = queued.call("take", job, worker, "w", cell, number)
        queued.call("give_back", "planned", cell, number, fence, "no disk", True)
        queued.worker.execute("SELECT procrastinate_finish_job_v1(%s, 'failed', true)", [job])
        queue.sweep(queued.connection, attempts=3)
    assert queued.counts() == {"failed": 1, "queued": 3}
    [failure] = progress.read(queued.connection, "s", "p").failures
    assert failure == f"{cell} i{number:02d}: no disk"
    queue.enqueue(queued.connection, queued.wanted)
    assert queued.counts() == {"queued": 4}, "a coordinator that is started again tries once more"


def _job_of(queued: Queue, cell: str, worker: int) -> int:
    """Fetch until the job of this cell is there; it was queued last."""
    for _ in range(4):
        job, name, _ = queued.fetch(worker)
        if name == cell:
            return job
    raise AssertionError(cell)


def test_a_start_that_is_measured_elsewhere_or_of_other_programs_fences_workers_off(
    queued: Queue,
) -> None:
    worker = queued.register()
    job, cell, number = queued.fetch(worker)
    [(fence, *_)] = queued.call("take", job, worker, "w", cell, number)
    [mine] = [one for one in queued.wanted if one.key.cell == cell]
    changed = queue.Wanted(mine.key, "other programs", "all")
    queue.enqueue(queued.connection, [changed])
    [(said,)] = queued.call("deliver", "planned", cell, number, fence, "w", b"zip")
    assert said == "late"
    queue.enqueue(queued.connection, [queue.Wanted(mine.key, "other programs", "all", kept=True)])
    assert queued.counts() == {"kept": 1, "queued": 3}
    again = queue.Wanted(mine.key, "newer ones", "all", kept=True, anew=True)
    queue.enqueue(queued.connection, [again])
    assert queued.counts() == {"queued": 4}


def test_only_what_nobody_measures_is_left_out(queued: Queue) -> None:
    worker = queued.register()
    job, cell, number = queued.fetch(worker)
    queued.call("take", job, worker, "w", cell, number)
    keys = [one.key for one in queued.wanted]
    gone = queue.leave_out(queued.connection, keys, "all of them fail")
    assert gone == sorted(key for key in keys if key.cell != cell) and len(gone) == 3
    assert queued.counts() == {"left_out": 3, "measuring": 1}
    assert queue.leave_out(queued.connection, keys, "again") == []


def test_a_parcel_that_is_too_large_is_not_taken(queued: Queue) -> None:
    worker = queued.register()
    job, cell, number = queued.fetch(worker)
    [(fence, *_)] = queued.call("take", job, worker, "w", cell, number)
    queued.connection.execute(
        "UPDATE about SET description = jsonb_set(description, '{most_bytes}', '10')"
    )
    [(said,)] = queued.call("deliver", "planned", cell, number, fence, "w", bytes(11))
    assert said == "large"
    assert queue.next_delivered(queued.connection) is None


def test_anchors_are_numbered_one_after_the_other(queued: Queue) -> None:
    [anchor] = [next(iter(queued.starts))]
    taken = [queued.call("take_anchor", "w", anchor.cell)[0] for _ in range(3)]
    assert taken == [(0, 1), (1, 1), (2, 1)]
    assert queued.call("take_anchor", "w", "no-anchor") == []
    [(said,)] = queued.call("deliver", "anchor", anchor.cell, 1, 1, "w", b"zip")
    assert said == "accepted"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM starts",
        "SELECT * FROM results",
        "SELECT * FROM members",
        "SELECT args FROM procrastinate_jobs",
        "DELETE FROM procrastinate_jobs",
        "UPDATE starts SET state = 'kept'",
        "INSERT INTO programs VALUES ('x', '')",
        "CREATE TABLE mine (x int)",
        "CREATE TABLE public.mine (x int)",
        "CREATE TEMP TABLE mine (x int)",
        "CREATE ROLE other",
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT procrastinate_defer_jobs_v1(ARRAY[]::procrastinate_job_to_defer_v1[])",
        "SELECT procrastinate_retry_job_v2(1, now(), 1, 'q', 'l')",
        "SELECT procrastinate_cancel_job_v1(1, true, true)",
        "SET ROLE modelstress",
        "ALTER ROLE modelstress PASSWORD 'x'",
        "DROP SCHEMA {schema} CASCADE",
    ],
)
def test_a_worker_reaches_its_queue_by_functions_only(queued: Queue, statement: str) -> None:
    with pytest.raises(
        (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidRoleSpecification)
    ):
        queued.worker.execute(statement.format(schema=queued.schema).encode())


def test_a_worker_does_not_reach_another_study(queued: Queue, tmp_path: Path) -> None:
    other = Queue(queued.server, tmp_path / "other", "another")
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            queued.worker.execute(f"SELECT * FROM {other.schema}.study()".encode())
        with pytest.raises(ConfigError, match="refuses: password authentication failed"):
            connect(queued.server.url(other.role, queued.token))
        with pytest.raises(ConfigError, match="refuses"):
            connect(queued.server.url("postgres", queued.token))
    finally:
        other.close()


def test_tokens_are_for_their_owner_only(queued: Queue) -> None:
    files = [queued.project.root / "token", queued.server.folder / "password"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert queued.token not in (queued.server.folder / "log").read_text()


def test_the_server_listens_on_loopback_and_ends_with_its_process(tmp_path: Path) -> None:
    """Killed with its controller, and started again on the same port with the same data."""
    program = (
        "import sys, time; from pathlib import Path; "
        "from modelstress.steering.postgres import PostgresServer; "
        "s = PostgresServer(Path(sys.argv[1])); s.start(); print(s.pid, s.port, flush=True); "
        "import psycopg; psycopg.connect(s.url()).execute('CREATE TABLE kept (x int)').connection"
        ".commit(); print('kept', flush=True); time.sleep(600)"
    )
    folder = tmp_path / "postgresql"
    controller = subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert controller.stdout is not None
    pid, port = map(int, controller.stdout.readline().split())
    assert controller.stdout.readline() == "kept\n"
    listening = [
        line.split()[1]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    ]
    assert listening == [f"0100007F:{port:04X}"]
    controller.kill()
    controller.wait()
    controller.stdout.close()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists(), "the kernel ends it with its controller"
    again = PostgresServer(folder)
    again.start()
    try:
        assert again.port == port
        with psycopg.connect(again.url()) as connection:
            connection.execute("SELECT * FROM kept")
        os.kill(again.pid or 0, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while again.alive and time.monotonic() < deadline:
            time.sleep(0.05)
        again.start()
        with psycopg.connect(again.url()) as connection:
            connection.execute("SELECT * FROM kept")
    finally:
        again.stop()
    assert not again.alive
    in_use = pytest.raises(BusyError, match=f"port {port}, which workers know, is in use")
    with socket.create_server(("127.0.0.1", port)), in_use:
        again.start()


def test_what_is_no_database_is_a_sentence(tmp_path: Path) -> None:
    for url in ("http://127.0.0.1/x", "nonsense", "postgresql://127.0.0.1:x/y"):
        with pytest.raises(ConfigError, match="no URL of PostgreSQL"):
            connect(url)
