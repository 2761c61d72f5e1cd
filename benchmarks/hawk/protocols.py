#!/usr/bin/env python3
"""HTTP beside TCP, bytes and requests per query, and the server's CPU time for a trivial query.

    benchmarks/hawk/protocols.py [--backend B] [--size N] [--rounds N] [--executions N] [--calls N]

Loads and serves a Train model with the declared attributes, fidelity improved. Run by hand, with
the project's environment, on a machine with nothing else to do; the load average is printed before
and after.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modelstress.samples.mssf import Mssf

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common import programs
from common.programs import QUERIES, Operation, Sample

HAWK = programs.Tool("hawk", "org.modelstress.hawk.Main")
TRIVIAL = "return 1;"
# Hawk itself, measured on loopback with a new connection for each call
ORIGINAL_RATIO = {
    "SwitchMonitored": 1.37,
    "SwitchSet": 1.04,
    "PosLength": 0.91,
    "ConnectedSegments": 1.01,
    "RouteSensor": 0.93,
    "SemaphoreNeighbor": 1.06,
}
ORIGINAL_RECEIVED = {"tcp": 199, "http": 438}
ORIGINAL_SENT = {"tcp": 220, "http": 588}
ORIGINAL_CPU_US = 150
CPU_BAR_US = 50


def main() -> None:
    """Load, serve, measure, print."""
    arguments = parse()
    print(f"load average before: {os.getloadavg()}, CPUs: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(prefix="hawk-protocols-") as name:
        folder = Path(name)
        model = folder / "model.bin"
        programs.generate(model, arguments.size)
        config = {
            "backend": arguments.backend, "model": str(model), "store": str(folder / "store"),
            "work": str(folder / "work"), "ports": {"tcp": 0, "http": 0},
            "attributes": programs.declarations(), "options": {"fidelity": "improved"},
        }  # fmt: skip
        programs.load(HAWK, config)
        with programs.served(HAWK, config) as ready:
            samples = alternate(folder, ready, model, arguments)
            report_ratios(samples, arguments)
            report_bytes(samples, requests(folder, ready))
            report_cpu(ready, arguments.calls)
    print(f"load average after: {os.getloadavg()}")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--backend", default="neo4j", choices=["neo4j", "orientdb"])
    parser.add_argument("--size", type=int, default=32, help="of the model 2016 repair")
    parser.add_argument("--rounds", type=int, default=7, help="pairs of runs over TCP and HTTP")
    parser.add_argument("--executions", type=int, default=150, help="per query and run")
    parser.add_argument("--calls", type=int, default=10_000, help="of the trivial query, each way")
    return parser.parse_args()


def text_of(query: str) -> str:
    """The query as it is measured on Hawk with declared attributes."""
    names = [f"hawk/{query}.eol", f"{query}.declared.eol", f"{query}.eol"]
    return next(p for p in (QUERIES / "eol" / n for n in names) if p.exists()).read_text()


def operations() -> list[Operation]:
    """The six queries for the client program."""
    return [
        {
            "name": name, "text": text_of(name), "arity": len(names),
            "parameters": {"language": "eol", "tuple": names},
        }
        for name, names in programs.tuples().items()
    ]  # fmt: skip


def client(folder: Path, endpoint: str, executions: int, warmup: int) -> Mssf:
    """Run the client program with a new connection for each execution."""
    queries = operations()
    return programs.client(
        HAWK, folder, endpoint, queries, executions=executions * len(queries),
        warmup={"executions": warmup * len(queries), "seconds": 0.0, "threads": 1},
        ids=str(folder / "store/ids.mssf"),
    )  # fmt: skip


Samples = list[Sample]


def alternate(
    folder: Path, ready: dict[str, Any], model: Path, arguments: argparse.Namespace
) -> list[Samples]:
    """Runs over TCP and HTTP in turn, the first of a pair changing; one list for each pair."""
    counts = programs.counts(model)
    pairs = []
    for number in range(arguments.rounds + 1):
        pair: Samples = []
        for protocol in ("tcp", "http") if number % 2 else ("http", "tcp"):
            executions = arguments.executions  # and as many to warm the client up
            file = client(folder, ready["endpoints"][protocol], executions, executions)
            pair += programs.measured(file, counts, protocol)
        pairs.append(pair)
    return pairs[1:]  # the first one warms the server up


def report_ratios(pairs: list[Samples], arguments: argparse.Namespace) -> None:
    """Paired ratios of medians, per query."""
    print(f"\nHTTP over TCP, one thread, new connection per call, {arguments.rounds} pairs")
    print(f"{'query':20}{'tcp ms':>9}{'http ms':>9}{'ratio':>8}{'range':>14}{'original':>10}")
    for query, original in ORIGINAL_RATIO.items():
        tcp = [median_ms(pair, "tcp", query) for pair in pairs]
        http = [median_ms(pair, "http", query) for pair in pairs]
        ratios = [h / t for h, t in zip(http, tcp, strict=True)]
        spread = f"{min(ratios):.2f}–{max(ratios):.2f}"
        print(
            f"{query:20}{statistics.median(tcp):9.3f}{statistics.median(http):9.3f}"
            f"{statistics.median(ratios):8.2f}{spread:>14}{original:10.2f}"
        )


def median_ms(samples: Samples, protocol: str, query: str) -> float:
    """Median duration of one query in one run."""
    return statistics.median(s.duration_ns for s in of(samples, protocol, query)) / 1e6


def of(samples: Samples, protocol: str, query: str) -> Iterator[Sample]:
    """The samples of one query over one protocol."""
    return (s for s in samples if (s.variant, s.query) == (protocol, query))


def report_bytes(pairs: list[Samples], asked: dict[str, float]) -> None:
    """Bytes on the wire per query (HTTP: headers included), requests per query."""
    samples = [s for pair in pairs for s in pair]
    print(f"\nrequests per query: {asked['tcp']:.2f} over TCP, {asked['http']:.2f} over HTTP")
    print("bytes per query (TCP: below zlib; HTTP: below gzip, with headers)")
    print(f"{'query':20}{'tcp sent':>10}{'received':>10}{'http sent':>11}{'received':>10}")
    for query in ORIGINAL_RATIO:
        cells: list[float] = []
        for protocol in ("tcp", "http"):
            chosen = list(of(samples, protocol, query))
            cells.append(statistics.median(s.sent for s in chosen))
            cells.append(statistics.median(s.received for s in chosen))
        print(f"{query:20}{cells[0]:10.0f}{cells[1]:10.0f}{cells[2]:11.0f}{cells[3]:10.0f}")
    cells = [d[p] for p in ("tcp", "http") for d in (ORIGINAL_SENT, ORIGINAL_RECEIVED)]
    print(f"{'the original':20}{cells[0]:10}{cells[1]:10}{cells[2]:11}{cells[3]:10}")


class Relay:
    """Passes connections on to a server and counts the requests in them."""

    def __init__(self, port: int, mark: bytes) -> None:
        self.target, self.mark, self.requests = port, mark, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Serve every connection on threads of its own."""
        with contextlib.suppress(OSError):  # the listener was closed
            while True:
                inward = self.listener.accept()[0]
                outward = socket.create_connection(("127.0.0.1", self.target))
                for pair in ((inward, outward, True), (outward, inward, False)):
                    threading.Thread(target=self.copy, args=pair, daemon=True).start()

    def copy(self, source: socket.socket, to: socket.socket, count: bool) -> None:
        """Copy one direction to its end."""
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                self.requests += data.count(self.mark) if count else 0
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)


