"""Main effects and interactions of factors with two levels, from full and fractional designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata
from scipy.stats import t as student_t

from modelstress.stats.results import Caveat, Values

Term = tuple[str, ...]
"""A factor, or two or three of them: their interaction."""
OR = " or "
"""Between the names of terms that are aliased."""
BY = " × "
"""Between the factors of an interaction."""
LEAST_CONTRASTS = 7
"""Below which the noise cannot be told from the effects."""
LEAST_FREEDOM = 10
"""Degrees of freedom between starts from which on they tell the noise."""
SIMULATED = 20_000
TRIM = 2.5


@dataclass(frozen=True)
class Effect:
    """A contrast of the responses.

    Attributes:
        terms: what it is the effect of; several are aliased: the design cannot tell them apart.
        estimate: mean response at the second levels less that at the first ones; of an interaction,
            half the difference of such differences, and of one of three half that of theirs.
        margin: noise alone hardly has any contrast beyond it.
        strong: whether the estimate lies beyond it, and aligned ranks confirm that.
        share: of the variance of all responses.
        partly: terms that are not estimated, and by how much of theirs the estimate is off; of a
            design that is not regular.
    """

    terms: tuple[Term, ...]
    estimate: float
    margin: float
    strong: bool
    share: float
    partly: tuple[tuple[Term, float], ...] = ()

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

    @property
    def alone(self) -> frozenset[str]:
        """Options with a strong main effect."""
        return frozenset(e.terms[0][0] for e in self.strong if e.order == 1)

    def likely(self, effect: Effect) -> tuple[Term, ...]:
        """Which of its terms an effect is of, if interactions come with their main effects.

        That is an assumption (heredity): all options of the interaction have strong main effects.
        Where this is so for none, all of them are left.
        """
        if effect.order == 1:
            return tuple(term for term in effect.terms if len(term) == 1)
        inherited = tuple(term for term in effect.terms if self.alone.issuperset(term))
        return inherited or effect.terms


def effects(
    seconds: Mapping[str, NDArray[np.bool_]], starts: Sequence[Values], chance: float
) -> Effects:
    """Estimate all main effects and interactions of two factors, and of three that are strong.

    Interactions of three options are terms where each of them has a strong main effect (heredity,
    an assumption): without them the effect of three is told as that of a pair that it is aliased
    with. Pure noise has none.

    An effect is strong where noise alone hardly has any so large, and where ranks confirm it, each
    contrast by itself: normal scores of the responses without all other effects of that size
    (aligned ranks: Higgins and Tashtoush, An aligned rank transform test for interaction, Nonlinear
    World 1, 1994). A wild response moves every contrast, but few ranks.

    The noise is that between the starts of a run, pooled, where there are enough; the critical
    value is that of the largest of so many Student's t. Without repeated starts it is Lenth's
    pseudo standard error (Quick and easy analysis of unreplicated factorials, Technometrics 31,
    1989), which holds where few effects matter, with simulated critical values (Ye and Hamada,
    Critical values of the Lenth method, J. Quality Technology 32, 2000).

    Args:
        seconds: factor to whether each run had its second level; factors that do not vary are left
            out.
        starts: responses of each run, one for each start, such as logarithms of median latencies.
        chance: that any effect of pure noise is called strong, above 0 and below 1; also that a
            contrast of the ranks of pure noise confirms one.

    Raises:
        ValueError: numbers of runs differ, or factors do not stand at right angles (then the design
            is not a regular fraction, and ``fitted_effects.fitted`` is for it).
    """
    if not 0 < chance < 1:
        raise ValueError(f"a chance is between 0 and 1, not {chance}")
    columns = term_columns(seconds, len(starts))
    if not starts or not all(run.size and np.all(np.isfinite(run)) for run in starts):
        raise ValueError("responses are finite numbers, one for each run at least")
    aliases = aliased(columns)
    if not _regular(aliases, len(starts)):
        raise ValueError("the design is not regular: some effects are partly aliased")
    found = _contrasted(aliases, starts, chance)
    of_three = triples(columns, found.alone)
    more = aliased({**columns, **of_three})
    return _contrasted(more, starts, chance) if of_three and _regular(more, len(starts)) else found


def _regular(aliases: Sequence[tuple[Values, list[Term]]], runs: int) -> bool:
    """Whether columns that differ stand at right angles."""
    matrix = np.array([column for column, _ in aliases]).reshape(len(aliases), runs)
    return bool(np.abs(matrix @ matrix.T - runs * np.eye(len(aliases))).max(initial=0) <= 0.5)


def _contrasted(
    aliases: Sequence[tuple[Values, list[Term]]], starts: Sequence[Values], chance: float
) -> Effects:
    """The effects of these columns, which stand at right angles."""
    if len(aliases) < LEAST_CONTRASTS:
        text = f"{len(aliases)} contrasts are too few to tell effects (at least {LEAST_CONTRASTS})"
        return Effects((), (Caveat("too-few", text),))
    matrix = np.array([column for column, _ in aliases])
    means = _means(starts)
    estimates = 2 * matrix @ means / means.size
    margin = _margin(estimates, starts, chance)
    large = np.abs(estimates) > margin
    total = float(means.var()) or 1.0
    found = []
    for place, (_, terms) in enumerate(aliases):
        others = large & (np.arange(large.size) != place)
        shift = estimates[others] / 2 @ matrix[others]
        aligned = [run - more for run, more in zip(starts, shift, strict=True)]
        strong = bool(large[place]) and _ranks_confirm(matrix, aligned, place, chance)
        estimate = float(estimates[place])
        found.append(Effect(tuple(terms), estimate, margin, strong, estimate**2 / 4 / total))
    return Effects(tuple(sorted(found, key=lambda effect: -abs(effect.estimate))))


def _means(starts: Sequence[Values]) -> Values:
    return np.array([run.mean() for run in starts])


def _margin(estimates: Values, starts: Sequence[Values], chance: float) -> float:
    """What none of the contrasts of noise hardly exceeds."""
    free = sum(run.size - 1 for run in starts)
    if free < LEAST_FREEDOM:
        return critical(estimates.size, chance) * float(pseudo_errors(estimates[np.newaxis])[0])
    return largest_t(estimates.size, free, chance) * _pure_error(starts, free)


def _pure_error(starts: Sequence[Values], free: int) -> float:
    """Standard error of a contrast by the noise between the starts of runs."""
    variance = sum(float(((run - run.mean()) ** 2).sum()) for run in starts) / free
    return float(2 / len(starts) * np.sqrt(variance * sum(1 / run.size for run in starts)))


def term_columns(seconds: Mapping[str, NDArray[np.bool_]], runs: int) -> dict[Term, Values]:
    """Return factors and pairs of them that vary, each with −1 or +1 for each run."""
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


def triples(columns: Mapping[Term, Values], options: frozenset[str]) -> dict[Term, Values]:
    """Return interactions of three of these options, from the columns of ``term_columns``."""
    names = [term[0] for term in columns if len(term) == 1 and term[0] in options]
    return {
        (a, b, c): columns[(a,)] * columns[(b,)] * columns[(c,)]
        for a, b, c in combinations(names, 3)
    }


def aliased(columns: Mapping[Term, Values]) -> list[tuple[Values, list[Term]]]:
    """Return columns that differ, each with the terms that have it, or its opposite."""
    found: dict[bytes, tuple[Values, list[Term]]] = {}
    for term, column in columns.items():
        if np.abs(column.sum()) == column.size:
            continue  # the product of factors that always go together is the mean
        key = (column * column[0]).tobytes()
        found.setdefault(key, (column, []))[1].append(term)
    return list(found.values())


def _ranks_confirm(matrix: Values, aligned: Sequence[Values], place: int, chance: float) -> bool:
    """Whether noise alone hardly has such a contrast of ranks."""
    scores = normal_scores(np.concatenate(aligned))
    ranked = np.split(scores, np.cumsum([run.size for run in aligned])[:-1])
    contrasts = 2 * matrix @ _means(ranked) / len(ranked)
    free = sum(run.size - 1 for run in ranked)
    if free < LEAST_FREEDOM:
        others = np.delete(contrasts, place)[np.newaxis]
        margin = single_critical(others.size, chance) * float(pseudo_errors(others)[0])
    else:
        margin = float(student_t.ppf(1 - chance / 2, free)) * _pure_error(ranked, free)
    return bool(abs(contrasts[place]) > margin)


def normal_scores(responses: Values) -> Values:
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
    """How many pseudo standard errors the largest of so many contrasts of noise exceeds."""
    sizes, errors = _noise(contrasts, chance)
    return float(np.quantile(sizes.max(axis=1) / errors, 1 - chance))


@lru_cache
def single_critical(contrasts: int, chance: float) -> float:
    """How many a single one of so many contrasts of noise exceeds by chance."""
    sizes, errors = _noise(contrasts, chance)
    return float(np.quantile(sizes / errors[:, np.newaxis], 1 - chance))


@lru_cache
def largest_t(contrasts: int, free: int, chance: float) -> float:
    """What the largest of so many Student's t with one common error exceeds by chance."""
    rng = np.random.default_rng(contrasts)
    largest = np.abs(rng.normal(size=(SIMULATED, contrasts))).max(axis=1)
    errors = np.sqrt(rng.chisquare(free, SIMULATED) / free)
    return float(np.quantile(largest / errors, 1 - chance))


def _noise(contrasts: int, chance: float) -> tuple[Values, Values]:
    noise = np.random.default_rng(contrasts).normal(size=(SIMULATED, contrasts))
    return np.abs(noise), pseudo_errors(noise)


def named(terms: Sequence[Term]) -> str:
    """Terms for people."""
    return OR.join(BY.join(term) for term in terms)


def terms_named(text: str) -> list[Term]:
    """The terms that ``named`` told."""
    return [tuple(term.split(BY)) for term in text.split(OR)]
