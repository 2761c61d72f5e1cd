"""The server program's ports, and what many connections leave behind."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.integration.hawk import hawk_structs as hawk
from tests.integration.hawk import tuple_protocol
from tests.integration.hawk.hawk_program import READY_S, Served, write_config
from tests.integration.hawk.hawk_program import hawk as program

ONE_BACKEND = pytest.mark.parametrize("served", ["orientdb"], indirect=True)


@ONE_BACKEND
@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_a_busy_port_ends_the_program_with_5(served: Served, tmp_path: Path, protocol: str) -> None:
    ports = {protocol: served.port(protocol)}
    config = served.config | {"ports": ports, "work": str(tmp_path / "work")}
    done = subprocess.run(
        program("serve", "--config", write_config(tmp_path, config)),
        capture_output=True, text=True, timeout=READY_S,
    )  # fmt: skip
    assert done.returncode == 5
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ") and str(served.port(protocol)) in last
    assert done.stdout == ""


@ONE_BACKEND
def test_an_unknown_protocol_ends_the_program_with_2(served: Served, tmp_path: Path) -> None:
    config = served.config | {"ports": {"tcp": 0, "udp": 0}, "work": str(tmp_path / "work")}
    done = subprocess.run(
        program("serve", "--config", write_config(tmp_path, config)),
        capture_output=True, text=True, timeout=READY_S,
    )  # fmt: skip
    assert done.returncode == 2
    assert "udp" in done.stderr.strip().splitlines()[-1]


def handles(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def threads(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())


def request(served: Served) -> bytes:
    arguments = hawk.Hawk.query_args(
        name="modelstress", query="return 1;", language=hawk.EOL, options=hawk.HawkQueryOptions()
    )
    body = tuple_protocol.call("query", arguments)
    path = served.http("tuple").split("/", 3)[3]
    head = (
        f"POST /{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def connect_and_query(served: Served, data: bytes) -> None:
    with socket.create_connection(("127.0.0.1", served.port("http")), timeout=30) as http:
        http.sendall(data)
        assert http.recv(1 << 16).startswith(b"HTTP/1.1 200")
    with socket.create_connection(("127.0.0.1", served.port("tcp")), timeout=30) as tcp:
        tcp.sendall(b"this is no zlib stream")
        assert tcp.recv(1 << 16) == b""


def test_five_hundred_connections_leave_nothing_behind(served: Served) -> None:
    data = request(served)
    for _ in range(20):
        connect_and_query(served, data)
    before = handles(served.pid), threads(served.pid)
    for _ in range(500):
        connect_and_query(served, data)
    deadline = time.monotonic() + 30
    while handles(served.pid) > before[0] + 5 and time.monotonic() < deadline:
        time.sleep(0.2)
    # a few of either come and go with the database
    assert handles(served.pid) <= before[0] + 5
    assert threads(served.pid) <= before[1] + 20
