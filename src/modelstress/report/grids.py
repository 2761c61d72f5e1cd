"""Panels of distributions: a row per task, a column per thread count and protocol."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.report import frames
from modelstress.stats.thresholds import THRESHOLDS

MOST_PANELS = 40
"""Panels of one figure."""
Latencies = Mapping[tuple[str, str], Sequence[stats.Values]]
"""Latencies (ms) of each used invocation, by tool and cell."""


@dataclass(frozen=True)
class Panel:
    """Latencies (ms) of each series, by its label; `tested` and `normal` count cells."""

    row: str
    column: str
    series: Mapping[str, stats.Values]
    tested: int
    normal: int


@dataclass(frozen=True)
class Grid:
    """Panels of one figure, row by row, each with all columns; `labels` are all series."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    panels: Mapping[tuple[str, str], Panel]


def grids(
    cells: pd.DataFrame, factors: Sequence[str], latencies: Latencies, tested: pd.DataFrame
) -> list[Grid]:
    """The panels of cells that have latencies, divided into figures of at most 40.

    Columns are the fewest and the most client threads, each with every protocol. Queries that ask
    the same share a row, and then name their series. `tested` are rows of ``shapes.joined``.
    """
    known = [bool(len(latencies.get(key, ()))) for key in frames.keys(cells)]
    cells = cells[known]
    if cells.empty:
        return []
    counts = frames.threads(cells)
    names = tuple(n for n in frames.series_factors(cells, factors) if n != "protocol")
    panels = {
        (one.row, one.column): one
        for task, here in frames.by_task(cells)
        for count in dict.fromkeys((counts[0], counts[-1]))
        for one in _panels(
            task,
            here[here["threads"] == count],
            count,
            names,
            latencies,
            tested,
            several=here["query"].nunique() > 1,
        )
    }
    rows = list(dict.fromkeys(row for row, _ in panels))
    columns = tuple(dict.fromkeys(column for _, column in panels))
    labels = tuple(dict.fromkeys(label for one in panels.values() for label in one.series))
    step = max(1, MOST_PANELS // len(columns))
    return [
        Grid(
            part, columns, labels,
            {key: panel for key, panel in panels.items() if key[0] in part},
        )
        for part in (tuple(rows[at : at + step]) for at in range(0, len(rows), step))
    ]  # fmt: skip


def _panels(
    task: str,
    cells: pd.DataFrame,
    count: int,
    names: Sequence[str],
    latencies: Latencies,
    tested: pd.DataFrame,
    several: bool,
) -> Iterator[Panel]:
    """The panels of a task (of several queries?) with so many threads, one per protocol."""
    threads = f"{count} thread{'s' if count != 1 else ''}"
    protocols = cells["protocol"].map(frames.words) if "protocol" in cells else None
    for protocol in dict.fromkeys(protocols) if protocols is not None else ("",):
        here = cells if protocols is None else cells[protocols == protocol]
        series: dict[str, stats.Values] = {}
        for cell, key, one in zip(
            here.to_dict("records"), frames.keys(here), _labels(here, names), strict=True
        ):
            label = f"{cell['query']}: {one}" if several else one
            series.setdefault(label, np.concatenate(latencies[key]))
        mine = tested[tested["cell"].isin(here["cell"])]
        p = mine["p"].dropna()
        normal = int((p >= THRESHOLDS.alpha).sum())
        yield Panel(task, ", ".join(filter(None, (protocol, threads))), series, len(p), normal)


def _labels(cells: pd.DataFrame, names: Sequence[str]) -> list[str]:
    rows = cells[list(names)].map(frames.words).itertuples(index=False, name=None)
    return [frames.label(names, row) for row in rows]
