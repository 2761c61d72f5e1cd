"""From what the clients left to ``samples.parquet`` and ``cell.json``.

Imported late: Arrow and NumPy take longer to import than a small cell takes to measure.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from modelstress.config.programs import Workload
from modelstress.config.study import DEFAULT_KIND
from modelstress.config.tool import SERVER
from modelstress.design.contents import contents_of
from modelstress.design.kinds import Checks
from modelstress.measure import collect, folders, histograms, invariants, parts, validity
from modelstress.measure.clients import ClientEnd
from modelstress.measure.conversation import ClientDiedError, OverdueError, ServerDiedError
from modelstress.measure.gclog import read_pauses
from modelstress.measure.hang_detector import WedgedError
from modelstress.measure.histograms import Histograms
from modelstress.measure.invocation import Invocation
from modelstress.measure.java import find_java, jvm_flags
from modelstress.measure.load import LoadEnd
from modelstress.measure.observed import Observed
from modelstress.measure.oracle_check import verify
from modelstress.measure.rows import Rows
from modelstress.measure.run import Run
from modelstress.measure.servers import ServerEnd
from modelstress.measure.traffic.capture import Capture
from modelstress.measure.validity import Reason
from modelstress.samples import provenance as samples_provenance
from modelstress.samples import seals
from modelstress.samples.files import write_json
from modelstress.samples.formats import FORMAT
from modelstress.samples.histograms import read_lines
from modelstress.samples.schema import PHASES

LOG_LINES = 40
LOG_BYTES = 1 << 22
"""Of a log, its end, that is searched."""
DISTURBED = frozenset({"late", "windows-apart"})
"""What a fault does to a load on purpose, and which speaks against cells without one only."""

SHARED = Reason("shared-cpus", "invalid", "server and clients shared one CPU")

Samples = Rows | Histograms
Spans = Sequence[tuple[int, int]]


def collect_samples(invocation: Invocation, clients: Sequence[ClientEnd], load: LoadEnd) -> Samples:
    """Read the clients' files, fill up what is missing and verify every execution."""
    if invocation.cell.samples == "histogram":
        return _histograms(invocation, clients, load)
    tables, missing = [], 0
    for client in clients:
        table = collect.read_samples(client.samples)
        if isinstance(load.failure, ServerDiedError):
            table = collect.unfinished_to_error(table)
        filled = collect.complete(
            table, operations=invocation.operations, numbered=_numbered(client.workload),
            **_filling(invocation, client, load),
        )  # fmt: skip
        missing += 0 if client.killed else filled.num_rows - table.num_rows
        tables.append(filled)
    verified, unverified = verify(collect.join(tables), invocation.oracle)
    return Rows(verified, unverified, missing)


def _numbered(workload: Workload) -> bool:
    """Whether the numbers of measured executions have no gaps (docs/contracts.md)."""
    return workload.window is None and workload.slices is None


def _histograms(invocation: Invocation, clients: Sequence[ClientEnd], load: LoadEnd) -> Histograms:
    lines: list[dict[str, Any]] = []
    missing = 0
    for client in clients:
        client_lines = read_lines(client.samples)
        if isinstance(load.failure, ServerDiedError):
            client_lines = [
                {**line, "outcome": "error"} if line["outcome"] == "unfinished" else line
                for line in client_lines
            ]
        filled = histograms.completed(client_lines, **_filling(invocation, client, load))
        if not client.killed:
            missing += sum(line["executions"] for line in filled[len(client_lines) :])
        lines += filled
    verified, unverified = histograms.verified(lines, invocation.oracle)
    return Histograms(verified, unverified, missing)


def _filling(invocation: Invocation, client: ClientEnd, load: LoadEnd) -> dict[str, Any]:
    """How the executions that a client never recorded are filled up."""
    ours = load.failure is not None and not (
        isinstance(load.failure, ServerDiedError) or client.died
    )
    fault_ns = load.fault.begun_ns if load.fault is not None else None
    ended_ns = fault_ns if client.killed else load.failed_ns
    return {
        "invocation": invocation.number,
        "client": client.number,
        "executions": client.executions,
        # stopped by us, or by somebody's death
        "outcome": "unfinished" if ours or client.killed else "error",
        "at_ns": (ended_ns or time.monotonic_ns()) + (client.offset_ns or 0),
    }


