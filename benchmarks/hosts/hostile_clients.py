"""What three endless queries cost an honest client of the Thrift servers, and 500 idle connections.

Prints, for each server and protocol, the honest client's median time of a query alone, beside idle
connections, beside three endless queries, and after these have been left by their clients; and the
same times as multiples of the first, beside the fair share (of the processors, when each of the
four has its own thread). Run it on a quiet machine:

    python benchmarks/hosts/hostile_clients.py [--seconds 5] [--size 4]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.programs import Tool, generate, load, served

ENDLESS_CLIENTS = 3
IDLE = 500
NOTICED_S = 3  # a server looks every second whether clients have gone
HAWK = Tool("hawk", "org.modelstress.hawk.Main")
MOGWAI = Tool("mogwai", "org.modelstress.mogwai.Main")
# language, what the honest client asks, what the others ask
EOL = (
    "org.hawk.epsilon.emc.EOLQueryEngine",
    "return Segment.all.select(s | s.length < 0).size();",
    "while (true) {}",
)
OCL = (
    "org.modelstress.mogwai.OCL",
    "railway::Segment.allInstances()->select(length < 0)->size()",
    "Sequence{1..2000000000}->forAll(x | Sequence{1..2000000000}->forAll(y | y > 0))",
)
SERVERS = [(HAWK, "neo4j", EOL), (HAWK, "orientdb", EOL), (MOGWAI, "neoemf", OCL)]


def text(value: str) -> bytes:
    """A text of Thrift's compact and tuple protocols."""
    data = value.encode()
    size, head = len(data), bytearray()
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head) + data


def request(language: str, query: str, port: int, protocol: str) -> bytes:
    """A call of ``query`` without options, on the wire."""
    call = b"\x82\x21\x01" + text("query")
    plain = call + text("modelstress") + text(query) + text(language) + b"\x00\x00"
    if protocol == "tcp":
        zipped = zlib.compressobj()
        return zipped.compress(plain) + zipped.flush(zlib.Z_SYNC_FLUSH)
    lines = ["POST /thrift/hawk/tuple HTTP/1.1", f"Host: localhost:{port}",
             "Content-Type: application/x-thrift", f"Content-Length: {len(plain)}"]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode() + plain


def connect(port: int, first: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), 60)
    connection.sendall(first)
    return connection


def median_ms(port: int, body: bytes, seconds: float) -> float:
    """The median time of an execution with a connection of its own; all answers are alike."""
    took, answers, end = [], set(), time.monotonic() + seconds
    while time.monotonic() < end or len(took) < 5:
        begun = time.perf_counter()
        with connect(port, body) as connection:
            answers.add(connection.recv(1 << 16))
        took.append((time.perf_counter() - begun) * 1e3)
    if len(answers) != 1 or b"" in answers:
        sys.exit(f"error: answers differ or are missing: {answers}")
    return statistics.median(took)


@contextlib.contextmanager
def beside(port: int, bodies: list[bytes]) -> Iterator[None]:
    """Other clients, which go away in the end without a word."""
    others = [connect(port, body) for body in bodies]
    try:
        time.sleep(1)
        yield
    finally:
        for other in others:
            other.close()


def report(name: str, port: int, honest: bytes, endless: bytes, seconds: float) -> None:
    """Measure one endpoint and print its line."""
    median_ms(port, honest, seconds)  # warm
    alone = median_ms(port, honest, seconds)
    with beside(port, [b""] * IDLE):
        idle = median_ms(port, honest, seconds)
    with beside(port, [endless] * ENDLESS_CLIENTS):
        shared = median_ms(port, honest, seconds)
    time.sleep(NOTICED_S)
    after = median_ms(port, honest, seconds)
    fair = max(1.0, (ENDLESS_CLIENTS + 1) / (os.cpu_count() or 1))
    print(
        f"{name:22} {alone:8.2f} {idle / alone:6.2f} {shared / alone:8.2f} {fair:6.2f} "
        f"{after / alone:6.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--size", type=int, default=4, help="of the model")
    wanted = parser.parse_args()
    print(f"{'server':22} {'alone ms':>8} {'idle':>6} {'endless':>8} {'fair':>6} {'after':>6}")
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.bin"
        generate(model, wanted.size)
        for tool, backend, (language, honest, endless) in SERVERS:
            config = {
                "backend": backend, "model": str(model), "store": f"{folder}/{backend}",
                "work": f"{folder}/work-{backend}", "ports": {"tcp": 0, "http": 0},
                "attributes": [], "options": {},
            }  # fmt: skip
            load(tool, config)
            with served(tool, config) as said:
                for protocol in ("tcp", "http"):
                    port = int(said["endpoints"][protocol].split(":")[2].split("/")[0])
                    bodies = [request(language, q, port, protocol) for q in (honest, endless)]
                    name = f"{tool.name} {backend} {protocol}"
                    report(name, port, bodies[0], bodies[1], wanted.seconds)


if __name__ == "__main__":
    main()
