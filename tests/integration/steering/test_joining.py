"""Workers of another address or build, and a coordinator that stays: listen, build, watch."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import sleepers
from needs import or_passed_over
from steered_study import STEERING, results, steered

from modelstress.config.errors import ConfigError, MissingError
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.samples.provenance import sha256_jar
from modelstress.steering.postgres import NAME, PostgresServer
from modelstress.steering.postgres_programs import programs

ELSEWHERE = "127.0.0.2"
"""Another address of this machine, as that of a private network is."""


def wait_for(true: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("listen", [None, ELSEWHERE])
def test_workers_reach_another_address_only_where_the_server_listens_there(
    tmp_path: Path, listen: str | None
) -> None:
    with or_passed_over():
        programs(tmp_path)
    server = PostgresServer(tmp_path / "postgresql", listen)
    server.start()
    try:
        with psycopg.connect(server.url(), autocommit=True) as owner:
            owner.execute("CREATE ROLE worker LOGIN PASSWORD 'secret'")
            owner.execute(f"GRANT CONNECT ON DATABASE {NAME} TO worker")
        url = server.url("worker", "secret")
        assert f"@{listen or '127.0.0.1'}:" in url
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(server.url("worker", "guess"))
        if listen is None:
            with pytest.raises(psycopg.OperationalError, match="refused"):
                psycopg.connect(url.replace("127.0.0.1", ELSEWHERE))
        access = (server.data / "pg_hba.conf").read_text(encoding="utf-8").split("\n")
        [owners] = [line for line in access if NAME in line.split()[2:3]]
        assert "127.0.0.1/32" in owners.split(), "wherever it listens, the owner is on this machine"
    finally:
        server.stop()


def makefile(program: Path) -> str:
    return f"build:\n\tcp {program} sleeper/program\norb:\n\t@true\n"


def test_a_worker_builds_programs_that_differ_when_it_may(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 2, STEERING)
    behind = tmp_path / "behind"
    shutil.copytree(project.root, behind)
    program = behind / "sleeper" / "program"
    program.write_text("an older build")
    (behind / "Makefile").write_text("build:\n\t@echo no compiler here >&2; exit 1\norb:\n")
    with steered(server, project) as study:
        with pytest.raises(ConfigError, match="'make build', or --build"):
            study.join(root=behind, name="behind")
        with pytest.raises(MissingError, match="programs cannot be built"):
            study.join(root=behind, name="broken", build=True)
        assert program.read_text() == "an older build"
        (behind / "Makefile").write_text(makefile(project.root / "sleeper" / "program"))
        study.join(root=behind, name="built", build=True)
        done = study.end()
    assert done.done == 4 and program.read_text() != "an older build"
    assert {worker.name: worker.done for worker in done.workers}["built"] == 4 + done.anchors == 6


def test_a_coordinator_that_stays_measures_again_what_was_built_anew(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 2, STEERING)
    leave = Interrupt()
    with steered(server, project, watch_s=0.3) as study:
        stays = study.worker(name="stays")

        def work() -> None:
            with suppress(InterruptedRunError):
                stays.run(leave)

        worker = threading.Thread(target=work)
        worker.start()
        wait_for(lambda: len(results(project)) == 4)
        time.sleep(1)
        assert study.thread.is_alive() and worker.is_alive()
        assert not list(project.raw.rglob(".i00.replaced-0"))
        (project.root / "sleeper" / "program").write_text("a newer build")
        sha256_jar.cache_clear()
        wait_for(lambda: len(list(project.raw.rglob(".i00.replaced-0"))) == 4)
        assert len(results(project)) == 4
        assert any("programs were built anew" in sentence for sentence in study.said)
        leave.signum = study.interrupt.signum = 15
        worker.join(40)
        with pytest.raises(InterruptedRunError):
            study.end()
