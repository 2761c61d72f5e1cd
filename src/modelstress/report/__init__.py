"""Report: tables and figures from derived tables, their files, and the HTML page.

Pure functions from data frames; no statistics. Every figure and table belongs to one setting
(executor and topology), which its caption names.
"""

from modelstress.report.anatomy import anatomy_results, remarkable, save_anatomy, shown_sequences
from modelstress.report.artifacts import Drawn, Results
from modelstress.report.files import save
from modelstress.report.html import Section, build
from modelstress.report.results import results
from modelstress.report.shifts import shifts
from modelstress.report.summary_tables import (
    failures,
    flagged,
    invalid,
    overview,
    shown,
    unfinished,
)

__all__ = [
    "Drawn",
    "Results",
    "Section",
    "anatomy_results",
    "build",
    "failures",
    "flagged",
    "invalid",
    "overview",
    "remarkable",
    "results",
    "save",
    "save_anatomy",
    "shifts",
    "shown",
    "shown_sequences",
    "unfinished",
]
