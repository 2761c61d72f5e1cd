"""Covering designs: few cells in which all possible levels of any few factors meet, verified."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from modelstress.config.base import Level, shown
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import TOOL, Candidates, Space
from modelstress.design.combinations import Keeps, Levels, meant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_MEETINGS = 20_000_000
"""Of levels in all candidates together, so that these are looked at one by one (80 MB)."""
NO_MEETING = 0
"""Number of a meeting with a factor that means nothing in the cell."""
ABSENT = object()
"""Level of a factor that means nothing in a cell; it need not meet others."""

T = TypeVar("T")
Row = Mapping[str, object]
"""A cell with ``ABSENT`` levels."""
Domains = Mapping[str, Sequence[object]]
"""Factor to its levels over all tools, perhaps with ``ABSENT``."""
Meeting = tuple[tuple[str, Level], ...]
"""Levels of a few factors in one cell."""


def covering(candidates: Candidates, strength: int, where: str) -> list[Levels]:
    """Candidates in which all levels of any ``strength`` factors meet that can meet.

    They are chosen one by one from all candidates, each that with most new meetings, or, where
    these are too many, made by covertable, which takes minutes under dozens of constraints.

    Raises:
        ConfigError: some levels would not meet; names them.
    """
    candidates = candidates.inhabited()
    domains = _domains(candidates.spaces)
    varied = [name for name, levels in domains.items() if len(levels) > 1]
    strength = min(strength, len(varied))
    if strength == 0:
        return list(candidates.all())
    most = MOST_MEETINGS // math.comb(len(varied), strength)
    all_cells = list(itertools.islice(candidates.all(), most + 1))
    if len(all_cells) <= most:
        cells = _needed(_greedy(all_cells, varied, strength), varied, strength)
        check_counted(cells, all_cells, varied, strength, where)
    else:
        cells = _needed(_made(candidates, domains, strength, where), varied, strength)
        check_covered(cells, {name: domains[name] for name in varied}, strength, candidates, where)
    return sorted(cells, key=partial(_place, domains))


def _greedy(all_cells: Sequence[Levels], names: Sequence[str], strength: int) -> list[Levels]:
    """Cells chosen one by one, each that in which most levels meet that have not met yet."""
    meetings, _ = _numbered(all_cells, names, strength)
    gains = (meetings != NO_MEETING).sum(axis=0)
    met: set[int] = {NO_MEETING}
    cells = []
    while gains.any():
        best = int(gains.argmax())
        cells.append(all_cells[best])
        for numbers in meetings:
            if (number := int(numbers[best])) not in met:
                met.add(number)
                gains -= numbers == number
    return cells


def _numbered(
    all_cells: Sequence[Levels], names: Sequence[str], strength: int
) -> tuple[NDArray[np.int32], int]:
    """Numbers of the meetings of every cell (cells in columns), and how many numbers there are."""
    import numpy as np

    levels: dict[str, dict[object, int]] = {name: {} for name in names}
    table = np.array(
        [
            [levels[n].setdefault(cell[n], len(levels[n])) if n in cell else -1 for n in names]
            for cell in all_cells
        ]
    )
    rows, count = [], NO_MEETING + 1
    for places in _groups(range(len(names)), strength):
        chosen = table[:, places]
        meets = (chosen >= 0).all(axis=1)
        row = np.full(len(all_cells), NO_MEETING, np.int32)
        if meets.any():
            _, numbers = np.unique(
                chosen[meets] @ _radix(levels, names, places), return_inverse=True
            )
            row[meets] = numbers + count
            count += int(numbers.max()) + 1
        rows.append(row)
    return np.stack(rows), count


def _radix(
    levels: Mapping[str, Mapping[object, int]], names: Sequence[str], places: Sequence[int]
) -> NDArray[np.int64]:
    """Weights that make one number of the levels of a few factors."""
    import numpy as np

    sizes = [len(levels[names[place]]) for place in places]
    return np.cumprod([1, *sizes], dtype=np.int64)[:-1]


def check_counted(
    cells: Sequence[Levels],
    known: Sequence[Levels],
    names: Sequence[str],
    strength: int,
    where: str,
) -> None:
    """Refuse cells in which fewer levels meet than in all candidates.

    Raises:
        ConfigError: tells how many meetings are missing.
    """
    _, count = _numbered(known, names, strength)
    covered = {meeting for cell in cells for meeting in _meetings(cell, names, strength)}
    missing = count - NO_MEETING - 1 - len(covered)
    if missing:
        raise ConfigError(
            f"{where}.kind': {missing} combinations of up to {strength} possible levels are in no "
            "cell of the covering design; take kind: sample and report this"
        )


def _made(candidates: Candidates, domains: Domains, strength: int, where: str) -> list[Levels]:
    """Cells that covertable makes."""
    import covertable

    varied = {name: levels for name, levels in domains.items() if len(levels) > 1}
    fixed = {name: levels[0] for name, levels in domains.items() if len(levels) == 1}
    made = covertable.make(
        [list(levels) for levels in varied.values()],
        strength=strength,
        constraints=_conditions(list(varied), fixed, candidates),
    )
    rows = [{**fixed, **dict(zip(varied, row, strict=True))} for row in made]
    return [_cell(row, candidates, where) for row in rows]


def _domains(spaces: Sequence[Space]) -> dict[str, list[object]]:
    domains: dict[str, list[object]] = {}
    for name in dict.fromkeys(name for space in spaces for name in space.factors):
        levels: dict[object, None] = {}
        for space in spaces:
            levels.update(dict.fromkeys(space.factors.get(name, ())))
        if any(name not in space.factors or space.conditions.get(name) for space in spaces):
            levels[ABSENT] = None
        domains[name] = list(levels)
    return domains


def _space(tool: object, spaces: Iterable[Space]) -> Space:
    return next(space for space in spaces if tool in space.factors[TOOL])


def _place(domains: Domains, cell: Levels) -> tuple[int, ...]:
    """Place of a cell in nested loops, that over the tools outside."""
    names = dict.fromkeys([TOOL, *domains])
    return tuple(domains[name].index(cell.get(name, ABSENT)) for name in names)


def _conditions(
    names: Sequence[str], fixed: Row, candidates: Candidates
) -> list[dict[str, object]]:
    """What covertable's rows must keep; their keys are the places of factors among ``names``."""

    def condition(about: Collection[str], keeps: Callable[[Row], bool]) -> dict[str, object]:
        def evaluate(row: Mapping[int, object]) -> bool:
            return keeps({**fixed, **{names[place]: level for place, level in row.items()}})

        requires = [place for place, name in enumerate(names) if name in about]
        return {"operator": "fn", "requires": requires, "evaluate": evaluate}

    conditions = []
    for name in names:
        parents = {other for space in candidates.spaces for other in space.conditions.get(name, {})}
        conditions.append(
            condition({TOOL, name, *parents}, partial(_fits, name, candidates.spaces))
        )
    for rule in candidates.rules:
        conditions.append(condition(rule.factors, partial(_keeps, rule.keeps)))
    return conditions


