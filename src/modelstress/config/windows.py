"""A measured window cut into stretches: of seconds, executions, or objects that come to be."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Strict


class Windows(Strict):
    """``windows`` of a study: it asks for the derived table ``windows``.

    Attributes:
        seconds: length of each stretch; a whole number of seconds where samples are histograms.
        executions: or how many executions end in each; of histograms, it ends with the next second.
    """

    seconds: Annotated[float, Field(ge=0.01, le=86_400)] | None = None
    executions: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Windows:
        if (self.seconds is None) == (self.executions is None):
            raise ValueError("say either 'seconds' or 'executions'")
        return self


class GrowthStretches(Strict):
    """``growth`` of a study: it asks for the derived tables ``growth`` and ``growth_fits``.

    Attributes:
        objects: how many objects come to be in each stretch of the window.
    """

    objects: Annotated[int, Field(ge=1)]
