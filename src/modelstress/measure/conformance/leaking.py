"""Checks that nothing is left open: descriptors and threads after many sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from modelstress.measure import procfs
from modelstress.measure.conformance.bench import Bench, expect

FEW, MANY = 16, 96
"""Sessions of the two runs that are compared."""
THREADS = 8
LEFT = 24
"""More descriptors or threads than that, for so many more sessions, are a leak and no pool."""
SETTLE_S = 5.0
"""How long a server may take to notice that connections have ended."""
TICK_S = 0.01
THINK_MS = 10.0
"""Pause between two sessions, so that what is open can be looked at between them."""


def nothing_stays_open(bench: Bench) -> str:
    """Descriptors of server and driver, and the driver's threads, in a short run and a long one.

    As many sessions as there are client threads are open at a time. A server's threads may be those
    of a pool and are not looked at.
    """
    findings = []
    with bench.serving() as server:
        for protocol in server.ready.endpoints:
            nodes = server.addresses(protocol)
            few = _sessions(bench, nodes, FEW)
            before = _settled(server.program.pid, 0)
            many = _sessions(bench, nodes, MANY)
            after = _settled(server.program.pid, before + LEFT)
            expect(
                after <= before + LEFT,
                f"{protocol}: the server keeps descriptors (files, connections) open: {before} "
                f"after {FEW} sessions, {after} after {MANY} more, all of which had ended",
            )
            for what, peak_few, peak_many in zip(
                ("descriptors", "threads"), few, many, strict=True
            ):
                expect(
                    peak_many <= peak_few + LEFT,
                    f"{protocol}: the driver keeps {what} open after a session is closed: at most "
                    f"{peak_few} in a run of {FEW} sessions, {peak_many} in one of {MANY}",
                )
            findings.append(
                f"{protocol}: server {before}, then {after}; driver {few[0]}, {many[0]}"
            )
    return f"descriptors: {'; '.join(findings)}"


def _sessions(bench: Bench, nodes: Mapping[str, str], count: int) -> tuple[int, int]:
    """Run a client of that many sessions; most descriptors and threads that it had at once."""
    operation = bench.probe(think_ms=THINK_MS)[:1]
    client, workload, out = bench.start_client(nodes, operation, executions=count, threads=THREADS)
    most, over = [0, 0], threading.Event()

    def watch() -> None:
        while not over.wait(TICK_S):
            most[:] = map(max, most, _open(client.program.pid))

    watching = threading.Thread(target=watch, name="watch", daemon=True)
    watching.start()
    try:
        client.program.send("GO")
        run = bench.finish_client(client, workload, out, THREADS)
    finally:
        over.set()
        watching.join()
    expect(run.code == 0, f"the client ended with exit code {run.code}")
    return most[0], most[1]


def _settled(pid: int, enough: int) -> int:
    """Descriptors once no more than ``enough`` are open, or after ``SETTLE_S``."""
    deadline = time.monotonic() + SETTLE_S
    while (descriptors := _open(pid)[0]) > enough and time.monotonic() < deadline:
        time.sleep(0.1)
    return descriptors


def _open(pid: int | None) -> tuple[int, int]:
    """Open descriptors and threads of a program with all its processes."""
    descriptors = threads = 0
    for process_id in procfs.processes([pid]) if pid is not None else ():
        with suppress(OSError):
            descriptors += sum(1 for _ in Path(f"/proc/{process_id}/fd").iterdir())
            threads += sum(1 for _ in Path(f"/proc/{process_id}/task").iterdir())
    return descriptors, threads


CHECKS = (("nothing stays open after many sessions", nothing_stays_open),)
