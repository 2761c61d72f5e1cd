"""Small hand-made rows of every kind of table but that of cells."""

import numpy as np
import pandas as pd
from example_cells import FACTORS, cell, two_tools

from modelstress.analysis.projection import projection_of
from modelstress.config.outcomes import UNSUCCESSFUL
from modelstress.report.compared import Compared

WITH_FAULT = projection_of(None, (*FACTORS[1:], "fault"))


def disturbed_cells(threads=(4,), **more):
    return pd.DataFrame(
        [
            cell(
                "RouteSensor", "tcp", count, 5.0, fault=fault, executions=300, ok=290,
                cell=f"{fault}-t{count}", **{"incorrect": 1, **more},
            )
            for fault in ("none", "link-cut")
            for count in threads
        ]
    )  # fmt: skip


def disturbances(cells, **more):
    wanted = cells[cells["fault"] != "none"]
    shared = {
        "invocation": 0, "kind": "link-cut", "flags": "", "begun_s": 4.0, "lasted_s": 3.0,
        "ready_s": np.nan, "executions": 300, "ok": 290, "lost": 8, "wrong": 1, "before": 1,
        "first_correct_s": 3.25, "after_end_s": 0.25, "last_failure_s": 0.1,
        "recovered": "by itself", "remarks": "",
    }  # fmt: skip
    named = [*WITH_FAULT.factors, "cell", "executor", "topology"]
    return pd.DataFrame(
        [{**one[named].to_dict(), **shared, **more} for _, one in wanted.iterrows()]
    )


def compared(threads, p, delta, ratio=(0.4, 0.5), dunn_p=0.001, query="PosLength", **more):
    row = cell(query, "http", threads, 1.0) | {
        "comparison": "protocol", "baseline_tool": "cdo", "n": 30, "baseline_n": 30, "u": 1.0,
        "baseline_cell": f"cdo_{query}_tcp_t{threads}", "p": p, "p_adjusted": p, "delta": delta,
        "delta_low": delta, "delta_high": delta, "magnitude": "large", "shift_ms": 1.0,
        "shift_low_ms": 0.5, "shift_high_ms": 2.0, "ratio": np.mean(ratio), "ratio_low": ratio[0],
        "ratio_high": ratio[1], "over_ratio": np.mean(ratio), "over_ratio_low": ratio[0] / 2,
        "over_ratio_high": ratio[1] * 2, "dunn_p": dunn_p, "flags": "",
    }  # fmt: skip
    return row | more


COMPARED = pd.DataFrame([
    compared(1, 1e-9, 0.987), compared(2, 0.5, 0.1, dunn_p=0.2),
    compared(4, np.nan, np.nan, (np.nan, np.nan), np.nan, flags="missing"),
    compared(8, 1e-4, -0.5, (2, 4)),
])  # fmt: skip
SIDES = pd.DataFrame(
    cell("PosLength", protocol, t, 1.0) for protocol in ("tcp", "http") for t in (1, 2, 4, 8)
)


def comparison(rows=COMPARED, ranked=False):
    return Compared("protocol", rows, SIDES, "protocol", "http", "tcp", ranked)


def mixed():
    """Cells of a mix of queries, and the queries of one of them."""
    cells = pd.DataFrame([cell("inspection", "tcp", count, 5.0) for count in (4, 16)])
    one = cells.iloc[0]
    shared = {**one[[*FACTORS, "cell", "executor", "topology"]].to_dict(), "flags": "stale"}
    counts = dict.fromkeys(UNSUCCESSFUL, 0)
    spans = dict.fromkeys(("median_low_ms", "median_high_ms", "q1_ms", "q3_ms"), 1.0)
    operations = pd.DataFrame(
        [
            {**shared, **counts, **spans, "operation": name, "executions": n, "ok": n - 2,
             "error": 2, "median_ms": median, "median_interval": "within one start",
             "timeout_ms": np.nan}
            for name, n, median in (("RouteSensor", 40, 12.5), ("PosLength", 10, 3.25))
        ]
    )  # fmt: skip
    return operations, cells


def tested():
    """Cells of two tools, and what a test of normality says of those that were tested."""
    cells = two_tools(threads=(1, 4), attributes=("none",), fidelity=("improved",))
    names = [name for name in cells["cell"] if "SemaphoreNeighbor" not in name]
    shapes = pd.DataFrame(
        {"tool": cells.set_index("cell")["tool"][names].tolist(), "cell": names, "n": 300,
         "w": 0.9, "p": [10.0 ** -(i % 4) for i in range(len(names))], "skewness": 1.5,
         "flags": ""}
    )  # fmt: skip
    shapes.loc[0, ["w", "p"]] = np.nan
    return shapes, cells
