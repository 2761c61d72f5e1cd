"""Hostile clients of the real Thrift servers: an honest one gets right answers all the time."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from modelstress.measure.conformance.bench import QUICK_JVM
from modelstress.measure.java import find_java
from tests.integration.hawk import hawk_structs as structs
from tests.integration.hawk.hawk_program import LOAD_S, ROOT, STOP_S, Served, ready, write_config
from tests.integration.hawk.test_independent_client import (
    IDENTIFIERS,
    INSTANCE,
    answer_of,
    flushed,
    request_of,
)

DEADLINE_S = 60.0
CLAIMED = 16 << 20
EOL = "org.hawk.epsilon.emc.EOLQueryEngine"
OCL = "org.modelstress.mogwai.OCL"


class Texts(NamedTuple):
    """What is asked of a tool."""

    language: str
    honest: str
    endless: tuple[str, ...]
    roots: str
    """The root of the model a hundred thousand times."""


TEXTS = {
    "hawk": Texts(
        EOL,
        "return Segment.all.size();",
        (
            "while (true) {}",
            "return ('x'.repeat(3000) + '!').matches('x*x*x*x*x*y');",
            "var a = Sequence{1..1000000}; return a.includesAll(a.invert());",
        ),
        "var r = RailwayContainer.all.first(); return Sequence{1..100000}.collect(i | r);",
    ),
    "mogwai": Texts(
        OCL,
        "railway::Segment.allInstances()->size()",
        (
            "Sequence{1..2000000000}->forAll(x | Sequence{1..2000000000}->forAll(y | y > 0))",
            "Sequence{1..2000000000}->forAll(x | Sequence{1..2000000000}->includes(x) and x > 0)",
            "Sequence{1..100000}->product(Sequence{1..100000})->size()",
        ),
        "Sequence{1..100000}->collect(i | railway::RailwayContainer.allInstances()->any(true))",
    ),
}
SERVERS = [
    ("hawk", "neo4j"),
    pytest.param(("hawk", "orientdb"), marks=pytest.mark.long),  # the same program receives
    ("mogwai", "neoemf"),
]


@pytest.fixture(scope="module", params=SERVERS, ids="-".join)
def attacked(
    request: pytest.FixtureRequest, small_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server with a small heap, over both protocols."""
    tool, backend = request.param
    folder = tmp_path_factory.mktemp(f"{tool}-{backend}")
    config = {
        "tool": tool, "backend": backend, "model": str(small_model),
        "store": str(folder / "store"), "work": str(folder / "work"), "bind": "127.0.0.1",
        "ports": {"tcp": 0, "http": 0}, "attributes": [],
        "options": {"cache_mb": 64, "query_timeout_s": 600, "request_timeout_ms": 10_000},
    }  # fmt: skip
    path = write_config(folder, config)
    jar = ROOT / f"java-shims/{tool}/target/dist/{tool}.jar"
    java = [find_java().program, "-Xmx384m", "-XX:+UseG1GC", *QUICK_JVM, "-jar", str(jar)]
    subprocess.run([*java, "load", "--config", path], check=True, timeout=LOAD_S)
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [*java, "serve", "--config", path], stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        said = ready(process)
        yield Served(said["endpoints"], said["pid"], small_model, folder / "store", config)
        assert process.poll() is None, "the server has ended"
        assert "OutOfMemoryError" not in (folder / "log.txt").read_text()
        assert (folder / "log.txt").stat().st_size < 1 << 20
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        finally:
            process.kill()


def message(served: Served, text: str) -> bytes:
    language = TEXTS[served.config["tool"]].language
    arguments = {"name": INSTANCE, "query": text, "language": language, "options": IDENTIFIERS}
    return request_of("query", arguments)


def header(length: int, *lines: str) -> bytes:
    given = {line.partition(":")[0] for line in lines}
    usual = {"Host": "localhost", "Content-Type": "application/x-thrift"}
    more = [f"{name}: {value}" for name, value in usual.items() if name not in given]
    whole = ["POST /thrift/hawk/tuple HTTP/1.1", f"Content-Length: {length}", *more, *lines]
    return ("\r\n".join(whole) + "\r\n\r\n").encode()


def connect(served: Served, protocol: str, first: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", served.port(protocol)), DEADLINE_S)
    connection.sendall(first)
    return connection


def bytes_of(served: Served, protocol: str, text: str) -> bytes:
    plain = message(served, text)
    if protocol == "http":
        return header(len(plain)) + plain
    zip_ = zlib.compressobj()
    return zip_.compress(plain) + zip_.flush(zlib.Z_SYNC_FLUSH)


def ask(served: Served, protocol: str, text: str) -> int:
    """The number that a query answers with, on a connection of its own."""
    with connect(served, protocol, bytes_of(served, protocol, text)) as connection:
        data = b""
        while not is_whole(protocol, data):
            received = connection.recv(1 << 16)
            assert received, f"the server closed the connection after {data!r}"
            data += received
    if protocol == "http":
        plain = data.partition(b"\r\n\r\n")[2]
    else:
        plain = zlib.decompressobj().decompress(data)
    result = answer_of("query", plain)
    assert isinstance(result, structs.QueryResult)
    numbers = (result.vInteger, result.vLong, result.vShort, result.vByte)
    return int(next(number for number in numbers if number is not None))


def is_whole(protocol: str, data: bytes) -> bool:
    if protocol == "tcp":
        return flushed(data)
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return False
    assert head.startswith(b"HTTP/1.1 200"), data
    length = next(x for x in head.lower().split(b"\r\n") if x.startswith(b"content-length:"))
    return len(body) >= int(length.partition(b":")[2])


@contextlib.contextmanager
def honest(served: Served) -> Iterator[Callable[[int], None]]:
    """A client that asks all the time; wait for so many more right answers of it."""
    text = TEXTS[served.config["tool"]].honest
    expected = ask(served, "tcp", text)
    answers: list[int] = []
    failures: list[BaseException] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                answers.extend(ask(served, protocol, text) for protocol in ("tcp", "http"))
            except BaseException as error:
                failures.append(error)
                return

    def more(wanted: int) -> None:
        have, end = len(answers), time.monotonic() + DEADLINE_S
        while len(answers) < have + wanted and not failures and time.monotonic() < end:
            time.sleep(0.01)
        assert not failures, failures
        assert len(answers) >= have + wanted, "the honest client is not answered"

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield more
    finally:
        stop.set()
        thread.join()
    assert not failures
    assert set(answers) <= {expected}


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.2)


