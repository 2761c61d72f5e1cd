"""Choosing among measured cells by their levels, and two choices beside each other.

Cells are never pooled: a mixture of configurations says more about how many of each there are than
about any of them. Two selections are compared cell by cell (``compare``), and what is said of them
is how many of these pairs are how.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis import cell_record
from modelstress.analysis.contrasts import Record, adjusted, compared, latencies, ranked, records
from modelstress.analysis.derived import Derived
from modelstress.analysis.projection import TASK, Projection
from modelstress.config.errors import ConfigError
from modelstress.config.levels import written
from modelstress.stats import censoring
from modelstress.stats.results import Values

Levels = Mapping[str, Collection[object]]
"""Levels to keep, by factor; a factor with none of them keeps all. None: cells without it."""

COLUMNS = {
    "median": ("median_ms", "median_low_ms", "median_high_ms"),
    "dispersion": ("cod", "cod", "cod"),
    "throughput": ("throughput_per_s", "throughput_low_per_s", "throughput_high_per_s"),
}
SHARES = {"p95": 0.95, "p99": 0.99}
MEASURES = (*COLUMNS, *SHARES)
"""What ``measured`` can say of a cell."""
MOST_PAIRS = 500
"""Pairs of cells that are compared at once: a few seconds of work."""
SETTING = ("executor", "topology")


def level(value: object) -> object:
    """A level as Python has it; None where a cell does not have the factor."""
    if value is None or value is pd.NA or value != value:
        return None
    return value.item() if isinstance(value, np.generic) else value


def levels(cells: pd.DataFrame, factors: Sequence[str]) -> dict[str, list[object]]:
    """The levels of each factor: numbers ascending, others in the order of the cells, None last."""
    by_factor: dict[str, list[object]] = {}
    for name in factors:
        level_values = list(dict.fromkeys(level(value) for value in cells[name]))
        there = [level_value for level_value in level_values if level_value is not None]
        numbers = [level_value for level_value in there if type(level_value) in (int, float)]
        if len(numbers) == len(there):
            there = sorted(numbers, key=lambda number: float(str(number)))
        by_factor[name] = [*there, *([None] if None in level_values else [])]
    return by_factor


def select(derived: Derived, chosen: Levels) -> pd.DataFrame:
    """The cells whose level of every factor is among those chosen for it.

    Raises:
        ConfigError: a factor is unknown, or no cell has such levels.
    """
    cells = derived.cells
    kept = np.full(len(cells), True)
    for name, wanted in chosen.items():
        if name not in derived.projection.factors:
            raise ConfigError(f"study {derived.study!r} has no factor {name!r}; choose another one")
        if wanted:
            words = {written(wanted_level) for wanted_level in wanted}
            kept &= cells[name].map(written).isin(words).to_numpy()
    if not kept.any():
        choice = " and ".join(
            f"{name} {' or '.join(map(str, wanted))}" for name, wanted in chosen.items() if wanted
        )
        raise ConfigError(f"no cell has {choice}; choose more or other levels")
    return cells[kept]


def pool(derived: Derived, cell: Record) -> Values:
    """All latencies (ms) of a cell's used invocations; none where most timed out."""
    if not cell["timeout_share"] < censoring.BLANK_FROM:
        return np.empty(0)
    by_invocation = latencies(derived, cell)
    return np.concatenate(by_invocation) if len(by_invocation) else np.empty(0)


