"""Strategies: small functions that look at what was measured and change what is still to come.

A profile names them (``steering: {strategies: [stop-failing-region]}``). Other packages add some by
the entry-point group ``modelstress.strategies``: name to a function as ``Strategy``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from statistics import median
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates
from modelstress.design.cell import Cell
from modelstress.design.neighbours import neighbours
from modelstress.steering.keys import Key

GROUP = "modelstress.strategies"
CHANCE = 0.01
"""A region fails when so many failures in a row would be that rare among all cells."""
LEAST_FAILED = 3
SLOWEST = 3
"""Cells whose neighbours are added in one round."""
ROUNDS = 3
"""Rounds of neighbours, at most."""


@dataclass(frozen=True)
class Result:
    """What one start said of one cell.

    Attributes:
        failed: no measured execution was right, or the start could not be measured at all.
        median_ms: of the latencies of right executions; None without any, or with histograms.
    """

    failed: bool
    median_ms: float | None = None


@dataclass(frozen=True)
class Seen:
    """What a strategy looks at.

    Attributes:
        cells: of the plan and those that were added, by id.
        added: ids of the latter.
        results: cell to what its valid starts said.
        queued: starts that nobody measures yet.
        open: whether anything is still queued or being measured.
        candidates: all combinations that the study allows; made when it is called.
        undecided: cells of comparisons that are undecided after so many starts of each, with the
            next number of starts; None where the profile has no further look. Reads all samples.
    """

    cells: Mapping[str, Cell]
    added: frozenset[str]
    results: Mapping[str, Sequence[Result]]
    queued: frozenset[Key]
    open: bool
    candidates: Callable[[], Candidates]
    undecided: Callable[[], tuple[frozenset[str], int] | None]


@dataclass(frozen=True)
class Decision:
    """What a strategy changes, and why.

    Attributes:
        why: a sentence.
        leave_out: starts that are taken from the queue.
        add: levels of cells that are added to it.
        more: cell to the number of starts that it is to have in all.
    """

    why: str
    leave_out: tuple[Key, ...] = ()
    add: tuple[Mapping[str, Level], ...] = ()
    more: Mapping[str, int] = field(default_factory=dict)


class Strategy(Protocol):
    """Looks and decides; the same ``Seen`` gives the same decisions."""

    def __call__(self, seen: Seen) -> Sequence[Decision]:
        """Decide."""


def strategies(names: Sequence[str], where: str) -> dict[str, Strategy]:
    """Strategies by their names.

    Args:
        names: of the profile.
        where: its file, for messages.

    Raises:
        ConfigError: there is no such strategy.
    """
    plugins = {entry.name: entry for entry in entry_points(group=GROUP)}
    found: dict[str, Strategy] = {}
    for name in names:
        if name in BUILT_IN:
            found[name] = BUILT_IN[name]
        elif name in plugins:
            found[name] = plugins[name].load()
        else:
            near = nearest(name, [*BUILT_IN, *plugins])
            raise ConfigError(f"{where}: field 'steering.strategies': no strategy {name!r}{near}")
    return found


def stop_failing_region(seen: Seen) -> list[Decision]:
    """Leave out what shares a level, or a pair of levels, with which every cell has failed.

    Of n measured cells with the pair all failed, 3 at least. Among cells with one of its levels and
    not the other a share p has failed (the larger of the two, with one failure and two cells
    added); of a single level, among all cells without it. The region fails by more than chance when
    p^n is below 1 % divided by the number of regions. Where everything fails, nothing is left out.
    """
    failed = {
        name: all(result.failed for result in results)
        for name, results in seen.results.items()
        if results and name in seen.cells
    }
    queued = sorted({key.cell for key in seen.queued if key.cell in seen.cells})
    if sum(failed.values()) < LEAST_FAILED or not queued:
        return []
    factors = _varying([seen.cells[name] for name in (*failed, *queued)])
    measured, waiting = _codes(seen, [*failed], factors), _codes(seen, queued, factors)
    bad = np.array([*failed.values()])
    regions = [
        (columns, codes)
        for size in (1, 2)
        for columns in itertools.combinations(range(len(factors)), size)
        for codes in np.unique(measured[:, columns], axis=0)
    ]
    decisions: list[Decision] = []
    gone = np.zeros(len(queued), bool)
    for columns, codes in regions:
        has = measured[:, columns] == codes
        count = int(has.all(axis=1).sum())
        if count < LEAST_FAILED or not bad[has.all(axis=1)].all():
            continue
        if _elsewhere(has, bad) ** count >= CHANCE / len(regions):
            continue
        out = (waiting[:, columns] == codes).all(axis=1) & ~gone
        if out.any():
            gone |= out
            decisions.append(_left_out(seen, queued, out, factors, columns, codes, count))
    return decisions


def _elsewhere(has: NDArray[np.bool_], bad: NDArray[np.bool_]) -> float:
    """Share of failures beside a region: the larger of its sides'; 1 where one is not measured."""
    within = has.all(axis=1)
    sides = [column & ~within for column in has.T] if has.shape[1] > 1 else [~within]
    if not all(side.any() for side in sides):
        return 1.0
    return max((int(bad[side].sum()) + 1) / (int(side.sum()) + 2) for side in sides)


