"""The coordinator: puts a study's starts into the queue and collects each result once.

It keeps nothing in memory that it could not find again: killed at any moment, it goes on where it
was when it is started again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg

from modelstress.config.errors import BusyError, ConfigError, MeasureError
from modelstress.config.project import Project
from modelstress.design.plan import Run
from modelstress.design.plan_file import Plan, current_plan, read_plan, write_plan
from modelstress.hosts import plan_cpus
from modelstress.measure import folders
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.status import state_of
from modelstress.steering import parcels, programs, progress, progress_file, queue
from modelstress.steering.about import About, about
from modelstress.steering.adapting import Adapting
from modelstress.steering.anchors import ANCHORS, anchor_run
from modelstress.steering.catalogue import Catalogue
from modelstress.steering.connections import Patient, with_password, without_password
from modelstress.steering.keys import Fix, Key, contents_digest, fits, queue_name, schema_name
from modelstress.steering.measuring import refuse
from modelstress.steering.postgres import PostgresServer
from modelstress.steering.progress_file import Progress
from modelstress.steering.queue import Delivered, Wanted

IDLE_S = 0.25
NICE = 10
TOLD_EVERY_S = 2.0
LEAVE_S = 15.0
"""How long workers have to see that the study is finished, before the database goes."""


@dataclass(frozen=True)
class Options:
    """How a study is steered.

    Attributes:
        database: URL of a PostgreSQL server; None: one of the project's own.
        listen: another address on which the project's own server can be reached.
        port: of it; 0: as before, or any.
        fix: levels that cells must have to be measured.
        again: whether what was measured with other contents is measured again.
        watch_s: stay, and look so often whether programs were built anew; None: end when done.
        patience_s: how long the database may be away.
    """

    database: str | None = None
    listen: str | None = None
    port: int = 0
    fix: Fix = field(default_factory=dict)
    again: bool = False
    watch_s: float | None = None
    patience_s: float = 600.0


class Coordinator:
    """Steers one study under one profile.

    Args:
        project: with the study's files, and ``data/`` for its samples.
        study, profile: names.
        options: how it is steered.
        say: called with sentences for people.
        show: called with the progress, every two seconds.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong, or is not for
            workers.
    """

    def __init__(
        self,
        project: Project,
        study: str,
        profile: str,
        options: Options,
        say: Callable[[str], None],
        show: Callable[[Progress], None] = lambda now: None,
    ) -> None:
        self.project, self.options = project, options
        self._again = options.again
        self._say, self._show = say, show
        self.plan: Plan = current_plan(project, study, profile)
        refuse(self.plan.runs)
        self.catalogue = Catalogue(project, self.plan)
        self.steering = self.catalogue.profile.steering
        self.schema = schema_name(study, profile)
        self.folder = progress_file.folder_of(project.root / "data", study, profile)
        self._adapting = Adapting(
            self.catalogue, project.profile_file(profile, study), self.folder, say
        )
        self._server: PostgresServer | None = None
        if options.database is None:
            self._server = PostgresServer(self.folder / "postgresql", options.listen, options.port)

    @property
    def join_file(self) -> Path:
        """File with the URL by which workers join, token included; readable by its owner only."""
        return self.folder / "join.url"

    def run(self, interrupt: Interrupt) -> Progress:
        """Steer until every start is measured, given up or left out; return how it came out.

        Raises:
            BusyError: another coordinator steers the study here.
            ConfigError: the database refuses.
            MissingError: there is no database.
            MeasureError: samples cannot be written; they stay in the database.
            InterruptedRunError: a signal; started again, it goes on.
        """
        self._interrupt = interrupt
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._alone(), _aside():
            self._database = Patient(
                self._url, self.schema, self.options.patience_s, interrupt.check
            )
            try:
                shutil.rmtree(self.folder / "arriving", ignore_errors=True)
                self._database.run(self._set_up)
                done = self._steer()
                self._send_away()
                done = self._tell().model_copy(update={"queue": False})
                progress_file.write(self.folder, done)
                return done
            finally:
                self._database.close()
                if self._server is not None:
                    self._server.stop()

    def _url(self) -> str:
        """Where the database is; our own server is started, also after it was killed."""
        if self._server is None:
            return str(self.options.database)
        if not self._server.alive:
            if self._server.pid is not None:
                self._say("the database has ended; starting it again")
            self._server.start(self._interrupt.check)
        return self._server.url()

    # at the start

    def _set_up(self, connection: psycopg.Connection) -> None:
        """Schema, role, description and jobs; all of it may be there already."""
        queue.create(connection, self.schema, own_database=self._server is not None)
        role, token = queue.worker_role(connection, self.schema, self.folder / "token")
        if read_plan(self.project, self.plan.study, self.plan.profile) is None:
            write_plan(self.project, self.plan)
        self._announce(connection)
        jobs = queue.enqueue(connection, self._wanted(connection))
        url = self._url_of_workers(role, token)
        self.join_file.touch(mode=0o600)
        self.join_file.write_text(f"{url}\n", encoding="utf-8")
        self._say(
            f"{jobs} starts queued; workers join with 'modelstress join {self.join_file}', or from "
            f"elsewhere with {without_password(url)} and the token in {self.folder / 'token'}"
        )

    def _url_of_workers(self, role: str, token: str) -> str:
        if self._server is not None:
            return self._server.url(role, token)
        url = str(self.options.database)
        scheme, _, rest = url.partition("://")
        return with_password(f"{scheme}://{role}@{rest.rpartition('@')[2]}", token)

    def _announce(self, connection: psycopg.Connection) -> None:
        self.about: About = about(self.project, self.plan)
        queue.describe(connection, self.about.model_dump(mode="json"))
        queue.ship(connection, programs.shipped(self.project, self.plan.cells))

    def _wanted(self, connection: psycopg.Connection) -> Iterator[Wanted]:
        """All starts that the plan has, and those that were added before; measured ones as such."""
        for key, start in self.catalogue.planned.items():
            if fits(start[0].cell.levels, self.options.fix):
                yield self._wanted_one(key, start, priority=-start[0].invocation)
        for key, levels in queue.added(connection).items():
            start = self.catalogue.start(key, levels)
            self.catalogue.cells.setdefault(key.cell, start[0].cell)
            yield self._wanted_one(key, start, added=True)

    def _wanted_one(
        self, key: Key, start: list[Run], *, priority: int = 0, added: bool = False
    ) -> Wanted:
        kept = all(folders.finished(self._place(run)) for run in start)
        stale = (
            kept and self._again and any(state_of(self.project, run) == "stale" for run in start)
        )
        return Wanted(
            key,
            contents_digest(self.project, start),
            queue_name(start[0].cell.levels, self.about.divide_by),
            dict(start[0].cell.levels) if added else None,
            priority,
            kept,
            stale,
        )

    # while workers measure

    def _steer(self) -> Progress:
        looked_after = told = looked_at_programs = 0.0
        self._adapting.restore(self._place)
        while True:
            self._interrupt.check()
            if self._server is not None and not self._server.alive:
                self._database.close()  # so that it is started again at once
            collected = self._database.run(self._collect)
            now = time.monotonic()
            if now - looked_after > min(5.0, self.steering.lease_s / 6):
                self._database.run(self._look_after)
                looked_after = now
            if now - told > TOLD_EVERY_S:
                self._tell()
                told = now
            if self.options.watch_s and now - looked_at_programs > self.options.watch_s:
                if looked_at_programs:
                    self._database.run(self._rebuilt)
                looked_at_programs = now
            self._database.run(self._adapt)  # while results arrive, too: there may be no pause
            if collected:
                continue
            if not self._database.run(queue.open_count) and self.options.watch_s is None:
                return self._tell()
            time.sleep(IDLE_S)

    def _collect(self, connection: psycopg.Connection) -> bool:
        """Bring one result to its place; False where there is none."""
        one = queue.next_delivered(connection)
        if one is None:
            return False
        try:
            start = self._start_of(one, connection)
        except ConfigError as error:  # of a plan that there is no more
            queue.refuse(connection, one, str(error))
            return True
        arriving = self.folder / "arriving"
        shutil.rmtree(arriving, ignore_errors=True)
        try:
            arrived = parcels.unpack(one.archive, arriving, len(start), self.about.most_bytes)
            wrong = [
                f"{run.cell.id}: {why}"
                for run, cell in zip(start, arrived, strict=True)
                for why in parcels.problems(self.project, run, cell)
            ]
        except MeasureError as error:
            wrong = [str(error)]
        if wrong:
            queue.refuse(connection, one, wrong[0])
            self._say(f"{one.key}: the result of {one.worker} is refused: {wrong[0]}")
            return True
        place = self._place if one.kind == "planned" else self._place_of_anchor
        for run, cell in zip(start, arrived, strict=True):
            parcels.place(cell, place(run))
        queue.keep(connection, one)
        if one.kind == "planned":
            self._adapting.note(start, self._place)
        return True

    def _start_of(self, one: Delivered, connection: psycopg.Connection) -> list[Run]:
        if one.kind == "anchor":
            cell = self.catalogue.cells.get(one.key.cell)
            if cell is None:
                raise ConfigError(f"{one.key} is no anchor of the plan")
            return [anchor_run(cell, one.key.number, self.project.main.seed)]
        levels = (
            queue.added(connection).get(one.key)
            if (one.key not in self.catalogue.planned)
            else None
        )
        return self.catalogue.start(one.key, levels)

    def _place(self, run: Run) -> Path:
        return run.cell.folder(self.project.raw, run.invocation)

    def _place_of_anchor(self, run: Run) -> Path:
        place = self._place(run)
        return self.folder / ANCHORS / place.relative_to(place.parents[2])

    def _look_after(self, connection: psycopg.Connection) -> None:
        """Give jobs of lost workers to others, and every open start a job."""
        queue.retry_stalled(self._url(), self.schema, self.steering.lease_s)
        queue.sweep(connection, self.steering.attempts)
        queue.end_lost_anchors(connection, self.steering.lease_s)

    def _adapt(self, connection: psycopg.Connection) -> None:
        """Let strategies decide, where anything was measured since they did."""
        if not self._adapting.due(connection):
            return
        for decision in self._adapting.decide(connection):
            wanted = []
            if decision.leave_out:  # but what workers have begun to measure since it was seen
                gone = queue.leave_out(connection, decision.leave_out, decision.why)
                decision = replace(decision, leave_out=tuple(gone))
            for levels in decision.add:
                cell = self.catalogue.cell(levels)
                self.catalogue.cells.setdefault(cell.id, cell)
                for number in range(cell.invocations):
                    key = Key(cell.id, number)
                    start = self.catalogue.start(key, cell.levels)
                    wanted.append(self._wanted_one(key, start, added=True))
            for name, starts in decision.more.items():
                cell = self.catalogue.cells[name]
                for number in range(cell.invocations, starts):
                    key = self.catalogue.more(cell, number)
                    wanted.append(self._wanted_one(key, self.catalogue.start(key)))
            queue.enqueue(connection, {one.key: one for one in wanted}.values())
            self._adapting.decided(decision)
        queue.sweep(connection, self.steering.attempts)

    def _rebuilt(self, connection: psycopg.Connection) -> None:
        """Put starts back whose programs were built anew since."""
        before = self.about.builds
        now = programs.described(self.project, self.plan.cells)
        if now == before:
            return
        self._say("programs were built anew; what was measured with others is measured again")
        self._announce(connection)
        self._again = True
        queue.enqueue(connection, self._wanted(connection))

    def _tell(self) -> Progress:
        def read(connection: psycopg.Connection) -> Progress:
            plan = self.plan
            return progress.read(connection, plan.study, plan.profile, self._adapting.notes)

        now = self._database.run(read)
        progress_file.write(self.folder, now)
        self._show(now)
        return now

    # at the end

    def _send_away(self) -> None:
        """Tell workers that there is nothing left, and give them time to hear it."""
        self._database.run(
            lambda connection: queue.describe(
                connection, self.about.model_dump(mode="json"), finished=True
            )
        )
        deadline = time.monotonic() + LEAVE_S

        def present(connection: psycopg.Connection) -> bool:
            row = connection.execute(
                "SELECT count(*) FROM members WHERE state NOT IN ('gone', 'refused') "
                "AND told_at > clock_timestamp() - make_interval(secs => %s)",
                [2 * self.steering.lease_s + LEAVE_S],
            ).fetchone()
            return bool(row and row[0])

        while time.monotonic() < deadline and self._database.run(present):
            self._interrupt.check()
            time.sleep(IDLE_S)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self.folder / "coordinator.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise BusyError(
                    f"{self.folder}: another coordinator steers this study; end it first"
                ) from error
            yield


@contextmanager
def _aside() -> Iterator[None]:
    """Keep this thread, and the database that it starts, off the clients' CPUs and behind others.

    A worker may measure on this machine: what is done here must not delay its clients.
    """
    cpus, nice = os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, max(nice, NICE))
    os.sched_setaffinity(0, plan_cpus(allow_shared=True).server or cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cpus)
        with suppress(OSError):  # only root may
            os.setpriority(os.PRIO_PROCESS, 0, nice)
