"""A node that answers over HTTP: run by its text, on any host that has Python.

Usage: ``python talking_node.py NAME BIND PORT FOLDER PEER``; the first line printed is its address.
"""

import http.server
import json
import os
import sys
import urllib.request
from pathlib import Path

name, bind, port, folder, peer = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with what the function of the path's name returns, or with the error's name."""

    def do_GET(self) -> None:
        """Answer."""
        try:
            said = getattr(self, f"say_{self.path.strip('/')}")()
        except OSError as error:
            said = type(error).__name__
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def say_name(self) -> str:
        """Of this node."""
        return name

    def say_peer(self) -> object:
        """Name of the node that this one asks."""
        with urllib.request.urlopen(f"{peer}/name", timeout=1) as answer:
            return json.load(answer)

    def say_cpus(self) -> list[int]:
        """That it may run on."""
        return sorted(os.sched_getaffinity(0))

    def say_eat(self) -> str:
        """Something, after more memory was written to than a small node may have."""
        eaten = b"x" * (160 << 20)
        return chr(eaten[-1])

    def say_write(self) -> int:
        """Bytes that were written to its folder."""
        with (Path(folder) / "probe").open("wb", buffering=0) as file:
            return file.write(b"x" * (1 << 16))

    def log_message(self, *args: object) -> None:
        """Be silent."""


server = http.server.ThreadingHTTPServer((bind, int(port)), Handler)
print(f"http://{bind}:{server.server_port}", flush=True)
server.serve_forever()
