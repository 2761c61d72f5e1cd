"""Cells in the result format of JMH, which viewers of benchmarks such as JMH Visualizer read."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from modelstress.analysis import Derived
from modelstress.report import grouping
from modelstress.stats.results import Values

SHARES = (0, 50, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999, 100)
"""Percentiles that JMH writes."""
UNIT = "ms/op"
MOST_RAW = 1000
"""Latencies of an invocation; of more, as many quantiles at even distances."""


def jmh(derived: Derived) -> str:
    """Writes a benchmark per cell that has a median, as JSON.

    The score is the median latency (ms) and `scoreError` the longer half of its interval; raw data
    are the latencies of each invocation, which JMH calls a fork. Levels are `params`.
    """
    cells = derived.cells[derived.cells["median_ms"].notna()]
    made = [_benchmark(row, derived) for row in cells.to_dict("records")]
    return json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _benchmark(cell: dict[Any, Any], derived: Derived) -> dict[str, Any]:
    projection = derived.projection
    operation = grouping.words(cell.get(projection.operation, "")) or "all"
    named = (derived.study, cell["tool"], operation)
    levels = {name: grouping.words(cell[name]) for name in projection.factors if name in cell}
    load = levels.get(projection.load, "") if projection.load else ""
    starts = derived.latencies.get((str(cell["tool"]), str(cell["cell"])), ())
    measured = max(1, int(cell["executions"]) // max(1, int(cell["invocations"])))
    return {
        "jmhVersion": "1.37",
        "benchmark": ".".join(re.sub(r"\W", "_", str(word)) for word in named),
        "mode": "sample",
        "threads": int(load) if load.isdigit() else 1,
        "forks": int(cell["invocations"]),
        "jvm": "", "jvmArgs": [], "jdkVersion": "", "vmName": "", "vmVersion": "",
        "warmupIterations": 0, "warmupTime": "", "warmupBatchSize": 1,
        "measurementIterations": measured, "measurementTime": "single-shot",
        "measurementBatchSize": 1,
        "params": {
            name: level for name, level in levels.items()
            if level and name not in ("tool", projection.operation)
        },
        "primaryMetric": _metric(cell, starts),
        "secondaryMetrics": {},
    }  # fmt: skip


def _metric(cell: dict[Any, Any], starts: Any) -> dict[str, Any]:
    score, low, high = (float(cell[f"median{end}_ms"]) for end in ("", "_low", "_high"))
    error = max(score - low, high - score)
    values = np.concatenate(starts) if len(starts) else np.empty(0)
    return {
        "score": score,
        "scoreError": _known(error),
        "scoreConfidence": [_known(low), _known(high)],
        "scorePercentiles": {
            f"{float(share)}": _known(float(np.percentile(values, share))) if values.size else "NaN"
            for share in SHARES
        },
        "scoreUnit": UNIT,
        "rawData": [_raw(one) for one in starts] or [[score]],
    }


def _known(value: float) -> float | str:
    """A number; JSON has no other word for one that is not known or not bounded than a string."""
    return value if np.isfinite(value) else "NaN"


def _raw(values: Values) -> list[float]:
    if len(values) > MOST_RAW:
        values = np.quantile(values, np.linspace(0, 1, MOST_RAW))
    return [float(f"{value:.6g}") for value in values]