def write(run: Run, observed: Observed, samples: Samples) -> dict[str, Any]:
    """Write all files, ``cell.json`` last, which seals them and itself; returns its content.

    Raises:
        MeasureError: the disk is full or the folder cannot be written; the clients' files are
            still in the work folder then.
    """
    folder = run.invocation.folder
    record = _record(run, observed, samples)
    folders.set_aside(folder)
    samples.write(folder)
    record |= parts.write(folder, observed.clients)
    for dump in run.work.glob(folders.THREAD_DUMPS) if observed.load.restarts else ():
        dump.rename(folder / dump.name)
    if run.capture is not None and isinstance(samples, Rows):
        [client] = observed.clients
        reused = run.invocation.cell.levels.get("connection") == "reused"
        reasons = [Reason(**reason) for reason in record["validity"]["reasons"]]
        record |= _captured(run.capture, folder, client, samples, reused=reused, reasons=reasons)
    record |= {"seconds": round(run.timeline.elapsed_s, 3), "timeline": run.timeline.record()}
    record = seals.sealed(record, folder)
    write_json(folder / "cell.json", record)
    return record


def _captured(
    capture: Capture,
    folder: Path,
    client: ClientEnd,
    samples: Rows,
    *,
    reused: bool,
    reasons: Sequence[Reason],
) -> dict[str, Any]:
    """Write what was captured; its part of ``cell.json``, with the reasons that it adds."""
    capture.decode(
        samples.table,
        offset_ns=client.offset_ns or 0,
        rtt_ns=client.rtt_ns or 0,
        reused=reused,
    )
    capture.write(folder)
    judged = validity.judged([*reasons, *capture.reasons()])
    return {"capture": capture.record(), "validity": judged}


def provenance(run: Run) -> dict[str, Any]:
    """Where the numbers of an invocation come from."""
    invocation, plan = run.invocation, run.hosts.plan
    programs = (*(node.program for node in invocation.nodes), invocation.client_program)
    java = find_java() if any(program.suffix == ".jar" for program in programs) else None
    project, capture = invocation.project, run.capture
    package = None if project is None else project.package_of(invocation.cell.tool.tool)
    return {
        "tool": invocation.cell.tool.tool,
        "title": invocation.cell.tool.title,
        "server": "external" if invocation.external else "ours",
        "java": None if java is None else {"version": java.version, "vendor": java.vendor},
        "jvm": jvm_flags(invocation.cell.tool, invocation.cell.levels),
        "libraries": samples_provenance.library_versions(),
        "jars": sorted(jar.name for jar in (invocation.jar.parent / "lib").glob("*.jar")),
        **({} if package is None else {"package": package.named}),
        "git": None if project is None else samples_provenance.git_state(project.root),
        "contents": {} if project is None else contents_of(project, invocation.cell),
        "attributes": list(invocation.needs.declared),
        "ids": None if invocation.ids is None else samples_provenance.sha256_file(invocation.ids),
        "executor": run.hosts.executor,
        "topology": {
            "server_cpus": sorted(plan.server),
            "client_cpus": sorted(plan.client),
            **({} if invocation.single else {"nodes": _cpus(plan.nodes)}),
            "shared": plan.shared,
            "clients": len(invocation.threads),
            "network": run.hosts.network if capture is None else capture.network,
        },
        "machine": samples_provenance.machine(),
        "seed": invocation.seed,
    }


def _cpus(nodes: Mapping[str, frozenset[int]]) -> dict[str, list[int]]:
    return {name: sorted(cpus) for name, cpus in nodes.items()}


