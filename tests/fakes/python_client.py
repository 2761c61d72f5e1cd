"""A client program in Python, driven over its pipes as the controller does it."""

from __future__ import annotations

import collections
import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from modelstress.samples.mssf import read_mssf, samples_table

PROGRAM = Path(__file__).with_name("python_driver.py")
DEADLINE_S = 30.0
QUICK = {"executions": 4, "seconds": 0, "threads": 1}


class Client:
    """The process and what it says."""

    def __init__(self, folder: Path, threads: int, *endpoints: str, **workload: Any) -> None:
        self.samples = folder / "samples.mssf"
        file = folder / "workload.json"
        given = {"operations": [{"name": "A"}], "timeout_ms": 5000, "warmup": QUICK} | workload
        file.write_text(json.dumps(given))
        named = [
            word for url in endpoints or ("tcp://127.0.0.1:1",) for word in ("--endpoint", url)
        ]
        argv = [sys.executable, str(PROGRAM), "client", "--driver", "scripted", *named,
                "--workload", str(file), "--threads", str(threads),
                "--out", str(self.samples)]  # fmt: skip
        self.errors = folder / "stderr"
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors.open("wb")
        )
        self.said: list[tuple[str, dict[str, Any]]] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode())
        self._lines.put(None)

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def hear(self, word: str) -> dict[str, Any]:
        """What a line with this word says, the lines before it being kept."""
        end = time.monotonic() + DEADLINE_S
        while (line := self._lines.get(timeout=max(0.1, end - time.monotonic()))) is not None:
            heard, _, fields = line.partition(" ")
            self.said.append((heard, json.loads(fields)))
            if heard == word:
                return self.said[-1][1]
        raise AssertionError(f"no {word}: {self.errors.read_text()}")

    def all(self, word: str) -> list[dict[str, Any]]:
        return [fields for heard, fields in self.said if heard == word]

    def measure(self) -> dict[str, Any]:
        self.hear("READY")
        self.tell("WARM")
        self.hear("WARMED")
        self.tell("GO")
        done = self.hear("DONE")
        assert self.ended() == 0
        return done

    def ended(self) -> int:
        return self.process.wait(DEADLINE_S)

    def last_word(self) -> str:
        return self.errors.read_text().splitlines()[-1]

    def records(self, phase: str | None = "measure") -> np.ndarray[Any, Any]:
        file = read_mssf(self.samples)
        records = file.records[file.records["outcome"] > 0]
        return records[records["phase"] == file.dictionaries["phase"].index(phase)]

    def rows(self, phase: str = "measure") -> list[dict[str, Any]]:
        table = samples_table(read_mssf(self.samples)).to_pylist()
        return [row for row in table if row["phase"] == phase]


@contextlib.contextmanager
def client(*arguments: Any, **workload: Any) -> Iterator[Client]:
    made = Client(*arguments, **workload)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()


def ops(**parameters: Any) -> list[dict[str, Any]]:
    return [{"name": "A", "parameters": parameters}]


def outcomes(rows: list[dict[str, Any]]) -> dict[str, int]:
    return dict(collections.Counter(row["outcome"] for row in rows))