def _fits(name: str, spaces: Sequence[Space], row: Row) -> bool:
    """Whether a factor has a level where it means something, and none elsewhere."""
    space = _space(row[TOOL], spaces)
    if name in space.factors and meant(_levels(row), space.conditions.get(name, {})):
        return row[name] in space.factors[name]
    return row[name] is ABSENT


def _keeps(keeps: Keeps, row: Row) -> bool:
    return keeps(_levels(row))


def _levels(row: Row) -> Levels:
    return {name: cast(Level, level) for name, level in row.items() if level is not ABSENT}


def _cell(row: Row, candidates: Candidates, where: str) -> Levels:
    """A row as a candidate, its factors in their order.

    Raises:
        ConfigError: it is none.
    """
    levels = _levels(row)
    space = _space(levels[TOOL], candidates.spaces)
    alone = {name: [levels[name]] if name in levels else [] for name in space.factors}
    cell = next(candidates.within(Space(alone, space.conditions)), None)
    if cell != levels or not space.has(levels):
        raise ConfigError(
            f"{where}.kind': covertable made a cell that no tool supports or a constraint forbids, "
            f"{shown(levels)}; install covertable 3.2.0 or take kind: sample"
        )
    return cell


def _needed(cells: Sequence[Levels], names: Sequence[str], strength: int) -> list[Levels]:
    """The cells without those all of whose levels meet in other cells too."""
    meetings = [list(_meetings(cell, names, strength)) for cell in cells]
    count = Counter(itertools.chain.from_iterable(meetings))
    needed = []
    for cell, cell_meetings in zip(reversed(cells), reversed(meetings), strict=True):
        if any(count[meeting] == 1 for meeting in cell_meetings):
            needed.append(cell)
        else:
            count.subtract(cell_meetings)
    return needed[::-1]


def _meetings(cell: Levels, names: Sequence[str], strength: int) -> Iterator[Meeting]:
    present = [(name, cell[name]) for name in names if name in cell]
    return _groups(present, strength)


def _groups(things: Sequence[T], strength: int) -> Iterator[tuple[T, ...]]:
    """Groups of ``strength`` things and all smaller ones: a cell may have few factors, or none."""
    for size in range(strength + 1):
        yield from itertools.combinations(things, size)


def check_covered(
    cells: Iterable[Levels], domains: Domains, strength: int, candidates: Candidates, where: str
) -> None:
    """Refuse cells in which some levels do not meet that meet in a candidate.

    Raises:
        ConfigError: names these levels.
    """
    covered = {meeting for cell in cells for meeting in _meetings(cell, list(domains), strength)}
    for names in _groups(list(domains), strength):
        for levels in itertools.product(*(domains[name] for name in names)):
            row = dict(zip(names, levels, strict=True))
            wanted = _levels(row)
            if len(wanted) < len(names) or tuple(wanted.items()) in covered:
                continue
            if candidates.possible(wanted):
                together = ", ".join(f"{name}: {level}" for name, level in wanted.items())
                raise ConfigError(
                    f"{where}.kind': covertable's cells leave out {together}, which are possible "
                    "together; install covertable 3.2.0 or take kind: sample"
                )
