"""Synthetic invocations, written by the same writers as real ones."""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa

from modelstress.config.outcomes import OUTCOMES
from modelstress.samples.files import write_json, write_parquet
from modelstress.samples.formats import FORMAT
from modelstress.samples.schema import PHASES, SCHEMA

STUDY, PROFILE = "model-queries", "demo"
LEVELS = {
    "tool": "cdo", "backend": "h2", "language": "ocl", "protocol": "tcp",
    "model": "train-2016-repair-4", "query": "PosLength", "threads": 1,
    "connection": "per-execution", "query_text": "same",
}  # fmt: skip
CONTENTS = {
    name: letter * 64 for name, letter in zip(("jar", "model", "query"), "abq", strict=True)
}
ORIGIN_NS = 5_000_000_000_000


def cell_id(levels):
    digest = hashlib.sha256(repr(sorted(levels.items())).encode()).hexdigest()[:8]
    words = [levels["tool"], levels["protocol"], levels["query"], f"t{levels['threads']}"]
    return "_".join([*words, digest])


def samples(
    durations_ms,
    outcomes=None,
    phases=None,
    threads=1,
    number=0,
    verify_ns=1000,
    operations=None,
    client=0,
):
    """A closed loop: each thread takes the next duration when its last execution has ended."""
    n = len(durations_ms)
    duration = (np.asarray(durations_ms) * 1e6).astype(np.int64)
    free = np.full(threads, ORIGIN_NS, dtype=np.int64)
    start, thread = np.empty(n, np.int64), np.empty(n, np.int16)
    for i in range(n):
        thread[i] = int(np.argmin(free))
        start[i] = free[thread[i]]
        free[thread[i]] += duration[i]
    columns = {
        "invocation": np.full(n, number), "client": np.full(n, client), "thread": thread,
        "sequence": np.arange(n), "intended_start_ns": start, "start_ns": start,
        "duration_ns": duration, "verify_ns": np.full(n, verify_ns), "items": np.ones(n),
        "result_count": np.ones(n), "result_digest": np.ones(n), "bytes_sent": np.full(n, -1),
        "bytes_received": np.full(n, -1), "attempts": np.ones(n), "think_ns": np.zeros(n),
    }  # fmt: skip
    words = {
        "operation": list(operations or ["q"] * n),
        "outcome": list(outcomes or ["ok"] * n),
        "phase": list(phases or ["measure"] * n),
    }
    names = sorted(set(words["operation"]))
    known = {"operation": names, "outcome": list(OUTCOMES), "phase": list(PHASES)}
    arrays = []
    for field in SCHEMA:
        if field.name in words:
            codes = pa.array([known[field.name].index(word) for word in words[field.name]], "int32")
            arrays.append(pa.DictionaryArray.from_arrays(codes, pa.array(known[field.name])))
        else:
            arrays.append(pa.array(columns[field.name].astype(field.type.to_pandas_dtype())))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def telemetry(seconds, server=0.9, client=0.2):
    """Running totals, once a second, beginning a second before the first execution."""
    t = np.arange(int(np.ceil(seconds)) + 3)
    rng = np.random.default_rng(0)
    columns = {"t_ns": (ORIGIN_NS + (t - 1) * 1_000_000_000).tolist()}
    for side, share in (("server", server), ("client", client)):
        busy = np.cumsum(np.clip(share + rng.normal(0, 0.05, t.size), 0, 1))
        columns[f"cpus.{side}.user_s"] = (0.8 * busy).round(3).tolist()
        columns[f"cpus.{side}.system_s"] = (0.2 * busy).round(3).tolist()
        columns[f"cpus.{side}.idle_s"] = (t + 1 - busy).round(3).tolist()
        columns[f"cpus.{side}.iowait_s"] = columns[f"cpus.{side}.steal_s"] = [0.0] * t.size
    return {"interval_s": 1.0, "marks": {}, "columns": columns}


def record(
    levels,
    number,
    seconds=5.0,
    reasons=(),
    valid=True,
    contents=None,
    executor="process",
    details=(),
    machine=None,
    network="loopback",
    fault=None,
    profile=PROFILE,
    spent=None,
):
    return {
        "format": FORMAT, "study": STUDY, "profile": profile, "cell": cell_id(levels),
        "invocation": number, "state": "complete", "levels": levels,
        "provenance": {
            "git": {"commit": "0123abcd", "dirty": False}, "executor": executor,
            "topology": {
                "server_cpus": [0], "client_cpus": [1], "shared": False, "clients": 1,
                "network": network,
            },
            "contents": contents or CONTENTS, "seed": 1,
            "machine": machine or {"cpu_model": "Example CPU", "kernel": "6.1"},
            "versions": {"python": "3.11.7", "numpy": np.__version__},
        },
        "telemetry": {
            **telemetry(seconds), "cpu_busy": {"server": 0.9, "client": 0.2},
            **({"window": spent} if spent else {}),
        },
        "validity": {"valid": valid, "reasons": list(reasons)},
        "details": list(details),
        **({"fault": fault} if fault else {}),
    }  # fmt: skip


