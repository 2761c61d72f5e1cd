#!/usr/bin/env python3
"""Shows what the load generator costs, beside a bare JMH loop and YCSB's client, in one run.

    benchmarks/harness/run.py [--seconds-open N] [--executions N] [--repeats N]

Run by hand on a machine with nothing else to do; the load average is printed before and after.
Each client is pinned to one CPU ("per core") where `taskset` exists. Only the standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HARNESS = ROOT / "java-shims/harness/target/dist/harness.jar"
JMH = HERE / "jmh/target/dist/jmh.jar"
YCSB = HERE / "ycsb/target/lib"
FLAGS = ["-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"]
DEADLINE_S = 300


def main() -> int:
    """Build, measure, print; 1 when a bar is missed."""
    arguments = parse()
    build()
    print(f"load average before: {os.getloadavg()}, CPUs: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(dir=HERE / "jmh/target") as folder:
        bare = jmh(Path(folder))
        rounds = [closed(Path(folder), arguments.executions) for _ in range(arguments.repeats)]
        ycsb_rounds = [ycsb(arguments.executions) for _ in range(arguments.repeats)]
        lateness = opened(Path(folder), arguments.seconds_open)
        ycsb_lateness = ycsb_open(arguments.seconds_open)
    print(f"load average after: {os.getloadavg()}")
    return report(bare, rounds, ycsb_rounds, lateness, ycsb_lateness)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--executions", type=int, default=3_000_000, help="per closed-loop run")
    parser.add_argument("--repeats", type=int, default=3, help="runs; the median is reported")
    parser.add_argument("--seconds-open", type=int, default=10, help="length of the open loop")
    return parser.parse_args()


def build() -> None:
    """Package harness, JMH module and YCSB's jars."""
    pom = str(HERE / "pom.xml")
    run(["mvn", "-B", "-q", "-f", pom, "package", "-DskipTests"])


def run(command: list[str], stdin: str | None = None) -> str:
    """Run a program to its end and return what it printed.

    Raises:
        SystemExit: it failed; its last words are shown.
    """
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    if done.returncode != 0:
        said = done.stdout[-2000:] + done.stderr[-2000:]
        sys.exit(f"{command[0]} failed ({done.returncode}): {said}")
    return done.stdout


def on_one_cpu(command: list[str]) -> list[str]:
    """Pin to the last CPU that this process may use; unpinned where that is impossible."""
    if shutil.which("taskset") is None:
        return command
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command]


def jmh(folder: Path) -> dict[str, float]:
    """Nanoseconds per call of the bare loops."""
    out = folder / "jmh.json"
    run(on_one_cpu(["java", "-jar", str(JMH), "-rf", "json", "-rff", str(out), "BareLoop"]))
    return {
        entry["benchmark"].rsplit(".", 1)[1]: entry["primaryMetric"]["score"]
        for entry in json.loads(out.read_text(encoding="utf-8"))
    }


