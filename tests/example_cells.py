"""A small hand-made table of cells, for renderers and figures."""

import itertools

import numpy as np
import pandas as pd

from modelstress.analysis import columns
from modelstress.analysis.projection import projection_of
from modelstress.report.grouping import Setting

SETTING = Setting("process", "1 server CPU, 1 client CPU")
FACTORS = ("tool", "backend", "language", "protocol", "model", "query", "threads")
PROJECTION = projection_of(None, FACTORS[1:])
SERIES = PROJECTION.series
BLANK = {name: np.nan for name, about in columns.CELLS.items() if about.type == "number"}
COUNTS = {name: 0 for name, about in columns.CELLS.items() if about.type == "integer"}


def cell(query, protocol, threads, median=None, cod=np.nan, **more):
    """One row; the box and the interval lie around the median."""
    row = dict.fromkeys(columns.CELLS, "") | BLANK | COUNTS
    row |= {
        "study": "model-queries", "profile": "demo", "tool": "cdo", "backend": "h2",
        "language": "ocl", "model": "small", "query": query, "protocol": protocol,
        "threads": threads, "cell": f"cdo_{query}_{protocol}_t{threads}", "tool_title": "CDO",
        "executor": SETTING.executor, "topology": SETTING.topology, "client_processes": 1,
        "state": "complete",
    }  # fmt: skip
    if median is not None:
        row |= {
            "invocations": 2, "invocations_found": 2, "executions": 120, "ok": 120,
            "timeout_share": 0.0, "timeout_ms": np.nan, "median_ms": median, "cod": cod,
            "median_low_ms": median * 0.9, "median_high_ms": median * 1.2,
            "median_confidence": 0.99, "median_coverage": 0.5,
            "median_interval": "over invocations", "q1_ms": median * 0.8, "q3_ms": median * 1.4,
            "notch_low_ms": median * 0.95, "notch_high_ms": median * 1.05,
            "whisker_low_ms": median * 0.5, "whisker_high_ms": median * 2,
            "throughput_per_s": 1000 * threads / median,
            "throughput_low_per_s": 900 * threads / median,
            "throughput_high_per_s": 1100 * threads / median,
        }  # fmt: skip
    return row | more


def cells():
    """Two queries, two protocols, two thread counts, with every special case of a table."""
    rows = [
        cell("PosLength", "tcp", 1, 0.01234, 0.5),
        cell("PosLength", "tcp", 4, 5.678, 0.04),
        cell("PosLength", "http", 1, 12.345, 0.1, flags="stale;few-invocations"),
        cell("PosLength", "http", 4, 123.4, 0.25, flags="some-invalid;unverified",
             invocations_invalid=1),
        cell("Route_Sensor & co", "tcp", 1, 1234.5, 0.02, flags="change-point;trend"),
        cell("Route_Sensor & co", "tcp", 4, 1234567.8, 1.5, flags="verify-cost"),
        cell("Route_Sensor & co", "http", 1, state="missing", flags="missing"),
        cell(
            "Route_Sensor & co", "http", 4, flags="median-censored", invocations=2,
            executions=120, ok=30, timeout=80, error=7, incorrect=3, timeout_share=80 / 110,
            timeout_ms=30_000.0,
            incorrect_warmup=2, incorrect_cooldown=1, incorrect_any=6, checked_any=52,
        ),
    ]  # fmt: skip
    rows[5] |= {"executions": 120, "ok": 117, "timeout": 3, "timeout_share": 3 / 120,
                "timeout_ms": 2_000_000.0}  # fmt: skip
    return pd.DataFrame(rows)


HAWK = "Hawk design, this project's implementation (Neo4j 5.26, OrientDB 3.2)"
CDO = "Eclipse CDO 4.7.0 on H2"
MORE_FACTORS = (*FACTORS, "signal_timeout_ms", "attributes", "type_check", "fidelity")
MORE = projection_of(None, MORE_FACTORS[1:])
QUERIES = {"PosLength": 20, "RouteSensor": 25, "SemaphoreNeighbor": 100}


def two_tools(threads=(1, 4, 64), attributes=("none", "declared"), fidelity=("improved", "paper")):
    """A tool with one configuration and one with eight, each with factors of its own."""
    rows = []
    for query, base in QUERIES.items():
        slow = query == "SemaphoreNeighbor"
        timeout = {"signal_timeout_ms": 600_000 if slow else 120_000}
        rows += [
            cell(query, "tcp", t, 20 * t * base, 0.1, tool_title=CDO, **timeout)
            for t in threads[: 1 if slow else None]
        ]
        levels = itertools.product(
            ("neo4j", "orientdb"), ("eol", "epl"), ("tcp", "http"), fidelity,
            attributes if query == "PosLength" else attributes[:1],
            (True, False) if slow else (True,), threads,
        )  # fmt: skip
        for i, (backend, language, protocol, like, declared, check, t) in enumerate(levels):
            if language == "eol" and not check:
                continue
            checked = {"type_check": check} if language == "epl" else {}
            rows.append(
                cell(
                    query, protocol, t, base * t * (1 + i / 100), 0.1, tool="hawk",
                    tool_title=HAWK, backend=backend, language=language, fidelity=like,
                    attributes=declared, cell=f"hawk_{query}_{i}", **checked,
                )
            )  # fmt: skip
    frame = pd.DataFrame(rows)
    for name in MORE_FACTORS:
        frame[name] = pd.Series([row.get(name) for row in rows], dtype="object")
    return frame


MOGWAI = "Mogwaï's design, compiler of this project"
NAVIGATION = projection_of(None, (*MORE_FACTORS[1:], "navigation"))


def three_tools():
    """Those two, and one whose slowest query has a form that follows references backward."""
    rows = [
        cell(
            query, protocol, 1, base / (10 if way == "backward" else 1), 0.1, tool="mogwai",
            backend="neoemf", tool_title=MOGWAI, navigation=way,
            cell=f"mogwai_{query}_{protocol}_{way}",
        )
        for query, base in QUERIES.items()
        for protocol in ("tcp", "http")
        for way in ("forward", "backward")
        if way == "forward" or query == "SemaphoreNeighbor"
    ]  # fmt: skip
    return pd.concat([two_tools(), pd.DataFrame(rows)], ignore_index=True)


def outliers():
    """One outlier of the first cell."""
    return pd.DataFrame({"tool": ["cdo"], "cell": ["cdo_PosLength_tcp_t1"], "latency_ms": [3.0]})
