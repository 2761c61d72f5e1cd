"""A worker: joins a study, measures anchors and jobs, delivers each result with its fence."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from modelstress.config.errors import BusyError, ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.plan import Run
from modelstress.design.plan_file import current_plan
from modelstress.measure.folders import attempts
from modelstress.measure.interrupt import TICK_S, Interrupt, InterruptedRunError
from modelstress.samples.provenance import machine, sha256_jar
from modelstress.steering import joining, parcels, programs
from modelstress.steering.about import About, parsed
from modelstress.steering.anchors import anchor_run
from modelstress.steering.catalogue import Catalogue
from modelstress.steering.connections import Patient, without_password
from modelstress.steering.engine import Engine, Job
from modelstress.steering.keys import Fix, Key, contents_digest, fits, queue_names
from modelstress.steering.measuring import Measurer, refuse

FINISHED_EVERY_S = 2.0
CELL = re.compile(r"[A-Za-z0-9._=,:+-]{1,200}")


class RefusedError(ConfigError):
    """This machine may not measure any more: its programs or files are not the coordinator's."""


@dataclass(frozen=True)
class Options:
    """How a worker joins.

    Attributes:
        url: of the database, with role and token.
        name: of the worker among others; by default the machine's with four random digits.
        fix: levels that its cells must have.
        shipped: whether it may run programs that the coordinator ships.
        build: whether it builds programs that differ.
        noisy: whether it joins although the machine is not quiet.
        checks: whether conformance and noise are checked at all; a storm does without.
        patience_s: how long the database may be away.
        schema: of the queue; by default the role's own.
    """

    url: str
    name: str = ""
    fix: Fix = field(default_factory=dict)
    shipped: bool = False
    build: bool = False
    noisy: bool = False
    checks: bool = True
    patience_s: float = 600.0
    schema: str | None = None


