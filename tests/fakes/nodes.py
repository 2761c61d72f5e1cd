"""What the node programs ``writer.py`` and ``replica.py`` share; both keep docs/contracts.md.

Every start appends a line to the file that the option ``notes`` names: its configuration and its
process. With the option ``hang_after`` the first start answers so many queries and then none.
"""

from __future__ import annotations

import json
import os
import signal
import socketserver
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

Config = dict[str, Any]
REQUIRED = {"tool", "node", "role", "work", "bind", "ports", "options"}


def fail(code: int, sentence: str) -> NoReturn:
    print(f"error: {sentence}", file=sys.stderr, flush=True)
    sys.exit(code)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 100


def serve(answer: Callable[[Config], bool]) -> None:
    """Serve queries, each of which is answered when ``answer`` says so."""
    if sys.argv[1:3] != ["serve", "--config"]:
        fail(2, f"unknown arguments {sys.argv[1:]}")
    config: Config = json.loads(Path(sys.argv[3]).read_text())
    if missing := REQUIRED - config.keys():
        fail(2, f"missing keys {missing}")
    work, options = Path(config["work"]), config["options"]
    if any(work.iterdir()) and not config.get("resume"):
        fail(6, f"{work} is not empty")
    (work / "data").write_text(config["node"])
    left = (
        [int(options["hang_after"])] if options["hang_after"] and _first(config) else [sys.maxsize]
    )
    note(config)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                left[0] -= 1
                while left[0] < 0:
                    time.sleep(0.1)
                if not answer(config):
                    return
                self.wfile.write(line)

    servers = {
        name: Server((config["bind"], port), Handler) for name, port in config["ports"].items()
    }
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    for server in servers.values():
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    addresses = {n: f"tcp://{config['bind']}:{s.server_address[1]}" for n, s in servers.items()}
    time.sleep(float(options["ready_delay_s"]))
    print(f"READY {json.dumps({'endpoints': addresses, 'pid': os.getpid()})}", flush=True)
    while True:
        time.sleep(600)


def note(config: Config) -> None:
    line = json.dumps({**config, "pid": os.getpid(), "cpus": sorted(os.sched_getaffinity(0))})
    with Path(config["options"]["notes"]).open("a", encoding="utf-8") as notes:
        notes.write(line + "\n")


def _first(config: Config) -> bool:
    notes = Path(config["options"]["notes"])
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    return all(json.loads(line)["node"] != config["node"] for line in lines)
