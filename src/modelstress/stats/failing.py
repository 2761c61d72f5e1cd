"""Levels, and pairs of levels, whose cells fail more often than all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from modelstress.stats.results import Values

Codes = NDArray[np.int16]
"""Cells (rows) × options: the place of each cell's level, −1 where it has none."""
Setting = tuple[int, int]
"""Places of an option and of one of its levels."""


@dataclass(frozen=True)
class Region:
    """Cells with a level, or with two, that fail more often than the others.

    Attributes:
        settings: one level or two.
        cells, failed: in it.
        other_cells, other_failed: outside of it.
        p: one-sided, adjusted for all levels and pairs that were looked at (Bonferroni).
    """

    settings: tuple[Setting, ...]
    cells: int
    failed: int
    other_cells: int
    other_failed: int
    p: float


def one_hot(codes: Codes) -> tuple[Values, list[Setting]]:
    """Cells × settings, 1 where a cell has the level; and which setting each column is of."""
    settings = [
        (option, level)
        for option in range(codes.shape[1])
        for level in range(int(codes[:, option].max(initial=-1)) + 1)
    ]
    columns = [codes[:, option] == level for option, level in settings]
    return np.array(columns, dtype=np.float64).reshape(len(settings), len(codes)).T, settings


def failing_regions(codes: Codes, failed: NDArray[np.bool_], chance: float) -> list[Region]:
    """Find where cells fail more often, the largest share of failing cells first.

    The test of a region against all other cells is Fisher's exact one. A pair must also fail more
    often than the rest of the cells with either of its levels (by a test of that pair alone), so
    that it tells more than they do.

    Args:
        codes: of all cells that were tried.
        failed: which of them failed.
        chance: that any region is found among cells that fail at random.

    Raises:
        ValueError: there is not one truth value for each cell.
    """
    if failed.shape != (len(codes),):
        raise ValueError("each cell has failed or has not")
    if not failed.any() or failed.all():
        return []
    hot, settings = one_hot(codes)
    tried = np.rint(hot.T @ hot).astype(np.int64)
    bad = np.rint(hot.T @ (hot * failed[:, np.newaxis])).astype(np.int64)
    option_of = np.array([option for option, _ in settings])
    looked_at = (tried > 0) & (option_of[:, np.newaxis] <= option_of)
    looked_at &= (option_of[:, np.newaxis] != option_of) | np.eye(len(settings), dtype=bool)
    tests = int(looked_at.sum())
    whole = _p(bad, tried, int(failed.sum()), len(failed)) * tests
    single_bad, single = np.diag(bad), np.diag(tried)
    beside = np.maximum(
        _p(bad, tried, single_bad, single), _p(bad, tried, single_bad[:, None], single[:, None])
    )
    found = looked_at & (whole < chance) & ((beside < chance) | np.eye(len(settings), dtype=bool))
    regions = [
        Region(
            tuple(settings[k] for k in sorted({i, j})), int(tried[i, j]), int(bad[i, j]),
            int(len(failed) - tried[i, j]), int(failed.sum() - bad[i, j]), float(whole[i, j]),
        )
        for i, j in _places(found)
    ]  # fmt: skip
    return sorted(regions, key=lambda one: (-one.failed / one.cells, -one.failed, one.settings))


def _places(found: NDArray[np.bool_]) -> Iterator[Sequence[int]]:
    return iter(np.argwhere(found).tolist())


def _p(
    bad: NDArray[np.int64],
    tried: NDArray[np.int64],
    all_bad: NDArray[np.int64] | int,
    all_tried: NDArray[np.int64] | int,
) -> Values:
    """Chance of so many failing among those tried, where the same share fails everywhere."""
    p: Values = hypergeom.sf(bad - 1, all_tried, all_bad, tried)
    return p
