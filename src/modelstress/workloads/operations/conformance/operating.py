"""Checks of operations: answers, their order, windows, and what is no operation."""

from __future__ import annotations

import signal
import time

import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.programs import WorkloadOperation
from modelstress.measure import deadlines
from modelstress.measure.conformance.bench import expect, reason_of
from modelstress.measure.conformance.driving import EXECUTIONS_EACH, answered, only
from modelstress.measure.oracle_check import outcome_counts
from modelstress.workloads.operations.conformance.bench import OperationsBench

UNKNOWN = "no-such-operation"
WINDOW_S = 1.0
SLOW_MS = 100.0
"""Think time of a client that is stopped in the middle of its window."""
STOPPED = 143


def answers_are_right(bench: OperationsBench, threads: int, connection: str) -> str:
    """All operations, over every protocol: answered, and as the study says."""
    executed, operations = 0, bench.probe()
    with bench.serving() as server:
        for protocol in server.ready.endpoints:
            executed += answered(
                bench,
                server,
                operations,
                protocol,
                protocol,
                threads=threads,
                executions=EXECUTIONS_EACH * len(operations) * threads,
                connection=connection,
            )
    return f"{executed} executions, all answered"


def one_thread_per_execution(bench: OperationsBench) -> str:
    """Right answers: one thread, a session per execution."""
    return answers_are_right(bench, 1, "per-execution")


def one_thread_reused(bench: OperationsBench) -> str:
    """Right answers: one thread, one session."""
    return answers_are_right(bench, 1, "reused")


def eight_threads_reused(bench: OperationsBench) -> str:
    """Right answers: eight threads, a session each."""
    return answers_are_right(bench, 8, "reused")


def operations_come_in_order(bench: OperationsBench) -> str:
    """With ``order``, every thread executes the operations one after the other, from the first."""
    operations = bench.probe()
    order = [operation.name for operation in operations] * 2
    with bench.serving() as server:
        run = bench.drive(
            server.addresses(),
            operations,
            threads=2,
            executions=4 * len(order),
            connection="reused",
            more={"order": order},
        )
    rows = run.samples.sort_by([("thread", "ascending"), ("start_ns", "ascending")])
    for thread in sorted(set(rows["thread"].to_pylist())):
        names = rows.filter(pc.equal(rows["thread"], thread))["operation"].cast(pa.string())
        seen = names.to_pylist()
        wanted = [order[place % len(order)] for place in range(len(seen))]
        expect(
            seen == wanted,
            f"thread {thread} executed {seen[: len(order)]} …, the order is {order}",
        )
    return f"{rows.num_rows} executions in the order {', '.join(order)}"


def windows_of_seconds_end(bench: OperationsBench) -> str:
    """A window of a second measures what begins within it, and the client says so."""
    operations = bench.probe()
    with bench.serving() as server:
        run = bench.drive(
            server.addresses(),
            operations,
            threads=2,
            executions=1,
            connection="reused",
            more={"executions": None, "window": {"seconds": WINDOW_S}},
        )
    phases = run.samples["phase"].cast(pa.string())
    measured = run.samples.filter(pc.equal(phases, "measure"))
    expect(measured.num_rows > 0, f"nothing was measured in {WINDOW_S:g} s")
    starts = measured["intended_start_ns"].to_pylist()
    spread = (max(starts) - min(starts)) / 1e9
    expect(spread <= WINDOW_S, f"measured executions begin {spread:.2f} s apart")
    expect(
        spread >= WINDOW_S / 2,
        f"measured executions begin within {spread:.2f} s only, the window has {WINDOW_S:g} s",
    )
    numbers = sorted(measured["sequence"].to_pylist())
    expect(numbers == list(range(len(numbers))), "their sequence numbers are not 0, 1, 2, …")
    return f"{measured.num_rows} executions in {WINDOW_S:g} s"


def an_unknown_operation_is_an_error(bench: OperationsBench) -> str:
    """Outcome ``error`` with a message; the session survives."""
    right = bench.probe()[0]
    wrong = WorkloadOperation(name=UNKNOWN)
    with bench.serving() as server:
        run = bench.drive(server.addresses(), [wrong, right], executions=16, connection="reused")
    names = run.samples["operation"].cast(pa.string())
    only(run.samples.filter(pc.equal(names, UNKNOWN)), {"error"}, "an unknown operation")
    only(run.samples.filter(pc.equal(names, right.name)), bench.answers, f"{right.name} beside it")
    return reason_of(run.details, UNKNOWN, "an unknown operation")


def a_stopped_client_says_unfinished(bench: OperationsBench) -> str:
    """SIGTERM while the server is silent: exit code 143, what was under way is unfinished."""
    with bench.serving() as server:
        client, _, out = bench.start_client(
            server.addresses(),
            bench.probe(think_ms=SLOW_MS),
            threads=4,
            executions=10_000,
            connection="reused",
        )
        client.program.send("GO")
        time.sleep(1.0)
        server.program.signal(signal.SIGSTOP)
        time.sleep(0.5)  # by then threads wait for its answer
        client.program.signal(signal.SIGTERM)
        code = client.program.wait(deadlines.CLIENT_STOP_S)
        client.program.stop(0)
        server.program.signal(signal.SIGKILL)
    expect(code == STOPPED, f"exit code {code} after SIGTERM instead of {STOPPED}")
    samples = bench.samples(out)
    only(samples, bench.answers | {"unfinished"}, "after SIGTERM")
    outcomes = outcome_counts(samples)
    expect(
        outcomes.get("unfinished", 0) > 0,
        f"after SIGTERM: nothing is unfinished ({outcomes}); executions waited for a stopped "
        "server",
    )
    return f"exit code {code}, {samples.num_rows} executions recorded"


CHECKS = (
    ("right answers: 1 thread, session per execution", one_thread_per_execution),
    ("right answers: 1 thread, session reused", one_thread_reused),
    ("right answers: 8 threads, sessions reused", eight_threads_reused),
    ("operations come in the order that is asked for", operations_come_in_order),
    ("a window of seconds ends after them", windows_of_seconds_end),
    ("an unknown operation is an error with a message", an_unknown_operation_is_an_error),
    ("a client that is stopped says what is unfinished", a_stopped_client_says_unfinished),
)
