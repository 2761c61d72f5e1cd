"""The space of a profile as arrays: cells by options, and starts with their measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelstress.analysis.planned import PlannedCell
from modelstress.analysis.space.starts import MEASURES, RUNNING, Start
from modelstress.analysis.space.watch import Key, last_of_each
from modelstress.config.factors import PLACEBO
from modelstress.config.levels import written
from modelstress.stats.failing import Codes
from modelstress.stats.results import Values

NONE = -1
"""Place of the level of a cell that has none."""
Places = NDArray[np.int32]


@dataclass(frozen=True)
class Option:
    """A factor in which cells differ.

    Attributes:
        name: of the factor.
        levels: as written, in the study's order.
    """

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Space:
    """All cells that are planned or were measured, and their starts.

    Attributes:
        options: in which cells differ, in the study's order.
        shared: factor to the level that all cells have.
        cells: tool and cell.
        codes: cells × options, places of levels, ``NONE`` where a cell has none.
        planned: starts that the plan asks for, of each cell; 0 of cells outside of it.
        machines, builds: of all starts, each once.
        cell_of, machine_of, build_of: place of each start's cell, machine and build.
        values: starts × ``MEASURES``; NaN where a start has none.
        valid: which starts were measured to their end, and are in numbers.
        failing: which ended badly, or had failures.
        failures, executions: of the measured windows of the starts.
        running: starts under way.
        invalid: starts that are in no number since the conditions were not met.
        ended_s: when each start ended (seconds of the epoch).
        seconds: that each took.
    """

    options: tuple[Option, ...]
    shared: Mapping[str, str]
    cells: tuple[Key, ...]
    codes: Codes
    planned: Places
    machines: tuple[str, ...]
    builds: tuple[str, ...]
    cell_of: Places
    machine_of: Places
    build_of: Places
    values: Values = field(repr=False)
    valid: NDArray[np.bool_]
    failing: NDArray[np.bool_]
    failures: Places
    executions: NDArray[np.int64]
    running: int
    invalid: int
    ended_s: Values
    seconds: Values

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Which cells have a start that is in numbers."""
        return np.bincount(self.cell_of[self.valid], minlength=len(self.cells)) > 0

    @cached_property
    def tried(self) -> NDArray[np.bool_]:
        """Which cells have a start that is in numbers, or that ended badly."""
        wanted = self.valid | self.failing
        return np.bincount(self.cell_of[wanted], minlength=len(self.cells)) > 0

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Which cells have a start that failed."""
        return np.bincount(self.cell_of[self.failing], minlength=len(self.cells)) > 0

    def option(self, name: str) -> int | None:
        """The place of an option; None where no cells differ in it."""
        return next((place for place, one in enumerate(self.options) if one.name == name), None)


class Words:
    """Levels as written, once for each level and cell."""

    def __init__(self) -> None:
        self._levels: dict[tuple[type, Any], str] = {}
        self._cells: dict[Key, dict[str, str]] = {}

    def of(self, key: Key, levels: Mapping[str, Any]) -> dict[str, str]:
        """Factor to level of a cell, blanks left out."""
        if key not in self._cells:
            named = {name: self._word(level) for name, level in levels.items()}
            self._cells[key] = {name: word for name, word in named.items() if word}
        return self._cells[key]

    def _word(self, level: Any) -> str:
        known = type(level), level
        if known not in self._levels:
            self._levels[known] = written(level)
        return self._levels[known]


def space_of(
    planned: Sequence[PlannedCell],
    found: Mapping[Key, Sequence[Start]],
    factors: Mapping[str, Sequence[object]],
    words: Words | None = None,
) -> Space:
    """Make the arrays of a profile's cells; copies of cells (placebos) are left out.

    Args:
        planned: cells of the plan.
        found: starts that were read, by tool and cell.
        factors: of the study, each with its levels in their order; others come after them.
        words: kept from one time to the next, so that only new cells cost time.
    """
    words = words or Words()
    cells: dict[Key, dict[str, str]] = {}
    for one in planned:
        if PLACEBO not in one.levels:
            cells[one.tool, one.cell] = words.of((one.tool, one.cell), one.levels)
    copies = {(one.tool, one.cell) for one in planned if PLACEBO in one.levels}
    told: dict[Key, list[Start]] = {}
    for key, starts in found.items():
        levels = next((start.levels for start in starts if start.levels), None)
        if key in copies or (levels is not None and PLACEBO in levels):
            continue
        if key not in cells and levels is None:
            continue  # nothing says what cell it is
        cells.setdefault(key, words.of(key, levels or {}))
        told[key] = list(last_of_each(list(starts)))
    keys = tuple(cells)
    options, shared = _options(list(cells.values()), factors)
    wanted = {(one.tool, one.cell): one.invocations for one in planned}
    place_of = {key: place for place, key in enumerate(keys)}
    rows = [(place_of[key], start) for key, starts in told.items() for start in starts]
    machines, machine_of = _numbered(start.machine for _, start in rows)
    builds, build_of = _numbered(start.build for _, start in rows)
    return Space(
        options, shared, keys, _codes(list(cells.values()), options),
        planned=np.array([wanted.get(key, 0) for key in keys], np.int32),
        machines=machines, builds=builds, machine_of=machine_of, build_of=build_of,
        cell_of=np.array([place for place, _ in rows], np.int32),
        values=np.array([start.values for _, start in rows]).reshape(-1, len(MEASURES)),
        valid=np.array([start.state == "complete" for _, start in rows], bool),
        failing=np.array([start.failing for _, start in rows], bool),
        failures=np.array([start.failures for _, start in rows], np.int32),
        executions=np.array([start.executions for _, start in rows], np.int64),
        running=sum(start.state == RUNNING for starts in found.values() for start in starts),
        invalid=sum(start.state == "invalid" for _, start in rows),
        ended_s=np.array([start.ended_s for _, start in rows]),
        seconds=np.array([start.seconds for _, start in rows]),
    )  # fmt: skip


def _options(
    cells: Sequence[Mapping[str, str]], factors: Mapping[str, Sequence[object]]
) -> tuple[tuple[Option, ...], dict[str, str]]:
    """The factors in which cells differ with their levels, and the level of each other one."""
    there: dict[str, dict[str, None]] = {}
    counts: dict[str, int] = {}
    for levels in cells:
        for name, word in levels.items():
            there.setdefault(name, {}).setdefault(word)
            counts[name] = counts.get(name, 0) + 1
    options, shared = [], {}
    for name in (*(name for name in factors if name in there), *(there.keys() - factors.keys())):
        order = [word for level in factors.get(name, ()) if (word := written(level)) in there[name]]
        words = tuple(dict.fromkeys([*order, *there[name]]))
        if len(words) > 1 or counts[name] < len(cells):
            options.append(Option(name, words))
        else:
            shared[name] = words[0]
    return tuple(options), shared


def _codes(cells: Sequence[Mapping[str, str]], options: Sequence[Option]) -> Codes:
    columns = []
    for option in options:
        places = {word: place for place, word in enumerate(option.levels)}
        columns.append([places.get(levels.get(option.name, ""), NONE) for levels in cells])
    return np.array(columns, np.int16).reshape(len(options), len(cells)).T


def _numbered(words: Iterable[str]) -> tuple[tuple[str, ...], Places]:
    """Words, each once, and the place of each in them."""
    places: dict[str, int] = {}
    numbers = [places.setdefault(word, len(places)) for word in words]
    return tuple(places), np.array(numbers, np.int32)


def settings_of(space: Space, cell: int) -> Iterator[tuple[str, str]]:
    """What a cell differs in from the first level of every option: names and levels."""
    for option, place in zip(space.options, space.codes[cell], strict=True):
        if place > 0:
            yield option.name, option.levels[place]
