"""Statistics: pure functions, arrays in, small frozen records out, warnings as data.

Nothing here knows files, cells or plots, and nothing here imports the rest of the package.
Latencies go in as plain arrays of whatever unit; results are in the same unit.
"""

from modelstress.stats.bootstrap import median_over_invocations
from modelstress.stats.censoring import timeout_share
from modelstress.stats.centre import box, coefficient_of_dispersion, median
from modelstress.stats.results import Box, Caveat, Interval, Median, Steadiness, Throughput
from modelstress.stats.steadiness import steadiness
from modelstress.stats.throughput import throughput, total

__all__ = [
    "Box",
    "Caveat",
    "Interval",
    "Median",
    "Steadiness",
    "Throughput",
    "box",
    "coefficient_of_dispersion",
    "median",
    "median_over_invocations",
    "steadiness",
    "throughput",
    "timeout_share",
    "total",
]