def _left_out(
    seen: Seen, queued: Sequence[str], out: object, factors: Sequence[str],
    columns: Sequence[int], codes: object, count: int,
) -> Decision:  # fmt: skip
    names = {queued[int(place)] for place in np.flatnonzero(np.asarray(out))}
    example = seen.cells[min(names)].levels
    words = " and ".join(f"{factors[c]}={example.get(factors[c])}" for c in columns)
    keys = tuple(sorted(key for key in seen.queued if key.cell in names))
    return Decision(f"all {count} cells with {words} failed", leave_out=keys)


def refine_slow(seen: Seen) -> list[Decision]:
    """Add the nearest neighbours of the slowest cells, when all that is queued was measured.

    The cells that differ from one of the three slowest in one factor, and are not measured yet,
    are added; at most three times, and only while a neighbour is among the slowest.
    """
    if seen.open:
        return []
    speed = {
        name: median(values)
        for name, results in seen.results.items()
        if name in seen.cells and (values := [r.median_ms for r in results if r.median_ms])
    }
    slowest = sorted(speed, key=lambda name: (-speed[name], name))[:SLOWEST]
    if seen.added and not seen.added & {*slowest}:
        return []
    planned = [cell.levels for cell in seen.cells.values()]
    add: list[Mapping[str, Level]] = []
    for name in slowest:
        add += neighbours(seen.candidates(), seen.cells[name].levels, 1, [*planned, *add])
    if not add or len(seen.added) > ROUNDS * SLOWEST * len(seen.cells[slowest[0]].levels):
        return []
    return [
        Decision(
            f"{len(add)} neighbours of the {len(slowest)} slowest cells are added", add=tuple(add)
        )
    ]


def stop_when_decided(seen: Seen) -> list[Decision]:
    """Measure only what is undecided up to the profile's next look, once the queue is empty.

    The profile's ``looks`` say when it is looked; the rules are those of
    ``modelstress run --until decided``.
    """
    if seen.open:
        return []
    found = seen.undecided()
    if found is None or not found[0]:
        return []
    cells, starts = found
    wanted = {name: starts for name in sorted(cells) if name in seen.cells}
    why = f"{len(wanted)} cells of undecided comparisons get {starts} starts in all"
    return [Decision(why, more=wanted)] if wanted else []


BUILT_IN: dict[str, Strategy] = {
    "stop-failing-region": stop_failing_region,
    "refine-slow": refine_slow,
    "stop-when-decided": stop_when_decided,
}


def _varying(cells: Sequence[Cell]) -> list[str]:
    """Factors that have several levels among some cells."""
    levels: dict[str, set[str]] = {}
    for cell in cells:
        for name, level in cell.levels.items():
            levels.setdefault(name, set()).add(repr(level))
    return [name for name, found in levels.items() if len(found) > 1]


def _codes(seen: Seen, names: Sequence[str], factors: Sequence[str]) -> NDArray[np.int64]:
    """A hash of each level: cells × factors."""
    rows = [[hash(repr(seen.cells[n].levels.get(f))) for f in factors] for n in names]
    return np.array(rows, np.int64).reshape(len(names), len(factors))
