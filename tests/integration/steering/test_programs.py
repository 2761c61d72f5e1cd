"""The programs of PostgreSQL that the Java programs bring: a server of them answers."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest
from needs import EVERY_TEST

from modelstress.config.errors import MissingError
from modelstress.steering import postgres_programs
from modelstress.steering.postgres import PostgresServer


def test_programs_out_of_a_jar_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_programs, "DEBIAN", tmp_path / "none")
    monkeypatch.setattr(postgres_programs.shutil, "which", lambda name: None)
    try:
        folder = postgres_programs.programs(tmp_path)
    except MissingError as error:
        if EVERY_TEST in os.environ:
            raise
        pytest.skip(str(error))
    assert folder.is_relative_to(tmp_path)
    server = PostgresServer(tmp_path / "postgresql", None, 0)
    server.start(lambda: None)
    try:
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        server.stop()
