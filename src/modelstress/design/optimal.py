"""D-optimal designs: cells from which the effects of a model are estimated most precisely.

pyDOE's ``optimal_design`` was looked at: its models are polynomials (a square of a factor with two
levels is the mean, so that det(X'X) is 0), and each exchange computes a determinant anew.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelstress.config.designs import OptimalDesign
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Levels
from modelstress.design.models import MEAN, Coding, Values, independent, terms
from modelstress.design.space_size import draws

MOST_TERMS = 500
MOST_CANDIDATES = 20_000
"""That are all looked at; of more, cells are drawn."""
DRAWN = 4_000
EFFORT = 200_000_000
"""Numbers that one pass looks at; there are fewer candidates where these are more."""
STARTS = (2, 60)
"""At least and at most; as many as a quarter of the effort allows."""
PASSES = 30
LEAST_GAIN = 1e-6
"""Of the determinant, for which a cell is exchanged."""
RIDGE = 1e-6
"""Added to X'X, so that a start whose cells do not tell all terms apart has an inverse."""


def optimal(candidates: Candidates, design: OptimalDesign, seed: int, where: str) -> list[Levels]:
    """Choose the candidates with the largest det(X'X) that is found for a model.

    The first candidate, which has the first level of every factor, is one of them. Terms that no
    candidates tell apart, since constraints connect them, are left out of the model.

    Args:
        candidates: of which up to ``MOST_CANDIDATES`` are looked at, or some at random.
        design: of the profile.
        seed: of the project.
        where: file and field of the design, as messages begin.

    Raises:
        ConfigError: there are fewer candidates, or the model has more terms than cells.
    """
    pairs = design.model == "pairs"
    count = terms(_levels_of(candidates.spaces), pairs)
    if count > MOST_TERMS:
        raise ConfigError(
            f"{where}.model': {design.model} of these factors has {count} terms, and at most "
            f"{MOST_TERMS} are computed; keep fewer levels or take model: main"
        )
    pool = _pool(candidates, seed)
    if len(pool) < design.runs:
        raise ConfigError(
            f"{where}.runs' is {design.runs}, but only {len(pool)} cells are possible; ask for at "
            "most as many or take kind: full"
        )
    x = _matrix(pool, pairs)
    if x.shape[1] > design.runs:
        raise ConfigError(
            f"{where}.runs' is {design.runs}, but model: {design.model} has {x.shape[1]} terms; "
            "ask for at least as many"
        )
    most = EFFORT // (x.shape[1] * design.runs)
    if len(pool) > max(most, 2 * design.runs):
        places = [0, *random.Random(seed).sample(range(1, len(pool)), max(most, 2 * design.runs))]
        pool, x = [pool[place] for place in sorted(places)], x[sorted(places)]
    number = max(STARTS[0], min(STARTS[1], most // (4 * len(pool))))
    starts = [_exchanged(x, design.runs, seed + start) for start in range(number)]
    size, chosen = max(starts, key=lambda start: round(start[0], 6))
    if not math.isfinite(size):
        raise ConfigError(
            f"{where}.runs' is {design.runs}: no cells were found that tell the {x.shape[1]} terms "
            "apart; ask for more"
        )
    return [pool[place] for place in sorted(chosen)]


def _levels_of(spaces: Iterable[Space]) -> dict[str, list[object]]:
    levels: dict[str, dict[object, None]] = {}
    for space in spaces:
        for name, some in space.factors.items():
            levels.setdefault(name, {}).update(dict.fromkeys(some))
    return {name: list(some) for name, some in levels.items()}


def _matrix(pool: Sequence[Levels], pairs: bool) -> Values:
    """The independent terms of a model, in columns, of all candidates."""
    main, products = Coding.of(pool).columns(pool)
    columns = {MEAN: np.ones(len(pool)), **main, **(products if pairs else {})}
    x = np.array(list(columns.values())).T
    return np.ascontiguousarray(x[:, independent(x.T @ x)])


def _pool(candidates: Candidates, seed: int) -> list[Levels]:
    """All candidates, or the first and others drawn at random."""
    every = list(itertools.islice(candidates.all(), MOST_CANDIDATES + 1))
    if len(every) <= MOST_CANDIDATES:
        return every
    drawn = {tuple(every[0].items()): every[0]}
    for cell in itertools.islice(draws(candidates, seed), DRAWN):
        drawn.setdefault(tuple(cell.items()), cell)
    return list(drawn.values())


def _exchanged(x: Values, runs: int, seed: int) -> tuple[float, list[int]]:
    """Rows drawn at random, each exchanged for the best while that helps, and log det(X'X).

    That is Fedorov's exchange in the order of the rows (Cook and Nachtsheim, A comparison of
    algorithms for constructing exact D-optimal designs, Technometrics 22, 1980). The first row
    stays.
    """
    drawn = np.random.default_rng(seed).permutation(len(x) - 1)[: runs - 1] + 1
    chosen = np.concatenate([[0], drawn])
    ridge = RIDGE * np.eye(x.shape[1])
    for _ in range(PASSES):
        inverse = np.linalg.inv(x[chosen].T @ x[chosen] + ridge)
        if not _passed(x, chosen, inverse):
            break
    sign, size = np.linalg.slogdet(x[chosen].T @ x[chosen])
    told = sign > 0 and len(independent(x[chosen].T @ x[chosen])) == x.shape[1]
    return (float(size) if told else -math.inf), [int(place) for place in chosen]


def _passed(x: Values, chosen: NDArray[Any], inverse: Values) -> bool:
    """Exchange each of the rows but the first for the best; whether any was.

    The determinant changes by the factor (1 + d_j)(1 - d_i) + d_ij² where row j replaces row i and
    d are products of rows about the inverse (Fedorov, Theory of Optimal Experiments, 1972).
    """
    variances = np.einsum("ij,ij->i", x @ inverse, x)
    exchanged = False
    for number in range(1, len(chosen)):
        row = chosen[number]
        covariances = np.einsum("ij,j->i", x, inverse @ x[row])  # short of threads, unlike @
        factors = (1 + variances) * (1 - variances[row]) + covariances**2
        factors[chosen] = 0
        best = int((factors > factors.max() - LEAST_GAIN).argmax())  # of equal ones the first
        if factors[best] > 1 + LEAST_GAIN:
            beside = x[[best, row]] @ inverse
            middle = np.linalg.inv(np.diag([1.0, -1.0]) + beside @ x[[best, row]].T)
            moved = np.einsum("ij,kj->ik", x, beside)
            variances -= np.einsum("ij,ij->i", np.einsum("ij,jk->ik", moved, middle), moved)
            inverse -= beside.T @ middle @ beside
            chosen[number] = best
            exchanged = True
    return exchanged
