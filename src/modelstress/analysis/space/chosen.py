"""A part of the space: some options fixed, the others open, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from modelstress.analysis.space.starts import MEASURES, Measure
from modelstress.analysis.space.table import Places, Space
from modelstress.stats.effects import Effect, effects
from modelstress.stats.main_effects import MainEffect, MainEffects, main_effects
from modelstress.stats.results import Caveat, Values

MOST_CONTRASTED = 64
"""Cells up to which all pairs of options are contrasted; of more, main effects are fitted only."""

ALIASED = (
    "some main effects cannot be told from those of pairs of options: the cells that fit are a "
    "fraction of resolution III; measure more of them"
)


@dataclass(frozen=True)
class Choice:
    """What is decided and what is asked about; all else is open.

    Attributes:
        fixed: places of options and of their levels, in the options' order.
        machine, build: their places; None: any.
        measure: its place in ``MEASURES``.
    """

    fixed: tuple[tuple[int, int], ...] = ()
    machine: int | None = None
    build: int | None = None
    measure: int = 0

    def but(self, option: int, level: int | None) -> Choice:
        """The same with an option at another level, or open."""
        others = [one for one in self.fixed if one[0] != option]
        added = [] if level is None else [(option, level)]
        return replace(self, fixed=tuple(sorted([*others, *added])))

    @property
    def about(self) -> Measure:
        """What is measured."""
        return MEASURES[self.measure]


@dataclass(frozen=True)
class Cells:
    """Cells with a value of a measure.

    Attributes:
        places: of the cells in the space.
        means: mean of the logarithms over the starts of each.
        starts: logarithms of each start, cell after cell.
    """

    places: Places
    means: Values
    starts: tuple[Values, ...]

    @property
    def values(self) -> Values:
        """The geometric mean over the starts of each cell, in the measure's unit."""
        return np.asarray(np.exp(self.means))


@dataclass(frozen=True)
class Told:
    """Which options matter within a choice.

    Attributes:
        main: effects of the options that are open, as logarithms.
        contrasts: how they were told: whether by contrasts of a regular design, which have a
            margin and tell pairs of options, too, or by a fit.
        margin: logarithm that no contrast of noise hardly exceeds; NaN of a fit.
        pairs: strong contrasts of pairs of options, or of three.
    """

    main: MainEffects
    contrasts: bool = False
    margin: float = np.nan
    pairs: tuple[Effect, ...] = ()


def fits(space: Space, choice: Choice) -> NDArray[np.bool_]:
    """Which cells have all levels that are fixed."""
    there = np.ones(len(space.cells), bool)
    for option, level in choice.fixed:
        there &= space.codes[:, option] == level
    return there


@lru_cache(maxsize=8)
def cells_with(space: Space, choice: Choice) -> Cells:
    """The cells of a choice that have a value."""
    values = space.values[:, choice.measure]
    wanted = space.valid & (values > 0) & np.isfinite(values)
    wanted &= fits(space, choice)[space.cell_of]
    for place, of_starts in ((choice.machine, space.machine_of), (choice.build, space.build_of)):
        if place is not None:
            wanted &= of_starts == place
    starts = np.flatnonzero(wanted)
    order = starts[np.argsort(space.cell_of[starts], kind="stable")]
    logs = np.log(values[order])
    places, begins, counts = np.unique(space.cell_of[order], return_index=True, return_counts=True)
    means = np.add.reduceat(logs, begins) / counts if places.size else np.empty(0)
    parts = tuple(np.split(logs, begins[1:])) if places.size <= MOST_CONTRASTED else ()
    return Cells(places.astype(np.int32), means, parts)


def effects_within(space: Space, choice: Choice, chance: float) -> Told:
    """Tell which open options matter within a choice.

    Contrasts of a regular design are preferred, since the noise between starts is known to them;
    where cells are missing, options have more levels, or the cells are many, main effects are
    fitted.
    """
    cells = cells_with(space, choice)
    codes = space.codes[cells.places]
    varied = [o for o in range(codes.shape[1]) if np.unique(codes[:, o]).size > 1]
    fitted = main_effects(codes, cells.means, chance)
    if 0 < cells.places.size <= MOST_CONTRASTED and _two_levels(codes[:, varied]):
        seconds = {str(o): codes[:, o] != codes[0, o] for o in varied}
        try:
            found = effects(seconds, cells.starts, chance)
        except ValueError:  # not regular
            return Told(fitted)
        if found.effects:
            return _contrasted(fitted, found.effects)
    return Told(fitted)


def _two_levels(codes: NDArray[np.int16]) -> bool:
    return codes.size > 0 and all(np.unique(column).size == 2 for column in codes.T)


def _contrasted(fitted: MainEffects, found: Sequence[Effect]) -> Told:
    """Main effects with the verdicts of the contrasts instead of tests, and the strong pairs."""
    strong = {
        term[0]: effect.strong
        for effect in found
        for term in effect.terms
        if len(term) == 1 and effect.order == 1
    }
    main = [
        replace(
            effect,
            p=np.nan,
            strong=strong.get(str(effect.option), False) and not effect.confounded,
        )
        for effect in fitted.effects
    ]
    pairs = tuple(effect for effect in found if effect.strong and effect.order > 1)
    aliased = any(effect.order == 1 and len(effect.terms) > 1 for effect in found)
    caveats = (Caveat("aliased", ALIASED),) if aliased else ()
    return Told(MainEffects(tuple(main), caveats), True, found[0].margin, pairs)


def revisited(space: Space, choice: Choice, chance: float) -> list[tuple[int, MainEffect]]:
    """What each fixed option does where all others stay fixed: what changing it would bring.

    Returns:
        For each fixed option its level now and its effect, where cells with other levels of it
        were measured.
    """
    rows = []
    for option, level in choice.fixed:
        told = effects_within(space, choice.but(option, None), chance)
        rows += [(level, effect) for effect in told.main.effects if effect.option == option]
    return rows
