"""Curves of the front page: the latency of a few configurations on one task, over the load."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.front_decisions import DIRECTED, Decision
from modelstress.report.looks import Look, Looks, Series

MOST = 5
"""Curves that can be told apart at a glance."""


@dataclass(frozen=True)
class Curve:
    """Medians and quartiles of one configuration, a row per level of the load."""

    label: str
    look: Look
    points: pd.DataFrame


@dataclass(frozen=True)
class Curves:
    """The configurations that are shown, and on what they were measured."""

    task: str
    curves: tuple[Curve, ...]


def curves(
    cells: pd.DataFrame, projection: Projection, decided: Sequence[Decision], looks: Looks
) -> Curves | None:
    """The fastest configuration of each tool, and other sides of the largest decisions.

    On the task and dataset that most tools, then most cells have, one of a single operation before
    others; fastest at the least load.

    Args:
        cells: of one setting.
        projection: of the study.
        decided: the decisions of that setting, the largest effect first.
        looks: of all series of the setting.

    Returns:
        None where no configuration was measured with two loads.
    """
    known = cells[cells["median_ms"] > 0]
    if not projection.load or known.empty:
        return None
    names = grouping.series_factors(known, projection)
    found = [
        (task, joined)
        for task, rows in _places(known, projection)
        if len(joined := _several_loads(rows, projection, _naming(names, rows, projection)))
    ]
    if not found:
        return None
    operation = projection.operation
    task, rows = max(found, key=lambda one: (
        one[1]["tool"].nunique(), -one[1][operation].nunique() if operation in known else 0,
        len(one[1]),
    ))  # fmt: skip
    names = _naming(names, rows, projection)
    chosen = _chosen(rows, projection, names, decided)
    every = grouping.loads(rows, projection)
    look_of = looks.of(names, chosen)
    return Curves(task, tuple(
        Curve(
            _label(names, levels, cells, projection), look_of[levels],
            grouping.along(grouping.select(rows, names, levels), projection, every),
        )
        for levels in chosen
    ))  # fmt: skip


def _places(cells: pd.DataFrame, projection: Projection) -> Iterator[tuple[str, pd.DataFrame]]:
    """The cells of each task on each dataset: latencies on different ones cannot be compared."""
    for task, rows in grouping.by_task(cells, projection):
        if not projection.dataset:
            yield task, rows
            continue
        datasets = rows.groupby(rows[projection.dataset].map(grouping.words), sort=False)
        for dataset, part in datasets:
            yield f"{task}, {dataset}" if datasets.ngroups > 1 else task, part


def _naming(names: Sequence[str], rows: pd.DataFrame, projection: Projection) -> tuple[str, ...]:
    """Factors that tell the series of a task apart; its operations are some, where it has several.

    The dataset is the same for all.
    """
    several = rows[projection.operation].nunique() > 1 if projection.operation in rows else False
    kept = [name for name in names if name != projection.dataset]
    return (*kept, projection.operation) if several else tuple(kept)


def _several_loads(
    rows: pd.DataFrame, projection: Projection, names: Sequence[str]
) -> pd.DataFrame:
    """The cells of the series that were measured with two loads at least."""
    keys = rows[list(names)].map(grouping.words).agg(tuple, axis=1)
    counts = rows.groupby(keys)[projection.load].nunique()
    return rows[keys.map(counts) > 1]


def _chosen(
    rows: pd.DataFrame, projection: Projection, names: Sequence[str], decided: Sequence[Decision]
) -> list[Series]:
    """The series that are shown, in the order of the cells."""
    ends = grouping.loads(rows, projection)
    at_least = grouping.with_load(rows, projection, ends[0]).sort_values("median_ms", kind="stable")
    wanted = grouping.series(at_least.drop_duplicates("tool"), names)[:MOST]
    for sides in _sides(rows, names, decided):
        more = [side for side in sides if side not in wanted]
        wanted += more if len(wanted) + len(more) <= MOST else []
    return [one for one in grouping.series(rows, names) if one in wanted]


def _sides(
    rows: pd.DataFrame, names: Sequence[str], decided: Sequence[Decision]
) -> Iterator[list[Series]]:
    """Both sides of each decision that there is here, of the pair whose ratio is largest.

    Decisions that are slower or faster come before others.
    """
    ids = dict(zip(grouping.keys(rows), rows.index, strict=True))
    for one in sorted(decided, key=lambda one: one.status not in DIRECTED):
        pairs = one.rows.assign(far=one.rows["paired"].astype(float).map(_far))
        for _, pair in pairs.sort_values("far", ascending=False, kind="stable").iterrows():
            keys = [(pair["tool"], pair["cell"]), (pair["baseline_tool"], pair["baseline_cell"])]
            if all(key in ids for key in keys):
                yield grouping.series(rows.loc[[ids[key] for key in keys]], names)
                break


def _far(ratio: float) -> float:
    return max(ratio, 1 / ratio)


def _label(
    names: Sequence[str], levels: Series, cells: pd.DataFrame, projection: Projection
) -> str:
    """The levels that a tool has a choice of: `cdo / tcp`."""
    told = dict(zip(names, levels, strict=True))
    own = cells[cells["tool"].map(grouping.words) == told["tool"]] if "tool" in told else cells
    kept = [
        name for name in names
        if name == "tool" or own[name].map(grouping.words).nunique() > 1
    ]  # fmt: skip
    return grouping.label(kept, [told[name] for name in kept], projection)
