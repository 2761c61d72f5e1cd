#!/usr/bin/env python3
"""What an honest client notices of hostile ones: idle, half-open and endless, on every server.

    benchmarks/hosts/hostile_clients.py [--size N] [--executions N] [--timeout-s N]
                                        [--only WORD] [--protocol P]

The honest client is the harness's client program with one thread and a connection per execution;
its answers are compared with the oracle's count and digest. Servers and clients have disjoint CPU
sets. For each server and protocol its median is taken alone; beside 30 half-open requests; beside
500 idle connections; beside three endless queries; after these have lost their clients (SIGKILL);
and after three more have been ended by `query_timeout_s`, which is lowered to --timeout-s.

Fair share: on S server CPUs, E endless queries and one honest execution get S / (E + 1) CPUs each,
one at most; so an execution may take max(1, (E + 1) / S) times as long as alone. That S CPUs' time
really goes into the endless queries is read from /proc before anybody else asks.

Exit code 1 when a bar is missed. Run by hand, on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common import programs
from common.programs import QUERIES, ROOT, Operation, Tool

from modelstress.hosts import CpuPlan, plan_cpus
from modelstress.measure.java import find_java
from modelstress.workloads.queries.jvm import Answer, Jvm

QUERY = "ConnectedSegments"
ENDLESS_CLIENTS, IDLE, HALF_OPEN = 3, 500, 30
WHILE_THEY_RUN, AFTER_THEM = 1.5, 2.0
HEAP_BACK, HEAP_ROOM_MB = 1.25, 8.0
BUSY = 0.8
"""Part of the server's CPUs that endless queries must use up."""
WARM = 10
"""Times as many executions warm the server up."""
NOTICED_S = 6.0
"""A server looks every second whether a connection is there; then the queries have to end."""
FORGOTTEN_S = 130.0
"""A client that polls has no connection: CDO's server forgets it after one to two minutes."""
POOLS_S = 12.0
"""Idle threads end after ten seconds."""

OCL_ENDLESS = (
    "railway::Segment.allInstances()->select(a | railway::Segment.allInstances()->exists(b |"
    " railway::Segment.allInstances()->exists(c | a.length + b.length + c.length = -17)))"
)


class Served(NamedTuple):
    """A server, the protocols it is asked over, and what it is asked."""

    tool: Tool
    backend: str
    protocols: tuple[str, ...]
    language: str
    endless: str
    options: dict[str, Any]


HAWK = Tool("hawk", "org.modelstress.hawk.Main")
MOGWAI = Tool("mogwai", "org.modelstress.mogwai.Main")
CDO = Tool("cdo", "org.modelstress.cdo.Main")
NET4J = {"tcp_nodelay": True, "http_transport": "long-poll"}
SERVERS = (
    Served(HAWK, "neo4j", ("tcp", "http"), "eol", "while (true) {}", {}),
    Served(HAWK, "orientdb", ("tcp", "http"), "eol", "while (true) {}", {}),
    Served(MOGWAI, "neoemf", ("tcp", "http"), "ocl", OCL_ENDLESS, {}),
    Served(CDO, "h2", ("tcp", "http", "websocket"), "ocl", OCL_ENDLESS, NET4J),
)


class Target(NamedTuple):
    """One protocol of a server that runs."""

    served: Served
    endpoint: str
    pid: int
    folder: Path
    expected: Answer
    plan: CpuPlan
    executions: int
    timeout_s: int

    def operation(self, text: str) -> Operation:
        """A query for the client program."""
        names = programs.tuples()[QUERY]
        parameters = {"language": self.served.language, "tuple": names}
        return {"name": QUERY, "text": text, "arity": len(names), "parameters": parameters}

    @property
    def polls(self) -> bool:
        """Whether the server cannot see that a client has gone."""
        return self.served.tool is CDO and self.endpoint.startswith("http:")

    @property
    def driver_options(self) -> dict[str, Any]:
        """Net4j's client has a race of its own when it connects (docs/tools/cdo.md)."""
        return {**self.served.options, "safe_connect": True} if self.served.tool is CDO else {}


