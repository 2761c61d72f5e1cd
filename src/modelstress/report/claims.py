"""Generated sentences: what the derived tables say, for notebooks, with denominators.

Every function takes derived tables and returns Markdown. Nothing is claimed that the tables do not
hold: where cells are missing, the text says so, and where no cell can be compared, that is all it
says. A direction (*slower*, *faster*) is that of the interval over starts (``Derived.estimates``);
second, and named so, that of the papers' method: Mann–Whitney's p < 0.01 and |Cliff's delta| of
0.147 or more. Beside each stands how often the same rule finds a direction between equals
(``Derived.placebo_rates``). Of measures other than latency, a direction (*higher*, *lower*) is that
of the interval over invocations. ``claims_register`` has the same as data.
"""

from modelstress.report.claims_data import (
    care,
    measured,
    normality,
    outcomes,
    slowest,
    sources,
    spread,
)
from modelstress.report.claims_faults import losses, recoveries, wrong_answers
from modelstress.report.claims_machines import machines, on_one_machine
from modelstress.report.claims_measures import directions
from modelstress.report.claims_pairs import by_query, gains, largest, overhead
from modelstress.report.claims_threads import (
    crossings,
    curves,
    deltas_by_threads,
    in_groups,
    ranks,
    ratios_by_threads,
)
from modelstress.report.claims_wire import wire

__all__ = [
    "by_query",
    "care",
    "crossings",
    "curves",
    "deltas_by_threads",
    "directions",
    "gains",
    "in_groups",
    "largest",
    "losses",
    "machines",
    "measured",
    "normality",
    "on_one_machine",
    "outcomes",
    "overhead",
    "ranks",
    "ratios_by_threads",
    "recoveries",
    "slowest",
    "sources",
    "spread",
    "wire",
    "wrong_answers",
]
