"""Samples as histograms: what a client with ``samples: histogram`` makes of the same executions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import synthetic
from hdrh.histogram import HdrHistogram

from modelstress.measure.histograms import Histograms
from modelstress.samples.files import write_json
from modelstress.samples.schema import SCHEMA
from modelstress.samples.seals import sealed

SECOND = 10**9


def executions(seed=0, n=6000, level=20.0):
    """A closed loop of 4 threads over some 30 seconds, with every outcome."""
    rng = np.random.default_rng(seed)
    values = level * rng.lognormal(0, 0.3, n)
    outcomes = rng.choice(["ok", "incorrect", "error", "aborted"], n, p=[0.9, 0.04, 0.03, 0.03])
    phases = ["warmup"] * 200 + ["measure"] * (n - 300) + ["cooldown"] * 100
    operations = rng.choice(["q", "r"], n)
    table = synthetic.samples(
        values, outcomes.tolist(), phases, threads=4, operations=operations.tolist()
    )
    items = pa.array(rng.integers(1, 9, n), "int32")
    attempts = pa.array(rng.choice([1, 3], n), "uint16")
    for name, column in (("items", items), ("attempts", attempts)):
        at = SCHEMA.get_field_index(name)
        table = table.set_column(at, SCHEMA.field(at), column)
    return table


def lines(table: pa.Table) -> list[dict[str, Any]]:
    """Histogram lines of these rows, as in docs/contracts.md."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        end = row["intended_start_ns"] + row["duration_ns"] + row["think_ns"]
        at = end // SECOND * SECOND
        names = ("client", "thread", "phase", "operation", "outcome", "result_count",
                 "result_digest")  # fmt: skip
        groups.setdefault((at, *(row[name] for name in names)), []).append(row)
    return [_line(rows, key[0]) for key, rows in groups.items()]


def _line(rows: list[dict[str, Any]], at: int) -> dict[str, Any]:
    same = {name: rows[0][name] for name in (
        "invocation", "client", "thread", "phase", "operation", "outcome", "result_count",
        "result_digest",
    )}  # fmt: skip
    sums = ("verify_ns", "items", "attempts", "think_ns")
    return {
        **same, "second_ns": at, "executions": len(rows), "bytes_sent": -1, "bytes_received": -1,
        **{name: sum(row[name] for row in rows) for name in sums},
        "duration_ns": encoded([row["duration_ns"] for row in rows]),
        "lateness_ns": encoded([0] * len(rows)),
    }  # fmt: skip


def encoded(values: list[int]) -> str:
    """A histogram as Java encodes it."""
    histogram = HdrHistogram(1, 24 * 3600 * SECOND, 3)
    for value in values:
        histogram.record_value(value)
    return str(histogram.encode().decode())


def write(data_dir, levels, number, table, **more):
    """One invocation whose samples are histograms; returns its folder."""
    made = Histograms(lines(table), [], 0)
    folder = synthetic.write(data_dir, levels, number, table.slice(0, 0), **more)
    made.write(folder)
    record = synthetic.record(levels, number, 600, **more) | {
        "samples": "histogram", "outcomes": {"measure": made.outcomes("measure")},
        "window": made.window({}), "clients": [{"client": 0, "threads": 64}],
    }  # fmt: skip
    write_json(folder / "cell.json", sealed(record, folder))
    return folder