class Found(NamedTuple):
    """What the honest client saw, and how the server was then."""

    median_ms: float
    right: float
    threads: int
    rss_mb: float


class Memory(NamedTuple):
    """Of the server, after a full collection."""

    heap_mb: float
    rss_mb: float
    threads: int


def status(pid: int, word: str) -> int:
    """A number of /proc/PID/status."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{word}:"):
            return int(line.split()[1])
    raise LookupError(word)


def cpu_s(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> Memory:
    """Collect garbage in the server, and look what is left."""
    jcmd = str(Path(find_java().program).resolve().parent / "jcmd")
    said = subprocess.run(
        [jcmd, str(pid), "GC.class_histogram"], check=True, capture_output=True, text=True
    ).stdout
    heap = int(said.strip().splitlines()[-1].split()[2])
    return Memory(heap / 1e6, status(pid, "VmRSS") / 1e3, status(pid, "Threads"))


def ask(target: Target) -> Found:
    """The honest client: median, and which part of its measured answers is right."""
    text = (QUERIES / target.served.language / f"{QUERY}.{target.served.language}").read_text()
    file = programs.client(
        target.served.tool, target.folder, target.endpoint, [target.operation(text)],
        executions=target.executions, options=target.driver_options,
        warmup={"executions": target.executions // 2, "seconds": 0.0, "threads": 1},
        ids=str(target.folder / "store/ids.mssf"),
    )  # fmt: skip
    words, wanted = file.dictionaries, (target.expected.count, target.expected.digest)
    rows = [r for r in file.records if words["phase"][r["phase"]] == "measure"]
    right = [
        words["outcome"][r["outcome"]] == "ok"
        and (int(r["result_count"]), int(r["result_digest"])) == wanted
        for r in rows
    ]
    median = statistics.median(int(r["duration_ns"]) for r in rows) / 1e6
    return Found(
        median,
        sum(right) / len(right),
        status(target.pid, "Threads"),
        status(target.pid, "VmRSS") / 1e3,
    )


@contextlib.contextmanager
def connections(target: Target, number: int, first: bytes) -> Iterator[None]:
    """So many connections that say this and nothing more."""
    address = urlsplit(target.endpoint)
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            one = stack.enter_context(
                socket.create_connection((address.hostname, address.port), 30)
            )
            one.sendall(first)
        time.sleep(1)
        yield


def half_a_request(target: Target) -> bytes:
    """The beginning of a large request of a protocol, which never goes on."""
    address = urlsplit(target.endpoint)
    if address.scheme == "tcp":
        # Net4j: a buffer of 4,000 bytes for the control channel; Thrift: zlib's head
        return b"\xff\xff\x0f\xa0abc" if target.served.tool is CDO else b"\x78\x9c\x8a"
    kind = "application/octet-stream" if target.served.tool is CDO else "application/x-thrift"
    lines = [f"Host: {address.netloc}", "Content-Length: 16777000", f"Content-Type: {kind}"]
    if address.scheme == "ws":
        lines = [f"Host: {address.netloc}", "Upgrade: websocket", "Connection: Upg"]
        return "\r\n".join([f"GET {address.path} HTTP/1.1", *lines]).encode()
    return "\r\n".join([f"POST {address.path} HTTP/1.1", *lines, "", "abc"]).encode()


def endless_clients(target: Target) -> list[subprocess.Popen[bytes]]:
    """Clients with one endless query each, which wait for it as long as they may."""
    clients = []
    for number in range(ENDLESS_CLIENTS):
        out = target.folder / f"endless-{number}"
        out.with_suffix(".mssf").unlink(missing_ok=True)
        workload = {
            "operations": [target.operation(target.served.endless)], "executions": 1,
            "timeout_ms": 600_000, "options": target.driver_options,
            "warmup": {"executions": 0, "seconds": 0.0, "threads": 1},
            "ids": str(target.folder / "store/ids.mssf"),
        }  # fmt: skip
        if target.served.tool is CDO:  # or CDO's own end of the signal would end it
            workload["options"] = {**target.driver_options, "signal_timeout_ms": 600_000}
        out.with_suffix(".json").write_text(json.dumps(workload))
        argv = programs.java(
            target.served.tool.name, "org.modelstress.harness.Main", "client", heap="128m"
        )
        argv += ["--driver", target.served.tool.name, "--endpoint", target.endpoint]
        argv += ["--workload", str(out.with_suffix(".json")), "--threads", "1"]
        argv += ["--out", str(out.with_suffix(".mssf"))]
        with out.with_suffix(".log").open("wb") as log:
            one = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=log, stderr=log)
        if one.stdin is None:
            raise AssertionError
        one.stdin.write(b"GO\n")
        one.stdin.flush()
        clients.append(one)
    return clients


def burnt(target: Target, seconds: float = 2.0) -> float:
    """Which part of its CPUs' time the server uses now."""
    before, begun = cpu_s(target.pid), time.monotonic()
    time.sleep(seconds)
    spent = cpu_s(target.pid) - before
    return spent / (time.monotonic() - begun) / len(target.plan.server)


