#!/usr/bin/env python3
"""CDO's protocols beside TCP: a trivial query and RouteSensor, kept sessions and new ones.

    benchmarks/cdo/protocols.py [--size N] [--rounds N] [--executions N] [--variants V,...]

One server answers TCP, HTTP (long polls) and WebSocket with TCP_NODELAY, a second one is as CDO is
by itself: Nagle's algorithm over TCP, polling over HTTP. Variants run in turn, each round begins
with the next one. Run by hand, with the project's environment, on a machine with nothing else to
do; the load average is printed before and after.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common import programs
from common.programs import QUERIES, Operation, Sample

CDO = programs.Tool("cdo", "org.modelstress.cdo.Main")
TRIVIAL = {"name": "trivial", "text": "railway::RailwayContainer.allInstances()", "tuple": ["one"]}
QUERY = "RouteSensor"
BASE = "tcp nodelay"
BAR = 1.25


class Variant(NamedTuple):
    """A protocol, how its sockets and polls are, and which of the two servers answers it.

    A variant that waits more than it works makes do with fewer executions and rounds, and needs no
    warm server.
    """

    protocol: str
    server: str
    options: dict[str, Any]
    executions: int | None = None
    rounds: int | None = None


TUNED: dict[str, Any] = {"tcp_nodelay": True, "http_transport": "long-poll"}
STOCK: dict[str, Any] = {"tcp_nodelay": False, "http_transport": "stock"}
VARIANTS = {
    BASE: Variant("tcp", "tuned", {"tcp_nodelay": True}),
    "websocket": Variant("websocket", "tuned", {"tcp_nodelay": True}),
    "http long-poll": Variant("http", "tuned", {"http_transport": "long-poll"}),
    "tcp": Variant("tcp", "stock", {}, executions=15),
    "http stock": Variant("http", "stock", {}, executions=2, rounds=2),
}
CONNECTIONS = {"reused": "kept session", "per-execution": "new session for each"}

Key = tuple[str, str, str]
Found = dict[Key, list[float]]
"""Connection, query and variant to the median of each round, in ms."""


def main() -> int:
    """Load, serve, measure, print; 1 when the bar is missed."""
    arguments = parse()
    print(f"load average before: {os.getloadavg()}, CPUs: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(prefix="cdo-protocols-") as name:
        folder = Path(name)
        model = folder / "model.bin"
        programs.generate(model, arguments.size)
        wanted = {**programs.counts(model), "trivial": 1}
        protocols = {VARIANTS[variant].protocol for variant in arguments.variants}
        configs = {
            name: {
                "backend": "h2", "model": str(model), "store": str(folder / "store"),
                "work": str(folder / name), "attributes": [], "options": options,
                "ports": dict.fromkeys(sorted(protocols), 0),
            }
            for name, options in (("tuned", TUNED), ("stock", STOCK))
        }  # fmt: skip
        programs.load(CDO, configs["tuned"])
        with (
            programs.served(CDO, configs["tuned"]) as tuned,
            programs.served(CDO, configs["stock"]) as stock,
        ):
            endpoints = {"tuned": tuned["endpoints"], "stock": stock["endpoints"]}
            found = alternate(folder, endpoints, wanted, arguments)
    print(f"load average after: {os.getloadavg()}")
    return report(found, arguments)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=int, default=1, help="of the model 2016 repair")
    parser.add_argument("--rounds", type=int, default=4, help="of all variants")
    parser.add_argument("--executions", type=int, default=50, help="per query and run")
    parser.add_argument("--variants", type=named, default=list(VARIANTS), help="with commas")
    return parser.parse_args()


def named(text: str) -> list[str]:
    """The variants to run, the one that the others are compared with among them."""
    chosen = text.split(",")
    unknown = [name for name in chosen if name not in VARIANTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown} is not of {list(VARIANTS)}")
    return [BASE, *(name for name in chosen if name != BASE)]


def operations() -> list[Operation]:
    """Both queries for the client program."""
    text = (QUERIES / f"ocl/{QUERY}.ocl").read_text()
    queries = (TRIVIAL, {"name": QUERY, "text": text, "tuple": programs.tuples()[QUERY]})
    return [
        {
            "name": query["name"], "text": query["text"], "arity": len(query["tuple"]),
            "parameters": {"language": "ocl", "tuple": query["tuple"]},
        }
        for query in queries
    ]  # fmt: skip


def alternate(
    folder: Path,
    endpoints: Mapping[str, Mapping[str, str]],
    wanted: Mapping[str, int],
    arguments: argparse.Namespace,
) -> Found:
    """Rounds of all variants; a round before them warms the servers up and is not counted."""
    found: Found = {}
    for number in range(-1, arguments.rounds):
        first = max(number, 0) % len(arguments.variants)
        for name in arguments.variants[first:] + arguments.variants[:first]:
            variant = VARIANTS[name]
            begin = 0 if variant.executions else -1
            if not begin <= number < (variant.rounds or arguments.rounds):
                continue
            for connection in CONNECTIONS:
                samples = run(folder, endpoints, wanted, name, connection, arguments.executions)
                if number >= 0:
                    for query in ("trivial", QUERY):
                        each = [s.duration_ns for s in samples if s.query == query]
                        middle = statistics.median(each) / 1e6
                        found.setdefault((connection, query, name), []).append(middle)
    return found


def run(
    folder: Path,
    endpoints: Mapping[str, Mapping[str, str]],
    wanted: Mapping[str, int],
    name: str,
    connection: str,
    executions: int,
) -> list[Sample]:
    """One client program: as many executions of both queries to warm up as are measured."""
    variant = VARIANTS[name]
    queries = operations()
    total = (variant.executions or executions) * len(queries)
    file = programs.client(
        CDO, folder, endpoints[variant.server][variant.protocol], queries,
        executions=total, connection=connection, options=variant.options,
        warmup={"executions": total, "seconds": 0.0, "threads": 1},
        ids=str(folder / "store/ids.mssf"),
    )  # fmt: skip
    samples = programs.measured(file, wanted, name)
    missing = {"trivial", QUERY} - {s.query for s in samples}
    if missing:
        sys.exit(f"error: {name}: the client drew no execution of {missing}; take more")
    return samples


def report(found: Found, arguments: argparse.Namespace) -> int:
    """Medians over rounds, and ratios to TCP with TCP_NODELAY in the same round."""
    print(f"\n2016 repair {arguments.size}, one thread; ms, and ratio to {BASE} in the same round")
    for connection, title in CONNECTIONS.items():
        for query in ("trivial", QUERY):
            print(f"\n{query}, {title}")
            print(f"{'':16}{'median ms':>11}{'ratio':>9}{'range':>18}{'rounds':>8}")
            base = found[connection, query, BASE]
            for name in arguments.variants:
                medians = found[connection, query, name]
                ratios = [m / b for m, b in zip(medians, base, strict=False)]
                spread = f"{min(ratios):.2f}–{max(ratios):.2f}"
                middle = statistics.median(medians)
                print(
                    f"{name:16}{middle:11.2f}{statistics.median(ratios):9.2f}"
                    f"{spread:>18}{len(medians):8}"
                )
    if "websocket" not in arguments.variants:
        return 0
    kept = [found["reused", "trivial", name] for name in ("websocket", BASE)]
    ratio = statistics.median(w / t for w, t in zip(*kept, strict=True))
    met = ratio <= BAR
    print(f"\n{'met   ' if met else 'MISSED'} websocket at most {BAR} × TCP, both with nodelay,")
    print(f"       trivial query on a kept session: {ratio:.2f}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
