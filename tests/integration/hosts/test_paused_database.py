"""A real PostgreSQL that is paused: each of its backends has a session of its own."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from needs import or_passed_over

from modelstress.hosts import ProcessHost, Program, ProgramSpec
from modelstress.steering.postgres import SETTINGS, PostgresServer, as_nobody
from modelstress.steering.postgres_programs import programs

SOON = 30.0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Program, psycopg.Connection[tuple[object, ...]]]]:
    """The server as a program of a host, and a connection to it."""
    with or_passed_over():
        folder = programs(tmp_path)
    made = PostgresServer(tmp_path / "postgresql")
    made.start()  # makes the data folder
    made.stop()
    settings = SETTINGS | {"listen_addresses": "127.0.0.1", "port": str(made.port)}
    flags = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    argv = (*as_nobody(), str(folder / "postgres"), "-D", str(made.data), *flags)
    program = ProcessHost("paused").start(ProgramSpec("postgres", argv, tmp_path, tmp_path / "log"))
    try:
        with connected(made.url()) as connection:
            yield program, connection
    finally:
        program.signal(signal.SIGCONT)
        program.stop(SOON)


def connected(url: str) -> psycopg.Connection[tuple[object, ...]]:
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        with suppress(psycopg.OperationalError):
            return psycopg.connect(url, autocommit=True)
        time.sleep(0.05)
    raise AssertionError("PostgreSQL does not answer")


def test_a_paused_database_answers_nobody(
    served: tuple[Program, psycopg.Connection[tuple[object, ...]]],
) -> None:
    program, connection = served
    assert connection.execute("SELECT 1").fetchone() == (1,)
    program.signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(connection.execute, "SELECT 2")
        try:
            with pytest.raises(TimeoutError):
                asked.result(0.5)
        finally:
            program.signal(signal.SIGCONT)
        assert asked.result(SOON).fetchone() == (2,)
