"""Which figures and tables a study has: those of its report, and those that it asks for besides."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from modelstress.config.base import Level, Strict, nearest
from modelstress.config.measures import LATENCY, MEASURES

IDLE = "idle share of the server's CPUs"
"""A measure that only such figures know."""
SHOWN = (
    LATENCY.name, IDLE, *(name for name, one in MEASURES.items() if one.share or one.column),
)  # fmt: skip
"""Measures that can be shown over a factor: all but those of captures."""

FigureKind = Literal[
    "medians", "boxes", "dispersion", "throughput", "curve", "ecdf", "percentiles", "normal",
    "glance", "deltas", "ratios", "contrasts", "windows", "growth", "parts", "screening", "tree",
    "treemap", "weighted", "faults", "timeline",
]  # fmt: skip
"""Kinds of figures of a report (``report.figures.KINDS``)."""
TableKind = Literal[
    "medians",
    "deltas",
    "ratios",
    "contrasts",
    "normality",
    "faults",
    "mixes",
    "windows",
    "growth",
    "screening",
    "tree",
    "weighted",
    "machines",
]
"""Kinds of tables of a report that can be left out; failed and wrong answers are always there."""


class Shown(Strict):
    """What a report has, as far as there are data; by default everything.

    Attributes:
        figures: kinds of figures.
        tables: kinds of tables, besides those of failed and wrong answers.
    """

    figures: list[FigureKind] | None = None
    tables: list[TableKind] | None = None


def _shown(measure: str) -> str:
    """Refuse a measure that cannot be shown over a factor.

    Raises:
        ValueError: with the nearest one that can.
    """
    if measure not in SHOWN:
        raise ValueError(f"{measure!r} cannot be shown over a factor{nearest(measure, SHOWN)}")
    return measure


class OverFactor(Strict):
    """A measure of some cells over the levels of a factor.

    Attributes:
        topic: what it is about; notebooks show the figures of a topic together.
        title: says what there is to see.
        over: factor of the x axis.
        measure: ``throughput``, measured or extrapolated, ``latency``, a share of an outcome, or
            ``IDLE``.
        only: levels of the cells that are shown, in the order in which they are shown.
        series: factor whose levels are lines; empty: one line.
    """

    topic: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,29}$")]
    title: Annotated[str, Field(max_length=90)]
    over: str
    measure: Annotated[str, AfterValidator(_shown)]
    only: dict[str, Level | list[Level]]
    series: str = ""

    @property
    def factors(self) -> tuple[str, ...]:
        """All factors that it names."""
        return tuple(filter(None, (self.over, self.series, *self.only)))
