"""Screening: which of many factors have an effect, and which combinations are the worst."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Level, Strict, nearest
from modelstress.config.levels import written

Share = Annotated[float, Field(gt=0, le=0.5)]
Use = Annotated[float, Field(ge=0, le=1e9)]


class Screening(Strict):
    """``effects`` of a study: it asks for the derived tables of effects.

    Attributes:
        chance: that any effect of pure noise is called strong, among all of one operation; also
            that combinations of pure noise are said to have a tree.
        worst: shares of the cells that count as the worst, for the trees that tell which they are;
            a tree is made for each.
        weights: factor to its levels and how much each is used, in any unit; what is expected of a
            setting is then weighted by it. A factor that is not named has equal weights.
    """

    chance: Annotated[float, Field(gt=0, lt=1)] = 0.01
    worst: Annotated[list[Share], Field(max_length=4)] = [0.1]
    weights: dict[str, dict[Level, Use]] = {}

    @model_validator(mode="after")
    def _used(self) -> Screening:
        for factor, levels in self.weights.items():
            if not sum(levels.values()):
                raise ValueError(f"weights.{factor} has no level that is used; give one a weight")
        return self

    def check(self, factors: Mapping[str, list[Level]]) -> None:
        """Refuse weights of what a study does not have, and levels without a weight.

        Raises:
            ValueError: names factor or level, and what there is.
        """
        for factor, levels in self.weights.items():
            where = f"effects.weights.{factor}"
            if factor not in factors:
                raise ValueError(
                    f"effects.weights names unknown factor {factor!r}{nearest(factor, factors)}"
                )
            known, given = [list(map(written, names)) for names in (factors[factor], levels)]
            for level in given:
                if level not in known:
                    raise ValueError(f"{where} has level {level!r}{nearest(level, known)}")
            if left := [level for level in known if level not in given]:
                raise ValueError(f"{where} lacks level {left[0]!r}; give each level a weight")
