#!/usr/bin/env python3
"""A node that asks the writer, its peer: before it is ready, and for every answer."""

import socket
import time

from nodes import Config, serve


def ask(config: Config) -> bool:
    host, port = config["peers"]["writer"]["tcp"].removeprefix("tcp://").rsplit(":", 1)
    try:
        with socket.create_connection((host, int(port)), timeout=60) as link:
            link.sendall(b"query\n")
            return bool(link.recv(100))
    except OSError:
        time.sleep(0.01)
        return False


if __name__ == "__main__":
    serve(ask)