def until_busy(target: Target, clients: Sequence[subprocess.Popen[bytes]]) -> float:
    """Wait until every endless query has begun, and see that they are at work."""
    deadline = time.monotonic() + 20
    share = 0.0
    while time.monotonic() < deadline:
        share = burnt(target)
        asked = [
            '"under_way":1' in (target.folder / f"endless-{n}.log").read_text().replace(" ", "")
            for n in range(len(clients))
        ]
        if share >= BUSY and all(asked):
            return share
    return share


def beside_endless(target: Target) -> tuple[Found, float]:
    """Beside three endless queries whose clients are killed at the end."""
    clients = endless_clients(target)
    try:
        share = until_busy(target, clients)
        found = ask(target)
        if any(client.poll() is not None for client in clients):
            sys.exit("error: an endless query ended while others were measured: see --timeout-s")
        return found, min(share, burnt(target))  # nobody asks now, but they are at it still
    finally:
        for client in clients:
            client.send_signal(signal.SIGKILL)
            client.wait()


def until_quiet(target: Target) -> float:
    """Wait until endless queries whose clients are gone have ended.

    Returns:
        Seconds from the loss of the clients; infinite where they go on.
    """
    begun = time.monotonic()
    while time.monotonic() - begun < FORGOTTEN_S:
        if burnt(target, 1.0) < 1 - BUSY:
            return time.monotonic() - begun - 1.0
    return float("inf")


def ended_by_deadline(target: Target) -> bool:
    """Start three endless queries and wait for their end; whether the deadline ended them all."""
    clients = endless_clients(target)
    until_busy(target, clients)
    for client in clients:
        client.wait(target.timeout_s + 60)
    logs = [(target.folder / f"endless-{n}.log").read_text() for n in range(len(clients))]
    return all("query_timeout_s" in log for log in logs)


