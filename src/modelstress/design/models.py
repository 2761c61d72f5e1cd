"""Linear models of factors: which effects the cells of a design tell apart, and how well."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modelstress.config.base import Level
from modelstress.design.combinations import Levels

Values = NDArray[np.float64]
MEAN = "mean"
BY = " × "
SMALLEST = 1e-9
"""Share of a column's square that must be left beside other columns, so that it is independent."""


@dataclass(frozen=True)
class Coding:
    """Factors as contrasts: numbers with mean 0 and variance 1 where levels are equally frequent.

    A factor with two levels is −1 at the first and +1 at the second. One with more has a Helmert
    contrast for each level but the first, that level against those before it. A factor that means
    nothing in a cell is 0 there.

    Attributes:
        levels: of the factors that vary, in the order of their contrasts.
    """

    levels: Mapping[str, Sequence[Level]]

    @classmethod
    def of(cls, combined: Iterable[Levels]) -> Coding:
        """Levels as they first appear in some cells."""
        levels: dict[str, dict[Level, None]] = {}
        for cell in combined:
            for name, level in cell.items():
                levels.setdefault(name, {}).setdefault(level)
        return cls({name: tuple(some) for name, some in levels.items() if len(some) > 1})

    def columns(self, cells: Sequence[Levels]) -> tuple[dict[str, Values], dict[str, Values]]:
        """Names of all contrasts, and of the products of two of different factors, to columns.

        A column has a number for each cell. Products that are 0 in all cells are left out.
        """
        of_factor = {name: self._contrasts(name, cells) for name in self.levels}
        main = {name: column for some in of_factor.values() for name, column in some.items()}
        pairs = {
            f"{a}{BY}{b}": first * second
            for one, other in itertools.combinations(of_factor.values(), 2)
            for (a, first), (b, second) in itertools.product(one.items(), other.items())
        }
        return main, {name: column for name, column in pairs.items() if column.any()}

    def _contrasts(self, name: str, cells: Sequence[Levels]) -> dict[str, Values]:
        levels = self.levels[name]
        place = {level: number for number, level in enumerate(levels)}
        places = np.array([place[cell[name]] if name in cell else -1 for cell in cells])
        columns = {}
        for number in range(1, len(levels)):
            size = math.sqrt(len(levels) / (number * (number + 1)))
            column = np.where(places == number, number * size, 0.0)
            column[(places >= 0) & (places < number)] = -size
            columns[name if len(levels) == 2 else f"{name}={levels[number]}"] = column
        return columns


def terms(levels: Mapping[str, Sequence[object]], pairs: bool) -> int:
    """Count the terms of a model of factors with these levels, the mean among them."""
    free = [len(some) - 1 for some in levels.values() if len(some) > 1]
    return 1 + sum(free) + pairs * sum(a * b for a, b in itertools.combinations(free, 2))


def independent(gram: Values) -> list[int]:
    """Places of the columns that are no sums of multiples of columns before them.

    Args:
        gram: X'X of the columns, by which they are told (Cholesky, row by row).
    """
    kept: list[int] = []
    factor = np.zeros_like(gram)
    for place, row in enumerate(gram):
        known = len(kept)
        rest = np.zeros(known)
        for number in range(known):
            rest[number] = (row[kept[number]] - factor[number, :number] @ rest[:number]) / factor[
                number, number
            ]
        left = row[place] - rest @ rest
        if left > SMALLEST * row[place]:
            factor[known, :known] = rest
            factor[known, known] = math.sqrt(left)
            kept.append(place)
    return kept


@dataclass(frozen=True)
class Quality:
    """What the cells of a design tell of a model.

    Attributes:
        runs: cells.
        terms: of the model, that they tell apart; the mean first.
        efficiency: D-efficiency, det(X'X)^(1/p) / n for p terms in n cells: 1 where all effects are
            at right angles and their levels equally frequent, which constraints can make
            impossible.
        outside: interactions of two factors that are no terms, and ``confounded``.
        aliases: the alias matrix (X1'X1)^-1 X1'X2, a row for each of the terms, a column for each
            of ``outside``: by how many of the latter an estimate of the former is moved (Box and
            Wilson, J. Royal Statistical Society B 13, 1951).
        confounded: terms of the model that these cells do not tell from those before them.
    """

    runs: int
    terms: tuple[str, ...]
    efficiency: float
    outside: tuple[str, ...]
    aliases: Values
    confounded: tuple[str, ...]

    def largest(self) -> tuple[float, str, str] | None:
        """The largest alias of an effect: its size, the term and the interaction that moves it."""
        sizes = np.abs(self.aliases[1:])
        if not sizes.size or sizes.max() < SMALLEST:
            return None
        row, column = np.unravel_index(int(sizes.argmax()), sizes.shape)
        return float(sizes[row, column]), self.terms[row + 1], self.outside[column]


def quality(cells: Sequence[Levels], pairs: bool) -> Quality:
    """Judge cells for a model of main effects, or of main effects and pairs of factors.

    Args:
        cells: of a design, one at least.
        pairs: whether interactions of two factors are terms of the model.
    """
    main, products = Coding.of(cells).columns(cells)
    columns = {MEAN: np.ones(len(cells)), **main, **(products if pairs else {})}
    names, x = list(columns), np.array(list(columns.values())).T
    kept = independent(x.T @ x)
    x1 = x[:, kept]
    confounded = [name for place, name in enumerate(names) if place not in set(kept)]
    outside = {name: columns[name] for name in confounded} | ({} if pairs else products)
    x2 = np.array(list(outside.values())).T.reshape(len(cells), len(outside))
    _, size = np.linalg.slogdet(x1.T @ x1)
    return Quality(
        len(cells),
        tuple(names[place] for place in kept),
        float(np.exp(size / len(kept))) / len(cells),
        tuple(outside),
        np.linalg.solve(x1.T @ x1, x1.T @ x2),
        tuple(confounded),
    )
