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
from modelstress.measure import clients, dumps, faults, folders, invariants, turns
from modelstress.measure.calibration import Calibration, Rates, Shared, seconds_after
from modelstress.measure.clients import ClientEnd, Clients
from modelstress.measure.conversation import ServerDiedError
from modelstress.measure.invariants import Held
from modelstress.measure.load import Load, LoadEnd
from modelstress.measure.observed import Calibrations, Observed, Part
from modelstress.measure.run import Run
from modelstress.measure.servers import Servers
from modelstress.samples.formats import FORMAT

if TYPE_CHECKING:  # late: see record_writer
    from modelstress.measure.histograms import Histograms
    from modelstress.measure.rows import Rows


def measure(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Measure the cells of one start and write what was measured; the content of ``cell.json``.

    The controller keeps to the servers' CPUs: what it does must never delay a client.

    Args:
        runs: of the cells; usually of one.

    Returns:
        One record for each.

    Raises:
        ModelstressError: there is nothing worth writing; see ``run_start``.
    """
    run = runs[0]
    if cpus := run.server_cpus:
        os.sched_setaffinity(0, cpus)
    faults.check(run)
    run.telemetry.start()
    run.begin("server")
    shared = run.recent.take(run.calibrated)
    first = run.calibration().begin() if shared is None else None
    servers = Servers(run, [one.invocation.protocol for one in runs])
    servers.start()
    run.begin("clients")
    before = shared if first is None else first.result(run.interrupt)
    started = [clients.start(one, servers.addresses(one.invocation.protocol)) for one in runs]
    calibration = run.calibration()  # waits, idle, for the end of the window
    origins = _prepare(runs)  # while the JVMs start
    for group in started:
        group.await_ready(tuple(servers.programs.values()))
    run.telemetry.ready()
    provenance = origins.result()
    for node in run.hosts.nodes:
        run.hosts.limit_cpu(node)
    loads = [Load(one, servers, group) for one, group in zip(runs, started, strict=True)]
    ends = _apply(run, loads)
    run.begin("stopping")
    stopped = _stop_clients(run, started, ends, calibration)
    parts = [Part(*part) for part in zip(runs, stopped, ends, provenance, strict=True)]
    return _write(servers, parts, before, calibration)


def _apply(run: Run, loads: Sequence[Load]) -> tuple[LoadEnd, ...]:
    """Apply the load of one cell, or those of several in turns."""
    if len(loads) == 1:
        return (loads[0].apply(),)
    count, seed = len(loads), run.invocation.seed
    warm_ups = turns.order_of(count, run.slices, seed, "warmup")
    return turns.apply(loads, warm_ups, turns.order_of(count, run.slices, seed))


def _prepare(runs: Sequence[Run]) -> Future[list[dict[str, Any]]]:
    """Find out where the numbers come from: hashes, git, and libraries that read samples.

    That takes its time: it is done in a thread.
    """

    def provenance() -> list[dict[str, Any]]:
        from modelstress.measure import record_writer  # late: see there

        return [record_writer.provenance(run) for run in runs]

    thread = ThreadPoolExecutor(1, thread_name_prefix="prepare")
    future = thread.submit(provenance)
    thread.shutdown(wait=False)
    return future


def _stop_clients(
    run: Run, started: Sequence[Clients], loads: Sequence[LoadEnd], calibration: Calibration
) -> list[tuple[ClientEnd, ...]]:
    """End the clients and begin the second calibration of their CPUs."""
    failed = any(load.failure is not None for load in loads)
    if not failed and "client" in run.hosts.here and run.server_cpus:
        # All is recorded: what is left to do for the clients, they can do elsewhere.
        for client in (client for group in started for client in group.all):
            client.program.move(run.server_cpus)
        calibration.begin(seconds_after(run.timeline.load_s))
        return [group.stop(failed=False) for group in started]
    ends = [group.stop(failed=failed) for group in started]
    calibration.begin(seconds_after(run.timeline.load_s))
    return ends


def _write(
    servers: Servers,
    parts: Sequence[Part],
    before: Rates | Shared | None,
    calibration: Calibration,
) -> list[dict[str, Any]]:
    """Read the samples while the servers stop and the CPUs are calibrated; then write.

    Invariants are checked before, while the servers run, and know what the samples say.
    """
    from modelstress.measure import record_writer, shared

    run = parts[0].run
    held: list[tuple[Held, ...]] = [()] * len(parts)
    if any(part.run.invocation.needs.checks.invariants for part in parts):
        samples = [_samples(part) for part in parts]
        held = [
            _check_invariants(part.run, servers, part.load, had)
            for part, had in zip(parts, samples, strict=True)
        ]
        samples = [had.judged(found) for had, found in zip(samples, held, strict=True)]
        died = servers.terminate()
        run.tell("writing")
    else:
        died = servers.terminate()
        run.tell("writing")
        samples = [_samples(part) for part in parts]
    run.telemetry.stop()
    stopped = servers.stop(died)
    if run.capture is not None:
        run.capture.end()
    spins = _calibrations(parts, before, calibration.result(run.interrupt))
    run.timeline.begin("writing")
    starts = shared.starts(parts, samples)
    return [
        record_writer.write(part.run, Observed(part, stopped, spins, found, start), had)
        for part, found, had, start in zip(parts, held, samples, starts, strict=True)
    ]


def _calibrations(
    parts: Sequence[Part], before: Rates | Shared | None, after: Rates | None
) -> Calibrations:
    """The calibrations of a start; the one after it may be the one before the next start."""
    run = parts[0].run
    undisturbed = all(part.load.failure is None and part.load.fault is None for part in parts)
    run.recent.keep(run.calibrated if undisturbed else None, after, run.start_id)
    if isinstance(before, Shared):
        return Calibrations(before.rates, after, before)
    return Calibrations(before, after)


def _samples(part: Part) -> Rows | Histograms:
    from modelstress.measure import record_writer

    return record_writer.collect_samples(part.run.invocation, part.clients, part.load)


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
