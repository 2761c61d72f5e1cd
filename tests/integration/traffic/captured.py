"""A program: measures one captured cell in a private network namespace, beside tshark.

Usage: captured.py REQUEST.json; prints one line of JSON. What it says of the capture comes from
the invocation's files, what it says of tshark from tshark alone.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from modelstress.config.profile import Capture, Settings, Warmup
from modelstress.config.programs import WorkloadOperation
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.kinds import Checks, Expected, Prepared
from modelstress.hosts import private
from modelstress.measure.cell import run_invocation
from modelstress.measure.invocation import Invocation
from modelstress.workloads.queries import files
from modelstress.workloads.queries.study import TrainModel
from modelstress.workloads.queries.work import Queries

PROJECT = Project.find(Path(__file__))
START_S = 60


@contextmanager
def tshark(file: Path) -> Iterator[None]:
    """Captures TCP on lo; it has begun before the body does, and has all that the body sent."""
    log = file.with_suffix(".log").open("w")
    process = subprocess.Popen(
        ["tshark", "-n", "-q", "-l", "-i", "lo", "-f", "tcp", "-w", str(file)],
        stdout=log, stderr=log,
    )  # fmt: skip
    try:
        marked(file, process)  # "Capturing on" is said before the first packet can be seen
        yield
        marked(file, process)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        log.close()


def marked(file: Path, process: subprocess.Popen[bytes]) -> None:
    """Knock at a closed port until tshark's file has a packet with both port numbers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as knock:
            knock.bind(("127.0.0.1", 0))
            mark = knock.getsockname()[1].to_bytes(2) + closed.to_bytes(2)
            knock.connect_ex(("127.0.0.1", closed))
        time.sleep(0.3)
        if file.is_file() and mark in file.read_bytes():
            return
    sys.exit(f"tshark does not capture: {file.with_suffix('.log').read_text()}")


def fields(file: Path, chosen: str, *names: str) -> list[tuple[str, ...]]:
    """What tshark reads in a capture."""
    shown = [word for name in (*names, "frame.number") for word in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-n", "-r", str(file), "-Y", chosen, "-T", "fields", *shown],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return [tuple(line.split("\t")[:-1]) for line in done.stdout.splitlines()]


def invocation(request: dict[str, Any]) -> Invocation:
    folder = Path(request["folder"])
    tool = PROJECT.tool(request["tool"])
    tool = tool.model_copy(
        update={name: {**getattr(tool, name), **request.get(name, {})}
                for name in ("options", "driver_options")}
    )  # fmt: skip
    levels = {name: request[name] for name in ("tool", "backend", "language", "protocol", "query")}
    query = files.case(PROJECT, "train").queries[request["query"]]
    text = files.query_file(
        PROJECT, "train", request["language"], request["query"], request["tool"]
    )
    cell = Cell(
        study="traffic", profile="captured",
        levels={**levels, "model": "m", "threads": 1, "connection": request["connection"]},
        settings=Settings(
            executions=request["executions"], warmup=Warmup(executions=1, seconds=0, threads=1),
            timeout_ms=60_000, cell_timeout_s=300, capture=Capture(pause_ms=300),
        ),
        invocations=1, tool=tool,
        workload="queries",
        work=Queries(
            TrainModel(case="train", line="2016", scenario="repair", size=1),
            {request["query"]: 1.0},
        ),
    )  # fmt: skip
    return Invocation(
        cell=cell, number=0, seed=1, folder=cell.folder(folder / "raw", 0),
        jar=PROJECT.jar(tool),
        needs=Prepared(
            operations=(
                WorkloadOperation(
                    name=request["query"], text=text.read_text(encoding="utf-8"),
                    arity=len(query.tuple),
                    parameters={"language": request["language"], "tuple": query.tuple},
                ),
            ),
            checks=Checks({request["query"]: Expected(**request["expected"])}),
            protocol=request["protocol"],
            store=Path(request["store"]),
            ids=Path(request["store"]) / "ids.mssf",
            server={"backend": request["backend"]},
        ),
    )  # fmt: skip


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text())
    if request["namespace"] and (why_not := private.enter()):
        sys.exit(why_not)
    one = invocation(request)
    theirs = Path(request["folder"]) / "theirs.pcapng"
    if not request["namespace"]:
        run_invocation(one, lock_file=Path(request["folder"]) / "lock", lock_wait_s=300)
        print(json.dumps({"folder": str(one.folder)}))
        return
    with tshark(theirs):
        run_invocation(one, lock_file=Path(request["folder"]) / "lock", lock_wait_s=300)
    [port] = json.loads((one.folder / "cell.json").read_text())["capture"]["ports"]
    rows = fields(
        theirs, f"tcp.port=={port}", "tcp.stream", "frame.len", "tcp.srcport", "tcp.dstport",
        "tcp.seq_raw", "http.request.method",
    )  # fmt: skip
    streams: dict[str, Counter[str]] = {}
    for stream, length, source, *_ in rows:
        side = "received" if int(source) == port else "sent"
        counts = streams.setdefault(stream, Counter())
        counts[f"packets_{side}"] += 1
        counts[f"bytes_{side}"] += int(length)
    said = {
        "folder": str(one.folder),
        "streams": [dict(counts) for counts in streams.values()],
        "http_requests": sum(bool(method) for *_, method in rows),
        "read_by_tshark": len(fields(one.folder / "capture.pcap", "tcp")),
        "segments": [[int(cell) for cell in row[1:5]] for row in rows],
    }
    print(json.dumps(said))


if __name__ == "__main__":
    if shutil.which("tshark") is None:
        sys.exit("no tshark on PATH")
    main()
