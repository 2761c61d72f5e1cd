"""Fractions: regular designs of factors with two levels, verified by their defining relation."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from modelstress.config.base import Level, nearest
from modelstress.config.designs import FractionDesign
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Levels, Rule, combinations, meant
from modelstress.design.generators import columns_of, words_by_length

Word = frozenset[str]
"""Factors of which every cell of a fraction has an even number at their second levels."""
Beside = tuple[tuple[str, Level], ...]
"""Levels of the factors that decide which other factors mean something."""


@dataclass(frozen=True)
class Part:
    """The fraction of the factors with two levels that mean something beside some levels.

    Attributes:
        factors: those with two levels.
        beside: levels of the factors that decide, wherever just these mean something.
        words: independent ones of its defining relation; none where all combinations are cells.
    """

    factors: tuple[str, ...]
    beside: frozenset[Beside]
    words: tuple[Word, ...]

    @property
    def runs(self) -> int:
        """Combinations of its factors."""
        return 1 << len(self.factors) - len(self.words)


def fraction(candidates: Candidates, design: FractionDesign, where: str) -> Iterator[Levels]:
    """The candidates in a fraction of the factors with two levels, crossed with all others.

    The fraction has the first level of every factor in one cell.

    Raises:
        ConfigError: there is no such fraction.
    """
    _check_runs(candidates, design, where)
    _check_fold(candidates, design, where)
    for space in candidates.spaces:
        yield from candidates.within(space, _words(space, design, where))


def _check_runs(candidates: Candidates, design: FractionDesign, where: str) -> None:
    most = max((len(halved_factors(space)) for space in candidates.spaces), default=0)
    if design.runs is not None and design.runs > 2**most:
        raise ConfigError(
            f"{where}.runs' is {design.runs}, but the {most} factors with two levels have "
            f"{2**most} combinations; ask for at most as many or take kind: full"
        )


def _check_fold(candidates: Candidates, design: FractionDesign, where: str) -> None:
    """Refuse a fold that exchanges unknown factors, or that gives the same cells again."""
    halved = {name: None for space in candidates.spaces for name in halved_factors(space)}
    for name in design.fold:
        if name not in halved:
            raise ConfigError(
                f"{where}.fold' names {name!r}, which is no factor with two levels in "
                f"this profile{nearest(name, halved)}"
            )
    first_half = design.model_copy(update={"fold": []})
    odd = [
        word
        for space in candidates.spaces
        for part in parts(space, first_half, where)
        for word in part.words
        if len(word.intersection(design.fold)) % 2
    ]
    if design.fold and not odd:
        raise ConfigError(
            f"{where}.fold' exchanges an even number of factors of every word, which gives the "
            "same cells again; let 'modelstress follow-up' choose, or leave it out"
        )


def forbidden(candidates: Candidates, design: FractionDesign, where: str) -> int:
    """Cells of the fraction that constraints take away, so that it is regular no more.

    A constraint on crossed factors alone takes away whole fractions; their cells do not count.

    Raises:
        ConfigError: there is no such fraction.
    """
    missing = 0
    for space in candidates.spaces:
        words = _words(space, design, where)
        halved = set(halved_factors(space))
        crossed = [rule for rule in candidates.rules if not rule.factors & halved]
        full_fraction = Candidates([space], crossed).within(space, words)
        kept = candidates.within(space, words)
        missing += sum(1 for _ in full_fraction) - sum(1 for _ in kept)
    return missing


def halved_factors(space: Space) -> list[str]:
    """Factors with two levels, but not those that decide whether another of them means something.

    These are crossed: in the cells where the other one means something they have one level, and
    a word with them is shorter there.
    """
    two = [name for name, levels in space.factors.items() if len(set(levels)) == 2]
    deciding = _deciding(space, two)
    return [name for name in two if name not in deciding]


def _deciding(space: Space, names: Iterable[str]) -> set[str]:
    """The factors that the conditions of some factors ask for, and those that theirs ask for."""
    deciding: set[str] = set()
    left = list(names)
    while left:
        more = space.conditions.get(left.pop(), {}).keys() - deciding
        deciding |= more
        left += more
    return deciding


def parts(space: Space, design: FractionDesign, where: str) -> list[Part]:
    """The fractions of a space: one for each set of factors that mean something together.

    Raises:
        ConfigError: there is no such fraction.
    """
    halved = halved_factors(space)
    deciding = _deciding(space, halved)
    levels_of = {name: levels for name, levels in space.factors.items() if name in deciding}
    meant_beside: dict[tuple[str, ...], set[Beside]] = defaultdict(set)
    for levels in combinations(levels_of, space.conditions, []):
        group = tuple(name for name in halved if meant(levels, space.conditions.get(name, {})))
        meant_beside[group].add(tuple(levels.items()))
    return [
        Part(group, frozenset(beside), folded(words_of(group, design, where), design.fold))
        for group, beside in meant_beside.items()
    ]


def _words(space: Space, design: FractionDesign, where: str) -> list[Rule]:
    """The words of all fractions of a space as rules."""
    halved = halved_factors(space)
    deciding = _deciding(space, halved)
    order = [name for name in space.factors if name in deciding]
    second = {name: list(dict.fromkeys(space.factors[name]))[1] for name in halved}
    return [
        Rule(
            word | deciding,
            partial(_even, {name: second[name] for name in word}, order, part.beside),
        )
        for part in parts(space, design, where)
        for word in part.words
    ]


def _even(
    second: Mapping[str, Level],
    deciding: Sequence[str],
    beside: Collection[Beside],
    levels: Mapping[str, Level],
) -> bool:
    """Whether an even number of a word's factors has the second level, where the word holds."""
    if tuple((name, levels[name]) for name in deciding if name in levels) not in beside:
        return True
    return sum(levels[name] == level for name, level in second.items()) % 2 == 0


