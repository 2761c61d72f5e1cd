"""Programs of the benchmark `roundtrips` on omniORB: a server, and clients that are spoken with."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelstress.samples.mssf import read_mssf

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "orb" / "target"
BUILT = TARGET / "roundtrips" / "g++-O2"
NO_ORB = pytest.mark.skipif(
    shutil.which("omniidl") is None, reason="no omniORB (apt-get install omniidl libomniorb4-dev)"
)
OPERATIONS = [
    {"name": "call", "weight": 3}, {"name": "ping", "weight": 1}, {"name": "readings", "weight": 2},
]  # fmt: skip


def make(*targets: str, seconds: float = 280) -> None:
    """Build what is out of date."""
    subprocess.run(["make", "-s", "-C", "orb", *targets], cwd=ROOT, check=True, timeout=seconds)


@contextmanager
def serving(
    folder: Path,
    options: Mapping[str, Any] | None = None,
    *,
    protocol: str = "tcp",
    built: Path = BUILT,
    env: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server: its address and process; it ends with 0 when it is asked to."""
    config = {"tool": "omniorb", "bind": "127.0.0.1", "work": str(folder),
              "ports": {protocol: 0}, "options": dict(options or {})}  # fmt: skip
    (folder / "server.json").write_text(json.dumps(config))
    server = subprocess.Popen(
        [built / "server", "serve", "--config", folder / "server.json"],
        stdout=subprocess.PIPE, stderr=(folder / "server.log").open("w"), text=True,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
    try:
        word, _, fields = server.stdout.readline().partition(" ")
        assert word == "READY", (folder / "server.log").read_text()
        yield json.loads(fields)["endpoints"][protocol], server
    finally:
        server.send_signal(signal.SIGCONT)
        server.terminate()
        code = server.wait(10)
    assert code == 0, (folder / "server.log").read_text()


class Client:
    """A client program, spoken with."""

    def __init__(
        self,
        endpoint: str,
        folder: Path,
        workload: dict[str, Any],
        threads: int = 1,
        *,
        built: Path = BUILT,
        env: Mapping[str, str] | None = None,
    ):
        self.out = folder / "out.mssf"
        (folder / "workload.json").write_text(json.dumps(workload))
        self.process = subprocess.Popen(
            [
                built / "client", "client", "--driver", "roundtrips", "--endpoint", endpoint,
                "--workload", folder / "workload.json", "--threads", str(threads),
                "--out", self.out,
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})},
        )  # fmt: skip

    def until(self, wanted: str) -> dict[str, Any]:
        for line in self.process.stdout:
            word, _, fields = line.partition(" ")
            if word == wanted:
                return json.loads(fields)
        raise AssertionError(f"no {wanted}: {self.process.stderr.read()}")

    def say(self, *words: str) -> None:
        self.process.stdin.write("".join(f"{word}\n" for word in words))
        self.process.stdin.flush()

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


def samples(path: Path) -> pd.DataFrame:
    """The finished records of a sample file, codes as words."""
    file = read_mssf(path)
    frame = pd.DataFrame({name: file.records[name] for name in file.records.dtype.names})
    for column, words in file.coded.items():
        frame[column] = np.array(file.dictionaries[words])[frame[column]]
    return frame[frame["outcome"] != ""]


def workload(**fields: Any) -> dict[str, Any]:
    return {
        "operations": OPERATIONS, "timeout_ms": 5000, "seed": 7, "invocation": 3, "client": 2,
        "executions": 400, "warmup": {"executions": 50, "seconds": 0}, "connection": "reused",
        **fields,
    }  # fmt: skip


def measured(endpoint: str, folder: Path, fields: dict[str, Any], threads: int = 1) -> pd.DataFrame:
    """The samples of a client that did all of a workload."""
    client = Client(endpoint, folder, fields, threads)
    client.until("READY")
    client.say("GO")
    client.until("DONE")
    assert client.end()[0] == 0
    return samples(client.out)
