"""The programs of ``network.py``: bulk transfer and ping-pong over TCP; standard library only.

``serve ADDRESS``, ``send ADDRESS PORT SECONDS``, ``ping ADDRESS PORT COUNT``. Each prints one line
``READY …`` when it can begin, waits for a line, and prints one line of JSON at its end.
"""

import json
import socket
import sys
import threading
import time

BLOCK = b"x" * (1 << 16)


def serve(address: str) -> None:
    """Answer the first byte of a connection; count what follows if it is ``b``, else echo."""
    listening = socket.create_server((address, 0), backlog=16)
    print(f"READY {listening.getsockname()[1]}", flush=True)
    threading.Thread(target=accept, args=(listening,), daemon=True).start()
    sys.stdin.readline()


def accept(listening: socket.socket) -> None:
    while True:
        link, _ = listening.accept()
        threading.Thread(target=answer, args=(link,), daemon=True).start()


def answer(link: socket.socket) -> None:
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if link.recv(1) == b"b":
        received, begin = 0, time.monotonic()
        while data := link.recv(1 << 18):
            received += len(data)
        said = {"bytes": received, "seconds": time.monotonic() - begin}
        link.sendall(json.dumps(said).encode())
        link.close()
        return
    while data := link.recv(1):
        link.sendall(data)


def send(address: str, port: int, seconds: float) -> None:
    """Send for so long; what the server received, and in how many of its seconds."""
    link = socket.create_connection((address, port))
    print("READY", flush=True)
    sys.stdin.readline()
    link.sendall(b"b")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        link.sendall(BLOCK)
    link.shutdown(socket.SHUT_WR)
    text = b""
    while data := link.recv(1 << 12):
        text += data
    print(text.decode(), flush=True)


def ping(address: str, port: int, count: int) -> None:
    """Round trips of one byte, in µs."""
    link = socket.create_connection((address, port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(b"e")
    print("READY", flush=True)
    sys.stdin.readline()
    times = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        link.sendall(b"1")
        link.recv(1)
        times.append((time.perf_counter_ns() - begin) / 1000)
    print(json.dumps(times), flush=True)


if __name__ == "__main__":
    verb, where, *rest = sys.argv[1:]
    if verb == "serve":
        serve(where)
    elif verb == "send":
        send(where, int(rest[0]), float(rest[1]))
    else:
        ping(where, int(rest[0]), int(rest[1]))
