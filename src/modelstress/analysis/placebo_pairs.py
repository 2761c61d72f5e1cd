"""Pairs of equals (A/A) among what was measured, with the structure of the claims they vouch for.

Some are measured on purpose: a cell and its copy, in turns in one start or in two starts
(``design.copies``). Others are made of what there is: two starts of one cell, on one machine or on
two, and the halves of one start's window. Within a kind no start is in two pairs, so that pairs are
independent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from modelstress.analysis.contrasts import records
from modelstress.analysis.derived import Derived
from modelstress.analysis.estimates import machine_of
from modelstress.config.factors import ONE_START, PLACEBO, TWO_MACHINES, TWO_STARTS
from modelstress.config.levels import written
from modelstress.stats.results import Values

KINDS = (ONE_START, TWO_STARTS, TWO_MACHINES)
TURNS = "ABBABAAB"
"""To which half the eighths of a window go: a trend is in both halves alike."""

Cell = tuple[str, str]
"""Tool and id."""


class Used(NamedTuple):
    """A start of a cell that is used, or a half of one.

    Its number, its machine and boot, the id of the start, which cells that shared it have in common
    (blank in old records), and latencies (ms) in the order of executions: none where the start
    was not measured or is invalid.
    """

    number: int
    machine: str
    start: str
    latencies: Values


class Equals(NamedTuple):
    """The pairs of a kind that one cell is in; ``copy`` is the other side's cell, or blank."""

    kind: str
    tool: str
    cell: str
    copy: str
    pairs: Sequence[tuple[Used, Used]]


def equals(derived: Derived) -> list[Equals]:
    """All pairs of equals, by kind and cell, in the order of cells; those of copies first.

    Of a start that was copied whole, one cell is in pairs: drawn at random, always the same one.
    """
    used, order = _used(derived), _order(derived)
    found: dict[str, dict[Cell, Equals]] = {kind: {} for kind in KINDS}
    taken: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for copied in sorted(_copied(derived, used), key=lambda each: _random((each.tool, each.copy))):
        _take(copied, found, taken)
    for cell in sorted(used.keys() - _of_histograms(derived), key=_random):
        for kind in KINDS:
            if cell not in found[kind]:
                _take(Equals(kind, *cell, "", tuple(_made(kind, used[cell]))), found, taken)
    return [
        found[kind][cell] for kind in KINDS for cell in sorted(found[kind], key=order.__getitem__)
    ]


def loads_of(derived: Derived) -> dict[Cell, str]:
    """The load of every cell, as text; empty where nothing varies it."""
    cells, load = derived.cells, derived.projection.load
    levels = cells[load].map(written) if load in cells else [""] * len(cells)
    return dict(zip(zip(cells["tool"], cells["cell"], strict=True), levels, strict=True))


def _order(derived: Derived) -> dict[Cell, int]:
    """The place of every cell among all."""
    keys = zip(derived.cells["tool"], derived.cells["cell"], strict=True)
    return {key: place for place, key in enumerate(keys)}


def halves(start: Used) -> tuple[Used, Used]:
    """A start's executions in two halves, made of the eighths of its window in turns."""
    parts = np.array_split(start.latencies, len(TURNS))
    first, other = (
        start._replace(latencies=np.concatenate(
            [part for part, turn in zip(parts, TURNS, strict=True) if turn == half]
        ))
        for half in "AB"
    )  # fmt: skip
    return first, other


def _take(made: Equals, found: dict[str, dict[Cell, Equals]], taken: dict[str, set[str]]) -> None:
    """Add the pairs of which no start is in another pair of the kind."""
    free = [pair for pair in made.pairs if not taken[made.kind] & {*_starts(made, pair)}]
    if free:
        found[made.kind][made.tool, made.cell] = made._replace(pairs=free)
        for pair in free:
            taken[made.kind] |= {*_starts(made, pair)}


def _starts(made: Equals, pair: tuple[Used, Used]) -> Iterable[str]:
    """What tells the starts of a pair from all others; of old records the cell and number."""
    for side, cell in zip(pair, (made.cell, made.copy or made.cell), strict=True):
        yield side.start or f"{made.tool}/{cell}/{side.number}"


def _of_histograms(derived: Derived) -> set[Cell]:
    """The cells of histograms, which have no order of executions: halves of them are not equal."""
    return {
        (str(row["tool"]), str(row["cell"]))
        for row in records(derived.cells)
        if "histograms" in str(row["flags"] or "").split(";")
    }


def _used(derived: Derived) -> dict[Cell, list[Used]]:
    """The used starts of each cell, with latencies above 0."""
    starts: dict[Cell, list[Used]] = {}
    rows = derived.invocations[derived.invocations["used"].fillna(False).astype(bool)]
    for (tool, cell), of_cell in rows.groupby(["tool", "cell"], sort=False):
        key = (str(tool), str(cell))
        values_of = zip(records(of_cell), derived.latencies.get(key, ()), strict=False)
        starts[key] = [
            Used(int(row["invocation"]), machine_of(row), str(row.get("start") or ""), values)
            for row, values in values_of
            if len(values) and values.min() > 0
        ]
    return starts


def _made(kind: str, starts: Sequence[Used]) -> Iterator[tuple[Used, Used]]:
    """The pairs of a kind among the starts of a cell, no start in two of them."""
    if kind == ONE_START:
        yield from (halves(start) for start in starts if len(start.latencies) >= 2 * len(TURNS))
        return
    free = sorted(starts)
    while free:
        first, *free = free
        same = kind == TWO_STARTS
        for at, other in enumerate(free):
            if (other.machine == first.machine) == same:
                yield first, free.pop(at)
                break


def _copied(derived: Derived, used: Mapping[Cell, Sequence[Used]]) -> Iterator[Equals]:
    """A cell and its copy, by number of the start: pairs as those of comparisons."""
    if derived.copies is None:
        return
    names = ["tool", *derived.factors]
    cell_of = {
        tuple(written(row[name]) for name in names): str(row["cell"])
        for row in records(derived.cells)
    }
    copies = _used(derived.copies)
    for row in records(derived.copies.cells):
        tool, copy = str(row["tool"]), str(row["cell"])
        cell = cell_of.get(tuple(written(row[name]) for name in names))
        if cell is not None:
            sides = [{start.number: start for start in used.get((tool, cell), ())},
                     {start.number: start for start in copies.get((tool, copy), ())}]  # fmt: skip
            pairs = [
                (sides[0][number], sides[1][number])
                for number in sorted(sides[0].keys() & sides[1].keys())
                if sides[0][number].machine == sides[1][number].machine
            ]
            yield Equals(str(row[PLACEBO]), tool, cell, copy, pairs)


def _random(cell: Cell) -> str:
    """An order that does not depend on names."""
    return hashlib.sha256("/".join(cell).encode()).hexdigest()
