"""From what the clients left to ``samples.parquet`` and ``cell.json``.

Imported late: Arrow and NumPy take longer to import than a small cell takes to measure.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from modelstress.design.cells import Cell
from modelstress.design.contents import contents_of
from modelstress.measure import collect, folders, histograms, validity
from modelstress.measure.conversation import Client, ClientDiedError, OverdueError, ServerDiedError
from modelstress.measure.gclog import read_pauses
from modelstress.measure.hang_detector import WedgedError
from modelstress.measure.histograms import Histograms
from modelstress.measure.java import find_java
from modelstress.measure.oracle_check import verify
from modelstress.measure.rows import Rows
from modelstress.measure.validity import Reason
from modelstress.samples import provenance as samples_provenance
from modelstress.samples import seals
from modelstress.samples.files import write_json
from modelstress.samples.formats import FORMAT
from modelstress.samples.histograms import read_lines
from modelstress.samples.schema import PHASES

if TYPE_CHECKING:
    from modelstress.measure.lifecycle import Life
    from modelstress.measure.traffic.capture import Capture

LOG_LINES = 40
LOG_BYTES = 1 << 22
"""Of a log, its end, that is searched."""
DISTURBED = frozenset({"late", "windows-apart"})
"""What a fault does to a load on purpose, and which speaks against cells without one only."""


Samples = Rows | Histograms


def collect_samples(life: Life) -> Samples:
    """Read the clients' files, fill up what is missing and verify every execution."""
    if life.invocation.cell.samples == "histogram":
        return _histograms(life)
    tables, missing = [], 0
    for client in life.clients:
        table = collect.read_samples(life.samples(client.number))
        if isinstance(life.failure, ServerDiedError):
            table = collect.unfinished_to_error(table)
        filled = collect.complete(
            table, operations=life.invocation.operations, **_filling(life, client)
        )
        missing += 0 if client.killed else filled.num_rows - table.num_rows
        tables.append(filled)
    verified, unverified = verify(collect.join(tables), life.invocation.oracle)
    return Rows(verified, unverified, missing)


def _histograms(life: Life) -> Histograms:
    lines: list[dict[str, Any]] = []
    missing = 0
    for client in life.clients:
        found = read_lines(life.samples(client.number))
        if isinstance(life.failure, ServerDiedError):
            found = [
                {**line, "outcome": "error"} if line["outcome"] == "unfinished" else line
                for line in found
            ]
        filled = histograms.completed(found, **_filling(life, client))
        if not client.killed:
            missing += sum(line["executions"] for line in filled[len(found) :])
        lines += filled
    verified, unverified = histograms.verified(lines, life.invocation.oracle)
    return Histograms(verified, unverified, missing)


def _filling(life: Life, client: Client) -> dict[str, Any]:
    """How the executions that a client never recorded are filled up."""
    ours = life.failure is not None and not (
        isinstance(life.failure, ServerDiedError) or client.died
    )
    ended_ns = life.faults.begun_ns if client.killed else life.failed_ns
    return {
        "invocation": life.invocation.number,
        "client": client.number,
        "executions": client.executions,
        # stopped by us, or by somebody's death
        "outcome": "unfinished" if ours or client.killed else "error",
        "at_ns": (ended_ns or time.monotonic_ns()) + (client.offset_ns or 0),
    }


def write(life: Life, samples: Samples) -> dict[str, Any]:
    """Write all files, ``cell.json`` last, which seals them and itself; returns its content.

    Raises:
        MeasureError: the disk is full or the folder cannot be written; the clients' files are
            still in the work folder then.
    """
    folder = life.invocation.folder
    record = _record(life, samples)
    folders.set_aside(folder)
    samples.write(folder)
    for dump in life.work.glob(folders.THREAD_DUMPS):
        dump.rename(folder / dump.name)
    if life.capture is not None:
        record |= _captured(life, life.capture, samples, record["validity"]["reasons"])
    record |= {"seconds": round(life.timeline.elapsed_s, 3), "timeline": life.timeline.record()}
    record = seals.sealed(record, folder)
    write_json(folder / "cell.json", record)
    return record


def _captured(
    life: Life, capture: Capture, samples: Samples, reasons: list[dict[str, Any]]
) -> dict[str, Any]:
    """Write what was captured; its part of ``cell.json``, with the reasons that it adds."""
    [client] = life.clients
    assert isinstance(samples, Rows)  # noqa: S101
    capture.decode(
        samples.table,
        offset_ns=client.offset_ns or 0,
        rtt_ns=client.rtt_ns or 0,
        reused=life.invocation.cell.levels.get("connection") == "reused",
    )
    capture.write(life.invocation.folder)
    every = [*(Reason(**reason) for reason in reasons), *capture.reasons()]
    return {"capture": capture.record(), "validity": validity.judged(every)}