def measure(target: Target, name: str) -> bool:
    """All phases against one protocol; prints them, and says whether every bar is met."""
    ask(target._replace(executions=WARM * target.executions))
    before = memory(target.pid)
    alone = ask(target)
    with connections(target, HALF_OPEN, half_a_request(target)):
        half = ask(target)
    with connections(target, IDLE, b""):
        idle = ask(target)
    endless, share = beside_endless(target)
    noticed = until_quiet(target)
    left = ask(target)
    by_deadline = ended_by_deadline(target)
    timed_out = ask(target)
    time.sleep(POOLS_S)
    after = memory(target.pid)
    phases = [alone, half, idle, endless, left, timed_out]
    fair = max(1.0, (ENDLESS_CLIENTS + 1) / len(target.plan.server))
    bars = {
        "answers": all(found.right == 1 for found in phases),
        "half-open": half.median_ms <= WHILE_THEY_RUN * alone.median_ms,
        "idle": idle.median_ms <= WHILE_THEY_RUN * alone.median_ms,
        "endless queries burn CPU": share >= BUSY,
        "endless": endless.median_ms <= WHILE_THEY_RUN * fair * alone.median_ms,
        "end with clients": noticed <= (FORGOTTEN_S if target.polls else NOTICED_S),
        "after disconnect": left.median_ms <= AFTER_THEM * alone.median_ms,
        "end by the deadline": by_deadline,
        "after deadline": timed_out.median_ms <= AFTER_THEM * alone.median_ms,
        "heap back": after.heap_mb <= HEAP_BACK * before.heap_mb + HEAP_ROOM_MB,
        "threads back": after.threads <= max(alone.threads, before.threads) + ENDLESS_CLIENTS,
    }
    missed = [bar for bar, met in bars.items() if not met]
    ratios = "".join(f"{found.median_ms / alone.median_ms:9.2f}" for found in phases[1:])
    print(
        f"{name:20}{alone.median_ms:9.2f}{ratios}{fair:6.1f}"
        f"{100 * min(found.right for found in phases):7.0f}{100 * share:6.0f}{noticed:7.1f}"
        f"  {before.threads}/{max(f.threads for f in phases)}/{after.threads}"
        f"  {before.heap_mb:.0f}/{after.heap_mb:.0f}"
        f"  {before.rss_mb:.0f}/{max(f.rss_mb for f in phases):.0f}/{after.rss_mb:.0f}"
        f"  {'met' if not missed else 'MISSED ' + ', '.join(missed)}",
        flush=True,
    )
    return not missed


def serve(served: Served, wanted: argparse.Namespace, folder: Path, plan: CpuPlan) -> bool:
    """Load and start one server, and measure each of its protocols."""
    model = folder.parent / "model.bin"
    folder.mkdir()
    config = {
        "backend": served.backend, "model": str(model), "store": str(folder / "store"),
        "work": str(folder / "work"), "attributes": [],
        "ports": dict.fromkeys(served.protocols, 0),
        "options": {**served.options, "query_timeout_s": wanted.timeout_s},
    }  # fmt: skip
    text = (QUERIES / served.language / f"{QUERY}.{served.language}").read_text()
    with Jvm(ROOT / "java-shims/models/target/dist/models.jar") as jvm:
        expected = jvm.evaluate(model, served.language, text, programs.tuples()[QUERY])
    programs.load(served.tool, config)
    os.sched_setaffinity(0, plan.server)  # what is started inherits them
    with programs.served(served.tool, config) as said:
        os.sched_setaffinity(0, plan.client)
        met = [
            measure(
                Target(
                    served, said["endpoints"][protocol], said["pid"], folder, expected, plan,
                    wanted.executions, wanted.timeout_s,
                ),
                f"{served.tool.name} {served.backend} {protocol}",
            )
            for protocol in served.protocols
            if wanted.protocol in ("", protocol)
        ]  # fmt: skip
    os.sched_setaffinity(0, plan.server | plan.client)
    return all(met)


def main() -> int:
    """Measure every server; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=int, default=4, help="of the model 2016 repair")
    parser.add_argument("--executions", type=int, default=200, help="of each measurement")
    parser.add_argument("--timeout-s", type=int, default=60, help="the server's query_timeout_s")
    parser.add_argument("--protocol", default="", help="this one only")
    parser.add_argument("--only", default="", help="servers whose tool or backend is this")
    wanted = parser.parse_args()
    # so that SIGTERM stops the servers, as Ctrl-C does
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    plan = plan_cpus()
    print(f"load average before: {os.getloadavg()}; {plan}")
    print(
        f"{'server':20}{'alone ms':>9}{'half':>9}{'idle':>9}{'endless':>9}{'left':>9}{'timeout':>9}"
        f"{'fair':>6}{'right%':>7}{'CPU%':>6}{'end s':>7}"
        "  threads  heap MB  RSS MB (before/most/after)"
    )
    met = []
    with tempfile.TemporaryDirectory(prefix="hostile-clients-") as name:
        programs.generate(Path(name) / "model.bin", wanted.size)
        for served in SERVERS:
            if wanted.only in ("", served.tool.name, served.backend):
                met.append(serve(served, wanted, Path(name) / served.backend, plan))
    print(f"load average after: {os.getloadavg()}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
