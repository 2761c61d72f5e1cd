"""Values of any measure by cell and invocation, and what is said of two cells by them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.anatomy import counted
from modelstress.analysis.derived import Derived
from modelstress.config.errors import ConfigError
from modelstress.config.measures import LATENCY, Measure
from modelstress.stats.results import Caveat, Interval, Values
from modelstress.stats.shares import Counted
from modelstress.stats.thresholds import THRESHOLDS

Key = tuple[str, str]
"""Tool and id of a cell."""
Of = Callable[[Mapping[str, Any]], "Starts"]


@dataclass(frozen=True)
class Starts:
    """Values of a measure in the used invocations of a cell; those without a value are left out.

    Attributes:
        values: an array per invocation, with one value where only the invocation has one.
        counts: of shares, hits and executions of each invocation.
    """

    values: Sequence[Values] = ()
    counts: Sequence[Counted] = ()

    @property
    def pool(self) -> Values:
        """All values."""
        return np.concatenate(self.values) if len(self.values) else np.empty(0)


def starts_of(derived: Derived, measure: Measure, data_dir: Path | None = None) -> Of:
    """A function from a row of the cells to the values of a measure.

    Args:
        derived: the cells, with their invocations and latencies.
        measure: whose values are asked for.
        data_dir: with the samples; only captured measures need it.

    Raises:
        ConfigError: a captured measure, and no folder with captures.
    """
    if measure.captured:
        if data_dir is None:
            raise ConfigError(f"{measure.name}: is in captures only; say where the samples are")
        return _captured(derived, measure, data_dir)
    if measure == LATENCY:
        starts = {key: Starts(values) for key, values in derived.latencies.items()}
    else:
        of = _shares if measure.share else _rates
        rows = derived.invocations
        used = rows[rows["used"].fillna(False).astype(bool)]
        starts = {
            (str(tool), str(cell)): of(group, measure)
            for (tool, cell), group in used.groupby(["tool", "cell"], sort=False)
        }
    return lambda cell: starts.get((cell["tool"], cell["cell"]), Starts())


def _captured(derived: Derived, measure: Measure, data_dir: Path) -> Of:
    """Counts of captured executions; every file is read once."""

    @cache
    def read(tool: str, cell: str) -> Starts:
        return Starts(counted(data_dir, derived, {"tool": tool, "cell": cell}, measure.name))

    return lambda cell: read(cell["tool"], cell["cell"])


def _shares(rows: pd.DataFrame, measure: Measure) -> Starts:
    counts = [
        (int(hits), int(executions))
        for hits, executions in zip(rows[measure.outcome], rows["executions"], strict=True)
        if executions > 0
    ]
    return Starts([np.array([hits / executions]) for hits, executions in counts], counts)


def _rates(rows: pd.DataFrame, measure: Measure) -> Starts:
    rates = rows[measure.column].to_numpy(np.float64)
    return Starts([np.array([rate]) for rate in rates[np.isfinite(rates)]])


def beside(
    measure: Measure, mine: Starts, other: Starts, confidence: float
) -> tuple[dict[str, Any], tuple[Caveat, ...]]:
    """Statistics of one cell's measure beside another's: columns of `asked_columns.CONTRASTS`.

    All intervals are over invocations, which are the replicates; there is no test that takes
    values of one invocation as independent. What cannot be stated is NaN, and the caveats say why.
    """
    ratio = stats.Ratio(np.nan, None)
    if measure.share:
        difference = stats.difference_of_shares(mine.counts, other.counts, confidence)
    else:
        difference = stats.difference_over_invocations(mine.values, other.values, confidence)
        text = f"a value of {measure.title} is not positive: there is no ratio"
        ratio = stats.Ratio(np.nan, None, (Caveat("not-positive", text),))
        if min(mine.pool.min(initial=1), other.pool.min(initial=1)) > 0:
            ratio = stats.ratio_over_invocations(mine.values, other.values, confidence)
    row = {
        **_described("value", measure, mine),
        **_described("baseline_value", measure, other),
        "difference": difference.value,
        **ends("difference", difference.interval),
        "ratio": ratio.value,
        **ends("ratio", ratio.interval),
        "n": mine.pool.size,
        "baseline_n": other.pool.size,
        "better": _better(measure, mine, other, ratio.interval, difference.interval),
    }
    return row, (*difference.caveats, *ratio.caveats, *_constant(mine, other))


def ends(name: str, interval: Interval | None, unit: str = "") -> dict[str, float]:
    """Both ends of an interval as columns; NaN where there is none."""
    low, high = (interval.low, interval.high) if interval else (np.nan, np.nan)
    return {f"{name}_low{unit}": low, f"{name}_high{unit}": high}


def _centres(starts: Starts) -> list[float]:
    return [float(np.median(values)) for values in starts.values if values.size]


def _described(name: str, measure: Measure, starts: Starts) -> dict[str, float]:
    """Centre of all values, and the lowest and highest invocation."""
    pool, centres = starts.pool, _centres(starts)
    centre = (np.mean if measure.share else np.median)(pool) if pool.size else np.nan
    low, high = min(centres, default=np.nan), max(centres, default=np.nan)
    return {name: float(centre), f"{name}_low": low, f"{name}_high": high}


def _better(
    measure: Measure,
    starts: Starts,
    baseline: Starts,
    ratio: Interval | None,
    shift: Interval | None,
) -> str:
    """Which of two cells is better, where an interval lies wholly on one side.

    Of shares Fisher's exact test over all executions must reject as well: where all invocations
    of a cell have the same share, the interval has no width.
    """
    interval, neutral = (ratio, 1.0) if ratio else (shift, 0.0)
    if interval is None or interval.low <= neutral <= interval.high:
        return ""
    if measure.share:
        total, baseline_total = (_total(side.counts) for side in (starts, baseline))
        if not stats.more_often(total, baseline_total) < THRESHOLDS.alpha:
            return ""
    higher = interval.low > neutral
    return "better" if higher == (measure.better == "higher") else "worse"


def _total(counts: Sequence[Counted]) -> Counted:
    return sum(hits for hits, _ in counts), sum(trials for _, trials in counts)


def _constant(starts: Starts, baseline: Starts) -> tuple[Caveat, ...]:
    """Whether starts of both sides have no spread, so that intervals have no width."""
    sides = [_centres(side) for side in (starts, baseline)]
    if min(map(len, sides)) < 2 or any(len(set(centres)) > 1 for centres in sides):
        return ()
    text = "on both sides all invocations have the same value: the interval has no width"
    return (Caveat("constant", text),)
