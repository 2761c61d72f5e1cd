"""Main effects and interactions of factors with two levels, from full and fractional designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from modelstress.stats.results import Caveat, Values

Term = tuple[str, ...]
"""A factor, or two of them: their interaction."""
LEAST_CONTRASTS = 7
"""Below which the noise cannot be told from the effects."""
SIMULATED = 20_000
TRIM = 2.5


@dataclass(frozen=True)
class Effect:
    """A contrast of the responses.

    Attributes:
        terms: what it is the effect of; several are aliased: the design cannot tell them apart.
        estimate: mean response at the second levels less that at the first ones; of an interaction,
            half the difference of such differences.
        margin: noise alone hardly has any contrast beyond it.
        strong: whether the estimate lies beyond it, and aligned ranks confirm that.
        share: of the variance of all responses.
    """

    terms: tuple[Term, ...]
    estimate: float
    margin: float
    strong: bool
    share: float

    @property
    def order(self) -> int:
        """Factors of the simplest term."""
        return min(map(len, self.terms))


@dataclass(frozen=True)
class Effects:
    """All effects, the largest first."""

    effects: tuple[Effect, ...]
    caveats: tuple[Caveat, ...] = ()

    @property
    def strong(self) -> tuple[Effect, ...]:
        """Those that noise does not explain."""
        return tuple(effect for effect in self.effects if effect.strong)

    def likely(self, effect: Effect) -> tuple[Term, ...]:
        """Which of its terms an effect is of, if interactions come with their main effects.

        That is an assumption (heredity). Without a strong main effect in any of the terms, all of
        them are left.
        """
        alone = {e.terms[0][0] for e in self.strong if e.order == 1}
        if effect.order == 1:
            return tuple(term for term in effect.terms if len(term) == 1)
        by_parents = [sum(name in alone for name in term) for term in effect.terms]
        most = max(by_parents)
        pairs = zip(effect.terms, by_parents, strict=True)
        return tuple(term for term, parents in pairs if parents == most)


def effects(seconds: Mapping[str, NDArray[np.bool_]], responses: Values, chance: float) -> Effects:
    """Estimate all main effects and interactions of two factors.

    An effect is strong where it lies beyond the simultaneous margin of error of Lenth's pseudo
    standard error (Quick and easy analysis of unreplicated factorials, Technometrics 31, 1989) with
    critical values simulated for the number of contrasts (Ye and Hamada, Critical values of the
    Lenth method, J. Quality Technology 32, 2000), and where ranks confirm it, each contrast by
    itself: normal scores of the responses without all other effects of that size (aligned ranks:
    Higgins and Tashtoush, An aligned rank transform test for interaction, Nonlinear World 1, 1994).
    A wild response moves every contrast, but few ranks.

    Args:
        seconds: factor to whether each run had its second level; factors that do not vary are left
            out.
        responses: of the runs, such as the logarithm of the median latency.
        chance: that any effect of pure noise is called strong, above 0 and below 1; also that a
            contrast of the ranks of pure noise confirms one.

    Raises:
        ValueError: numbers of runs differ, or factors do not stand at right angles (then the design
            is not a regular fraction, and ``statsmodels`` should fit it).
    """
    columns = _columns(seconds, responses.size)
    if responses.size == 0 or not np.all(np.isfinite(responses)):
        raise ValueError("responses are finite numbers, one at least")
    aliases = _aliases(columns)
    matrix = np.array([column for column, _ in aliases]).reshape(len(aliases), responses.size)
    if np.abs(matrix @ matrix.T - responses.size * np.eye(len(aliases))).max(initial=0) > 0.5:
        raise ValueError("the design is not regular: some effects are partly aliased")
    if len(aliases) < LEAST_CONTRASTS:
        text = f"{len(aliases)} contrasts are too few to tell effects (at least {LEAST_CONTRASTS})"
        return Effects((), (Caveat("too-few", text),))
    estimates = 2 * matrix @ responses / responses.size
    margin = critical(estimates.size, chance) * float(pseudo_errors(estimates[np.newaxis])[0])
    large = np.abs(estimates) > margin
    total = float(responses.var()) or 1.0
    found = []
    for place, (_, terms) in enumerate(aliases):
        others = large & (np.arange(large.size) != place)
        aligned = responses - estimates[others] / 2 @ matrix[others]
        strong = bool(large[place]) and _ranks_confirm(matrix, aligned, place, chance)
        estimate = float(estimates[place])
        found.append(Effect(tuple(terms), estimate, margin, strong, estimate**2 / 4 / total))
    return Effects(tuple(sorted(found, key=lambda effect: -abs(effect.estimate))))


def _columns(seconds: Mapping[str, NDArray[np.bool_]], runs: int) -> dict[Term, Values]:
    """Terms to −1 and +1 for each run."""
    if any(column.shape != (runs,) for column in seconds.values()):
        raise ValueError("each factor has a level for each run")
    single: dict[Term, Values] = {
        (name,): np.where(column, 1.0, -1.0)
        for name, column in seconds.items()
        if column.any() and not column.all()
    }
    pairs: dict[Term, Values] = {
        (*a, *b): single[a] * single[b] for a, b in combinations(single, 2)
    }
    return {**single, **pairs}


def _aliases(columns: Mapping[Term, Values]) -> list[tuple[Values, list[Term]]]:
    """Columns that differ, each with the terms that have it, or its opposite."""
    found: dict[bytes, tuple[Values, list[Term]]] = {}
    for term, column in columns.items():
        if np.abs(column.sum()) == column.size:
            continue  # the product of factors that always go together is the mean
        key = (column * column[0]).tobytes()
        found.setdefault(key, (column, []))[1].append(term)
    return list(found.values())


def _ranks_confirm(matrix: Values, aligned: Values, place: int, chance: float) -> bool:
    """Whether noise alone hardly has such a contrast of ranks."""
    ranks = matrix @ _scores(aligned)
    others = np.delete(ranks, place)[np.newaxis]
    margin = single_critical(others.size, chance) * float(pseudo_errors(others)[0])
    return bool(abs(ranks[place]) > margin)


def _scores(responses: Values) -> Values:
    """Normal scores of ranks (van der Waerden)."""
    scores: Values = norm.ppf(rankdata(responses) / (responses.size + 1))
    return scores


def pseudo_errors(estimates: Values) -> Values:
    """Lenth's pseudo standard error of each row of contrasts, most of which are noise."""
    sizes = np.abs(estimates)
    first = 1.5 * np.median(sizes, axis=1, keepdims=True)
    kept = np.where(sizes < TRIM * first, sizes, np.nan)
    # exact responses: all contrasts but few are zero
    errors: Values = np.where(
        first[:, 0] > 0, 1.5 * np.nanmedian(np.where(first > 0, kept, 0), axis=1), 0
    )
    return errors


@lru_cache
def critical(contrasts: int, chance: float) -> float:
    """How many pseudo standard errors the largest of so many contrasts of noise exceeds by chance.

    Raises:
        ValueError: the chance is not between 0 and 1.
    """
    sizes, errors = _noise(contrasts, chance)
    return float(np.quantile(sizes.max(axis=1) / errors, 1 - chance))


@lru_cache
def single_critical(contrasts: int, chance: float) -> float:
    """How many a single one of so many contrasts of noise exceeds by chance."""
    sizes, errors = _noise(contrasts, chance)
    return float(np.quantile(sizes / errors[:, np.newaxis], 1 - chance))


def _noise(contrasts: int, chance: float) -> tuple[Values, Values]:
    if not 0 < chance < 1:
        raise ValueError(f"a chance is between 0 and 1, not {chance}")
    noise = np.random.default_rng(contrasts).normal(size=(SIMULATED, contrasts))
    return np.abs(noise), pseudo_errors(noise)


def named(terms: Sequence[Term]) -> str:
    """Terms for people."""
    return " or ".join(" × ".join(term) for term in terms)