def requests(folder: Path, ready: dict[str, Any]) -> dict[str, float]:
    """Requests per query, counted on the wire: flushes of zlib, POSTs."""
    found = {}
    for protocol, mark in (("tcp", b"\x00\x00\xff\xff"), ("http", b"POST /")):
        relay = Relay(port_of(ready, protocol), mark)
        address = ready["endpoints"][protocol].replace(
            f":{port_of(ready, protocol)}", f":{relay.port}"
        )
        file = client(folder, address, 10, 0)
        relay.listener.close()
        found[protocol] = relay.requests / len(file.records)
    return found


def port_of(ready: dict[str, Any], protocol: str) -> int:
    """The port of an endpoint."""
    return int(ready["endpoints"][protocol].split(":")[2].split("/")[0])


def text(value: str) -> bytes:
    """A string in Thrift's compact and tuple protocols, up to 127 bytes."""
    data = value.encode()
    return bytes([len(data)]) + data


# a call in the tuple protocol; attributes, references and contained elements off, node ids on
REQUEST = (
    b"\x82\x21\x01" + text("query") + text("modelstress") + text(TRIVIAL)
    + text("org.hawk.epsilon.emc.EOLQueryEngine") + b"\x00\x78\x02\x02\x01\x02"
)  # fmt: skip


class TcpCaller:
    """One connection; the least that a client can do."""

    def __init__(self, ready: dict[str, Any]) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port_of(ready, "tcp")), 60)
        self.zip, self.unzip = zlib.compressobj(), zlib.decompressobj()

    def call(self) -> bytes:
        """One request and its answer."""
        data = self.zip.compress(REQUEST) + self.zip.flush(zlib.Z_SYNC_FLUSH)
        self.connection.sendall(data)
        return self.unzip.decompress(self.connection.recv(1 << 16))


class HttpCaller:
    """One connection; the least that a client can do."""

    HEAD = (
        "POST /thrift/hawk/tuple HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n"
        f"Content-Type: application/x-thrift\r\nContent-Length: {len(REQUEST)}\r\n\r\n"
    ).encode()

    def __init__(self, ready: dict[str, Any]) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port_of(ready, "http")), 60)

    def call(self) -> bytes:
        """One request and its answer."""
        self.connection.sendall(self.HEAD + REQUEST)
        return self.connection.recv(1 << 16)


def report_cpu(ready: dict[str, Any], calls: int) -> None:
    """The server process's CPU time per trivial query; a round before each one warms up."""
    print(f"\nserver CPU per {TRIVIAL!r}, {calls} calls, /proc/PID/stat (bar {CPU_BAR_US} µs, the")
    print(f"original about {ORIGINAL_CPU_US} µs; a new connection's system calls are included)")
    for name, caller in (("tcp", TcpCaller), ("http", HttpCaller)):
        for kept in (True, False):
            call_often(caller, ready, 2 * calls, kept)
            begun, before = time.perf_counter(), cpu_us(ready["pid"])
            call_often(caller, ready, calls, kept)
            cpu = (cpu_us(ready["pid"]) - before) / calls
            wall = (time.perf_counter() - begun) / calls * 1e6
            how = "kept connection" if kept else "new connections"
            print(f"{name:5}{how:16}{cpu:8.1f} µs CPU{wall:9.1f} µs wall")


def call_often(caller: Any, ready: dict[str, Any], calls: int, kept: bool) -> None:
    """Make the calls, checking every answer."""
    with contextlib.ExitStack() as stack:
        connected = caller(ready)
        stack.callback(lambda: connected.connection.close())
        for _ in range(calls):
            if b"query" not in connected.call():
                sys.exit("error: an answer is not one")
            if not kept:
                connected.connection.close()
                connected = caller(ready)


def cpu_us(pid: int) -> int:
    """User and system time of a process so far, microseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000_000 // os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
