"""A small healthy dataset with a few cells for each question that the notebooks ask."""

import numpy as np
import synthetic

THREADS = (1, 4)
EXECUTIONS = 24
_TRAIN = {"model": "train-2016-repair-4", "connection": "per-execution", "query_text": "same"}
_JAVA = _TRAIN | {"model": "jdt1"}
_CDO = {"tool": "cdo", "backend": "h2", "language": "ocl", "signal_timeout_ms": 120000,
        "pool_size": 0}  # fmt: skip
_HAWK = {"tool": "hawk", "backend": "neo4j", "language": "eol", "attributes": "none",
         "fidelity": "paper", "querying": "synchronous"}  # fmt: skip
_MOGWAI = {"tool": "mogwai", "backend": "neoemf", "language": "ocl", "navigation": "forward",
           "cached_queries": 1000, "querying": "synchronous"}  # fmt: skip
_TCP, _STOCK = {"protocol": "tcp"}, {"protocol": "http", "http_transport": "stock"}
_EPL = {"language": "epl", "type_check": True}


def _cells():
    """(levels, median in ms with one thread, how it grows with more)."""
    for protocol in ("tcp", "http"):
        over = {"protocol": protocol}
        more = {"http_transport": "stock", "poll_interval_ms": 5000} if protocol == "http" else {}
        wait = 2000 if protocol == "http" else 0
        for t in THREADS:
            load = {"threads": t} | over
            yield _JAVA | _CDO | load | more | {"query": "OQ"}, 100 * t + wait
            yield _TRAIN | _CDO | load | more | {"query": "PosLength"}, 20 * t + wait
            yield _JAVA | _MOGWAI | load | {"query": "MQ"}, 500 * t
            yield _TRAIN | _MOGWAI | load | {"query": "PosLength"}, 15 * t**1.5
            for backend, factor in (("neo4j", 1), ("orientdb", 2)):
                hawk = _HAWK | load | {"backend": backend}
                yield _JAVA | hawk | {"query": "HQ1"}, factor * (160 * t + wait / 100)
                for query, base in (("HQ2", 60), ("HQ3", 20), ("HQ4", 2)):
                    known = {"query": query, "attributes": "declared"}
                    yield _JAVA | hawk | known, factor * (base * t + wait / 100)
                yield _TRAIN | hawk | {"query": "PosLength"}, factor * 12 * t
                yield _TRAIN | hawk | _EPL | {"query": "PosLength"}, factor * 30 * t
    one = _TCP | {"threads": 1}
    known = {"query": "PosLength", "attributes": "declared"}
    semaphores = {"query": "SemaphoreNeighbor"}
    yield _TRAIN | _HAWK | one | known, 4
    yield _TRAIN | _HAWK | one | known | {"fidelity": "improved"}, 1
    yield _TRAIN | _HAWK | one | {"query": "PosLength", "fidelity": "improved"}, 11
    late = {"fidelity": "improved", "querying": "asynchronous"}
    yield _TRAIN | _HAWK | one | late | {"query": "PosLength"}, 13
    yield _TRAIN | _HAWK | one | semaphores, 350
    yield _TRAIN | _HAWK | one | semaphores | _EPL, 700
    yield _TRAIN | _HAWK | one | semaphores | _EPL | {"type_check": False}, 360
    yield _TRAIN | _MOGWAI | one | semaphores, 9000
    yield _TRAIN | _MOGWAI | one | semaphores | {"navigation": "backward"}, 300
    yield _TRAIN | _MOGWAI | one | {"query": "PosLength", "cached_queries": 0}, 45
    unique = {"query": "PosLength", "query_text": "unique"}
    yield _TRAIN | _MOGWAI | one | unique, 46
    stock = _STOCK | {"threads": 1, "query": "PosLength"}
    yield _TRAIN | _CDO | stock | {"http_transport": "long-poll", "poll_interval_ms": 5000}, 25


def write(data_dir, invocations=2):
    """Write it; returns the levels of its cells. CDO's PosLength fails a little under load."""
    written = []
    for seed, (levels, median) in enumerate(_cells()):
        for number in range(invocations):
            rng = np.random.default_rng([seed, number])
            values = synthetic.latencies(
                median * rng.lognormal(0, 0.02), EXECUTIONS, [seed, number]
            )
            outcomes = ["ok"] * EXECUTIONS
            if (levels["tool"], levels["query"], levels["threads"]) == ("cdo", "PosLength", 4):
                outcomes[3], outcomes[9] = "timeout", "incorrect"
            threads = levels["threads"]
            table = synthetic.samples(values, outcomes, threads=threads, number=number)
            synthetic.write(data_dir, levels, number, table)
        written.append(levels)
    return written
