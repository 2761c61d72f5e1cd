"""Folding a fraction: which factors to exchange so that aliased effects are told apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from modelstress.design.fractions import Part, Word, folded, word_lengths

Term = tuple[str, ...]
"""A factor, or a few of them: their interaction."""
MOST_SUBSETS = 4096
"""Choices of factors that are looked at; of more, those of few factors."""


@dataclass(frozen=True)
class Aliased:
    """Terms that a fraction does not tell apart, of an effect that matters.

    Attributes:
        terms: all of them.
        likely: those that it is likely an effect of, some of ``terms``.
    """

    terms: tuple[Term, ...]
    likely: tuple[Term, ...]

    def words(self) -> Iterator[tuple[Word, bool]]:
        """What makes each two of them alike, and whether one of the two is a likely one."""
        for one, other in itertools.combinations(self.terms, 2):
            yield frozenset(one) ^ frozenset(other), one in self.likely or other in self.likely


@dataclass(frozen=True)
class Fold:
    """A second half of a fraction.

    Attributes:
        factors: whose levels are exchanged in it.
        part: the fraction of both halves.
        left: terms that even both halves do not tell apart, the likely ones with what they are
            aliased with.
    """

    factors: tuple[str, ...]
    part: Part
    left: tuple[tuple[Term, ...], ...]


def best_fold(part: Part, aliased: Sequence[Aliased]) -> Fold | None:
    """The second half that tells apart as many aliased terms as any.

    Exchanging the factors that depend on others gives every possible second half: it changes the
    signs of words, and each word has one dependent factor of its own. Those that tell most likely
    terms from others go first, then those that tell most terms apart, then those of both halves
    with the fewest short words (minimum aberration), then those with the fewest factors.

    Returns:
        None where nothing is aliased, or no second half tells any of it apart.
    """
    words = [word for group in aliased for word in group.words()]

    def apart(fold: frozenset[str]) -> tuple[int, int]:
        odd = [likely for word, likely in words if len(word & fold) % 2]
        return sum(odd), len(odd)

    chosen = max((apart(fold) for fold in _folds(part)), default=(0, 0))
    if not chosen[1]:
        return None
    both = {fold: replace(part, words=folded(part.words, fold)) for fold in _folds(part)
            if apart(fold) == chosen}  # fmt: skip
    fold = min(both, key=lambda fold: (_shortness(both[fold]), len(fold), sorted(fold)))
    factors = tuple(name for name in part.factors if name in fold)
    return Fold(factors, both[fold], tuple(_left(aliased, fold)))


def _folds(part: Part) -> Iterator[frozenset[str]]:
    """Sets of the factors that depend on others: the last of each word."""
    place = {name: number for number, name in enumerate(part.factors)}
    dependent = [max(word, key=place.__getitem__) for word in part.words]
    subsets = (
        frozenset(some)
        for size in range(1, len(dependent) + 1)
        for some in itertools.combinations(dependent, size)
    )
    return itertools.islice(subsets, MOST_SUBSETS)


def _shortness(part: Part) -> list[int]:
    """How many words of each length, the shortest first: less of it is better."""
    lengths = word_lengths(part)
    return [lengths.get(length, 0) for length in range(1, len(part.factors) + 1)]


def _left(aliased: Sequence[Aliased], fold: frozenset[str]) -> Iterator[tuple[Term, ...]]:
    """Each effect's likely terms together with what they are still aliased with."""
    for group in aliased:
        still = [
            term
            for term in group.terms
            if any(
                term != other and (term in group.likely or other in group.likely)
                and len((frozenset(term) ^ frozenset(other)) & fold) % 2 == 0
                for other in group.terms
            )
        ]  # fmt: skip
        if still:
            yield tuple(still)
