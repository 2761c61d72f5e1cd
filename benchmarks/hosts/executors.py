"""The same cells under every executor: medians beside one another, with intervals.

``make run STUDY=model-queries-extended PROFILE=executors`` first (in an order that is random over
executors too), then ``python benchmarks/hosts/executors.py``. Intervals are over invocations.
"""

from __future__ import annotations

from pathlib import Path

from modelstress import analysis, stats
from modelstress.config.project import Project

STUDY, PROFILE = "model-queries-extended", "executors"
BASELINE = "process"


def main() -> None:
    """Print a row for each cell that was measured under more than one executor."""
    data = Project.find(Path(__file__)).root / "data"
    derived = analysis.load(data, STUDY, PROFILE)
    same = ["tool", *derived.factors]
    print("tool, protocol, query | executor | median ms (99 %) | against process (99 %)")
    for _, here in derived.cells.groupby(same, sort=False, dropna=False):
        latencies = {
            row["executor"]: derived.latencies.get((row["tool"], row["cell"]))
            for _, row in here.iterrows()
        }
        base = latencies.get(BASELINE)
        for _, row in here.iterrows():
            name = f"{row['tool']}, {row['protocol']}, {row['query']} | {row['executor']}"
            ends = f"{row['median_low_ms']:.2f} to {row['median_high_ms']:.2f}"
            median = f"{row['median_ms']:.2f} ({ends})"
            mine, beside = latencies.get(row["executor"]), ""
            if base and mine and row["executor"] != BASELINE:
                ratio = stats.ratio_over_invocations(mine, base)
                ends = ratio.interval
                beside = f"{ratio.value:.3f}"
                beside += f" ({ends.low:.3f} to {ends.high:.3f})" if ends else ""
            print(f"{name} | {median} | {beside}")


if __name__ == "__main__":
    main()
