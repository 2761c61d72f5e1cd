#!/usr/bin/env python3
"""Compares what the load generator of another checkout costs with this one's, in turns in one run.

    benchmarks/harness/beside.py CHECKOUT [--executions N] [--rounds N] [--seconds-open N]

Both checkouts must be built (`mvn -f java-shims/pom.xml package`). Each is driven by its own
`benchmarks/harness/run.py`, so that each client gets the workload it understands. A round is other,
this, this, other; the ratio of each round is printed, and the median of them with their range.
Run by hand on a machine with nothing else to do. Only the standard library.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
MOST = 1.05
"""Ratio of this one to the other that still counts as no more."""


def main() -> int:
    """Measure in turns and print; 1 where this checkout costs more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkout", type=Path, help="the other one, built")
    parser.add_argument("--executions", type=int, default=3_000_000, help="per closed-loop run")
    parser.add_argument("--rounds", type=int, default=5, help="of four runs")
    parser.add_argument("--seconds-open", type=int, default=10, help="length of each open loop")
    arguments = parser.parse_args()
    other, this = load(arguments.checkout / "benchmarks/harness"), load(HERE)
    print(f"load average before: {os.getloadavg()}, CPUs: {os.cpu_count()}")
    with tempfile.TemporaryDirectory() as folder:
        rounds = [
            [side.closed(Path(folder), arguments.executions) for side in (other, this, this, other)]
            for _ in range(arguments.rounds)
        ]
        late = [
            p99_us(side.opened(Path(folder), arguments.seconds_open))
            for side in (other, this, this, other)
        ]
    print(f"load average after: {os.getloadavg()}")
    ratios = []
    for other_1, this_1, this_2, other_2 in rounds:
        ratios.append((this_1 + this_2) / (other_1 + other_2))
        print(
            f"  other {other_1:.0f} {other_2:.0f}, this {this_1:.0f} {this_2:.0f} "
            f"ns per execution: ratio {ratios[-1]:.3f}"
        )
    middle = statistics.median(ratios)
    print(f"this / other: median {middle:.3f}, from {min(ratios):.3f} to {max(ratios):.3f}")
    print("open loop, start after the intended start, p99 in µs:")
    print(f"  other {late[0]:.0f} {late[3]:.0f}, this {late[1]:.0f} {late[2]:.0f}")
    print(
        f"{'met   ' if middle <= MOST else 'MISSED'} this one costs at most {MOST:g} of the other"
    )
    return 0 if middle <= MOST else 1


def load(folder: Path) -> ModuleType:
    """The module ``run.py`` of a checkout's benchmark, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"run_{len(sys.modules)}", folder / "run.py")
    if spec is None or spec.loader is None or not (folder / "run.py").is_file():
        sys.exit(f"error: {folder / 'run.py'} is not there; give the folder of a checkout")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def p99_us(late_ns: list[int]) -> float:
    """99th percentile of sorted latenesses, in microseconds."""
    return late_ns[int(len(late_ns) * 0.99)] / 1e3


if __name__ == "__main__":
    sys.exit(main())
