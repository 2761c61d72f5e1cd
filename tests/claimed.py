"""Cells that are compared, and the sentences about them that are made of pairs."""

import numpy as np
import pandas as pd
from example_cells import FACTORS, cell

from modelstress.analysis import Derived, columns
from modelstress.analysis.estimates import decisions
from modelstress.analysis.projection import projection_of

PAIRWISE = (
    "directions", "by_query", "largest", "gains", "overhead", "deltas_by_threads",
    "ratios_by_threads", "crossings", "in_groups",
)  # fmt: skip


def beside(threads, delta, ratio, shift, *, p=1e-9, tool="hawk", query="PosLength", **more):
    """A cell over HTTP compared with its baseline over TCP."""
    size = abs(delta)
    level = "negligible" if size < 0.147 else "small" if size < 0.33 else "large"
    row = cell(query, "http", threads, 10.0 * ratio, tool=tool, backend="neo4j") | {
        "cell": f"{tool}_{query}_http_t{threads}", "comparison": "protocol", "task": query,
        "baseline_tool": tool, "baseline_cell": f"{tool}_{query}_tcp_t{threads}",
        "n": 60, "baseline_n": 60, "u": 1.0, "p": p, "p_adjusted": min(1.0, 4 * p),
        "dunn_p": np.nan,
        "delta": delta, "delta_low": delta - 0.1, "delta_high": delta + 0.1, "magnitude": level,
        "shift_ms": shift, "shift_low_ms": shift - 1, "shift_high_ms": shift + 1,
        "ratio": ratio, "ratio_low": ratio * 0.9, "ratio_high": ratio * 1.1,
        "over_ratio": ratio, "over_ratio_low": ratio * 0.8, "over_ratio_high": ratio * 1.25,
        "flags": "",
    }  # fmt: skip
    return row | more


UNKNOWN = dict.fromkeys(
    ("p", "p_adjusted", "delta", "shift_ms", "shift_low_ms", "shift_high_ms", "ratio",
     "ratio_low", "ratio_high", "over_ratio", "over_ratio_low", "over_ratio_high"), np.nan,
)  # fmt: skip
ROWS = (
    beside(1, 0.95, 4.0, 30.0),
    beside(8, -0.40, 0.5, -20.0),
    beside(1, 0.10, 1.01, 0.2, query="SwitchSet"),  # significant, but next to nothing
    beside(8, 0.30, 1.2, 2.0, p=0.2, query="SwitchSet"),  # an effect, but not significant
    beside(1, 1.0, 7.3566, 6936.0, tool="cdo", query="OQ"),
    beside(8, 0.0, 1.0, 0.0, tool="cdo", query="OQ") | UNKNOWN | {"magnitude": "", "n": 0},
)


def estimated(rows):
    """Estimates over starts whose intervals are those over invocations, as in the rows."""
    made = pd.DataFrame(rows).rename(
        columns={f"over_ratio{end}": f"ratio{end}" for end in ("", "_low", "_high")}
        | {f"ratio{end}": f"random{end}" for end in ("", "_low", "_high")}
    )
    sides = [made["ratio_low"] > 1, made["ratio_high"] < 1]
    status = np.select(sides, ["slower", "faster"], "undecided")
    error = np.log(made["ratio_high"] / made["ratio_low"]) / 6
    made = made.assign(status=status, error=error, degrees=4.0, blocks=3, shared=0, machines=1)
    return made.drop(columns=[name for name in ("study", "profile") if name in made])


RATES = tuple(
    {"rule": rule, "kind": "two starts", "tool": tool, "pairs": pairs, "directions": directions,
     "calibration_pairs": 0, "calibration_directions": 0, "calibration_of": ""}
    for rule, tool, directions, pairs in (
        ("within starts", "", 70, 150), ("within starts", "hawk", 60, 100),
        ("within starts", "cdo", 10, 50), ("over starts", "", 2, 100),
        ("over starts", "hawk", 2, 100), ("over starts", "cdo", 0, 0),
    )
)  # fmt: skip
"""Placebos of both rules; of the one over starts none for CDO."""


def derived(rows=ROWS, more=(), groups=(), shapes=(), rates=()):
    """Derived tables with these comparisons and the cells on both sides of them."""
    sides = [dict(row) for row in rows]
    for row in rows:
        base = cell(row["query"], "tcp", row["threads"], 10.0, tool=row["baseline_tool"])
        base |= {"cell": row["baseline_cell"], "backend": row["backend"], "task": row["task"]}
        sides.append(base)
    names = [*columns.CELLS, *FACTORS]
    cells = pd.DataFrame([*sides, *more]).reindex(columns=list(dict.fromkeys(names)))
    blank = pd.DataFrame()
    names = ("invocations", "outliers", "messages", "faults", "operations", "provenance")
    empty = dict.fromkeys(names, blank) | {"invocations": pd.DataFrame(columns=columns.INVOCATIONS)}
    factors = tuple(name for name in FACTORS if name != "tool")
    return Derived(
        "model-queries", "demo", factors, 0.99, cells, **empty,
        shapes=pd.DataFrame(shapes), comparisons=pd.DataFrame(rows), groups=pd.DataFrame(groups),
        estimates=estimated(rows), decisions=decisions(estimated(rows), 0.99),
        placebos=pd.DataFrame(columns=columns.TABLES["placebos"][1]),
        placebo_rates=pd.DataFrame(rates, columns=columns.TABLES["placebo_rates"][1]),
        projection=projection_of(None, factors),
    )  # fmt: skip
