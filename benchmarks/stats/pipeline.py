"""All tables and figures of the papers' 616 cells × 5 invocations × 1,000 executions, from cold.

    python benchmarks/stats/pipeline.py [--executions 1000] [--invocations 5] [--keep FOLDER]

Simulates the samples in a temporary project (not counted), then runs `modelstress derive` and
`modelstress report` there, each in a process of its own. Wanted: 120 s together on two cores.
With --keep the project stays, and is taken as it is when it is there already.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from modelstress.config.outcomes import OUTCOMES
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.design.contents import contents_of
from modelstress.samples.schema import PHASES, SCHEMA

ROOT = Path(__file__).parents[2]
BAR_S = 120
ORIGIN_NS = 5_000_000_000_000
WARMUP = 50
PROFILE = """profile: simulated
title: the papers' cells
invocations: {invocations}
settings: {{executions: {executions}}}
levels:
  model: [train-2016-repair-32, jdt1]
  protocol: [tcp, http]
  fidelity: [paper]
  type_check: [true]
  navigation: [forward]
  query_text: [same]
  cached_queries: [1000]
  querying: [synchronous]
  http_transport: [stock]
  poll_interval_ms: [5000]
  tcp_nodelay: [false]
  pool_size: [0]
constraints:
  - when: {{tool: hawk, query: [PosLength, SwitchMonitored, ConnectedSegments]}}
    only: {{attributes: [declared]}}
  - when: {{tool: hawk, query: HQ1}}
    only: {{language: [eol]}}
  - when: {{tool: [cdo, mogwai]}}
    only: {{query: [PosLength, SwitchMonitored, RouteSensor, SwitchSet, ConnectedSegments, OQ, MQ]}}
"""


def project(folder, executions, invocations):
    """A project of its own: this one's configuration and queries, and the profile above."""
    (folder / "config").mkdir(parents=True)
    (folder / "config" / "profiles").mkdir()
    for path in (ROOT / "config").iterdir():
        if path.name != "profiles":
            (folder / "config" / path.name).symlink_to(path)
    (folder / "queries").symlink_to(ROOT / "queries")
    text = PROFILE.format(executions=executions, invocations=invocations)
    # the constraints of the papers' study cap slow cells; here every cell has all executions
    (folder / "config" / "profiles" / "simulated.yaml").write_text(text, encoding="utf-8")
    return Project(folder)


def samples(rng, median_ms, executions, threads, number):
    """A closed loop of some threads: skewed latencies, few of them failing or late."""
    n = WARMUP + executions + threads
    rounds = -(-n // threads)
    ms = median_ms * rng.lognormal(0, 0.15, (rounds, threads))
    ms *= np.where(rng.random(ms.shape) < 0.03, 4, 1)
    duration = (ms * 1e6).astype(np.int64)
    begin = ORIGIN_NS + np.cumsum(duration, axis=0) - duration
    order = np.argsort(begin, axis=None, kind="stable")[:n]
    start, duration = begin.ravel()[order], duration.ravel()[order]
    outcome = np.where(rng.random(n) < 0.002, OUTCOMES.index("error"), OUTCOMES.index("ok"))
    phase = np.full(n, PHASES.index("measure"))
    phase[:WARMUP], phase[WARMUP + executions :] = PHASES.index("warmup"), PHASES.index("cooldown")
    words = {"operation": (("q",), np.zeros(n)), "outcome": (OUTCOMES, outcome),
             "phase": (PHASES, phase)}  # fmt: skip
    values = {
        "invocation": np.full(n, number), "thread": order % threads, "sequence": np.arange(n),
        "client": order % threads % 2, "intended_start_ns": start, "start_ns": start,
        "duration_ns": duration, "verify_ns": duration // 100,
    }  # fmt: skip
    arrays = []
    for field in SCHEMA:
        if field.name in words:
            known, codes = words[field.name]
            arrays.append(pa.DictionaryArray.from_arrays(codes.astype("int32"), list(known)))
        else:
            column = values.get(field.name, np.ones(n))
            arrays.append(pa.array(column.astype(field.type.to_pandas_dtype())))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def record(cell, number, contents):
    seconds = np.arange(120)
    columns = {"t_ns": (ORIGIN_NS + seconds * 1_000_000_000).tolist()}
    for side in ("server", "client"):
        for part in ("user", "system", "idle", "iowait", "steal"):
            columns[f"cpus.{side}.{part}_s"] = (seconds * 0.2).round(2).tolist()
    return {
        "study": cell.study, "profile": cell.profile, "cell": cell.id, "invocation": number,
        "state": "complete", "levels": dict(cell.levels),
        "provenance": {
            "git": {"commit": "0123abcd", "dirty": False}, "executor": "process",
            "title": cell.tool.title, "contents": contents, "seed": number,
            "topology": {"server_cpus": [0], "client_cpus": [1], "network": "loopback"},
        },
        "telemetry": {"interval_s": 1.0, "columns": columns,
                      "cpu_busy": {"server": 0.9, "client": 0.2}},
        "validity": {"valid": True, "reasons": []}, "details": [],
    }  # fmt: skip


def simulate(where, executions, invocations):
    """Write the samples of all cells; returns how many cells there are."""
    cells = cells_of(where, where.study("model-queries"), where.profile("simulated"))
    for at, cell in enumerate(cells):
        rng = np.random.default_rng(at)
        threads = int(cell.levels["threads"])
        median = rng.lognormal(4, 1.2) * max(1, threads / 2)
        contents = contents_of(where, cell)
        for number in range(invocations):
            start = median * rng.lognormal(0, 0.03)
            folder = cell.folder(where.raw, number)
            folder.mkdir(parents=True)
            table = samples(rng, start, executions, threads, number)
            pq.write_table(table, folder / "samples.parquet", compression="zstd")
            text = json.dumps(record(cell, number, contents), indent=2)
            (folder / "cell.json").write_text(text, encoding="utf-8")
    return len(cells)


def timed(where, *command):
    """Seconds of a command line of modelstress in a fresh process."""
    program = "from modelstress.cli import main; main()"
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program, "--project", str(where.root), *command],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--executions", type=int, default=1000)
    parser.add_argument("--invocations", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder of the simulated project")
    parser.add_argument("--only", choices=("simulate", "derive", "report"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or Path(temporary) / "project"
        if folder.is_dir():
            where = Project(folder.resolve())
        else:
            where = project(folder.resolve(), chosen.executions, chosen.invocations)
            count = simulate(where, chosen.executions, chosen.invocations)
            print(f"{count} cells × {chosen.invocations} × {chosen.executions} executions")
        if chosen.only == "simulate":
            return
        print(f"load average {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} CPUs")
        parts = {
            name: timed(where, *command)
            for name, command in (
                ("derive", ("derive", "--study", "model-queries", "--profile", "simulated")),
                ("report", ("report", "--study", "model-queries", "--profile", "simulated")),
            )
            if chosen.only in (None, name)
        }
    for name, seconds in parts.items():
        print(f"{name:8} {seconds:6.1f} s")
    if chosen.only is None:
        print(f"together {sum(parts.values()):6.1f} s (wanted: at most {BAR_S} s)")


if __name__ == "__main__":
    main()
