"""Nodes of a tool as processes of their own, to be killed and started again on what they left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Node:
    """A node of a tool, a process group of its own.

    Args:
        folder: for its files; the node makes one of its name in it.
        config: of ``serve``, without peers and port.
        command: that starts the tool's server program, up to ``serve``.
        protocol: that it serves.
    """

    def __init__(
        self, folder: Path, config: dict[str, Any], command: Sequence[str], protocol: str
    ) -> None:
        self.name = config["node"]
        self.folder = folder / self.name
        (self.folder / "work").mkdir(parents=True)
        self.config = config | {"work": str(self.folder / "work")}
        self.command, self.protocol = command, protocol
        self.endpoint = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self, peers: dict[str, dict[str, str]]) -> None:
        """Start it, the second time where it was before and on what it left.

        Raises:
            SystemExit: it is not ready.
        """
        again = bool(self.endpoint)
        port = int(self.endpoint.rsplit(":", 1)[1].split("/")[0].split("?")[0]) if again else 0
        config = self.config | {"peers": peers, "ports": {self.protocol: port}, "resume": again}
        file = self.folder / "serve.json"
        file.write_text(json.dumps(config))
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [*self.command, "serve", "--config", str(file)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                start_new_session=True,
            )  # fmt: skip
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line.startswith("READY "):
            raise SystemExit(f"{self.name} is not ready: {line} (log: {self.folder / 'log'})")
        self.endpoint = json.loads(line.removeprefix("READY "))["endpoints"][self.protocol]

    def kill(self) -> None:
        """SIGKILL for all of it."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
