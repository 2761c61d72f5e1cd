"""What the benchmarks of protocols share: a tool's programs on a Train model, and their samples."""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from modelstress.measure.java import find_java
from modelstress.samples.mssf import Mssf, read_mssf

ROOT = Path(__file__).resolve().parents[2]
QUERIES = ROOT / "queries/train"
DEADLINE_S = 600

Operation = dict[str, Any]


class Tool(NamedTuple):
    """A tool's jar, main class and driver."""

    name: str
    main: str


def java(jar: str, *arguments: str, heap: str = "2g") -> list[str]:
    """A Java program of the project."""
    path = ROOT / f"java-shims/{jar}/target/dist/{jar}.jar"
    flags = [f"-Xms{heap}", f"-Xmx{heap}", "-XX:+UseG1GC"]
    return [find_java().program, *flags, "-cp", str(path), *arguments]


def generate(model: Path, size: int) -> None:
    """Write the model of the papers in some size."""
    argv = java("models", "org.modelstress.models.Main", "train", "--line", "2016")
    argv += ["--scenario", "repair", "--size", str(size), "--output", str(model)]
    subprocess.run(argv, check=True, timeout=DEADLINE_S)


def counts(model: Path) -> dict[str, int]:
    """Matches of every query, found by plain Java."""
    argv = java("models", "org.modelstress.models.Main", "count", str(model), "--json")
    done = subprocess.run(argv, check=True, capture_output=True, timeout=DEADLINE_S)
    found: dict[str, int] = json.loads(done.stdout)["matches_per_query"]
    return found


def declarations() -> list[Any]:
    """The case's derived and indexed attributes."""
    found: list[Any] = yaml.safe_load((QUERIES / "attributes.yaml").read_text())["attributes"]
    return found


def tuples() -> dict[str, list[str]]:
    """The names of a match's elements, of every query."""
    case = yaml.safe_load((QUERIES / "case.yaml").read_text())["queries"]
    return {name: query["tuple"] for name, query in case.items()}


def load(tool: Tool, config: Mapping[str, Any]) -> None:
    """Load the store that a server's configuration names."""
    file = Path(config["work"]).with_suffix(".load.json")
    file.write_text(json.dumps({"tool": tool.name, "bind": "127.0.0.1", **config}))
    argv = java(tool.name, tool.main, "load", "--config", str(file))
    subprocess.run(argv, check=True, timeout=DEADLINE_S, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def served(tool: Tool, config: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The READY line of a server that runs meanwhile."""
    file = Path(config["work"]).with_suffix(".json")
    file.write_text(json.dumps({"tool": tool.name, "bind": "127.0.0.1", **config}))
    argv = java(tool.name, tool.main, "serve", "--config", str(file))
    with file.with_suffix(".log").open("w") as log:
        server = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        if server.stdout is None or not select.select([server.stdout], [], [], DEADLINE_S)[0]:
            sys.exit("error: the server is not ready in time")
        line = server.stdout.readline()
        if not line.startswith("READY "):
            sys.exit(f"error: no server: {file.with_suffix('.log').read_text()[-500:]}")
        yield json.loads(line.removeprefix("READY "))
    finally:
        server.terminate()
        server.wait(30)


def client(
    tool: Tool,
    folder: Path,
    endpoint: str,
    operations: Sequence[Operation],
    threads: int = 1,
    **workload: Any,
) -> Mssf:
    """Run the client program; what is given of the workload goes before what is said here."""
    file, out = folder / "workload.json", folder / "samples.mssf"
    out.unlink(missing_ok=True)
    whole = {
        "operations": list(operations), "timeout_ms": 60_000, "connection": "per-execution",
        **workload,
    }  # fmt: skip
    file.write_text(json.dumps(whole))
    argv = java(tool.name, "org.modelstress.harness.Main", "client", heap="512m")
    argv += ["--driver", tool.name, "--endpoint", endpoint, "--workload", str(file)]
    argv += ["--threads", str(threads), "--out", str(out)]
    # end of input would end the client before its time: the pipe stays open
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        print("GO", file=process.stdin, flush=True)
        said = [line for line in process.stdout or [] if not line.startswith("PROGRESS")]
    for line in said:
        if line.startswith("DETAIL"):
            print(line, end="", file=sys.stderr)  # why an execution failed
    if process.returncode != 0:
        sys.exit(f"error: the client ended with {process.returncode}: {said[-3:]}")
    return read_mssf(out)


class Sample(NamedTuple):
    """One execution, and what it was an execution of."""

    variant: str
    query: str
    duration_ns: int
    sent: int
    received: int


def measured(file: Mssf, wanted: Mapping[str, int], variant: str) -> list[Sample]:
    """The measured executions; ends the program on a wrong result."""
    words = file.dictionaries
    found = []
    for record in file.records:
        if words["phase"][record["phase"]] != "measure":
            continue
        query = words["operation"][record["operation"]]
        outcome = words["outcome"][record["outcome"]]
        if outcome != "ok" or record["result_count"] != wanted[query]:
            sys.exit(f"error: {query}, {variant}: {outcome}, {record['result_count']} matches")
        numbers = [int(record[c]) for c in ("duration_ns", "bytes_sent", "bytes_received")]
        found.append(Sample(variant, query, *numbers))
    return found