def _record(run: Run, observed: Observed, samples: Samples) -> dict[str, Any]:
    invocation, cell = run.invocation, run.invocation.cell
    load, plan = observed.load, run.hosts.plan
    offsets = observed.part.offsets_ns
    window = samples.window(offsets)
    busy = {
        side: share
        for side in (*(node.name for node in invocation.nodes), "client")
        if (share := run.telemetry.busy_share(side, run.cell)) is not None
    }
    spent, spans = run.telemetry.window(run.cell), _spans_ns(run, window)
    origin = observed.part.provenance
    cpus = len(plan.server | plan.client)
    hosts = run.hosts.record()
    open_loop = cell.levels.get("mode", "closed") == "open"
    sample_reasons = samples.reasons(offsets, open_loop=open_loop)
    reasons = [
        *([SHARED] if plan.shared else []),
        *_circumstances(run, observed, samples, own_limit=_oom_killed(hosts)),
        *validity.warm_up([client.said.get("WARMED", {}) for client in observed.clients]),
        *validity.cpu_quota(origin["machine"]["cgroup"], cpus),
        *validity.client_load(
            busy.get("client"),
            sum(end - begin for begin, end in spans) / 1e9,
            has_tool=cell.tool.runs_in_clients(cell.levels),
        ),
        *(reason for reason in sample_reasons if not cell.fault or reason.code not in DISTURBED),
        *validity.calibration(observed.calibrations.before, observed.calibrations.after),
        *observed.start.reasons,
    ]
    return {
        "format": FORMAT,
        "state": "complete",
        "study": cell.study,
        "profile": cell.profile,
        "cell": cell.id,
        "invocation": invocation.number,
        **({} if cell.workload == DEFAULT_KIND else {"workload": cell.workload}),
        "levels": dict(cell.levels),
        "settings": cell.settings.model_dump(),
        "samples": cell.samples,
        **_counted(invocation),
        "start": dict(observed.start.record),
        "seed": invocation.seed,
        "ended": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "outcomes": {phase: samples.outcomes(phase) for phase in PHASES},
        "failure": None if load.failure is None else str(load.failure),
        **({} if load.fault is None else {"fault": dict(load.fault.record)}),
        "details": _details(observed),
        **_held(observed),
        "window": window,
        "hosts": hosts,
        **_servers(observed, spans, single=invocation.single),
        "clients": [_client(client) for client in observed.clients],
        "telemetry": {
            "window": spent,
            "cpu_busy": busy,
            **run.telemetry.record(run.cell),
        },
        "calibration": observed.calibrations.record(),
        "traffic": samples.traffic(),
        "validity": validity.judged(reasons),
        "provenance": dict(origin),
    }


def _spans_ns(run: Run, window: Mapping[str, int]) -> list[tuple[int, int]]:
    """Begin and end of the window, or of each of its slices, on the controller's clock."""
    slices = run.telemetry.slices_ns(run.cell) if run.cells > 1 else []
    return slices or [(window["begin_ns"], window["end_ns"])]


def _circumstances(
    run: Run, observed: Observed, samples: Samples, *, own_limit: bool
) -> list[Reason]:
    """Reasons that no number shows."""
    load, reasons = observed.load, []
    if load.restarts:
        reasons.append(Reason("wedged", "flag", _hung(load)))
    if isinstance(load.failure, ServerDiedError):
        reasons.append(Reason("server-died", "flag", str(load.failure)))
        for server in observed.servers:
            if server.died:
                reasons += validity.killed(server.exit_code, own_limit=own_limit)
        reasons += validity.unanswered(map(samples.outcomes, PHASES), own_limit=own_limit)
    elif isinstance(load.failure, ClientDiedError):
        reasons.append(Reason("client-died", "invalid", str(load.failure)))
    elif isinstance(load.failure, OverdueError):
        reasons.append(Reason("cell-timeout", "invalid", str(load.failure)))
    elif samples.missing and not isinstance(load.failure, WedgedError):
        message = f"{samples.missing} executions were never recorded by the client program"
        reasons.append(Reason("executions-missing", "invalid", message))
    if samples.unverified:
        reasons += _unverified(samples.unverified, run.invocation.needs.checks)
    if load.fault is None:  # which may fill a disk on purpose
        failure_lines = _said_of_failures(run.work, observed)
        reasons += validity.machine_limit(samples.outcomes("measure"), failure_lines)
    messages = [str(detail["message"]) for detail in _details(observed)]
    client_faults = [message for message in messages if message.startswith("client: ")]
    if client_faults:
        reasons.append(Reason("client-fault", "invalid", client_faults[0].removeprefix("client: ")))
    if load.fault is not None:
        reasons += load.fault.reasons()
    return [*reasons, *invariants.reasons(observed.invariants), *_not_stopped(observed)]


def _unverified(operations: Sequence[str], checks: Checks) -> list[Reason]:
    """What nothing checked: operations without an expected result whose driver does not judge."""
    unknown = [name for name in operations if name not in {*checks.verdicts, *checks.unchecked}]
    sentences = [f"{name} is not checked: {why}" for name, why in checks.unchecked.items()]
    if unknown:
        sentences.append(f"the oracle does not know {', '.join(unknown)}: results not verified")
    return [Reason("unverified", "flag", "; ".join(sentences))] if sentences else []


