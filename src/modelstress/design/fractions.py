"""Fractions: regular designs of factors with two levels, verified by their defining relation."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Levels, Rule, combinations, meant

Word = frozenset[str]
"""Factors of which every cell of a fraction has an even number at their second levels."""
Beside = tuple[tuple[str, Level], ...]
"""Levels of the factors that decide which other factors mean something."""


def fraction(candidates: Candidates, resolution: int, where: str) -> Iterator[Levels]:
    """The candidates in a fraction of the factors with two levels, crossed with all others.

    The fraction has the first level of every factor in one cell.

    Raises:
        ConfigError: there is no such fraction.
    """
    for space in candidates.spaces:
        yield from candidates.within(space, _words(space, resolution, where))


def forbidden(candidates: Candidates, resolution: int, where: str) -> int:
    """Cells of the fraction that constraints take away, so that it is regular no more.

    A constraint on crossed factors alone takes away whole fractions; their cells do not count.

    Raises:
        ConfigError: there is no such fraction.
    """
    missing = 0
    for space in candidates.spaces:
        words = _words(space, resolution, where)
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


def _words(space: Space, resolution: int, where: str) -> list[Rule]:
    """The words of a space's fractions as rules: one fraction for each set of factors meant."""
    halved = halved_factors(space)
    deciding = _deciding(space, halved)
    levels_of = {name: levels for name, levels in space.factors.items() if name in deciding}
    meant_beside: dict[tuple[str, ...], set[Beside]] = defaultdict(set)
    for levels in combinations(levels_of, space.conditions, []):
        group = tuple(name for name in halved if meant(levels, space.conditions.get(name, {})))
        meant_beside[group].add(tuple(levels.items()))
    second = {name: list(dict.fromkeys(space.factors[name]))[1] for name in halved}
    return [
        Rule(
            word | deciding,
            partial(_even, {name: second[name] for name in word}, list(levels_of), beside),
        )
        for group, beside in meant_beside.items()
        for word in words_of(group, resolution, where)
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


def words_of(names: Sequence[str], resolution: int, where: str) -> list[Word]:
    """Independent words of the defining relation of a fraction, of at least this resolution.

    Raises:
        ConfigError: pyDOE makes none; names the profile's field.
    """
    if len(names) < resolution:
        return []
    from pydoe import fracfact_by_res  # takes half a second

    field = f"{where}.resolution'"
    try:
        matrix = fracfact_by_res(len(names), resolution)
    except ValueError as error:
        raise ConfigError(
            f"{field}: no fraction of {len(names)} factors with two levels has resolution "
            f"{resolution} ({error}); take a lower one or kind: sample"
        ) from error
    rows = [tuple(map(bool, row)) for row in matrix != matrix[0]]
    columns = [_bits(column) for column in zip(*rows, strict=True)]
    words = _dependent(columns)
    regular = len(columns) == len(names) and len(rows) == len(set(rows)) == 2 ** (
        len(names) - len(words)
    )
    length = shortest_word(columns, resolution)
    if not regular or length < resolution:
        fault = f"resolution {length}" if regular else "no defining relation"
        raise ConfigError(
            f"{field}: pyDOE's fraction of {len(names)} factors has {fault} instead of resolution "
            f"{resolution}; install pyDOE 1.6.0 or take kind: sample"
        )
    return [frozenset(names[place] for place in word) for word in words]


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