def measured(derived: Derived, cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """One measure of each cell: its row with ``value``, ``low``, ``high`` and ``absent``.

    Medians, dispersion and throughput are those of the derived table. Percentiles are of all
    executions of the measured starts, timeouts as the longest, with an interval that holds within
    these; its upper end is infinite where it lies among timeouts. ``absent`` says
    why there is no value, and is empty where there is one.

    Raises:
        ConfigError: the measure is unknown.
    """
    if measure not in MEASURES:
        raise ConfigError(f"there is no measure {measure!r}; known are {', '.join(MEASURES)}")
    if measure in COLUMNS:
        names = dict(zip(("value", "low", "high"), COLUMNS[measure], strict=True))
        estimates = {name: cells[column].to_numpy(np.float64) for name, column in names.items()}
    else:
        rows = [_percentile(derived, row, measure) for row in records(cells)]
        estimates = {name: np.array([row[i] for row in rows]) for i, name in enumerate(_ENDS)}
    frame = cells.assign(**estimates)
    frame["absent"] = [
        "" if np.isfinite(row["value"]) else _why(row, measure) for row in records(frame)
    ]
    return frame


_ENDS = ("value", "low", "high")


def _percentile(derived: Derived, cell: Record, measure: str) -> tuple[float, float, float]:
    share, nan = SHARES[measure], float("nan")
    if not cell["timeout_share"] < 1 - share:  # it lies among the timeouts
        return nan, nan, nan
    starts = ranked(derived, cell)
    values = np.concatenate(starts) if len(starts) else np.empty(0)
    estimate = stats.percentile(values, share, derived.confidence)
    if not np.isfinite(estimate.value):  # between the longest answer and a timeout
        return nan, nan, nan
    low, high = (estimate.interval.low, estimate.interval.high) if estimate.interval else (nan, nan)
    return estimate.value, low, high


def _why(cell: Record, measure: str) -> str:
    """Why a cell has no value."""
    if cell["state"] == "missing":
        return "not measured"
    if not cell["invocations"]:
        return "invalid" if cell["state"] == "invalid" else "no complete invocation"
    if cell["timeout_share"] > 0 and not cell["timeout_share"] < 1 - SHARES.get(measure, 0.5):
        return "too many timeouts"
    return "no correct answer"


@dataclass(frozen=True)
class SelectionComparison:
    """Two selections, compared cell by cell.

    Attributes:
        apart: the factors in which the selections have no level in common.
        agreed: the other factors: the two cells of a pair agree in them.
        follows: those of them that follow from what is compared: on one side no cell of a tool
            has such a factor (polls, over TCP), so that its pairs need not agree in it.
        rows: a row per pair: see ``compare``.
        alone: how many cells of the first and of the second selection are in no pair, by tool.
        projection: of the study.
    """

    apart: tuple[str, ...]
    agreed: tuple[str, ...]
    rows: pd.DataFrame
    alone: tuple[Mapping[str, int], Mapping[str, int]]
    projection: Projection
    follows: tuple[str, ...] = ()


def compare(derived: Derived, first: Levels, second: Levels) -> SelectionComparison:
    """Compare two selections of cells.

    What is compared are the factors in which the selections have no level in common. Every cell
    of the first is paired with every cell of the second that agrees with it in all other factors
    and was measured in the same setting; a factor that a tool has on one side only follows from
    what is compared, and its cells need not agree in it. Where the selections share no operation of
    a task, cells agree in the task.

    Returns:
        A row per pair, as in ``contrasts.contrasts`` with the cell of the second selection as the
        baseline, and in addition its level of every factor as ``baseline_…`` and the number of
        starts of both (``starts``, ``baseline_starts``).

    Raises:
        ConfigError: a selection has no cells, no two cells can be compared, or too many can.
    """
    projection, names = derived.projection, derived.projection.factors
    first_cells, second_cells = _questions(
        select(derived, first), select(derived, second), projection
    )
    side_levels = levels(first_cells, names), levels(second_cells, names)
    apart = tuple(
        name for name in names if not set(side_levels[0][name]) & set(side_levels[1][name])
    )
    if not apart:
        raise ConfigError(
            "the two selections have levels of every factor in common; choose different levels of "
            "the factor that is to be compared"
        )
    agreed = tuple(name for name in names if name not in apart)
    keys = [*(name for name in agreed if name != projection.operation), "question", *SETTING]
    pairs, follows = _paired(first_cells, second_cells, keys)
    if not pairs:
        raise ConfigError(
            "no cell of the first selection agrees with one of the second in all but "
            f"{', '.join(apart)}; choose more levels of the other factors"
        )
    if len(pairs) > MOST_PAIRS:
        raise ConfigError(
            f"the selections make {len(pairs)} pairs of cells; choose fewer levels, so that there "
            f"are {MOST_PAIRS} at most"
        )
    rows = pd.DataFrame(
        [_pair(derived, names, first_cell, second_cell) for first_cell, second_cell in pairs]
    )
    rows["p_adjusted"] = adjusted(rows["p"], "holm")
    first_alone, second_alone = (
        _alone(cells, {(pair[side]["tool"], pair[side]["cell"]) for pair in pairs})
        for side, cells in enumerate((first_cells, second_cells))
    )
    return SelectionComparison(
        apart, agreed, rows, (first_alone, second_alone), projection, follows
    )


def _alone(cells: pd.DataFrame, paired: Collection[tuple[str, str]]) -> dict[str, int]:
    """How many cells are in no pair, by tool."""
    keys = zip(cells["tool"], cells["cell"], strict=True)
    return dict(Counter(tool for tool, cell in keys if (tool, cell) not in paired))


def _paired(
    first_cells: pd.DataFrame, second_cells: pd.DataFrame, keys: Sequence[str]
) -> tuple[list[tuple[Record, Record]], tuple[str, ...]]:
    """All pairs, tool by tool where the tools are the same, and the factors that follow."""
    if "tool" not in keys:
        return list(_pairs(first_cells, second_cells, keys)), ()
    all_pairs: list[tuple[Record, Record]] = []
    follows: dict[str, None] = {}
    for tool in dict.fromkeys(first_cells["tool"]):
        sides = first_cells[first_cells["tool"] == tool], second_cells[second_cells["tool"] == tool]
        lacking = [name for name in keys if _on_one_side(name, *sides)]
        pairs = list(_pairs(*sides, [name for name in keys if name not in lacking]))
        all_pairs += pairs
        follows |= dict.fromkeys(lacking if pairs else ())
    return all_pairs, tuple(follows)


def _on_one_side(name: str, first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether all cells of one side have a factor, and none of the other's."""
    if first.empty or second.empty:
        return False
    there = [{written(value) != "" for value in cells[name]} for cells in (first, second)]
    return there in ([{True}, {False}], [{False}, {True}])


def _questions(
    first_cells: pd.DataFrame, second_cells: pd.DataFrame, projection: Projection
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both with a column ``question``: the operation, or the task where they share none of it.

    Cells that were not measured get the only setting that there is.
    """
    operation = projection.operation
    operations = [
        set(zip(cells[TASK], cells[operation], strict=True))
        for cells in (first_cells, second_cells)
    ]
    shared = {task for task, _ in operations[0] & operations[1]}
    both = pd.concat([first_cells, second_cells])
    settings = both.loc[both["executor"] != cell_record.BLANK, list(SETTING)].drop_duplicates()
    setting = dict(settings.iloc[0]) if len(settings) == 1 else {}
    first, second = (
        cells.assign(
            question=cells[operation].where(cells[TASK].isin(shared), cells[TASK]), **setting
        )
        for cells in (first_cells, second_cells)
    )
    return first, second


def _pairs(
    first_cells: pd.DataFrame, second_cells: pd.DataFrame, keys: Sequence[str]
) -> Iterator[tuple[Record, Record]]:
    """Every cell of one with every cell of the other that has the same keys."""
    partners: dict[tuple[str, ...], list[Record]] = {}
    for cell in records(second_cells):
        partners.setdefault(tuple(written(cell[key]) for key in keys), []).append(cell)
    for cell in records(first_cells):
        for partner in partners.get(tuple(written(cell[key]) for key in keys), ()):
            yield cell, partner


def _pair(derived: Derived, names: Sequence[str], first: Record, second: Record) -> dict[str, Any]:
    """The row of a pair."""
    starts = [len(ranked(derived, cell)) for cell in (first, second)]
    levels_of_second = {f"baseline_{name}": second[name] for name in names}
    row = compared(derived, first, second)
    return {**row, **levels_of_second, "starts": starts[0], "baseline_starts": starts[1]}
