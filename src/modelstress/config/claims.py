"""Claims as data: ``results/<study>/claims.json``, one per statement about a direction."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from modelstress.config.base import Strict
from modelstress.config.published_values import Direction

Rule = Literal["over starts", "mean over starts", "within starts", "over invocations", "as printed"]
"""How a direction was decided (docs/claims.md)."""
SINGLE_RULES: tuple[Rule, ...] = ("over starts", "over invocations")
"""Of comparisons of two cells: of their latencies, and of other measures."""
Status = Literal[
    "slower", "faster", "higher", "lower", "same", "undecided", "opposed", "number only"
]


def _count(meaning: str) -> Any:
    return Field(ge=0, description=meaning)


class PlaceboCount(Strict):
    """How often the claim's rule found a direction between equals (table ``placebo_rates``)."""

    directions: int = _count("pairs of equals of which the rule said slower or faster")
    pairs: int = _count("pairs of equals that the rule was asked about")
    calibration_directions: int = _count("those of the calibration dataset beside them")
    calibration_pairs: int = _count("all of these; 0 where there are 100 pairs or more")


class Claim(Strict):
    """One statement about a direction."""

    id: str = Field(description="unique in a report; the same as long as its cells are")
    source: str = Field(description="report: what was measured; else the name of the paper")
    comparison: str = Field(description="comparison of the study; of a paper the topic")
    tool: str = Field(default="", description="tool under test; blank where a claim is of several")
    cells: list[str] = Field(default=[], description="cells that the claim is about")
    baseline_cells: list[str] = Field(
        default=[],
        description="cells of the baseline; a paper's claim has all in cells",
    )
    rule: Rule = Field(description="how its direction is decided")
    measure: str = Field(description="what is compared")
    unit: str = Field(description="of the estimate; × for a ratio to the baseline")
    estimate: float | None = Field(default=None, description="of a paper the printed number")
    low: float | None = Field(default=None, description="lower end of interval or range")
    high: float | None = Field(default=None, description="upper end")
    confidence: float | None = Field(default=None, description="of the interval")
    status: Status | Direction = Field(
        description="what the rule decides; of a paper the direction that it states"
    )
    here: str = Field(default="", description="how our direction stands to a paper's")
    placebo: PlaceboCount | None = Field(
        default=None,
        description="of the same rule and tool; blank: no pairs of equals",
    )
    false_expected: float | None = Field(
        default=None,
        description="directions that chance alone is allowed among those that the claim counts; of "
        "a single claim within starts the rate of its placebos, else what its confidence leaves",
    )
    text: str = Field(description="the sentence, as Markdown")


class Claims(Strict):
    """``results/<study>/claims.json``."""

    study: str
    profile: str = Field(description="profile that was measured")
    claims: list[Claim] = Field(description="each with an id of its own")