def provenance(life: Life) -> dict[str, Any]:
    """Where the numbers of this invocation come from."""
    invocation = life.invocation
    programs = (invocation.jar, invocation.client_program)
    java = find_java() if any(one.suffix == ".jar" for one in programs) else None
    plan, project = life.plan, invocation.project
    return {
        "tool": invocation.cell.tool.tool,
        "title": invocation.cell.tool.title,
        "server": "external" if invocation.store is None else "ours",
        "java": None if java is None else {"version": java.version, "vendor": java.vendor},
        "jvm": invocation.cell.tool.jvm.model_dump(),
        "libraries": samples_provenance.library_versions(),
        "jars": sorted(jar.name for jar in (invocation.jar.parent / "lib").glob("*.jar")),
        "git": None if project is None else samples_provenance.git_state(project.root),
        "contents": {} if project is None else contents_of(project, invocation.cell),
        "attributes": [str(attribute) for attribute in invocation.attributes],
        "ids": samples_provenance.sha256_file(invocation.ids),
        "executor": life.hosts.executor,
        "topology": {
            "server_cpus": sorted(plan.server),
            "client_cpus": sorted(plan.client),
            "shared": plan.shared,
            "clients": len(invocation.threads),
            "network": life.hosts.network if life.capture is None else life.capture.network,
        },
        "machine": samples_provenance.machine(),
        "seed": invocation.seed,
    }


def _record(life: Life, samples: Samples) -> dict[str, Any]:
    invocation, cell = life.invocation, life.invocation.cell
    offsets = {client.number: client.offset_ns or 0 for client in life.clients}
    window = samples.window(offsets)
    busy = {
        side: share
        for side in ("server", "client")
        if (share := life.telemetry.busy_share(side, "go", "window")) is not None
    }
    origin = life.provenance or provenance(life)
    cpus = len(life.plan.server | life.plan.client)
    reasons = [
        *_circumstances(life, samples),
        *validity.cpu_quota(origin["machine"]["cgroup"], cpus),
        *validity.client_load(busy.get("client"), (window["end_ns"] - window["begin_ns"]) / 1e9),
        *(r for r in _said(samples, offsets, cell) if not cell.fault or r.code not in DISTURBED),
        *validity.calibration(*life.calibrations),
    ]
    return {
        "format": FORMAT,
        "state": "complete",
        "study": cell.study,
        "profile": cell.profile,
        "cell": cell.id,
        "invocation": invocation.number,
        "levels": dict(cell.levels),
        "settings": cell.settings.model_dump(),
        "samples": cell.samples,
        "seed": invocation.seed,
        "warmup_factor": invocation.warmup_factor,
        "ended": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "outcomes": {phase: samples.outcomes(phase) for phase in PHASES},
        "failure": None if life.failure is None else str(life.failure),
        **({} if life.faults.record is None else {"fault": life.faults.record}),
        "details": _details(life),
        "window": window,
        "hosts": life.hosts.record(),
        "server": _server(life, window),
        "clients": [_client(life, number) for number in range(len(life.clients))],
        "telemetry": {
            "window": life.telemetry.between("go", "window"),
            "cpu_busy": busy,
            **life.telemetry.record(),
        },
        "calibration": dict(zip(("before", "after"), life.calibrations, strict=True)),
        "traffic": samples.traffic(),
        "validity": validity.judged(reasons),
        "provenance": origin,
    }


def _said(samples: Samples, offsets: Mapping[int, int], cell: Cell) -> list[Reason]:
    return samples.reasons(offsets, open_loop=cell.levels.get("mode", "closed") == "open")


