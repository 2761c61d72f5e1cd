"""Analysis: raw samples projected onto factors, summarised, written to `data/derived`."""

from modelstress.analysis.anatomy import Anatomy, anatomy, captured
from modelstress.analysis.derive import Derived, derive
from modelstress.analysis.planned import (
    PLANNED,
    PlannedCell,
    planned_beside,
    planned_cells,
    planned_text,
)
from modelstress.analysis.settled import settled
from modelstress.analysis.timeline import Timeline, notable, timeline, timelines
from modelstress.analysis.write import derived_folder, write

__all__ = [
    "PLANNED",
    "Anatomy",
    "Derived",
    "PlannedCell",
    "Timeline",
    "anatomy",
    "captured",
    "derive",
    "derived_folder",
    "notable",
    "planned_beside",
    "planned_cells",
    "planned_text",
    "settled",
    "timeline",
    "timelines",
    "write",
]
