"""Main effects of options with any number of levels, from any set of cells, by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher
from scipy.stats import norm, rankdata
from statsmodels.stats.multitest import multipletests

from modelstress.stats.failing import Codes, one_hot
from modelstress.stats.results import Caveat, Values

LEAST_FREEDOM = 5
"""Degrees of freedom of the residuals below which no effect is told from noise."""


@dataclass(frozen=True)
class MainEffect:
    """What one option does to the response.

    Attributes:
        option: its place.
        levels: mean response at each of its levels, the others' effects taken out; NaN at levels
            that no cell has.
        strong: whether noise hardly has such an effect, and ranks confirm it.
        p: of the test, adjusted for all options (Holm); NaN where there is none.
        confounded: its levels change only together with those of other options.
    """

    option: int
    levels: Values
    strong: bool = False
    p: float = np.nan
    confounded: bool = False

    @property
    def size(self) -> float:
        """From the lowest to the highest of its levels; 0 where they are not known."""
        known = self.levels[np.isfinite(self.levels)]
        return float(known.max() - known.min()) if known.size else 0.0


@dataclass(frozen=True)
class MainEffects:
    """Those of all options that vary, in the options' order."""

    effects: tuple[MainEffect, ...]
    caveats: tuple[Caveat, ...] = ()


def main_effects(codes: Codes, responses: Values, chance: float) -> MainEffects:
    """Fit a mean and the levels of every option; test each option against what is left.

    The test compares the fit with that without the option (F, type III). What interactions do is
    part of the residuals, so that an effect must stand out from them, too; nothing is assumed of
    the design. The same test on normal scores of the responses must confirm it.

    Args:
        codes: of cells with a response.
        responses: finite, one for each cell, such as the logarithm of a latency.
        chance: that any effect of pure noise is called strong.

    Raises:
        ValueError: there is not one finite response for each cell.
    """
    if responses.shape != (len(codes),) or not np.isfinite(responses).all():
        raise ValueError("each cell has one finite response")
    if not len(codes):
        return MainEffects(())
    hot, settings = one_hot(codes)
    option_of = np.array([option for option, _ in settings])
    counts = hot.sum(axis=0)
    varied = [o for o in range(codes.shape[1]) if (counts[option_of == o] > 0).sum() > 1]
    scores = norm.ppf(rankdata(responses) / (responses.size + 1))
    centred = np.column_stack([responses - responses.mean(), scores])
    # centring each column by its mean is fitting a mean
    columns = hot - counts / len(codes)
    gram, against = columns.T @ columns, columns.T @ centred
    total = (centred**2).sum(axis=0)
    kept = np.isin(option_of, varied)
    left, rank, fitted = _left(gram, against, total, kept)
    free = len(codes) - 1 - rank
    rows, tests = [], []
    for option in varied:
        without = kept & (option_of != option)
        left_without, rank_without, _ = _left(gram, against, total, without)
        here = option_of == option
        levels = _levels(fitted[here], counts[here], responses.mean())
        lost = rank - rank_without
        if lost < (counts[here] > 0).sum() - 1:
            rows.append(MainEffect(option, np.full(levels.size, np.nan), confounded=True))
            tests.append((np.nan, np.nan))
            continue
        rows.append(MainEffect(option, levels))
        tests.append(_ps(left_without - left, lost, left, free))
    if free < LEAST_FREEDOM:
        text = (
            f"{len(codes)} cells are too few to tell {len(varied)} options from noise "
            f"({free} degrees of freedom are left, at least {LEAST_FREEDOM} are needed)"
        )
        return MainEffects(tuple(rows), (Caveat("too-few", text),))
    adjusted = _holm([p for p, _ in tests])
    return MainEffects(
        tuple(
            MainEffect(row.option, row.levels, bool(p < chance and ranked < chance), p,
                       row.confounded)
            for row, p, (_, ranked) in zip(rows, adjusted, tests, strict=True)
        )
    )  # fmt: skip


def _left(
    gram: Values, against: Values, total: Values, kept: NDArray[np.bool_]
) -> tuple[Values, int, Values]:
    """Sums of squares that a fit leaves, its rank, and the coefficients of the first response."""
    coefficients = np.zeros(len(gram))
    if not kept.any():
        return total, 0, coefficients
    values, vectors = np.linalg.eigh(gram[np.ix_(kept, kept)])
    told = values > 1e-9 * max(float(values[-1]), 1.0)
    turned = vectors[:, told].T @ against[kept]
    explained = (turned**2 / values[told][:, np.newaxis]).sum(axis=0)
    coefficients[kept] = vectors[:, told] @ (turned[:, 0] / values[told])
    return np.maximum(total - explained, 0.0), int(told.sum()), coefficients


def _levels(fitted: Values, counts: Values, mean: float) -> Values:
    """Mean responses at the levels of an option, around the mean of all cells."""
    there = counts > 0
    middle = float((fitted * counts).sum() / counts.sum())
    return np.where(there, mean + fitted - middle, np.nan)


def _ps(more: Values, lost: int, left: Values, free: int) -> tuple[float, float]:
    """Of an F test of the responses, and of one of their ranks."""
    if free < LEAST_FREEDOM:
        return np.nan, np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(left > 1e-12 * (more + left), more / lost / (left / free), np.inf)
    ratio = np.where(more > 1e-12, ratio, 0.0)
    p, ranked = fisher.sf(ratio, lost, free)
    return float(p), float(ranked)


def _holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p-values; NaN where there is none."""
    adjusted = np.array(ps, dtype=np.float64)
    known = np.isfinite(adjusted)
    if known.any():
        adjusted[known] = multipletests(adjusted[known], method="holm")[1]
    return [float(p) for p in adjusted]
