"""Server of the placebo: a small query over a fixed table, as a program of the standard library.

Run by file name (``python -I -S placebo_server.py``) and pinned by the host. It says READY with its
address, answers a line with a number by a line with the keys of the rows that match, and ends on
SIGTERM or with its standard input.
"""

import json
import os
import socket
import sys
import threading

ROWS, GROUPS = 8000, 100
"""Rows of the table, and of how many values their second column is."""
STEP = 2_654_435_761
"""Spreads numbers over 32 bits (Knuth's multiplicative hash), the same in every start."""


def table() -> list[tuple[int, int]]:
    """Key and group of each row."""
    return [(number * STEP % 2**32, number % GROUPS) for number in range(ROWS)]


def answer(rows: list[tuple[int, int]], group: int) -> bytes:
    """The keys of a group in order, on a line."""
    keys = sorted(key for key, of in rows if of == group % GROUPS)
    return " ".join(map(str, keys)).encode() + b"\n"


def serve(connection: socket.socket, rows: list[tuple[int, int]]) -> None:
    """Answer one connection until its end."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as asked:
        for line in asked:
            connection.sendall(answer(rows, int(line)))


def main() -> None:
    """Listen on a free port of the loopback interface."""
    rows = table()
    listening = socket.create_server(("127.0.0.1", 0))
    # without a controller nobody is there to be answered
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    url = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
    ready = {"endpoints": {"tcp": url}, "pid": os.getpid()}
    print(f"READY {json.dumps(ready)}", flush=True)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=serve, args=(connection, rows), daemon=True).start()


if __name__ == "__main__":
    main()
