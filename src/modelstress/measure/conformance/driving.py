"""Checks of the driver, through the client program."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Mapping, Sequence, Set
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from modelstress.config.programs import Workload, WorkloadOperation
from modelstress.measure import deadlines
from modelstress.measure.conformance.bench import Bench, Serving, ask, expect
from modelstress.measure.conversation import Client, Conversation
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.oracle_check import outcome_counts

EXECUTIONS_EACH = 8
SHORT_MS = 3000
"""Timeout of executions that cannot succeed."""
STEADY_MOST_S = 30.0
LINGERING_S = 0.5
UNDER_WAY_S = 10.0
"""How long another client would need to be steady."""


def an_unreachable_endpoint_is_an_error(bench: Bench) -> str:
    """Outcome ``error`` (or ``timeout``) within its deadline when nobody listens, or answers."""
    with bench.serving() as server:
        endpoint = server.endpoint
    operations = bench.probe()[:1]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        closed = _with_port(endpoint, _free_port())
        mute = _with_port(endpoint, silent.getsockname()[1])
        for connection in ("per-execution", "reused"):
            for what, address in (("nobody listens", closed), ("nobody answers", mute)):
                run = bench.drive(
                    server.addresses(main=address),
                    operations,
                    threads=3,
                    executions=3,
                    connection=connection,
                    timeout_ms=SHORT_MS,
                )
                where = f"{what}, {connection}"
                only(run.samples, {"error", "timeout", "rejected"}, where)
                slowest = max(run.samples["duration_ns"].to_pylist()) / 1e9
                most = SHORT_MS / 1000 + deadlines.GRACE_S
                expect(slowest <= most, f"{where}: an execution took {slowest:.1f} s")
                expect(bool(run.details), f"{where}: no message")
    return "an error or timeout with a message, within its deadline"


def a_killed_server_ends_in_errors(bench: Bench) -> str:
    """The server is killed with SIGKILL; executions fail, none hangs, the client ends."""
    counts = []
    for connection in ("per-execution", "reused"):
        with bench.serving() as server:
            client, workload, out = bench.start_client(
                server.addresses(),
                bench.probe(think_ms=100),
                threads=8,
                executions=80,
                connection=connection,
                timeout_ms=SHORT_MS,
                warmup=8,
            )
            _warm_up(client, workload, 8)
            client.program.send("GO")
            time.sleep(0.3)  # each of the eight threads has ten executions, 0.1 s apart
            server.program.signal(signal.SIGKILL)
            run = bench.finish_client(client, workload, out, 8)
        expect(run.code == 0, f"{connection}: the client ended with exit code {run.code}")
        only(run.samples, bench.answers | {"error", "timeout", "rejected"}, connection)
        outcomes = outcome_counts(run.samples)
        expect(
            sum(outcomes.values()) == 80, f"{connection}: {sum(outcomes.values())} of 80 executions"
        )
        failed = 80 - _answers(bench, outcomes)
        expect(failed > 0, f"{connection}: every execution succeeded without a server")
        counts.append(f"{connection}: {outcomes}")
    return "; ".join(counts)


def a_killed_server_is_found_again(bench: Bench) -> str:
    """SIGKILL while it answers; then ``resume: true`` on its files, at the port that it had."""
    protocol = bench.tool.protocols[0]
    operations = bench.probe()
    executions = EXECUTIONS_EACH * len(operations)
    with bench.serving(ports={protocol: 0}) as server:
        client, workload, out = bench.start_client(server.addresses(), operations, executions=40)
        client.program.send("GO")
        time.sleep(0.3)
        server.program.signal(signal.SIGKILL)
        bench.finish_client(client, workload, out, 1)
        server.program.stop(0)
        port = urlsplit(server.endpoint).port or 0
        again: dict[str, Any] = {
            "work": str(server.work),
            "ports": {protocol: port},
            "resume": True,
        }
        with bench.serving(**again) as second:
            expect(
                second.endpoint == server.endpoint,
                f"it is at {second.endpoint} now and was at {server.endpoint}",
            )
            executed = answered(bench, second, operations, "after a kill", executions=executions)
    return f"{executed} executions after a kill, all answered rightly"


def a_hanging_server_is_replaced(bench: Bench) -> str:
    """The server is stopped (SIGSTOP) in mid-run; the client goes on with another one."""
    counts = []
    for connection in ("per-execution", "reused"):
        with bench.serving() as hanging, bench.serving() as fresh:
            client, workload, out = bench.start_client(
                hanging.addresses(),
                bench.probe(think_ms=100),
                threads=8,
                executions=80,
                connection=connection,
                warmup=8,
            )
            talk = Conversation([client], (), Interrupt())
            client.program.send("WARM")
            talk.until("WARMED", deadlines.warmup_s(workload, 8))
            client.program.send("GO")
            time.sleep(0.3)  # each of the eight threads has ten executions, 0.1 s apart
            hanging.program.signal(signal.SIGSTOP)
            _await_under_way(talk, client)
            client.program.send('WEDGED {"reason": "the server was stopped"}')
            talk.until("HELD", deadlines.HELD_S)
            hanging.program.signal(signal.SIGKILL)
            client.program.send(fresh.resume())
            run = bench.finish_client(client, workload, out, 8)
        expect(run.code == 0, f"{connection}: the client ended with exit code {run.code}")
        outcomes, held = outcome_counts(run.samples), client.said["HELD"]["timeouts"]
        expect(
            sum(outcomes.values()) == 80, f"{connection}: {sum(outcomes.values())} of 80 executions"
        )
        expect(held > 0, f"{connection}: no execution was under way")
        expect(
            outcomes.get("timeout", 0) == held and _answers(bench, outcomes) == 80 - held,
            f"{connection}: {outcomes}; {held} were under way when the server was stopped, "
            f"the others should be {' or '.join(sorted(bench.answers))}",
        )
        counts.append(f"{connection}: {outcomes}")
    return "; ".join(counts)


def _await_under_way(talk: Conversation, client: Client) -> None:
    """Wait until the client says twice that as many are answered, and others under way."""
    deadline, before = time.monotonic() + UNDER_WAY_S, -1
    while time.monotonic() < deadline and "DONE" not in client.said:
        client.said.pop("PROGRESS", None)
        talk.until("PROGRESS", UNDER_WAY_S, or_word="DONE")
        report = client.said.get("PROGRESS", {})
        answered = report.get("answered", 0)
        if answered == before and report.get("under_way", 1):
            return
        before = answered


def _answers(bench: Bench, outcomes: Mapping[str, int]) -> int:
    """How many executions a server has answered."""
    return sum(outcomes.get(outcome, 0) for outcome in bench.answers)


def answered(
    bench: Bench,
    server: Serving,
    operations: Sequence[WorkloadOperation],
    where: str,
    protocol: str = "",
    **workload: Any,
) -> int:
    """Drives operations and fails the check unless every execution is answered rightly.

    Args:
        bench: whose client program drives.
        server: that answers.
        operations: what it is asked.
        where: what the check calls this run in its messages.
        protocol: of the endpoints; by default the server's first.
        workload: of ``Bench.drive``.

    Returns:
        How many executions there were.
    """
    run = bench.drive(server.addresses(protocol), operations, **workload)
    expect(run.code == 0, f"{where}: the client ended with exit code {run.code}")
    bench.judge(run, operations, where)
    return int(run.samples.num_rows)


def a_warm_up_ends_when_it_is_steady(bench: Bench) -> str:
    """With a rule the client says when it is steady, and its load goes on until GO."""
    rule = {"within": 0.99, "most_s": STEADY_MOST_S}
    warmup = {"executions": 4, "seconds": 0, "threads": 1, "steady": rule}
    with bench.serving() as server:
        client, workload, out = bench.start_client(
            server.addresses(),
            bench.probe(think_ms=5),
            threads=2,
            executions=8,
            connection="reused",
            more={"warmup": warmup},
        )
        _warm_up(client, workload, 2)
        time.sleep(LINGERING_S)
        client.program.send("GO")
        run = bench.finish_client(client, workload, out, 2)
    warmed = client.said["WARMED"]
    expect(
        warmed.get("steady") is True,
        f"WARMED says {warmed}; with such a rule it is steady before {STEADY_MOST_S:g} s",
    )
    warm = sum(phase == "warmup" for phase in run.samples["phase"].to_pylist())
    executions = int(warmed["executions"])
    expect(
        warm > executions + 2,
        f"{warm} executions of warm-up, {executions} at WARMED: its load did not go on until GO",
    )
    return f"steady after {executions} executions, {warm} until GO"


def only(samples: pa.Table, allowed: Set[str], where: str) -> None:
    """Fail the check unless something was executed, with these outcomes only."""
    outcomes = set(samples["outcome"].cast(pa.string()).to_pylist())
    expect(bool(outcomes), f"{where}: nothing was executed")
    expect(
        outcomes <= allowed,
        f"{where}: outcomes {sorted(outcomes - allowed)}, expected {sorted(allowed)}",
    )


def _warm_up(client: Client, workload: Workload, threads: int) -> None:
    """Has a client warm up, and waits until it has."""
    ask(client, "WARM", "WARMED", deadlines.warmup_s(workload, threads))


def _free_port() -> int:
    """A port on which nobody listens: it was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def _with_port(endpoint: str, port: int) -> str:
    parts = urlsplit(endpoint)
    who, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{who}{at}{parts.hostname}:{port}").geturl()


CHECKS = (
    ("an unreachable endpoint is an error, not a hang", an_unreachable_endpoint_is_an_error),
    ("a server killed in mid-run ends in errors", a_killed_server_ends_in_errors),
    ("a warm-up with a rule ends when it is steady", a_warm_up_ends_when_it_is_steady),
    ("a server that hangs can be replaced in mid-run", a_hanging_server_is_replaced),
    ("a server that was killed serves again, on its files", a_killed_server_is_found_again),
)
