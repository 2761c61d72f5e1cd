"""A queue of a study whose subject sleeps, in a schema of its own."""

from __future__ import annotations

from pathlib import Path

import psycopg
import sleepers

from modelstress.design.plan_file import make_plan
from modelstress.steering import queue
from modelstress.steering.about import about
from modelstress.steering.connections import connect
from modelstress.steering.keys import contents_digest, schema_name, starts_of
from modelstress.steering.postgres import PostgresServer


class Queue:
    """A queue of four configurations in a schema of its own, with a role for workers."""

    def __init__(self, server: PostgresServer, root: Path, name: str) -> None:
        self.project = sleepers.write_project(root, 2)
        self.server, self.schema = server, schema_name(sleepers.STUDY, name)
        self.url = server.url()
        self.connection = connect(self.url, self.schema)
        queue.create(self.connection, self.schema, own_database=True)
        self.role, self.token = queue.worker_role(self.connection, self.schema, root / "token")
        plan = make_plan(self.project, sleepers.STUDY, sleepers.PROFILE)
        described = about(self.project, plan).model_dump(mode="json")
        queue.describe(self.connection, described)
        self.starts = starts_of(plan)
        self.wanted = [
            queue.Wanted(key, contents_digest(self.project, start), "all")
            for key, start in self.starts.items()
        ]
        queue.enqueue(self.connection, self.wanted)
        self.worker = connect(server.url(self.role, self.token))

    def call(self, function: str, *arguments: object) -> list[tuple]:
        places = ", ".join(["%s"] * len(arguments))
        return self.worker.execute(f"SELECT * FROM {function}({places})", arguments).fetchall()

    def fetch(self, worker: int) -> tuple[int, str, int]:
        """Job, cell and number, fetched as procrastinate does."""
        [(job, args)] = self.worker.execute(
            "SELECT id, args FROM procrastinate_fetch_job_v2(%s::varchar[], %s)", [["all"], worker]
        ).fetchall()
        return job, args["cell"], args["number"]

    def register(self) -> int:
        [(worker,)] = self.call("procrastinate_register_worker_v1")
        return int(worker)

    def counts(self) -> dict[str, int]:
        rows = self.connection.execute("SELECT state, count(*) FROM starts GROUP BY state")
        return dict(rows.fetchall())

    def jobs(self) -> dict[str, int]:
        rows = self.connection.execute(
            "SELECT status::text, count(*) FROM procrastinate_jobs GROUP BY status"
        )
        return dict(rows.fetchall())

    def close(self) -> None:
        for connection in (self.worker, self.connection):
            connection.close()
        with psycopg.connect(self.url, autocommit=True) as owner:
            owner.execute(f'DROP SCHEMA "{self.schema}" CASCADE')
