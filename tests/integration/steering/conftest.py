"""A PostgreSQL server of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from needs import or_passed_over
from steered_queue import Queue

from modelstress.steering.postgres import PostgresServer
from modelstress.steering.postgres_programs import programs


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    folder = tmp_path_factory.mktemp("steering")
    with or_passed_over():
        programs(folder)
    made = PostgresServer(folder / "postgresql")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def queued(
    server: PostgresServer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Queue]:
    made = Queue(server, tmp_path / "project", request.node.name)
    yield made
    made.close()
