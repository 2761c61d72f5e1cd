"""A study whose queue and workers are real, and whose subject sleeps."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import sleepers

from modelstress.config.project import Project
from modelstress.measure.interrupt import Interrupt
from modelstress.steering.coordinator import Coordinator, Options
from modelstress.steering.keys import schema_name
from modelstress.steering.measuring import Measurer
from modelstress.steering.postgres import PostgresServer
from modelstress.steering.progress_file import Progress
from modelstress.steering.worker import Options as WorkerOptions
from modelstress.steering.worker import Worker

STEERING = "{lease_s: 2, anchors: 2, anchors_every_s: 600}"


class Steered:
    """A coordinator in a thread, over the tests' server, and workers in this one."""

    def __init__(self, server: PostgresServer, project: Project, **options: Any) -> None:
        self.project, self.said = project, list[str]()
        self.done: Progress | None = None
        self.error: BaseException | None = None
        self.interrupt = Interrupt()
        self.coordinator = Coordinator(
            project, sleepers.STUDY, sleepers.PROFILE,
            Options(database=server.url(), **options), self.said.append,
        )  # fmt: skip
        self.schema = schema_name(sleepers.STUDY, sleepers.PROFILE)
        self._ready = threading.Event()
        self.coordinator._say = self._say  # type: ignore[method-assign]
        self.thread = threading.Thread(target=self._run)

    def _say(self, sentence: str) -> None:
        self.said.append(sentence)
        if "starts queued" in sentence:
            self._ready.set()

    def _run(self) -> None:
        try:
            self.done = self.coordinator.run(self.interrupt)
        except BaseException as error:
            self.error = error
        self._ready.set()

    def start(self) -> Steered:
        self.thread.start()
        assert self._ready.wait(30)
        return self

    def worker(
        self, root: Path | None = None, measure: Measurer | None = None, **more: Any
    ) -> Worker:
        url = self.coordinator.join_file.read_text().strip()
        options = WorkerOptions(url=url, checks=False, patience_s=20, **more)
        project = Project(root or self.project.root)
        notes = self.project.root / "measured"
        return Worker(project, options, measure or sleepers.sleeping(0.01, notes), self.said.append)

    def join(self, **more: Any) -> None:
        self.worker(**more).run(Interrupt())

    def end(self) -> Progress:
        self.thread.join(40)
        assert not self.thread.is_alive()
        if self.error is not None:
            raise self.error
        assert self.done is not None
        return self.done


@contextmanager
def steered(server: PostgresServer, project: Project, **options: Any) -> Iterator[Steered]:
    made = Steered(server, project, **options).start()
    try:
        yield made
    finally:
        made.interrupt.signum = made.interrupt.signum or 15
        made.thread.join(40)
        with psycopg.connect(server.url(), autocommit=True) as owner:
            owner.execute(f'DROP SCHEMA IF EXISTS "{made.schema}" CASCADE')


def results(project: Project) -> list[Path]:
    return sorted(project.raw.glob("*/*/*/*/i*/"))
