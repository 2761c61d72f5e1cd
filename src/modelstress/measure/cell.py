"""One start, from the host lock to what is kept of it, whatever goes wrong."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.hosts import CpuPlan, available_cpus, plan_cpus
from modelstress.measure import folders, lifecycle, provisioning, turns
from modelstress.measure.calibration import Recent
from modelstress.measure.events import EXECUTIONS, Event, Listener, Phase, Tell, ignore
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.invocation import Invocation
from modelstress.measure.run import Run, runs_of


@dataclass(frozen=True)
class Measured:
    """What became of an invocation.

    Attributes:
        folder: with ``samples.parquet`` and ``cell.json``.
        fresh: it was measured now; False when it was there already.
        valid: as in ``cell.json``; None when it was there already.
        reasons: codes of the reasons against it.
        outcomes: of the measured executions, by outcome.
        overhead_s: everything but server start, warm-up and window, cleaning up included; of a
            shared start, its share.
    """

    folder: Path
    fresh: bool
    valid: bool | None = None
    reasons: tuple[str, ...] = ()
    outcomes: dict[str, int] | None = None
    overhead_s: float | None = None


def run_invocation(invocation: Invocation, **more: Any) -> Measured:
    """Measure one invocation that has its start to itself; see ``run_start``."""
    [measured] = run_start([invocation], **more)
    return measured


def run_start(
    start: Sequence[Invocation],
    *,
    listener: Listener = ignore,
    lock_wait_s: float = 3600,
    again: bool = False,
    allow_shared_cpus: bool = False,
    lock_file: Path | None = None,
    recent: Recent | None = None,
) -> list[Measured]:
    """Measure the invocations that share a start, unless all of them were measured before.

    Args:
        start: what to measure; usually one invocation.
        listener: told every step.
        lock_wait_s: how long to wait while another run measures on this host.
        again: measure anew and set the old samples aside (a stale cell).
        allow_shared_cpus: with a single CPU, measure anyhow; the cell is marked invalid.
        lock_file: instead of the host's own; for tests.
        recent: of the batch that the start belongs to: its calibrations are shared.

    Returns:
        What became of each.

    Raises:
        BusyError: the host lock was not free in time, or the server's port is taken.
        MissingError: a program, store or second CPU is not there.
        ConfigError: they cannot share a start.
        MeasureError: the server never got ready, the disk is full, …; logs and what was measured
            are kept in ``i<NN>.aborted-<n>`` of the first one.
        InterruptedRunError: SIGINT or SIGTERM; likewise.
    """
    turns.check(start)
    first, paths = start[0], [one.folder for one in start]
    busy = any(folders.work_folder(path).exists() for path in paths)
    if not again and not busy and all(map(folders.finished, paths)):
        return [Measured(path, fresh=False) for path in paths]

    def telling(invocation: Invocation) -> Tell:
        def tell(
            phase: Phase, message: str = "", done: int = 0, total: int = 0, unit: str = EXECUTIONS
        ) -> None:
            cell, number = invocation.cell.id, invocation.number
            listener(Event(cell, number, phase, done, total, message, unit))

        return tell

    tell = telling(first)
    plan = _cpu_plan(first, allow_shared_cpus)
    with Interrupt() as interrupt, ExitStack() as held:
        locks = provisioning.locks_of(
            first,
            lock_wait_s,
            interrupt,
            lambda sentence: tell("waiting", sentence),
            lock_file,
        )
        for lock in locks:
            held.enter_context(lock)
        begun = time.monotonic()
        for path in paths:
            if recovery := folders.recover(path):
                tell("recovering", recovery)
        if not again and all(map(folders.finished, paths)):  # perhaps while we waited
            return [Measured(path, fresh=False) for path in paths]
        for path in paths:
            if not folders.finished(path):
                folders.set_aside(path)  # one that has lost a file
        runs = _runs(start, plan, interrupt, telling, recent)
        records = _measure(runs)
        spent = time.monotonic() - begun
        for one, record in zip(start, records, strict=True):
            telling(one)("done", _nothing_ok(one, record))
        # a signal that came while all was being written must not be forgotten
        interrupt.check()
    overhead_s = (spent - runs[0].timeline.essential_s) / len(start)
    ended = zip(paths, records, strict=True)
    return [_measured(path, record, overhead_s) for path, record in ended]


def _runs(
    start: Sequence[Invocation],
    plan: CpuPlan,
    interrupt: Interrupt,
    telling: Callable[[Invocation], Tell],
    recent: Recent | None,
) -> tuple[Run, ...]:
    """The runs of a start, in the work folder of its first invocation, with their hosts."""
    first = start[0]
    mark = folders.new_mark(first.folder)
    if strays := provisioning.clear_strays(first):
        left = f"left by a controller that was killed: {', '.join(strays)}"
        telling(first)("recovering", left)
    owner = folders.Owner(
        mark,
        provisioning.executor_of(first.cell),
        tuple(provisioning.contexts_of(first)),
    )
    work = folders.make_work(
        first.folder, owner, [folders.node_files(node.name) for node in first.nodes]
    )
    try:
        hosts = provisioning.hosts_of(first, work, mark, plan)
    except BaseException:
        folders.remove_work(first.folder)
        raise
    return runs_of(start, hosts, work, mark, interrupt, telling, recent)


def _measured(folder: Path, record: Mapping[str, Any], overhead_s: float) -> Measured:
    return Measured(
        folder,
        fresh=True,
        valid=record["validity"]["valid"],
        reasons=tuple(reason["code"] for reason in record["validity"]["reasons"]),
        outcomes=record["outcomes"]["measure"],
        overhead_s=overhead_s,
    )


def _measure(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Measure; whatever goes wrong, stop everything and keep what was measured."""
    run = runs[0]
    folder = run.invocation.folder
    try:
        records = lifecycle.measure(runs)
        lifecycle.stop_everything(run)
        folders.remove_work(folder)
        return records
    except ModelstressError as error:
        kept = lifecycle.keep(run, str(error), lifecycle.stop_everything(run))
        where = f"; logs and what was measured are in {kept}" if kept else ""
        if isinstance(error, InterruptedRunError):
            raise InterruptedRunError(error.signum, where) from None
        raise type(error)(f"{error}{where}") from error
    except OSError as error:
        kept = lifecycle.keep(run, str(error), lifecycle.stop_everything(run))
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        what = "the disk is full; free some space" if full else str(error)
        raise MeasureError(
            f"{folder}: {what} and run the same command again; logs are in {kept}"
        ) from error
    except BaseException as error:
        lifecycle.keep(run, repr(error), lifecycle.stop_everything(run))
        raise


def _nothing_ok(invocation: Invocation, record: dict[str, Any]) -> str:
    """Name the query's file and the first failure when no measured execution was ok."""
    outcomes = record["outcomes"]["measure"]
    if outcomes.get("ok"):
        return ""
    failure = next((d["message"] for d in record["details"] if d["message"]), "no message")
    where = invocation.needs.source or ", ".join(
        operation.name for operation in invocation.operations
    )
    return f"{where}: no execution was ok ({outcomes}): {failure}"


def _cpu_plan(invocation: Invocation, allow_shared: bool) -> CpuPlan:
    if invocation.external:  # the server is somebody else's: all CPUs are the clients'
        return CpuPlan({"server": frozenset()}, available_cpus())
    return plan_cpus(allow_shared=allow_shared, nodes=invocation.cell.tool.node_names)
