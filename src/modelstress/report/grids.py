"""Panels of distributions: a row per task, a column per load and level of the panel's factor."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.looks import Look, Looks, looks_of

MOST_PANELS = 40
"""Panels of one figure."""
Latencies = Mapping[tuple[str, str], Sequence[stats.Values]]
"""Latencies (ms) of each used invocation, by tool and cell."""


@dataclass(frozen=True)
class Panel:
    """Latencies (ms) of each series, by its label; `p` is Shapiro–Wilk's, of tested ones.

    `looks` may lack series: those have the look of their number among the figure's labels.
    """

    row: str
    column: str
    series: Mapping[str, stats.Values]
    looks: Mapping[str, Look] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """Panels of one figure, row by row, each with all columns; `labels` are all series."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    panels: Mapping[tuple[str, str], Panel]


def grids(
    cells: pd.DataFrame,
    projection: Projection,
    latencies: Latencies,
    tested: pd.DataFrame,
    looks: Looks | None = None,
) -> list[Grid]:
    """The panels of cells that have latencies and a median, divided into figures of at most 40.

    Columns are the smallest and the largest load, each with every level of the panel's factor.
    Operations that do the same share a row, and then name their series. `tested` are rows of
    ``shapes.joined``.
    """
    mask = np.array([bool(len(latencies.get(key, ()))) for key in grouping.keys(cells)], bool)
    cells = cells[mask & cells["median_ms"].notna()]
    if cells.empty:
        return []
    known = looks or looks_of(cells, projection)
    loads = grouping.loads(cells, projection)
    names = tuple(n for n in grouping.series_factors(cells, projection) if n != projection.panel)
    usual = [*names, *([projection.panel] if projection.panel in cells else [])]
    panels: dict[tuple[str, str], Panel] = {}
    for task, task_cells in grouping.by_task(cells, projection):
        several = task_cells[projection.operation].nunique() > 1
        told = [projection.operation, *usual] if several else usual
        series = grouping.series(task_cells if several else cells, told)
        look_of = (told, known.of(told, series))
        for load in dict.fromkeys((loads[0], loads[-1])):
            loaded = grouping.with_load(task_cells, projection, load)
            title = grouping.loaded(projection, load) if projection.load else ""
            for panel in _panels(
                task, loaded, title, projection, names, latencies, tested, several, look_of
            ):
                panels[panel.row, panel.column] = panel
    rows = list(dict.fromkeys(row for row, _ in panels))
    columns = tuple(dict.fromkeys(column for _, column in panels))
    labels = tuple(
        dict.fromkeys(label for drawn_panel in panels.values() for label in drawn_panel.series)
    )
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
    load: str,
    projection: Projection,
    names: Sequence[str],
    latencies: Latencies,
    tested: pd.DataFrame,
    several: bool,
    look_of: tuple[Sequence[str], Mapping[tuple[str, ...], Look]],
) -> Iterator[Panel]:
    """The panels of a task (of several operations?) with one load: one per level of the panel.

    `look_of` has the factors that tell looks apart, and the looks by their levels.
    """
    tested_p = dict(zip(tested["cell"], tested["p"], strict=True))
    levels = cells[projection.panel].map(grouping.words) if projection.panel in cells else None
    for level in dict.fromkeys(levels) if levels is not None else ("",):
        level_cells = cells if levels is None else cells[levels == level]
        series: dict[str, stats.Values] = {}
        looks: dict[str, Look] = {}
        p: dict[str, float] = {}
        for cell, key, label in zip(
            level_cells.to_dict("records"),
            grouping.keys(level_cells),
            _labels(level_cells, projection, names),
            strict=True,
        ):
            full = f"{cell[projection.operation]}: {label}" if several else label
            series.setdefault(full, np.concatenate(latencies[key]))
            place = tuple(grouping.words(cell[name]) for name in look_of[0])
            looks.setdefault(full, look_of[1][place])
            if key[1] in tested_p:
                p.setdefault(full, tested_p[key[1]])
        yield Panel(task, ", ".join(filter(None, (level, load))), series, looks, p)


def _labels(cells: pd.DataFrame, projection: Projection, names: Sequence[str]) -> list[str]:
    rows = cells[list(names)].map(grouping.words).itertuples(index=False, name=None)
    return [grouping.label(names, row, projection) for row in rows]