def folder(data_dir, levels, number, rest="", cell=None, profile=PROFILE):
    tool = Path(data_dir) / "raw" / STUDY / profile / levels["tool"]
    return tool / (cell or cell_id(levels)) / f"i{number:02d}{rest}"


def write(data_dir, levels, number, table, rest="", cell=None, **more):
    """Write one invocation; returns its folder."""
    target = folder(data_dir, levels, number, rest, cell, more.get("profile", PROFILE))
    write_parquet(target / "samples.parquet", table)
    span = np.array(table["start_ns"]) + np.array(table["duration_ns"]) - ORIGIN_NS
    # Clocks of several clients may have origins far apart.
    seconds = min(float(span.max() / 1e9), 600.0) if len(span) else 0.0
    write_json(target / "cell.json", record(levels, number, seconds, **more))
    return target


def latencies(median_ms, n, seed):
    """Skewed latencies with a few outliers."""
    rng = np.random.default_rng(seed)
    return median_ms * rng.lognormal(0, 0.12, n) * np.where(rng.random(n) < 0.03, 4, 1)


def write_study(
    data_dir, queries=("PosLength", "RouteSensor"), threads=(1, 4, 16, 64),
    protocols=("tcp", "http"), invocations=2, executions=60,
):  # fmt: skip
    """A study with every kind of trouble in known places; returns the levels of its cells."""
    written = []
    bases = {"PosLength": 12.0, "RouteSensor": 45.0, "ConnectedSegments": 150.0,
             "SwitchMonitored": 9.0, "SwitchSet": 20.0}  # fmt: skip
    for q, query in enumerate(queries):
        for protocol in protocols:
            for t in threads:
                levels = LEVELS | {"query": query, "protocol": protocol, "threads": t}
                written.append(levels)
                if (query, protocol, t) == ("RouteSensor", "http", 4):
                    continue  # missing
                for number in range(invocations):
                    seed = 1000 * q + 10 * t + number + (500 if protocol == "http" else 0)
                    base = bases[query] * max(1, t / 2) * (4 if protocol == "http" else 1)
                    rng = np.random.default_rng(seed)
                    values = latencies(base * rng.lognormal(0, 0.05), executions + 8 + t, seed)
                    phases = ["warmup"] * 8 + ["measure"] * executions + ["cooldown"] * t
                    outcomes = ["ok"] * len(phases)
                    more = trouble(query, protocol, t, values, outcomes, executions)
                    table = samples(values, outcomes, phases, threads=t, number=number)
                    write(data_dir, levels, number, table, **more)
    return written


def trouble(query, protocol, t, values, outcomes, executions):
    """Change values and outcomes of the cells chosen for it; returns arguments of `record`."""
    measured = slice(8, 8 + executions)
    if (query, protocol, t) == ("RouteSensor", "http", 64):
        for i in range(8, 8 + int(0.6 * executions)):
            outcomes[i], values[i] = "timeout", 30_000
    if (query, protocol, t) == ("RouteSensor", "tcp", 64):
        outcomes[10], outcomes[20], outcomes[30] = "incorrect", "error", "timeout"
        values[30] = 30_000
        said = {"operation": "q", "outcome": "error", "message": "the database has been closed"}
        return {"details": [said]}
    if (query, protocol, t) == ("PosLength", "tcp", 1):
        values[8 : 8 + executions // 3] *= 2
    if (query, protocol, t) == ("PosLength", "http", 64):
        message = "the clients' CPU set was 93 % busy"
        reason = {"code": "client-busy", "kind": "invalid", "message": message}
        return {"valid": False, "reasons": [reason]}
    if (query, protocol, t) == ("PosLength", "http", 16):
        reason = {"code": "unverified", "kind": "flag", "message": "there is no oracle"}
        return {"reasons": [reason]}
    if (query, protocol, t) == ("PosLength", "tcp", 16):
        return {"contents": CONTENTS | {"jar": "c" * 64}}
    assert len(values[measured]) == executions
    return {}