def _not_stopped(observed: Observed) -> list[Reason]:
    """Judge servers that were to run to the end and did not stop as they were asked to."""
    load, reasons = observed.load, []
    dead = load.fault.dead if load.fault is not None else frozenset()
    for server in observed.servers:
        died = isinstance(load.failure, ServerDiedError) or server.node.name in dead
        if server.exit_code in (0, 143) or died:
            continue
        code = server.exit_code
        how = "had to be killed" if code == 137 else f"exit code {code}"
        message = f"the {server.node.name} did not stop as asked: {how}"
        reasons.append(Reason("server-stop", "flag", message))
    return reasons


def _said_of_failures(work: Path, observed: Observed) -> Iterator[str]:
    """Messages of failed executions, and the lines of all logs of the invocation."""
    yield from (str(detail["message"]) for detail in _details(observed))
    gc_logs = {log for server in observed.servers for log in server.gc_logs}
    for log in sorted({*work.glob("*.log")} - gc_logs):
        with suppress(OSError), log.open("rb") as lines:
            lines.seek(max(0, log.stat().st_size - LOG_BYTES))
            yield from (line.decode("utf-8", "replace") for line in lines)


def _hung(load: LoadEnd) -> str:
    times = len(load.restarts)
    timeouts = sum(record["timeouts"] or 0 for record in load.restarts)
    last = f"; the last time for good: {load.failure}" if load.failure is not None else ""
    return (
        f"the server hung {times} time{'s' * (times > 1)} and was killed; {timeouts} executions "
        f"under way became timeouts; thread dumps are beside cell.json{last}"
    )


def _counted(invocation: Invocation) -> dict[str, Any]:
    """``operations``, where the counts of some are of objects."""
    named = [
        {"name": operation.name, "objects": operation.objects}
        for operation in invocation.operations
    ]
    return {"operations": named} if any(operation["objects"] for operation in named) else {}


def _held(observed: Observed) -> dict[str, Any]:
    """``invariants``, where the study has some."""
    held = [invariant.record() for invariant in observed.invariants]
    return {"invariants": held} if held else {}


def _details(observed: Observed) -> list[dict[str, Any]]:
    """Distinct failure messages, and why executions are missing."""
    failure = observed.load.failure
    details = [
        {"client": c.number, "operation": None, "outcome": "error", "message": "", **detail}
        for c in observed.clients
        for detail in c.details
    ]
    if failure is not None:
        died = isinstance(failure, ServerDiedError | ClientDiedError)
        outcome = "error" if died else "unfinished"
        message = str(failure)
        details.append({"client": None, "operation": None, "outcome": outcome, "message": message})
    return details


def _oom_killed(hosts: Mapping[str, Any]) -> bool:
    """Whether the kernel killed a node for a limit of memory that the study set."""
    sides = (hosts, *hosts.get("nodes", {}).values())
    return any(side.get("oom_kills") for side in sides)


def _servers(observed: Observed, spans: Spans, *, single: bool) -> dict[str, Any]:
    """``server``, or ``nodes`` by their names where the tool names them."""
    nodes = {server.node.name: _node(server, observed.load, spans) for server in observed.servers}
    return {"server": nodes.get(SERVER)} if single else {"nodes": nodes}


def _node(server: ServerEnd, load: LoadEnd, spans: Spans) -> dict[str, Any]:
    pauses = read_pauses(server.gc_logs)
    in_window = read_pauses(server.gc_logs, spans)
    return {
        "ready_s": round(server.ready_s, 3),
        "pid": server.pid,
        "exit_code": server.exit_code,
        "restarts": list(load.restarts),
        "options": dict(server.node.options),
        "footprint": server.footprint,
        "disk_bytes": server.disk_bytes,
        "gc": None if pauses is None else asdict(pauses),
        "gc_window": None if in_window is None else asdict(in_window),
        "log_tail": _tail(server.log) if isinstance(load.failure, ServerDiedError) else [],
    }


def _client(client: ClientEnd) -> dict[str, Any]:
    return {
        "client": client.number,
        "threads": client.threads,
        "executions": client.executions,
        "seed": client.workload.seed,
        "mode": client.workload.mode.model_dump(),
        "warmup": client.workload.warmup.model_dump(),
        "offset_ns": client.offset_ns,
        "rtt_ns": client.rtt_ns,
        "warmed": client.said.get("WARMED"),
        "window": client.said.get("WINDOW"),
        "done": client.said.get("DONE"),
        "footprint": client.footprint,
        "exit_code": client.exit_code,
        "died": client.died,
        "stray_lines": client.strays,
    }


def _tail(log: Path) -> list[str]:
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return text.splitlines()[-LOG_LINES:]
