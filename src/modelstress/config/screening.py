"""Screening: which of many factors with two levels have an effect."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from modelstress.config.base import Strict


class Screening(Strict):
    """``effects`` of a study: it asks for the derived table ``effects``.

    Attributes:
        chance: that any effect of pure noise is called strong, among all of one operation.
    """

    chance: Annotated[float, Field(gt=0, lt=1)] = 0.01
