"""One invocation of a cell, from the host lock to what is kept of it, whatever goes wrong."""

from __future__ import annotations

import errno
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.hosts import CpuPlan, available_cpus, plan_cpus
from modelstress.measure import folders, lifecycle, provisioning
from modelstress.measure.events import Event, Listener, Phase, ignore
from modelstress.measure.interrupt import Interrupt, InterruptedRunError
from modelstress.measure.invocation import Invocation
from modelstress.measure.run import Run, run_of


@dataclass(frozen=True)
class Measured:
    """What became of an invocation.

    Attributes:
        folder: with ``samples.parquet`` and ``cell.json``.
        fresh: it was measured now; False when it was there already.
        valid: as in ``cell.json``; None when it was there already.
        reasons: codes of the reasons against it.
        outcomes: of the measured executions, by outcome.
        overhead_s: everything but server start, warm-up and window, cleaning up included.
    """

    folder: Path
    fresh: bool
    valid: bool | None = None
    reasons: tuple[str, ...] = ()
    outcomes: dict[str, int] | None = None
    overhead_s: float | None = None


def run_invocation(
    invocation: Invocation,
    *,
    listener: Listener = ignore,
    lock_wait_s: float = 3600,
    again: bool = False,
    allow_shared_cpus: bool = False,
    lock_file: Path | None = None,
) -> Measured:
    """Measure one invocation of a cell, unless it was measured before.

    Args:
        invocation: what to measure.
        listener: told every step.
        lock_wait_s: how long to wait while another run measures on this host.
        again: measure anew and set the old samples aside (a stale cell).
        allow_shared_cpus: with a single CPU, measure anyhow; the cell is marked invalid.
        lock_file: instead of the host's own; for tests.

    Raises:
        BusyError: the host lock was not free in time, or the server's port is taken.
        MissingError: a program, store or second CPU is not there.
        MeasureError: the server never got ready, the disk is full, …; logs and what was measured
            are kept in ``i<NN>.aborted-<n>``.
        InterruptedRunError: SIGINT or SIGTERM; likewise.
    """
    there = folders.finished(invocation.folder) and not again
    if there and not folders.work_folder(invocation.folder).exists():
        return Measured(invocation.folder, fresh=False)

    def tell(phase: Phase, message: str = "", done: int = 0, total: int = 0) -> None:
        listener(Event(invocation.cell.id, invocation.number, phase, done, total, message))

    plan = _cpu_plan(invocation, allow_shared_cpus)
    with Interrupt() as interrupt, ExitStack() as held:
        locks = provisioning.locks_of(
            invocation,
            lock_wait_s,
            interrupt,
            lambda sentence: tell("waiting", sentence),
            lock_file,
        )
        for lock in locks:
            held.enter_context(lock)
        begun = time.monotonic()
        if recovery := folders.recover(invocation.folder):
            tell("recovering", recovery)
        if folders.finished(invocation.folder) and not again:  # perhaps while we waited
            return Measured(invocation.folder, fresh=False)
        if not folders.finished(invocation.folder):
            folders.set_aside(invocation.folder)  # one that has lost a file
        mark = folders.new_mark(invocation.folder)
        if strays := provisioning.clear_strays(invocation):
            tell("recovering", f"left by a controller that was killed: {', '.join(strays)}")
        owner = folders.Owner(
            mark,
            provisioning.executor_of(invocation.cell),
            tuple(provisioning.contexts_of(invocation)),
        )
        work = folders.make_work(
            invocation.folder, owner, [folders.node_files(node.name) for node in invocation.nodes]
        )
        try:
            hosts = provisioning.hosts_of(invocation, work, mark, plan)
        except BaseException:
            folders.remove_work(invocation.folder)
            raise
        run = run_of(invocation, hosts, work, mark, interrupt, tell)
        record = _measure(run)
        spent = time.monotonic() - begun
        tell("done", _nothing_ok(invocation, record))
        # a signal that came while all was being written must not be forgotten
        interrupt.check()
    return Measured(
        invocation.folder,
        fresh=True,
        valid=record["validity"]["valid"],
        reasons=tuple(reason["code"] for reason in record["validity"]["reasons"]),
        outcomes=record["outcomes"]["measure"],
        overhead_s=spent - run.timeline.essential_s,
    )


def _measure(run: Run) -> dict[str, Any]:
    """Measure; whatever goes wrong, stop everything and keep what was measured."""
    folder = run.invocation.folder
    try:
        record = lifecycle.measure(run)
        lifecycle.stop_everything(run)
        folders.remove_work(folder)
        return record
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
