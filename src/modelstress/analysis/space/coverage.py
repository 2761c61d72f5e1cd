"""How much of the space was measured: cells, levels, pairs of levels; and where it fails."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from modelstress.analysis.space.table import Space
from modelstress.stats.failing import Region, failing_regions, one_hot
from modelstress.stats.results import Values

RECENT = 50
"""Starts from whose ends the rate is told."""
STALLED = 10
"""A gap of so many usual ones since the last end means that nothing is measured any more."""


@dataclass(frozen=True)
class Coverage:
    """Which levels, and pairs of them, were measured at least once.

    Attributes:
        levels, levels_measured: levels of options that a cell of the plan has, and those measured.
        pairs, pairs_measured: likewise pairs of levels of two options.
        unplanned: pairs of levels that no cell has: a constraint forbids them, or the design
            leaves them out.
        shares: options × options, the share of their pairs that was measured; NaN on the diagonal.
    """

    levels: int
    levels_measured: int
    pairs: int
    pairs_measured: int
    unplanned: int
    shares: Values


@dataclass(frozen=True)
class Progress:
    """Where the measurement of a plan is.

    Attributes:
        wanted: starts that the plan asks for.
        measured, invalid, failed: of them, in this state; failed ones ended badly.
        failing: measured ones in which executions failed.
        running: under way.
        beyond: starts that were measured and are in no plan.
        per_hour: at which starts ended lately; NaN where too few did.
        left_s: until all are measured at this rate; NaN where nothing is measured now.
    """

    wanted: int
    measured: int
    invalid: int
    failed: int
    failing: int
    running: int
    beyond: int
    per_hour: float
    left_s: float

    @property
    def missing(self) -> int:
        """Starts that are still to come."""
        return max(0, self.wanted - self.measured - self.invalid - self.failed)


@lru_cache(maxsize=1)
def coverage(space: Space) -> Coverage:
    """Count levels and pairs of levels; those that no cell has count apart."""
    hot, settings = one_hot(space.codes)
    option_of = np.array([option for option, _ in settings], np.int64)
    there = hot.T @ hot > 0
    done = hot.T @ (hot * space.measured[:, np.newaxis]) > 0
    apart = option_of[:, np.newaxis] < option_of
    count = len(space.options)
    shares = np.full((count, count), np.nan)
    groups = np.eye(count)[:, option_of] if settings else np.empty((0, 0))
    all_pairs, done_pairs = groups @ there @ groups.T, groups @ done @ groups.T
    np.divide(done_pairs, all_pairs, out=shares, where=all_pairs > 0)
    np.fill_diagonal(shares, np.nan)
    return Coverage(
        levels=int(np.diag(there).sum()), levels_measured=int(np.diag(done).sum()),
        pairs=int((there & apart).sum()), pairs_measured=int((done & apart).sum()),
        unplanned=int((~there & apart).sum()), shares=shares,
    )  # fmt: skip


def progress(space: Space, now_s: float | None = None) -> Progress:
    """Count the starts of the plan by state, and tell the time that is left."""
    planned = space.planned[space.cell_of] > 0
    valid, bad = space.valid & planned, space.failing & ~space.valid & planned
    invalid = ~space.valid & ~space.failing & planned
    per_hour, gap_s, since_s = _rate(space.ended_s, time.time() if now_s is None else now_s)
    wanted = int(space.planned.sum())
    missing = max(0, wanted - int((valid | bad | invalid).sum()))
    stalled = space.running == 0 and not since_s <= STALLED * gap_s
    return Progress(
        wanted=wanted, measured=int(valid.sum()), invalid=int(invalid.sum()),
        failed=int(bad.sum()), failing=int((space.failing & valid).sum()), running=space.running,
        beyond=int((space.valid & ~planned).sum()), per_hour=np.nan if stalled else per_hour,
        left_s=np.nan if stalled or not missing else missing * 3600 / per_hour,
    )  # fmt: skip


def _rate(ended_s: Values, now_s: float) -> tuple[float, float, float]:
    """Ends an hour, the usual gap between ends and the time since the last one (s)."""
    recent = np.sort(ended_s)[-RECENT:]
    gaps = np.diff(recent)
    if gaps.size < 2 or not gaps.sum() > 0:
        return np.nan, np.nan, np.nan
    return 3600 * gaps.size / float(gaps.sum()), float(np.mean(gaps)), now_s - float(recent[-1])


def regions(space: Space, there: NDArray[np.bool_], chance: float) -> list[Region]:
    """Where cells fail more often than the rest, among those of ``there`` that were tried."""
    tried = space.tried & there
    return failing_regions(space.codes[tried], space.failed[tried], chance)
