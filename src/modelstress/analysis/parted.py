"""Where the time of executions went: the table `parts`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from modelstress.analysis import raw
from modelstress.samples.parts import NS, names_of, read_table

NS_PER_MS = 1e6
REST = "rest"
"""What is left of the latency: the driver and the harness themselves."""


def parted(start: raw.Invocation) -> Iterator[dict[str, Any]]:
    """Rows of the table `parts` for one invocation, in the order in which the parts happen.

    Medians of parts do not add up to the median latency; shares, which are of means, add up to 1.
    """
    table = read_table(start.folder)
    if table is None or not table.num_rows:
        return
    durations = table["duration_ns"].to_numpy()
    parts = {name: table[f"{name}{NS}"].to_numpy() for name in names_of(table)}
    parts[REST] = durations - np.sum(list(parts.values()), axis=0)
    for number, (name, spent) in enumerate(parts.items()):
        yield {
            "tool": start.tool, "cell": start.cell, "invocation": start.number, "number": number,
            "part": name, "executions": len(spent), "median_ms": np.median(spent) / NS_PER_MS,
            "p99_ms": np.percentile(spent, 99) / NS_PER_MS,
            "share": spent.mean() / durations.mean(),
        }  # fmt: skip
