"""Analysis: raw samples projected onto factors, summarised, written to `data/derived`."""

from modelstress.analysis.derive import Derived, derive
from modelstress.analysis.expected import Expected, expected_beside, expected_cells
from modelstress.analysis.settled import settled
from modelstress.analysis.timeline import Timeline, notable, timeline, timelines
from modelstress.analysis.write import derived_folder, write

__all__ = [
    "Derived",
    "Expected",
    "Timeline",
    "derive",
    "derived_folder",
    "expected_beside",
    "expected_cells",
    "notable",
    "settled",
    "timeline",
    "timelines",
    "write",
]
