"""Datasets in which something is wrong with every cell; `derived(tmp_path, kind)` for each KIND."""

from pathlib import Path

import numpy as np
import synthetic

ROOT = Path(__file__).parents[1]
EXECUTIONS = 24

_GRABATS = {"model": "jdt1", "connection": "per-execution", "query_text": "same"}
_TRAIN = _GRABATS | {"model": "train-2016-repair-32"}
_CDO = {"tool": "cdo", "backend": "h2", "language": "ocl", "signal_timeout_ms": 120000}
_HAWK = {"tool": "hawk", "language": "eol", "fidelity": "paper", "querying": "synchronous"}
_MOGWAI = {
    "tool": "mogwai", "backend": "neoemf", "language": "ocl", "navigation": "forward",
    "cached_queries": 1000, "querying": "synchronous",
}  # fmt: skip
CONFIGURATIONS = (
    _GRABATS | _CDO | {"query": "OQ"},
    _GRABATS | _MOGWAI | {"query": "MQ"},
    _GRABATS | _HAWK | {"query": "HQ1", "backend": "neo4j", "attributes": "none"},
    _GRABATS | _HAWK | {"query": "HQ4", "backend": "orientdb", "attributes": "declared"},
    _TRAIN | _CDO | {"query": "PosLength"},
    _TRAIN | _HAWK | {"query": "PosLength", "backend": "neo4j", "attributes": "declared"},
    _TRAIN | _HAWK | {"query": "PosLength", "backend": "orientdb", "attributes": "declared"},
    _TRAIN | _MOGWAI | {"query": "PosLength"},
)
PROTOCOLS, THREADS = ("tcp", "http"), (1, 4)


def _answered(values, outcomes=None):
    return values, outcomes or ["ok"] * len(values), ["measure"] * len(values)


def _slow(rng):
    """Seven of ten executions time out."""
    late = rng.random(EXECUTIONS) < 0.7
    late[:14] = True
    values = np.where(late, 30_000.0, 20_000 * rng.lognormal(0, 0.1, EXECUTIONS))
    return _answered(values, ["timeout" if each else "ok" for each in late])


def _failing(rng):
    """Nothing but errors."""
    return _answered(rng.uniform(1, 2, EXECUTIONS), ["error"] * EXECUTIONS)


def _empty(rng):
    """The warm-up ended, nothing was measured."""
    values = rng.uniform(1, 2, 5)
    return values, ["ok"] * 5, ["warmup"] * 5


def _constant(rng):
    """Every latency is the same, in every cell."""
    return _answered(np.full(EXECUTIONS, 5.0))


def _zero(rng):
    """Every latency is 0: a clock that stands."""
    return _answered(np.zeros(EXECUTIONS))


def _tied(rng):
    """Three distinct latencies."""
    return _answered(rng.integers(3, 6, EXECUTIONS).astype(float))


def _single(rng):
    """One execution."""
    return _answered(rng.uniform(1, 2, 1))


def _pair(rng):
    """Two executions."""
    return _answered(rng.uniform(1, 2, 2))


def _incorrect(rng):
    """Every answer is wrong."""
    return _answered(rng.uniform(1, 2, EXECUTIONS), ["incorrect"] * EXECUTIONS)


def _healthy(rng):
    return _answered(synthetic.latencies(10, EXECUTIONS, int(rng.integers(1 << 30))))


MAKERS = {
    "slow": _slow, "failing": _failing, "empty": _empty, "constant": _constant, "zero": _zero,
    "tied": _tied, "single": _single, "pair": _pair, "incorrect": _incorrect,
}  # fmt: skip
KINDS = (*MAKERS, "nothing", "unread", "mixed")
"""Beside those of MAKERS: samples without a row, damaged files, and all of them in one dataset."""


def write(data_dir, kind, invocations=2):
    """Write a dataset in which every cell is of a kind; returns the levels of its cells."""
    rng = np.random.default_rng(7)
    makers = [*MAKERS.values(), _healthy, None, "damage"]
    written = []
    for levels in CONFIGURATIONS:
        for protocol in PROTOCOLS:
            only = {"http": {"http_transport": "stock"}, "tcp": {"tcp_nodelay": False}}
            more = only[protocol] if levels["tool"] == "cdo" else {}
            for threads in THREADS:
                mine = levels | more | {"protocol": protocol, "threads": threads}
                other = {"nothing": None, "unread": "damage"}.get(kind)
                maker = MAKERS.get(kind, other)
                if kind == "mixed":
                    maker = makers[len(written) % len(makers)]
                for number in range(invocations):
                    _write(data_dir, mine, number, maker, rng)
                written.append(mine)
    return written


def _write(data_dir, levels, number, maker, rng):
    if callable(maker):
        values, outcomes, phases = maker(rng)
        threads = min(levels["threads"], len(values))
        table = synthetic.samples(values, outcomes, phases, threads, number)
    else:
        table = synthetic.samples([], number=number)
    folder = synthetic.write(data_dir, levels, number, table)
    if maker == "damage":
        (folder / "samples.parquet").write_bytes(b"PAR1 and then nothing")


def study():
    """The study of this project, with its tasks and comparisons."""
    from modelstress.config.project import Project

    return Project(ROOT).study(synthetic.STUDY)


def derived(folder, kind, invocations=2):
    """Such a dataset below a folder, derived with all comparisons of the study."""
    from modelstress.analysis import derive

    write(folder, kind, invocations)
    return derive(folder, synthetic.STUDY, synthetic.PROFILE, asked=study())
