"""Values of any measure as text, with the digits that matter."""

import pandas as pd

from modelstress.config.measures import Measure
from modelstress.report.render import milliseconds

SPACE = "\u202f"
"""Between a number and its unit: narrow, and no line breaks there."""
UNITS = {"1/s": "per second"}
"""Units as sentences have them, where they are no words."""


def quantity(value: float, measure: Measure) -> str:
    """A value without its unit; a share is one from 0 to 1."""
    if pd.isna(value):
        return "–"
    return f"{value:.3g}" if measure.share else milliseconds(value)


def signed(value: float, measure: Measure) -> str:
    """A difference without its unit."""
    if pd.isna(value):
        return "–"
    sign = "−" if value < 0 else "+" if value > 0 else ""
    return f"{sign}{quantity(abs(value), measure)}"


def with_unit(text: str, measure: Measure) -> str:
    """A number with the unit of its measure; shares have none."""
    return f"{text}{SPACE}{UNITS.get(measure.unit, measure.unit)}" if measure.unit else text