class Worker:
    """Measures starts of a study until there are no more.

    What it measures is in an overlay of the project, ``data/steering/workers/<name>``, until it is
    delivered; nothing of it is in ``data/raw`` of this machine.

    Args:
        project: of this machine, with the study's files.
        options: how it joins.
        measure: measures a start.
        tell: called with sentences for people.
    """

    def __init__(
        self,
        project: Project,
        options: Options,
        measure: Measurer,
        tell: Callable[[str], None],
    ) -> None:
        self._project, self._options = project, options
        self._measure, self._say = measure, tell
        self._machine = str(machine()["name"])
        plain = re.sub(r"[^A-Za-z0-9.-]+", "-", self._machine).strip(".-")[:60] or "worker"
        self.name = options.name or f"{plain}-{secrets.token_hex(2)}"
        self.delivered = self.late = 0
        self._anchored_at: float | None = None
        self._refused = False

    def run(self, interrupt: Interrupt) -> None:
        """Join, and measure until the study is finished.

        Raises:
            ConfigError, MissingError: this machine cannot join; says why. The coordinator shows it.
            InterruptedRunError: a signal; what was being measured goes back to the queue.
        """
        self._interrupt = interrupt
        options = self._options
        self._database = Patient(
            lambda: options.url, options.schema, options.patience_s, interrupt.check
        )
        try:
            with self._folder() as folder:
                self._work(folder)
        finally:
            if not self._refused:
                with suppress(ModelstressError, psycopg.Error):
                    self._tell_once("gone")
            self._database.close()

    def _work(self, folder: Path) -> None:
        about, _ = self._study()
        self._call("join_study", self.name, self._machine[:200], Jsonb(self._described()))
        try:
            queues = self._joined(about, folder)
        except InterruptedRunError:
            raise
        except ModelstressError as error:
            self._refuse(error)
            raise
        self._say(f"{self.name} has joined study {about.study!r}, profile {about.profile!r}")
        self._anchors()
        self._tell("waiting")
        with self._engine(queues) as engine:
            asked = time.monotonic()
            while True:
                self._interrupt.check()
                if job := engine.next(TICK_S):
                    try:
                        self._do(job)
                    finally:
                        job.end()
                    self._anchors()
                elif time.monotonic() - asked > FINISHED_EVERY_S:
                    asked = time.monotonic()
                    self._anchors()
                    if self._study()[1]:
                        break
        self._say(f"the study is finished; {self.delivered} starts were delivered from here")

    def _engine(self, queues: Sequence[str]) -> Engine:
        options = self._options
        return Engine(options.url, queues, self._about.lease_s, options.patience_s, options.schema)

    def _joined(self, about: About, folder: Path) -> list[str]:
        """Check everything; the queues that this worker fetches of."""
        options, project = self._options, self._project
        study = project.study(about.study)
        plan = current_plan(project, about.study, about.profile)
        joining.check_plan(about, project, plan)
        refuse(plan.runs)
        queues = queue_names(study, about.divide_by, options.fix)
        cells = [cell for cell in plan.cells if fits(cell.levels, options.fix)]
        if not cells:
            raise ConfigError("no cell of the plan has the levels that --fix or --template fixes")
        self._own_cells = cells
        self._folder_of_overlay = folder
        self._with_programs(about)
        self._catalogue = Catalogue(self._overlay, plan)
        if options.checks:
            notes = project.root / "data" / "steering" / "conformance.json"
            joining.check_conformance(self._overlay, cells, notes, self._say)
            found = joining.noise(project, self._interrupt, self._say)
            self._call(
                "join_study", self.name, self._machine[:200],
                Jsonb({**self._described(), "noise": round(found, 5)}),
            )  # fmt: skip
            if not options.noisy:
                joining.check_noise(about, found)
        return queues

    def _with_programs(self, about: About) -> None:
        options = self._options
        self._about = about
        self._overlay = joining.check_programs(
            about,
            self._project.root,
            self._folder_of_overlay,
            self._own_cells,
            ship=self._shipped if options.shipped else None,
            build=options.build,
            tell=self._say,
        )

    def _described(self) -> dict[str, Any]:
        found = machine()
        named = ("name", "cpu_model", "cpus", "memory", "kernel", "boot")
        return {name: found[name] for name in named} | {"pid": os.getpid()}

    # jobs

    def _do(self, job: Job) -> None:
        """Take, measure and deliver what a job names; whatever goes wrong, say so."""
        try:
            key = _key(job.arguments)
        except ConfigError as error:
            self._say(f"a job is refused: {error}")
            return
        rows = self._call("take", job.id, job.worker, self.name, key.cell, key.number)
        if not rows:  # it has a result, or somebody else has the job
            return
        fence, contents, levels = rows[0]
        sha256_jar.cache_clear()  # programs may have been built again since the last one
        with self._given_back("planned", key, fence):
            start = self._catalogue.start(key, levels)
            self._check_contents(start, str(contents))
            self._deliver("planned", key, fence, start)

    def _check_contents(self, start: Sequence[Run], wanted: str) -> None:
        """See that programs and settings are still the coordinator's; get them where they changed.

        Raises:
            RefusedError: they are not, and cannot be had.
        """
        if contents_digest(self._overlay, start) == wanted:
            return
        about, _ = self._study()
        try:
            self._with_programs(about)
        except ModelstressError as error:
            self._refuse(error)
            raise RefusedError(str(error)) from error
        if contents_digest(self._overlay, start) != wanted:
            why = f"{start[0].cell.id} would be measured with other contents than the coordinator's"
            refused = RefusedError(f"{why}; use the same project on both sides")
            self._refuse(refused)
            raise refused

    @contextmanager
    def _given_back(self, kind: str, key: Key, fence: int) -> Iterator[None]:
        """Give a start back where it cannot be measured or delivered."""
        try:
            yield
        except BusyError as error:
            self._give_back(kind, key, fence, str(error), failed=False)
            self._say(f"{key}: {error}")
        except InterruptedRunError as error:
            with suppress(ModelstressError):
                self._give_back(kind, key, fence, str(error), failed=False)
            raise
        except RefusedError as error:
            self._give_back(kind, key, fence, str(error), failed=False)
            raise
        except ModelstressError as error:
            self._interrupt.check()  # the signal may be what went wrong
            self._give_back(kind, key, fence, str(error), failed=True)
            self._say(f"{key}: {error}")

    def _give_back(self, kind: str, key: Key, fence: int, why: str, *, failed: bool) -> None:
        self._call("give_back", kind, key.cell, key.number, fence, why[:1000], failed)

    def _deliver(self, kind: str, key: Key, fence: int, start: Sequence[Run]) -> None:
        folders = self._measure(self._overlay, start)
        words = {"worker": self.name, "fence": fence, "kind": kind}
        for folder in folders:
            for part in (folder, *attempts(folder)):
                parcels.mark(part, words)
        archive = parcels.pack(folders, self._about.most_bytes)
        [[said]] = self._call("deliver", kind, key.cell, key.number, fence, self.name, archive)
        for folder in folders:
            shutil.rmtree(folder.parent, ignore_errors=True)
        if said in ("accepted", "again"):
            self.delivered += 1
            self._say(f"{key}: delivered")
        elif said == "large":
            self._give_back(kind, key, fence, "its parcel is too large", failed=True)
        else:
            self.late += 1
            self._say(f"{key}: came late; somebody else measures it, and this result is dropped")

    # anchors

    def _anchors(self) -> None:
        """Measure the anchors, at the start and whenever it is time again."""
        now = time.monotonic()
        before = self._anchored_at
        if before is not None and now - before < self._about.anchors_every_s:
            return
        cells = {cell.id: cell for cell in self._own_cells}
        for name in self._about.anchors:
            if name in cells:
                self._interrupt.check()
                self._tell("anchors", now=name)
                self._anchor(cells[name])
        self._anchored_at = time.monotonic()
        self._tell("waiting")

    def _anchor(self, cell: Cell) -> None:
        rows = self._call("take_anchor", self.name, cell.id)
        if not rows:
            return
        number, fence = rows[0]
        key = Key(cell.id, number)
        with self._given_back("anchor", key, fence):
            run = anchor_run(cell, number, self._project.main.seed)
            self._deliver("anchor", key, fence, [run])

    # the database

    def _study(self) -> tuple[About, bool]:
        rows = self._call("study")
        if not rows:
            raise ConfigError(
                f"{without_password(self._options.url)}: no study is steered there yet; start "
                "'modelstress steer' first"
            )
        return parsed(rows[0][0]), bool(rows[0][1])

    def _shipped(self, digest: str) -> bytes | None:
        [[archive]] = self._call("shipped_programs", digest)
        return archive if isinstance(archive, bytes) else None

    def _tell(self, state: str, now: str = "", why: str = "") -> None:
        self._call("tell", self.name, None, state, now[:280], why[:1000])

    def _refuse(self, error: ModelstressError) -> None:
        self._tell("refused", why=str(error))
        self._refused = True

    def _tell_once(self, state: str) -> None:
        """Say it only where the database is there."""
        self._database = Patient(lambda: self._options.url, self._options.schema, 0.0, lambda: None)
        if hasattr(self, "_about"):
            self._tell(state)

    def _call(self, function: str, *arguments: object) -> list[tuple[Any, ...]]:
        """Call a function of the queue, again where the database was away meanwhile."""
        places = ", ".join(["%s"] * len(arguments))
        query = f"SELECT * FROM {function}({places})"  # noqa: S608 - names are ours

        def work(connection: psycopg.Connection) -> list[tuple[Any, ...]]:
            try:
                return connection.execute(query.encode(), arguments, binary=True).fetchall()
            except (psycopg.errors.UndefinedFunction, psycopg.errors.InsufficientPrivilege) as e:
                raise ConfigError(
                    f"{without_password(self._options.url)}: this role may not reach the queue of "
                    "a study; use the URL that 'modelstress steer' shows"
                ) from e

        return self._database.run(work)

    # its folder

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """A folder for the overlay, deleted at the end; those of killed workers go, too."""
        root = self._project.root / "data" / "steering" / "workers"
        root.mkdir(parents=True, exist_ok=True)
        for lock in root.glob("*.lock"):
            with suppress(OSError), lock.open("a") as other:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                programs.forget(lock.with_suffix(""))
                lock.unlink()
        lock = root / f"{self.name}.lock"
        with lock.open("a") as own:
            try:
                fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise BusyError(f"a worker called {self.name!r} runs here already") from error
            try:
                yield root / self.name
            finally:
                programs.forget(root / self.name)
                lock.unlink(missing_ok=True)


def _key(arguments: Mapping[str, object]) -> Key:
    """The start that a job names.

    Raises:
        ConfigError: it names none.
    """
    cell, number = arguments.get("cell"), arguments.get("number")
    if not isinstance(cell, str) or not CELL.fullmatch(cell) or type(number) is not int:
        raise ConfigError("its arguments are no cell and number")
    return Key(cell, number)


def study_at(url: str) -> str:
    """The study that is steered at a URL.

    Raises:
        ConfigError: there is none, or the database refuses.
        MissingError: it cannot be reached.
    """
    database = Patient(lambda: url, None, 0.0, lambda: None)
    try:
        rows = database.run(
            lambda connection: connection.execute("SELECT * FROM study()").fetchall()
        )
    finally:
        database.close()
    if not rows:
        raise ConfigError(f"{without_password(url)}: no study is steered there yet")
    return parsed(rows[0][0]).study
