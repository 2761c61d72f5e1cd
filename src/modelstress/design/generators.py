"""Generators of regular fractions: a search for as high a resolution as so many runs allow.

The levels of a factor over the runs are a column, here a number whose bits say of which of the
basic factors it is the product; a word of the defining relation is a set of columns whose sum over
GF(2) is zero. What is found here is a proposal: ``fractions`` verifies its resolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Sums = NDArray[np.int64]
    """In ``[j, v]``, how many sets of ``j`` columns have the sum ``v``."""

STARTS = 12
EFFORT = 100_000_000
"""Sums that a search may look at; where one start takes many, there are fewer."""
SWEEPS = 5
"""Times that each column is exchanged for a better one."""


def columns_of(factors: int, basic: int) -> list[int] | None:
    """Columns of factors in ``2**basic`` runs, with no short words and few of the next length.

    Resolutions are tried from the highest downwards that the bounds of Griesmer and Hamming leave
    (a fraction of resolution d is a linear code of distance d: Bose, Mathematical theory of the
    symmetrical factorial design, Sankhya 8, 1947). Each is tried with several starts: that of the
    lexicographic code (Conway and Sloane, IEEE Trans. Information Theory 32, 1986), and those in
    which each next column makes as few words as possible. Then columns are exchanged while that
    takes away words (minimum aberration: Fries and Hunter, Technometrics 22, 1980).

    Returns:
        A column for each factor, the basic ones first (as far as they were not exchanged); None
        where main effects cannot be told from one another in so few runs.
    """
    if factors >= 2**basic:
        return None
    for resolution in range(highest(factors, basic), 2, -1):
        starts = EFFORT // (2**basic * resolution * factors * SWEEPS)
        made = [
            _exchanged(columns, basic, resolution)
            for start in range(max(2, min(STARTS, starts)))
            if (columns := _chosen(factors, basic, resolution, start)) is not None
        ]
        spanning = [columns for columns in made if _rank(columns) == basic]
        if spanning:
            return min(spanning, key=lambda columns: words_by_length(columns, basic))
    return None


def highest(factors: int, basic: int) -> int:
    """Return a resolution that no fraction of so many factors in ``2**basic`` runs exceeds."""
    words, length = factors - basic, 1
    while length < factors and sum(-(-(length + 1) // 2**i) for i in range(words)) <= factors:
        length += 1  # Griesmer
    while sum(math.comb(factors, j) for j in range((length - 1) // 2 + 1)) > 2**basic:
        length -= 1  # Hamming
    return length


def _chosen(factors: int, basic: int, resolution: int, start: int) -> list[int] | None:
    """Columns chosen one by one without words shorter than the resolution, if that succeeds."""
    import numpy as np

    drawn = np.random.default_rng(start)
    columns = [1 << place for place in range(basic)]
    sums = _sums(columns, basic, resolution - 1)
    while len(columns) < factors:
        free = np.flatnonzero(~sums[: resolution - 1].any(axis=0))
        if not free.size:
            return None
        if start:
            words = sums[resolution - 1][free]
            free = drawn.permutation(free[words == words.min()])
        columns.append(int(free[0]))
        _add(sums, columns[-1])
    return columns


def _exchanged(columns: list[int], basic: int, resolution: int) -> list[int]:
    """Exchange each column for that with which there are the fewest words of the resolution."""
    import numpy as np

    columns = list(columns)
    sums = _sums(columns, basic, resolution - 1)
    for _ in range(SWEEPS if len(columns) > basic + 1 else 0):
        before = list(columns)
        for place, column in enumerate(before):
            _remove(sums, column)
            short = sums[: resolution - 1].any(axis=0)
            words = np.where(short, np.iinfo(np.int64).max, sums[resolution - 1])
            best = int(words.argmin())
            if words[best] < words[column]:
                columns[place] = best
            _add(sums, columns[place])
        if columns == before:
            break
    return columns


def _sums(columns: Sequence[int], basic: int, most: int) -> Sums:
    import numpy as np

    sums = np.zeros((most + 1, 2**basic), np.int64)
    sums[0, 0] = 1
    for column in columns:
        _add(sums, column)
    return sums


def _add(sums: Sums, column: int) -> None:
    """Count the sets with one column more too."""
    sums[1:] += sums[:-1, _moved(sums, column)]


def _remove(sums: Sums, column: int) -> None:
    """Count the sets without a column only."""
    moved = _moved(sums, column)
    for size in range(1, len(sums)):
        sums[size] -= sums[size - 1, moved]


def _moved(sums: Sums, column: int) -> NDArray[np.int64]:
    import numpy as np

    return np.arange(sums.shape[1]) ^ column


def _rank(columns: Sequence[int]) -> int:
    basis: dict[int, int] = {}
    for column in columns:
        while column and column.bit_length() in basis:
            column ^= basis[column.bit_length()]
        if column:
            basis[column.bit_length()] = column
    return len(basis)


def words_by_length(columns: Sequence[int], basic: int) -> tuple[int, ...]:
    """How many words of each length there are: the word length pattern."""
    return tuple(map(int, _sums(columns, basic, len(columns))[1:, 0]))
