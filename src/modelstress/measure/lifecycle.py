"""The life of one invocation: servers, clients, warm-up, window, end; one step after the other."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelstress.config.errors import ModelstressError
from modelstress.hosts import kill_leftovers
from modelstress.measure import clients, dumps, faults, folders, invariants
from modelstress.measure.calibration import Calibration
from modelstress.measure.clients import ClientEnd, Clients
from modelstress.measure.conversation import ServerDiedError
from modelstress.measure.invariants import Held
from modelstress.measure.load import Load, LoadEnd
from modelstress.measure.observed import Observed
from modelstress.measure.run import Run
from modelstress.measure.servers import Servers
from modelstress.samples.formats import FORMAT

if TYPE_CHECKING:  # late: see record_writer
    from modelstress.measure.histograms import Histograms
    from modelstress.measure.rows import Rows


def measure(run: Run) -> dict[str, Any]:
    """Measure one invocation and write what was measured; the content of ``cell.json``.

    The controller keeps to the servers' CPUs: what it does must never delay a client.

    Raises:
        ModelstressError: there is nothing worth writing; see ``run_invocation``.
    """
    if cpus := run.server_cpus:
        os.sched_setaffinity(0, cpus)
    faults.check(run)
    run.telemetry.start()
    run.begin("server")
    calibration = run.calibration().begin()
    servers = Servers(run)
    servers.start()
    run.begin("clients")
    before = calibration.result(run.interrupt)
    started = clients.start(run, servers.addresses())
    calibration = run.calibration()  # waits, idle, for the end of the window
    origin = _prepare(run)  # while the JVMs start
    started.await_ready(tuple(servers.programs.values()))
    provenance = origin.result()
    load = Load(run, servers, started).apply()
    run.begin("stopping")
    ends = _stop_clients(run, started, load, calibration)
    return _write(run, servers, ends, load, provenance, (before, calibration))


def _prepare(run: Run) -> Future[dict[str, Any]]:
    """Find out where the numbers come from: hashes, git, and libraries that read samples.

    That takes its time: it is done in a thread.
    """

    def provenance() -> dict[str, Any]:
        from modelstress.measure import record_writer  # late: see there

        return record_writer.provenance(run)

    thread = ThreadPoolExecutor(1, thread_name_prefix="prepare")
    future = thread.submit(provenance)
    thread.shutdown(wait=False)
    return future


def _stop_clients(
    run: Run, started: Clients, load: LoadEnd, calibration: Calibration
) -> tuple[ClientEnd, ...]:
    """End the clients and begin the second calibration of their CPUs."""
    if load.failure is None and "client" in run.hosts.here and run.server_cpus:
        # All is recorded: what is left to do for the clients, they can do elsewhere.
        for client in started.all:
            client.program.move(run.server_cpus)
        calibration.begin()
        return started.stop(failed=False)
    ends = started.stop(failed=load.failure is not None)
    calibration.begin()
    return ends


def _write(
    run: Run,
    servers: Servers,
    ends: tuple[ClientEnd, ...],
    load: LoadEnd,
    provenance: dict[str, Any],
    calibrations: tuple[dict[str, float] | None, Calibration],
) -> dict[str, Any]:
    """Read the samples while the servers stop and the CPUs are calibrated; then write.

    Invariants are checked before, while the servers run, and know what the samples say.
    """
    from modelstress.measure import record_writer

    held: tuple[Held, ...] = ()
    if run.invocation.needs.checks.invariants:
        samples = record_writer.collect_samples(run.invocation, ends, load)
        held = _check_invariants(run, servers, load, samples)
        samples = samples.judged(held)
        died = servers.terminate()
        run.tell("writing")
    else:
        died = servers.terminate()
        run.tell("writing")
        samples = record_writer.collect_samples(run.invocation, ends, load)
    run.telemetry.stop()
    stopped = servers.stop(died)
    if run.capture is not None:
        run.capture.end()
    before, after = calibrations
    spins = (before, after.result(run.interrupt))
    run.timeline.begin("writing")
    return record_writer.write(run, Observed(provenance, stopped, ends, load, spins, held), samples)


def _check_invariants(
    run: Run, servers: Servers, load: LoadEnd, samples: Rows | Histograms
) -> tuple[Held, ...]:
    """Check the invariants of an invocation whose servers are there to be asked."""
    if isinstance(load.failure, ServerDiedError):
        return invariants.unchecked(run, f"a server died: {load.failure}")
    return invariants.check(run, servers.reached(), samples.by_operation())


def stop_everything(run: Run) -> list[str]:
    """Stop all programs, at the same time; never raises, may be called again.

    Returns:
        What of their files could not be saved, in sentences.
    """
    run.telemetry.stop()
    for program in run.started:
        program.terminate()
    unsaved = []
    end = time.monotonic() + run.invocation.cell.tool.stop_timeout_s
    for program in run.started:
        try:
            program.stop(max(0.0, end - time.monotonic()))
        except ModelstressError as error:  # its files could not be brought here
            unsaved.append(str(error))
    run.started.clear()
    if run.capture is not None:
        run.capture.end()
    run.hosts.close()
    kill_leftovers(run.mark)
    dumps.forget(run.work)
    os.sched_setaffinity(0, run.own_cpus)
    for sentence in run.hosts.left:
        run.tell("stopping", sentence)
    return unsaved


def keep(run: Run, reason: str, unsaved: Sequence[str]) -> Path | None:
    """Keep logs and the clients' files of an invocation that did not finish.

    Args:
        run: stopped.
        reason: why it did not.
        unsaved: see ``stop_everything``.

    Returns:
        Where they are; None when they cannot be kept.
    """
    cell = run.invocation.cell
    note: dict[str, Any] = {
        "format": FORMAT,
        "cell": cell.id,
        "invocation": run.invocation.number,
        "levels": cell.levels,
        "state": "aborted",
        "reason": reason,
        "timeline": run.timeline.record(),
    }
    if unsaved:
        note["unsaved"] = list(unsaved)
    with suppress(OSError):  # the disk may be full: the files themselves are what matters
        (run.work / "cell.json").write_text(json.dumps(note, indent=2))
    with suppress(OSError):
        return folders.keep_aborted(run.invocation.folder)
    return None
