#!/usr/bin/env python3
"""Asynchronous queries beside synchronous ones: latency and bytes, with one thread and with 16.

    benchmarks/hawk/querying.py [--backend B] [--size N] [--rounds N] [--executions N]

Loads and serves a Train model. Both styles run in turn, the first of a pair changing. Run by hand,
with the project's environment, on a machine with nothing else to do; the load average is printed
before and after.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common import programs
from common.programs import QUERIES, Operation, Sample

HAWK = programs.Tool("hawk", "org.modelstress.hawk.Main")
STYLES = ("synchronous", "asynchronous")
LONG = "ConnectedSegments"
THREADS = (1, 16)


def main() -> None:
    """Load, serve, measure, print."""
    arguments = parse()
    print(f"load average before: {os.getloadavg()}, CPUs: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(prefix="hawk-querying-") as name:
        folder = Path(name)
        model = folder / "model.bin"
        programs.generate(model, arguments.size)
        wanted = {**programs.counts(model), "trivial": 1}
        config = {
            "backend": arguments.backend, "model": str(model), "store": str(folder / "store"),
            "work": str(folder / "work"), "ports": {"tcp": 0, "http": 0}, "attributes": [],
            "options": {},
        }  # fmt: skip
        programs.load(HAWK, config)
        with programs.served(HAWK, config) as ready:
            report(folder, ready["endpoints"], wanted, arguments)
    print(f"load average after: {os.getloadavg()}")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--backend", default="neo4j", choices=["neo4j", "orientdb"])
    parser.add_argument("--size", type=int, default=32, help="of the model 2016 repair")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of runs")
    parser.add_argument("--executions", type=int, default=400, help="per run")
    return parser.parse_args()


def operation(name: str) -> Operation:
    """A query for the client program."""
    names, text = ["one"], "return RailwayContainer.all;"
    if name != "trivial":
        names, text = programs.tuples()[name], (QUERIES / f"eol/{name}.eol").read_text()
    parameters: dict[str, Any] = {"language": "eol", "tuple": names}
    return {"name": name, "text": text, "arity": len(names), "parameters": parameters}


def report(
    folder: Path,
    endpoints: Mapping[str, str],
    wanted: Mapping[str, int],
    arguments: argparse.Namespace,
) -> None:
    """Measure and print line by line; bytes are those of the socket, per execution."""
    print(f"\nnew connection per execution, {arguments.rounds} pairs; latencies are medians in ms")
    print(
        f"{'query':18}{'':6}{'threads':>7}{'sync':>9}{'async':>9}{'ratio':>7}{'range':>13}"
        f"{'bytes sent':>14}{'received':>14}"
    )
    for query in ("trivial", LONG):
        for protocol, endpoint in endpoints.items():
            for threads in THREADS:
                pairs: list[dict[str, list[Sample]]] = []
                for number in range(arguments.rounds + 1):  # the first one warms the server up
                    order = STYLES if number % 2 else STYLES[::-1]
                    pairs.append(
                        {
                            style: run(folder, endpoint, wanted, query, style, threads, arguments)
                            for style in order
                        }
                    )
                line(query, protocol, threads, pairs[1:])


def run(
    folder: Path,
    endpoint: str,
    wanted: Mapping[str, int],
    query: str,
    style: str,
    threads: int,
    arguments: argparse.Namespace,
) -> list[Sample]:
    """One client program: as many executions to warm up as are measured."""
    executions = arguments.executions
    file = programs.client(
        HAWK, folder, endpoint, [operation(query)], threads, executions=executions,
        warmup={"executions": executions, "seconds": 0.0, "threads": threads},
        ids=str(folder / "store/ids.mssf"), options={"querying": style},
    )  # fmt: skip
    return programs.measured(file, wanted, style)


def line(query: str, protocol: str, threads: int, pairs: list[dict[str, list[Sample]]]) -> None:
    """Print one line of the table."""
    medians = {
        style: [statistics.median(s.duration_ns for s in pair[style]) / 1e6 for pair in pairs]
        for style in STYLES
    }
    ratios = [b / a for a, b in zip(medians[STYLES[0]], medians[STYLES[1]], strict=True)]
    spread = f"{min(ratios):.2f}–{max(ratios):.2f}"
    sent = " / ".join(
        f"{statistics.median(s.sent for s in pairs[0][style]):.0f}" for style in STYLES
    )
    received = " / ".join(
        f"{statistics.median(s.received for s in pairs[0][style]):.0f}" for style in STYLES
    )
    sync, other = (statistics.median(medians[style]) for style in STYLES)
    print(
        f"{query:18}{protocol:6}{threads:7}{sync:9.3f}{other:9.3f}"
        f"{statistics.median(ratios):7.2f}{spread:>13}{sent:>14}{received:>14}",
        flush=True,
    )


if __name__ == "__main__":
    main()