def client(folder: Path, workload: dict[str, object], threads: int, pinned: bool) -> Path:
    """Run the harness's client on the null driver; returns the sample file."""
    out = folder / "samples.mssf"
    out.unlink(missing_ok=True)
    file = folder / "workload.json"
    base: dict[str, object] = {"operations": [{"name": "A"}], "timeout_ms": 1000}
    file.write_text(json.dumps(base | workload), encoding="utf-8")
    command = ["java", *FLAGS, "-cp", str(HARNESS), "org.modelstress.harness.Main", "client"]
    command += ["--driver", "null", "--endpoint", "null://127.0.0.1", "--workload", str(file)]
    command += ["--threads", str(threads), "--out", str(out)]
    with subprocess.Popen(
        on_one_cpu(command) if pinned else command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            sys.exit("the client has no pipes")
        process.stdin.write("GO\n")
        process.stdin.flush()
        said = [line for line in process.stdout if line.startswith("DONE")]
        process.wait(DEADLINE_S)
    if not said:
        sys.exit("the client did not finish")
    return out


def measured(file: Path) -> list[tuple[int, int, int]]:
    """Intended start, start and duration of the measured executions, in nanoseconds."""
    with file.open("rb") as stream:
        magic, _, length = struct.unpack("<4sII", stream.read(12))
        if magic != b"MSSF":
            sys.exit(f"{file}: is not an MSSF file")
        header = json.loads(stream.read(length))
        records = stream.read()
    at = {column["name"]: column["offset"] for column in header["columns"]}
    size = header["record_size"]
    rows = []
    for begin in range(0, len(records) - size + 1, size):
        if records[begin + at["outcome"]] == 1 and records[begin + at["phase"]] == 1:
            start = struct.unpack_from("<q", records, begin + at["start_ns"])[0]
            intended = struct.unpack_from("<q", records, begin + at["intended_start_ns"])[0]
            duration = struct.unpack_from("<q", records, begin + at["duration_ns"])[0]
            rows.append((intended, start, duration))
    return rows


def closed(folder: Path, executions: int) -> float:
    """Nanoseconds per execution with rows written: one thread on one core."""
    warmup = {"executions": executions // 3, "seconds": 2.0, "threads": 1}
    file = client(folder, {"executions": executions, "warmup": warmup}, 1, pinned=True)
    rows = measured(file)
    if len(rows) != executions:
        sys.exit(f"{len(rows)} of {executions} executions have a row")
    last = max(start + duration for _, start, duration in rows)
    return (last - min(start for _, start, _ in rows)) / executions


def opened(folder: Path, seconds: int) -> list[int]:
    """Lateness (start minus intended start) of each execution, in nanoseconds, at 1,000/s."""
    workload = {
        "executions": 1000 * seconds,
        "mode": {"kind": "open", "rate_per_s": 1000.0},
        "warmup": {"executions": 1000, "seconds": 1.0, "threads": 2},
    }
    return sorted(start - due for due, start, _ in measured(client(folder, workload, 4, False)))


def ycsb_command(operations: int, *more: str) -> list[str]:
    properties = {
        "workload": "site.ycsb.workloads.CoreWorkload",
        "basicdb.verbose": "false",
        "recordcount": "1000",
        "operationcount": str(operations),
        "readproportion": "1.0",
        "updateproportion": "0",
        "requestdistribution": "uniform",
    }
    command = ["java", *FLAGS, "-cp", f"{YCSB}/*", "site.ycsb.Client", "-t"]
    command += ["-db", "site.ycsb.BasicDB"]
    for key, value in properties.items():
        command += ["-p", f"{key}={value}"]
    return [*command, *more]


def ycsb(operations: int) -> float:
    """Nanoseconds per operation of YCSB's client, its own figure: one thread on one core."""
    out = run(on_one_cpu(ycsb_command(operations, "-threads", "1")))
    found = re.search(r"\[OVERALL\], Throughput\(ops/sec\), ([\d.E]+)", out)
    if found is None:
        sys.exit(f"YCSB reported no throughput: {out[-500:]}")
    return 1e9 / float(found.group(1))


def ycsb_open(seconds: int) -> float:
    """99th percentile of YCSB's latency from the intended start at 1,000/s, in microseconds."""
    more = ["-threads", "4", "-target", "1000", "-p", "measurement.interval=intended"]
    out = run(ycsb_command(1000 * seconds, *more))
    found = re.search(r"\[Intended-READ\], 99thPercentileLatency\(us\), (\d+)", out)
    if found is None:
        found = re.search(r"\[READ\], 99thPercentileLatency\(us\), (\d+)", out)
    if found is None:
        sys.exit(f"YCSB reported no percentile: {out[-500:]}")
    return float(found.group(1))


def report(
    bare: dict[str, float],
    rounds: list[float],
    ycsb_rounds: list[float],
    lateness: list[int],
    ycsb_p99_us: float,
) -> int:
    """Print everything side by side; 1 when a bar is missed."""
    harness, peer = statistics.median(rounds), statistics.median(ycsb_rounds)
    loop, clock = bare["execute"], bare["executeAndReadTheClockTwice"]
    p99_ms = lateness[int(len(lateness) * 0.99)] / 1e6
    print(f"\n{'ns per execution, 1 thread, 1 core':44}{'ns':>10}{'per s':>14}{'× harness':>11}")
    for name, ns in (
        ("bare JMH loop (open, execute, close)", loop),
        ("bare JMH loop with two clock readings", clock),
        ("harness, null driver, rows written", harness),
        ("YCSB 0.17.0 client, BasicDB, reads", peer),
    ):
        print(f"{name:44}{ns:10.1f}{1e9 / ns:14,.0f}{ns / harness:11.2f}")
    for name, values in (("harness", rounds), ("YCSB", ycsb_rounds)):
        print(f"  {name}, each run: {', '.join(f'{value:.1f}' for value in values)}")
    median_ms, worst_ms = lateness[len(lateness) // 2] / 1e6, lateness[-1] / 1e6
    print("open loop at 1,000/s, start after the intended start:")
    print(f"  harness: median {median_ms:.3f} ms, p99 {p99_ms:.3f} ms, worst {worst_ms:.3f} ms")
    print(f"  YCSB: p99 {ycsb_p99_us / 1e3:.3f} ms (its latency from the intended start)")
    bars = {
        "at least 1,000,000 executions/s per core": 1e9 / harness >= 1e6,
        "at most 1 µs added to the bare loop": harness - loop <= 1000,
        "open loop within 1 ms of schedule at p99": p99_ms <= 1,
    }
    for bar, met in bars.items():
        print(f"{'met   ' if met else 'MISSED'} {bar}")
    return 0 if all(bars.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