def is_quiet(pid: int) -> bool:
    """Whether a process computes little for a moment, of what one processor could."""
    process = psutil.Process(pid)
    before = sum(process.cpu_times()[:2])
    time.sleep(1)
    return sum(process.cpu_times()[:2]) - before < 0.5


@contextlib.contextmanager
def connections(made: list[socket.socket]) -> Iterator[None]:
    try:
        yield
    finally:
        for connection in made:
            connection.close()


@pytest.mark.parametrize("count", [30, 256])
def test_half_open_requests_cost_no_memory(attacked: Served, count: int) -> None:
    with honest(attacked) as more:
        begun = [connect(attacked, "http", header(CLAIMED) + b"x" * 20) for _ in range(count)]
        with connections(begun):
            more(20)
        more(4)


def test_idle_connections_keep_nobody_out(attacked: Served) -> None:
    with honest(attacked) as more:
        idle = [connect(attacked, p) for p in ("tcp", "http") for _ in range(300)]
        with connections(idle):
            more(20)


@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_endless_queries_end_with_their_connections(attacked: Served, protocol: str) -> None:
    endless = TEXTS[attacked.config["tool"]].endless
    with honest(attacked) as more:
        running = [connect(attacked, protocol, bytes_of(attacked, protocol, t)) for t in endless]
        with connections(running):
            more(6)
            for connection in running:
                connection.settimeout(0.01)
                with pytest.raises(TimeoutError):
                    connection.recv(1)  # nothing has come, and the connection is open
        more(4)
    until(lambda: is_quiet(attacked.pid), "the queries of clients that have gone still run")


def in_full(served: Served, method: str, arguments: dict[str, Any]) -> bytes:
    """A request over HTTP whose answer has elements with all that they contain."""
    options = structs.HawkQueryOptions(
        includeAttributes=True, includeReferences=True, includeContained=True, includeNodeIDs=True
    )
    plain = request_of(method, {"name": INSTANCE, **arguments, "options": options})
    return header(len(plain)) + plain


def received(connection: socket.socket) -> bytes:
    data = b""
    while not is_whole("http", data):
        more = connection.recv(1 << 16)
        assert more, "the server closed the connection"
        data += more
    return data.partition(b"\r\n\r\n")[2]


def test_an_answer_larger_than_the_memory_is_none(attacked: Served) -> None:
    texts = TEXTS[attacked.config["tool"]]
    asked = in_full(attacked, "query", {"query": texts.roots, "language": texts.language})
    plain = request_of("getRootElements", {"name": INSTANCE, "options": IDENTIFIERS})
    with connect(attacked, "http", header(len(plain)) + plain) as connection:
        [root] = answer_of("getRootElements", received(connection))
    listed = in_full(attacked, "resolveProxies", {"ids": [root.id] * 100_000})
    for request in (asked, listed):
        with honest(attacked) as more:
            with connect(attacked, "http", request) as connection:
                plain = received(connection)
            assert b"memory" in plain, plain[:300]
            more(4)


def test_answers_that_nobody_reads_keep_nobody_out(attacked: Served) -> None:
    request = in_full(attacked, "getModel", {})
    with honest(attacked) as more:
        unread = [connect(attacked, "http", request) for _ in range(100)]
        with connections(unread):
            more(20)
        more(4)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("Content-Type: text/plain", 415),
        ("Content-Type: application/x-www-form-urlencoded", 415),
        ("Content-Type: multipart/form-data; boundary=x", 415),
        ("Content-Type: text/plain; application/x-thrift", 415),
        ("Content-Type: ", 415),
        ("Content-Encoding: gzip", 415),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Host: evil.example", 421),
        ("Host: localhost.evil.example", 421),
        ("Host: 127.0.0.1.evil.example:80", 421),
        ("Host: evil.example\r\nHost: localhost", 400),
    ],
)
def test_requests_of_web_pages_are_refused(attacked: Served, line: str, status: int) -> None:
    plain = message(attacked, TEXTS[attacked.config["tool"]].honest)
    with connect(attacked, "http", header(len(plain), line) + plain) as connection:
        assert connection.recv(1 << 12).startswith(f"HTTP/1.1 {status}".encode())


def test_threads_of_a_burst_end(attacked: Served) -> None:
    server = psutil.Process(attacked.pid)
    until(lambda: is_quiet(attacked.pid), "the server is still busy")
    endless = TEXTS[attacked.config["tool"]].endless[0]
    calm = server.num_threads()
    with honest(attacked) as more:
        bodies = {p: bytes_of(attacked, p, endless) for p in ("tcp", "http")}
        burst = [connect(attacked, p, bodies[p]) for p in bodies for _ in range(30)]
        with connections(burst):
            more(2)
        more(2)
    until(lambda: server.num_threads() < calm + 30, "the threads of the burst are still there")
