"""Statistics: pure functions, arrays in, small frozen records out, warnings as data.

Nothing here knows files, cells or plots, and nothing here imports the rest of the package.
Latencies go in as plain arrays of whatever unit; results are in the same unit.
"""

from modelstress.stats.bootstrap import (
    difference_over_invocations,
    median_over_invocations,
    ratio_over_invocations,
)
from modelstress.stats.budget import advice
from modelstress.stats.censoring import timeout_share
from modelstress.stats.centre import box, coefficient_of_dispersion, median
from modelstress.stats.groups import dunn, kruskal_wallis
from modelstress.stats.pairs import cliffs_delta, hodges_lehmann, mann_whitney, median_ratio
from modelstress.stats.results import (
    Advice,
    Box,
    Caveat,
    Comparison,
    Delta,
    Interval,
    Median,
    Normality,
    Percentile,
    RankTest,
    Ratio,
    Shift,
    Steadiness,
    Throughput,
    Values,
)
from modelstress.stats.shape import percentile, shapiro_wilk
from modelstress.stats.shares import difference_of_shares, more_often
from modelstress.stats.steadiness import steadiness
from modelstress.stats.thresholds import THRESHOLDS, Thresholds
from modelstress.stats.throughput import in_turns, throughput, total

__all__ = [
    "THRESHOLDS",
    "Advice",
    "Box",
    "Caveat",
    "Comparison",
    "Delta",
    "Interval",
    "Median",
    "Normality",
    "Percentile",
    "RankTest",
    "Ratio",
    "Shift",
    "Steadiness",
    "Thresholds",
    "Throughput",
    "Values",
    "advice",
    "box",
    "cliffs_delta",
    "coefficient_of_dispersion",
    "difference_of_shares",
    "difference_over_invocations",
    "dunn",
    "hodges_lehmann",
    "in_turns",
    "kruskal_wallis",
    "mann_whitney",
    "median",
    "median_over_invocations",
    "median_ratio",
    "more_often",
    "percentile",
    "ratio_over_invocations",
    "shapiro_wilk",
    "steadiness",
    "throughput",
    "timeout_share",
    "total",
]