def words_of(names: Sequence[str], design: FractionDesign, where: str) -> list[Word]:
    """Independent words of the defining relation of a fraction, of at least its resolution.

    Raises:
        ConfigError: there is none, or a search returns another one; names the profile's field.
    """
    if design.runs is not None:
        columns = _in_runs(len(names), design.runs, design.resolution, where)
    elif len(names) < design.resolution:
        return []
    else:
        columns = _smallest(len(names), design.resolution, where)
    return [frozenset(names[place] for place in word) for word in _dependent(columns)]


def folded(words: Iterable[Word], fold: Iterable[str]) -> tuple[Word, ...]:
    """Independent words of a fraction and of the same one with the levels of factors exchanged.

    What holds in both halves are the words with an even number of these factors (Box and Hunter,
    The 2^(k-p) fractional factorial designs, Technometrics 3, 1961).
    """
    words, exchanged = list(words), frozenset(fold)
    odd = [word for word in words if len(word & exchanged) % 2]
    return tuple(word ^ odd[0] if word in odd else word for word in words if word not in odd[:1])


def _in_runs(count: int, runs: int, resolution: int, where: str) -> list[int]:
    """Columns of so many factors in so many runs; all combinations where these are no more.

    Raises:
        ConfigError: none have the resolution; tells in how many runs some have it.
    """
    basic = runs.bit_length() - 1
    if count <= basic:
        return [1 << place for place in range(count)]
    columns = columns_of(count, basic)
    length = 2 if columns is None else shortest_word(columns, resolution)
    if columns is not None and length >= resolution:
        return columns
    enough = next(
        more for more in range(basic + 1, count + 1)
        if more == count or shortest_word(columns_of(count, more) or [0], resolution) >= resolution
    )  # fmt: skip
    lower = "" if length < 3 else f" or resolution: {length}"
    raise ConfigError(
        f"{where}.runs' is {runs}: so few combinations of {count} factors with two levels have "
        f"resolution {length}, not {resolution}; take runs: {2**enough}{lower}"
    )


def _smallest(count: int, resolution: int, where: str) -> list[int]:
    """Columns of so many factors in as few runs as pyDOE finds.

    Raises:
        ConfigError: pyDOE makes none.
    """
    from pydoe import fracfact_by_res  # takes half a second

    field = f"{where}.resolution'"
    try:
        matrix = fracfact_by_res(count, resolution)
    except ValueError as error:
        raise ConfigError(
            f"{field}: no fraction of {count} factors with two levels has resolution "
            f"{resolution} ({error}); take a lower one or kind: sample"
        ) from error
    rows = [tuple(map(bool, row)) for row in matrix != matrix[0]]
    columns = [_bits(column) for column in zip(*rows, strict=True)]
    regular = len(columns) == count and len(rows) == len(set(rows)) == 2 ** (
        count - len(_dependent(columns))
    )
    length = shortest_word(columns, resolution)
    if not regular or length < resolution:
        fault = f"resolution {length}" if regular else "no defining relation"
        raise ConfigError(
            f"{field}: pyDOE's fraction of {count} factors has {fault} instead of resolution "
            f"{resolution}; install pyDOE 1.6.0 or take kind: sample"
        )
    return columns


def _bits(column: Iterable[bool]) -> int:
    return sum(1 << place for place, bit in enumerate(column) if bit)


def _dependent(columns: Sequence[int]) -> list[set[int]]:
    """Places of columns that sum to zero over GF(2): one set for each that depends on others."""
    basis: dict[int, tuple[int, set[int]]] = {}
    words = []
    for place, column in enumerate(columns):
        rest, word = column, {place}
        while rest and rest.bit_length() in basis:
            other, others = basis[rest.bit_length()]
            rest, word = rest ^ other, word ^ others
        if rest:
            basis[rest.bit_length()] = (rest, word)
        else:
            words.append(word)
    return words


def shortest_word(columns: Sequence[int], enough: int) -> int:
    """Length of the shortest word of a defining relation, or ``enough`` where none is shorter."""
    for length in range(1, enough):
        for chosen in itertools.combinations(columns, length):
            total = 0
            for column in chosen:
                total ^= column
            if total == 0:
                return length
    return enough


def word_lengths(part: Part) -> dict[int, int]:
    """Length to how many words of a part's whole defining relation have it; the shortest first.

    The first length is the resolution. Products of words are taken, where these are fewer than the
    runs, and sums of columns elsewhere.
    """
    import numpy as np

    bits = {name: 1 << place for place, name in enumerate(part.factors)}
    words = [sum(bits[name] for name in word) for word in part.words]
    if not words:
        return {}
    if len(words) <= len(part.factors) - len(words):
        products = np.zeros(1, np.uint64)
        for word in words:
            products = np.concatenate([products, products ^ np.uint64(word)])
        lengths = list(np.bincount(np.bitwise_count(products)))
    else:
        lengths = [0, *words_by_length(_columns(part), len(part.factors) - len(words))]
    return {length: int(count) for length, count in enumerate(lengths) if length and count}


def _columns(part: Part) -> list[int]:
    """The columns of a part's factors; the last factor of each word depends on the others."""
    place_of = {name: place for place, name in enumerate(part.factors)}
    dependent = {max(map(place_of.__getitem__, word)): word for word in part.words}
    free = [place for place in range(len(part.factors)) if place not in dependent]
    column_of = {place: 1 << number for number, place in enumerate(free)}
    for place, word in dependent.items():
        column_of[place] = sum(column_of[place_of[n]] for n in word if place_of[n] != place)
    return [column_of[place] for place in range(len(part.factors))]
