"""Cells that share a start: measured in turns, slice by slice, on the same servers."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.measure.invocation import Invocation
from modelstress.measure.load import ENDS, Load, LoadEnd


class EndedByAnotherError(MeasureError):
    """Another cell of the same start ended it before its time."""


def check(start: Sequence[Invocation]) -> None:
    """Refuse invocations whose servers differ in more than the protocols that they serve.

    Raises:
        ConfigError: they cannot share a start.
    """
    first = start[0]
    for other in start[1:]:
        for what, one, another in (
            ("tool", first.cell.tool.tool, other.cell.tool.tool),
            ("nodes", first.nodes, other.nodes),
            ("store", first.store, other.store),
            ("server configuration", first.needs.server, other.needs.server),
            ("number of clients", first.threads, other.threads),
        ):
            if one != another:
                raise ConfigError(
                    f"{other.cell.id} cannot share a start with {first.cell.id}: they differ in "
                    f"their {what}; take the factor out of the study's 'interleave'"
                )


def order_of(cells: int, slices: int, seed: int, of: str = "slices") -> list[int]:
    """The cells in the order of their slices: a random order, and every other time its reverse.

    So each cell is as often early as late (ABBA), whatever changes steadily meanwhile.

    Args:
        cells: how many, numbered from 0.
        slices: of each.
        seed: of the random orders, a new one for every two rounds.
        of: what they are slices of; warm-ups and windows have orders of their own.
    """
    chance = random.Random(f"{seed}/{of}")
    turns: list[int] = []
    order = list(range(cells))
    for number in range(slices):
        if number % 2 == 0:
            chance.shuffle(order)
        turns += order if number % 2 == 0 else order[::-1]
    return turns


def apply(
    loads: Sequence[Load], warm_ups: Sequence[int], windows: Sequence[int]
) -> tuple[LoadEnd, ...]:
    """Warm all cells up in turns, slice by slice, then measure their windows so.

    The servers are cold for whose warm-up comes first, so that none may come first as a whole.

    Args:
        loads: of the cells.
        warm_ups: the turns of ``order_of``.
        windows: likewise.

    Returns:
        How the load of each cell ended: where one ended the start before its time, the failure is
        its own, and the others' an ``EndedByAnotherError``.

    Raises:
        MeasureError: a client has no room for its samples.
        InterruptedRunError: the controller was told to end.
    """
    cell = 0  # whose turn it is
    try:
        for cell in warm_ups:
            loads[cell].warm_up()
            loads[cell].pause()
        left = {number: windows.count(number) for number in range(len(loads))}
        for cell in windows:
            left[cell] -= 1
            loads[cell].measure_slice(last=not left[cell])
    except ENDS as error:
        loads[cell].look_for_room(error)
        now = time.monotonic_ns()
        other = EndedByAnotherError(f"another cell of the same start ended it: {error}")
        return tuple(
            load.ended(error if number == cell else other, now, None)
            for number, load in enumerate(loads)
        )
    return tuple(load.ended(None, 0, None) for load in loads)
