"""The space of a profile's cells while it is measured: what the scoreboard shows of it."""

from modelstress.analysis.space.chosen import (
    Cells,
    Choice,
    Told,
    cells_with,
    effects_within,
    fits,
    revisited,
)
from modelstress.analysis.space.coverage import Coverage, Progress, coverage, progress, regions
from modelstress.analysis.space.starts import MEASURES, Measure, Start
from modelstress.analysis.space.table import Option, Space, Words, settings_of, space_of
from modelstress.analysis.space.watch import Watcher

__all__ = [
    "MEASURES",
    "Cells",
    "Choice",
    "Coverage",
    "Measure",
    "Option",
    "Progress",
    "Space",
    "Start",
    "Told",
    "Watcher",
    "Words",
    "cells_with",
    "coverage",
    "effects_within",
    "fits",
    "progress",
    "regions",
    "revisited",
    "settings_of",
    "space_of",
]
