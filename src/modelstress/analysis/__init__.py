"""Analysis: raw samples projected onto factors, summarised, written to `data/derived`."""

from modelstress.analysis.anatomy import Anatomy, anatomy, captured, captured_beside
from modelstress.analysis.contrasts import contrasts, unmatched, written_p
from modelstress.analysis.derive import derive
from modelstress.analysis.derived import Derived, damaged
from modelstress.analysis.load import behind, load
from modelstress.analysis.opened import opened
from modelstress.analysis.planned import (
    PLANNED,
    PlannedCell,
    planned_beside,
    planned_cells,
    planned_text,
    study_beside,
)
from modelstress.analysis.timeline import Timeline, disturbed, notable, timeline, timelines
from modelstress.analysis.write import derived_folder, write

__all__ = [
    "PLANNED",
    "Anatomy",
    "Derived",
    "PlannedCell",
    "Timeline",
    "anatomy",
    "behind",
    "captured",
    "captured_beside",
    "contrasts",
    "damaged",
    "derive",
    "derived_folder",
    "disturbed",
    "load",
    "notable",
    "opened",
    "planned_beside",
    "planned_cells",
    "planned_text",
    "study_beside",
    "timeline",
    "timelines",
    "unmatched",
    "write",
    "written_p",
]
