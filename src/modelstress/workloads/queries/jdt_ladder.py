"""The ladder of Java sources that GraBaTs models are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Strict

Count = Annotated[int, Field(ge=0)]


class Sources(Strict):
    """A jar of sources, by its Maven coordinates; its classifier is ``sources``.

    Attributes:
        artifact: identifier within the ladder's group.
        version: pinned.
        sha256: of the jar's bytes, hexadecimal.
    """

    artifact: str
    version: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Step(Strict):
    """One step: the sources that it adds, and the counts with those of all steps before it.

    Attributes:
        adds: in this order.
        units: compilation units.
        nodes: of the syntax trees.
        singletons: counted in JDT's own trees.
    """

    adds: Annotated[list[Sources], Field(min_length=1)]
    units: Count
    nodes: Count
    singletons: Count


class Ladder(Strict):
    """``config/jdt-ladder.yaml``.

    Attributes:
        group: Maven group of all sources.
        steps: ``jdt0`` first.
    """

    group: str
    steps: list[Step]

    @model_validator(mode="after")
    def _five(self) -> Ladder:
        if len(self.steps) != 5:
            raise ValueError(f"steps has {len(self.steps)} entries; jdt0 to jdt4 are 5")
        return self

    def sources(self, step: int) -> list[Sources]:
        """All sources of a step, those of the steps before it first."""
        return [jar for ladder_step in self.steps[: step + 1] for jar in ladder_step.adds]