def _circumstances(life: Life, samples: Samples) -> list[Reason]:
    """Reasons that no number shows."""
    reasons = []
    if life.plan.shared:
        reasons.append(Reason("shared-cpus", "invalid", "server and clients shared one CPU"))
    if hung := len(life.restarts.records):
        reasons.append(Reason("wedged", "flag", _hung(life, hung)))
    if isinstance(life.failure, ServerDiedError):
        reasons.append(Reason("server-died", "flag", str(life.failure)))
        own_limit = bool(life.hosts.record().get("oom_kills"))
        reasons += validity.killed(life.server_exit, own_limit=own_limit)
        reasons += validity.unanswered(map(samples.outcomes, PHASES), own_limit=own_limit)
    elif isinstance(life.failure, ClientDiedError):
        reasons.append(Reason("client-died", "invalid", str(life.failure)))
    elif isinstance(life.failure, OverdueError):
        reasons.append(Reason("cell-timeout", "invalid", str(life.failure)))
    elif samples.missing and not isinstance(life.failure, WedgedError):
        message = f"{samples.missing} executions were never recorded by the client program"
        reasons.append(Reason("executions-missing", "invalid", message))
    if samples.unverified:
        message = f"the oracle does not know {', '.join(samples.unverified)}: results not verified"
        reasons.append(Reason("unverified", "flag", message))
    if life.invocation.cell.fault is None:  # which may fill a disk on purpose
        reasons += validity.machine_limit(samples.outcomes("measure"), _said_of_failures(life))
    own = [str(d["message"]) for d in _details(life) if str(d["message"]).startswith("client: ")]
    if own:
        reasons.append(Reason("client-fault", "invalid", own[0].removeprefix("client: ")))
    reasons += life.faults.reasons()
    died = isinstance(life.failure, ServerDiedError) or life.faults.server_is_dead
    if life.server_exit not in (None, 0, 143) and not died:
        how = "had to be killed" if life.server_exit == 137 else f"exit code {life.server_exit}"
        reasons.append(Reason("server-stop", "flag", f"the server did not stop as asked: {how}"))
    return reasons


def _said_of_failures(life: Life) -> Iterator[str]:
    """Messages of failed executions, and the lines of all logs of the invocation."""
    yield from (str(detail["message"]) for detail in _details(life))
    for log in sorted(life.work.glob("*.log")):
        if not log.name.startswith("gc"):
            with suppress(OSError), log.open("rb") as lines:
                lines.seek(max(0, log.stat().st_size - LOG_BYTES))
                yield from (line.decode("utf-8", "replace") for line in lines)


def _hung(life: Life, times: int) -> str:
    timeouts = sum(record["timeouts"] or 0 for record in life.restarts.records)
    last = f"; the last time for good: {life.failure}" if life.failure is not None else ""
    return (
        f"the server hung {times} time{'s' * (times > 1)} and was killed; {timeouts} executions "
        f"under way became timeouts; thread dumps are beside cell.json{last}"
    )


def _details(life: Life) -> list[dict[str, Any]]:
    """Distinct failure messages, and why executions are missing."""
    details = [
        {"client": c.number, "operation": None, "outcome": "error", "message": "", **detail}
        for c in life.clients
        for detail in c.details
    ]
    if life.failure is not None:
        died = isinstance(life.failure, ServerDiedError | ClientDiedError)
        outcome = "error" if died else "unfinished"
        message = str(life.failure)
        details.append({"client": None, "operation": None, "outcome": outcome, "message": message})
    return details


def _server(life: Life, window: Mapping[str, int]) -> dict[str, Any] | None:
    if life.server is None:
        return None
    died = isinstance(life.failure, ServerDiedError)
    logs = sorted(life.work.glob("gc*.log"))
    pauses = read_pauses(logs)
    in_window = read_pauses(logs, window["begin_ns"], window["end_ns"])
    return {
        "ready_s": round(life.timeline.seconds("server"), 3),
        "pid": life.server.pid,
        "exit_code": life.server_exit,
        "restarts": life.restarts.records,
        "options": life.invocation.server_options,
        "gc": None if pauses is None else asdict(pauses),
        "gc_window": None if in_window is None else asdict(in_window),
        "log_tail": _tail(life) if died else [],
    }


def _client(life: Life, number: int) -> dict[str, Any]:
    client, workload = life.clients[number], life.workloads[number]
    return {
        "client": number,
        "threads": life.invocation.threads[number],
        "executions": client.executions,
        "seed": workload.seed,
        "mode": workload.mode.model_dump(),
        "warmup": workload.warmup.model_dump(),
        "offset_ns": client.offset_ns,
        "rtt_ns": client.rtt_ns,
        "warmed": client.said.get("WARMED"),
        "window": client.said.get("WINDOW"),
        "done": client.said.get("DONE"),
        "exit_code": client.exit_code,
        "died": client.died,
        "stray_lines": client.strays,
    }


def _tail(life: Life) -> list[str]:
    log = life.work / "server.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return text.splitlines()[-LOG_LINES:]
