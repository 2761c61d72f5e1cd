"""Procrastinate's worker in a thread: it fetches jobs and keeps the lease; others measure.

Measuring happens in the main thread, which alone gets signals, while this thread sends heartbeats.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

import procrastinate
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition

from modelstress.config.errors import MissingError
from modelstress.steering.connections import LOST, connector_of
from modelstress.steering.queue import TASK

AGAIN_S = 1.0
END_S = 20.0


@dataclass(frozen=True)
class Job:
    """A job that was fetched, until ``end``.

    Attributes:
        id: of procrastinate's job.
        worker: id of the worker that has fetched it.
        arguments: as the database has them; data that nobody has checked.
    """

    id: int
    worker: int
    arguments: dict[str, object]
    _done: Future[None] = field(repr=False, compare=False)

    def end(self) -> None:
        """It needs nothing more, whatever became of it; the worker fetches the next one."""
        self._done.set_result(None)


class Engine:
    """Fetches jobs one by one, from the start of its context to its end.

    A database that is away is waited for; after ``patience_s`` ``next`` raises.

    Args:
        url: of the database, with the role and the token.
        queues: that jobs are fetched of.
        lease_s: heartbeats come six times as often.
        patience_s: how long the database may be away.
        schema: where names are looked up; by default the role's own.
    """

    def __init__(
        self,
        url: str,
        queues: Sequence[str],
        lease_s: float,
        patience_s: float,
        schema: str | None = None,
    ) -> None:
        self._url, self._queues, self._schema = url, [*queues], schema
        self._lease_s, self._patience_s = lease_s, patience_s
        self._jobs: queue.Queue[Job] = queue.Queue()
        self._ended = threading.Event()
        self._stopping = threading.Event()
        self._why: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="queue", daemon=True)
        self._open: Job | None = None
        self.worker: int | None = None

    def __enter__(self) -> Engine:
        # what it says of lost connections is in our sentences
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
        logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stopping.set()
        while (job := self._next(0)) is not None:
            job.end()
        if self._open is not None and not self._open._done.done():
            self._open.end()
        if self._loop is not None and self._task is not None:
            with suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(END_S)

    def next(self, timeout_s: float) -> Job | None:
        """The next job; None where none came in time.

        Raises:
            MissingError: the database was away for too long, or refuses.
        """
        if self._ended.is_set() and self._why is not None:
            raise MissingError(f"the queue cannot be reached any more: {self._why}")
        self._open = self._next(timeout_s)
        return self._open

    def _next(self, timeout_s: float) -> Job | None:
        try:
            return self._jobs.get(timeout=timeout_s) if timeout_s else self._jobs.get_nowait()
        except queue.Empty:
            return None

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # `next` raises it
            self._why = error
        finally:
            self._ended.set()

    async def _serve(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        away_since: float | None = None
        while not self._stopping.is_set():
            try:
                begun = time.monotonic()
                await self._work()
                return
            except (ConnectorException, *LOST):
                now = time.monotonic()
                if away_since is None or now - begun > self._lease_s:
                    away_since = now  # it had worked meanwhile
                if now - away_since > self._patience_s:
                    raise
                await asyncio.sleep(AGAIN_S)

    async def _work(self) -> None:
        """Register a worker and let it fetch jobs until it is stopped or the database is lost."""
        app = procrastinate.App(connector=connector_of(self._url, self._schema))

        @app.task(name=TASK, pass_context=True)
        async def measure(context: procrastinate.JobContext, /, **arguments: object) -> None:
            done: Future[None] = Future()
            if context.job.id is None or context.job.worker_id is None:
                return
            self.worker = context.job.worker_id
            self._jobs.put(Job(context.job.id, context.job.worker_id, arguments, done))
            await asyncio.wrap_future(done)

        async with app.open_async():
            await app.run_worker_async(
                queues=self._queues,
                name="modelstress",
                concurrency=1,
                wait=True,
                install_signal_handlers=False,
                listen_notify=True,
                delete_jobs=DeleteJobCondition.ALWAYS,
                fetch_job_polling_interval=min(5.0, self._lease_s / 6),
                abort_job_polling_interval=max(5.0, self._lease_s),
                update_heartbeat_interval=self._lease_s / 6,
                stalled_worker_timeout=2 * self._lease_s,
                shutdown_graceful_timeout=END_S,
            )
