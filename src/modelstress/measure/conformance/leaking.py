"""Checks that nothing is left open: descriptors and threads after many sessions."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

from modelstress.measure import procfs
from modelstress.measure.conformance.bench import Bench, expect

FEW, MANY = 16, 96
"""Sessions, one after the other, of the two runs that are compared."""
LEFT = 24
"""More descriptors or threads than that, for so many more sessions, are a leak and no pool."""
SETTLE_S = 5.0
"""How long a server may take to notice that connections have ended."""
TICK_S = 0.01
THINK_MS = 10.0
"""Pause between two sessions, so that what is open can be looked at between them."""


def server_closes_what_it_opens(bench: Bench) -> str:
    """Descriptors of the server after few sessions and after many more; threads may be a pool's."""
    said = []
    with bench.serving() as server:
        for protocol, endpoint in server.ready.endpoints.items():
            _sessions(bench, endpoint, FEW)
            before = _settled(server.program.pid, 0)
            _sessions(bench, endpoint, MANY)
            after = _settled(server.program.pid, before + LEFT)
            expect(
                after <= before + LEFT,
                f"{protocol}: the server keeps descriptors (files, connections) open: {before} "
                f"after {FEW} sessions, {after} after {MANY} more, all of which had ended",
            )
            said.append(f"{protocol}: {before} descriptors, then {after}")
    return "; ".join(said)


def driver_closes_what_it_opens(bench: Bench) -> str:
    """Most descriptors and threads that a client has open at once, in a short run and a long one.

    With one thread and a connection per execution, one session is open at a time.
    """
    said = []
    with bench.serving() as server:
        for protocol, endpoint in server.ready.endpoints.items():
            few, many = (_sessions(bench, endpoint, count) for count in (FEW, MANY))
            for what, one, other in zip(("descriptors", "threads"), few, many, strict=True):
                expect(
                    other - one <= LEFT,
                    f"{protocol}: the driver keeps {what} open after a session is closed: at most "
                    f"{one} in a run of {FEW} sessions, {other} in one of {MANY}",
                )
            said.append(f"{protocol}: at most {few[0]} descriptors, then {many[0]}")
    return "; ".join(said)


def _sessions(bench: Bench, endpoint: str, count: int) -> tuple[int, int]:
    """Run a client of that many sessions; most descriptors and threads that it had at once."""
    operation = bench.operations(bench.tool.languages[0], think_ms=THINK_MS)[:1]
    client, workload, out = bench.start_client(endpoint, operation, executions=count)
    most, over = [0, 0], threading.Event()

    def watch() -> None:
        while not over.wait(TICK_S):
            most[:] = map(max, most, _open(client.program.pid))

    watching = threading.Thread(target=watch, name="watch", daemon=True)
    watching.start()
    try:
        client.program.send("GO")
        run = bench.finish_client(client, workload, out, 1)
    finally:
        over.set()
        watching.join()
    expect(run.code == 0, f"the client ended with exit code {run.code}")
    return most[0], most[1]


def _settled(pid: int, enough: int) -> int:
    """Descriptors once no more than ``enough`` are open, or after ``SETTLE_S``."""
    deadline = time.monotonic() + SETTLE_S
    while (found := _open(pid)[0]) > enough and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def _open(pid: int | None) -> tuple[int, int]:
    """Open descriptors and threads of a program with all its processes."""
    descriptors = threads = 0
    for one in procfs.processes([pid]) if pid is not None else ():
        with suppress(OSError):
            descriptors += sum(1 for _ in Path(f"/proc/{one}/fd").iterdir())
            threads += sum(1 for _ in Path(f"/proc/{one}/task").iterdir())
    return descriptors, threads


CHECKS = (
    ("the server closes what its sessions opened", server_closes_what_it_opens),
    ("the driver closes what its sessions opened", driver_closes_what_it_opens),
)
