"""Checks of a client whose window comes in slices, as cells that share a start are measured."""

from __future__ import annotations

import time

import pyarrow as pa

from modelstress.measure import deadlines
from modelstress.measure.conformance.bench import Bench, ask, expect

EXECUTIONS = 8
SLICES = 2
THREADS = 2
IDLE_S = 0.5
"""How long another cell would be measured."""
MOST_S = 30.0


def a_client_is_idle_between_slices(bench: Bench) -> str:
    """PAUSE ends a warm-up's load, and between two slices of anything nothing is executed."""
    steady = {"within": 0.99, "most_s": MOST_S}
    warmup = {"executions": 4, "seconds": 0, "threads": 1, "steady": steady}
    idle = []
    with bench.serving() as server:
        client, workload, out = bench.start_client(
            server.addresses(), bench.probe(think_ms=5), threads=THREADS, executions=EXECUTIONS,
            connection="reused", more={"warmup": warmup, "slices": SLICES},
        )  # fmt: skip
        warmed = []
        for _ in range(SLICES):
            ask(client, "WARM", "WARMED", deadlines.warmup_s(workload, THREADS))
            ask(client, "PAUSE", "PAUSED", deadlines.measure_s(workload, THREADS))
            warmed.append(client.said["WARMED"].get("executions", 0))
            idle.append(_idle())
        expect(
            warmed[0] < warmed[1],
            f"WARMED says {warmed[1]} executions after the second slice of a warm-up, and "
            f"{warmed[0]} after the first; it says their sum",
        )
        ask(client, "GO", "SLICED", deadlines.measure_s(workload, THREADS))
        expect("DONE" not in client.said, "DONE after the first of two slices")
        idle.append(_idle())
        client.said.pop("SLICED")
        client.program.send("GO")
        run = bench.finish_client(client, workload, out, THREADS)
    expect("SLICED" in client.said, "no SLICED after the last slice")
    expect(
        client.said["DONE"].get("executions") == EXECUTIONS,
        f"DONE says {client.said['DONE']}; both slices have {EXECUTIONS} executions",
    )
    _quiet(run.samples, idle, client.offset_ns or 0)
    return f"warm-up and {EXECUTIONS} executions in {SLICES} slices, nothing in between"


def _idle() -> tuple[int, int]:
    """Wait, as while another cell is measured: begin and end (ns, monotonic clock)."""
    begin = time.monotonic_ns()
    time.sleep(IDLE_S)
    return begin, time.monotonic_ns()


def _quiet(samples: pa.Table, idle: list[tuple[int, int]], offset_ns: int) -> None:
    """Fail the check where an execution begins while the client should be idle."""
    for begin, end in idle:
        starts = [at - offset_ns for at in samples["start_ns"].to_pylist()]
        count = sum(begin <= at <= end for at in starts)
        expect(not count, f"{count} executions began while the client should have been idle")


CHECKS = (("a client is idle between slices", a_client_is_idle_between_slices),)
