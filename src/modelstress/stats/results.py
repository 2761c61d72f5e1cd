"""What the functions of this room return: small frozen records, with warnings as data."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Caveat:
    """Something a reader of a result must know; `code` is for programs, `message` for people."""

    code: str
    message: str


@dataclass(frozen=True)
class Interval:
    """A two-sided interval in the unit of the values.

    `confidence` is what was asked for, `coverage` what can be relied on (the exact coverage
    where the method is exact); both in 0..1.
    """

    low: float
    high: float
    confidence: float
    coverage: float


@dataclass(frozen=True)
class Median:
    """A median of `n` values; `value` is NaN, `interval` None where nothing can be stated."""

    n: int
    value: float
    interval: Interval | None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Box:
    """What a notched box plot draws, in the unit of the values (NaN throughout when n is 0)."""

    n: int
    q1: float
    median: float
    q3: float
    notch_low: float
    notch_high: float
    whisker_low: float
    whisker_high: float
    outliers: Values = field(repr=False, compare=False)


@dataclass(frozen=True)
class Throughput:
    """Executions per second of a window: `ok` answers only, and `all` whatever their outcome."""

    window_s: float
    ok_per_s: float
    all_per_s: float
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Steadiness:
    """Whether a series of latencies is in a steady state.

    `steady` is None when the series is too short to say. `settled_at` is the index of the
    first value after which the level does not change materially any more (0: from the start).
    `change` is the level of the last stretch against the first, as a fraction (+0.10: 10 % slower).
    `correlation_p` is small where executions resemble their neighbours, NaN where nothing can be
    said of it.
    """

    n: int
    steady: bool | None
    settled_at: int
    change: float
    trend_p: float
    change_points: tuple[int, ...]
    caveats: tuple[Caveat, ...] = ()
    correlation_p: float = float("nan")


@dataclass(frozen=True)
class RankTest:
    """A test on ranks. `p` may be as small as 0: doubles end near 1e-308.

    `test` is `mann-whitney` (statistic U of the first sample) or `kruskal-wallis` (H), `method`
    how p was found; both numbers are NaN where nothing can be tested.
    """

    test: str
    statistic: float
    p: float
    method: str
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Shift:
    """By how much the first sample is larger, in the unit of the values."""

    value: float
    interval: Interval | None
    method: str
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Delta:
    """Cliff's delta, -1 to 1, with `magnitude` negligible, small, medium or large."""

    value: float
    interval: Interval | None
    magnitude: str
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Ratio:
    """How many times as large the first sample is (dimensionless)."""

    value: float
    interval: Interval | None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """One pair of a post hoc test.

    Attributes:
        first, second: places of the two groups.
        p: adjusted over all pairs.
        z: difference of mean ranks over its standard error; above 0 where the first is larger. It
            tells pairs apart whose p are too small for a double.
        raw_p: before adjustment.
    """

    first: int
    second: int
    p: float
    z: float = float("nan")
    raw_p: float = float("nan")


@dataclass(frozen=True)
class Normality:
    """Shapiro–Wilk: W and p, NaN where the sample is too small or constant."""

    n: int
    w: float
    p: float
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Percentile:
    """The value that `share` (0..1) of `n` values do not exceed."""

    share: float
    n: int
    value: float
    interval: Interval | None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class Advice:
    """How many executions in each of how many invocations; None where nothing can be said."""

    executions: int | None
    invocations: int | None
    caveats: tuple[Caveat, ...] = ()
