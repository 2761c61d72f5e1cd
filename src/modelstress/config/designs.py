"""Designs: which of the possible combinations of levels a profile measures."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, field_validator

from modelstress.config.base import TAG, Level, Strict, nearest, shown

Count = Annotated[int, Field(ge=1, le=1_000_000)]


class FullDesign(Strict):
    """Every combination that tools support and constraints allow."""

    kind: Literal["full"] = "full"

    @field_validator("kind", mode="before")
    @classmethod
    def _known(cls, kind: Any) -> Any:
        if str(kind) not in KINDS:
            raise ValueError(f"unknown design {shown(kind)}{nearest(kind, KINDS)}")
        return kind


class FractionDesign(Strict):
    """Regular fraction of the factors with two levels, crossed with all other factors.

    Attributes:
        resolution: factors in the shortest word of its defining relation, at least; with 3, main
            effects are apart from one another, with 4 also from interactions of two factors, with
            5 these are apart from one another too.
    """

    kind: Literal["fraction"]
    resolution: Literal[3, 4, 5]


class CoveringDesign(Strict):
    """Few cells in which all levels of any few factors meet.

    Attributes:
        strength: how many factors: 2 for pairs of levels, 3 for triples.
    """

    kind: Literal["covering"]
    strength: Literal[2, 3]


class SampleDesign(Strict):
    """Cells drawn at random, each with the same chance; the project's seed decides.

    Attributes:
        cells: how many.
    """

    kind: Literal["sample"]
    cells: Count


class ListDesign(Strict):
    """Cells given one by one.

    Attributes:
        cells: factor to level; a factor that is not given takes the first level that remains.
    """

    kind: Literal["list"]
    cells: Annotated[list[dict[str, Level]], Field(min_length=1)]


KINDS: dict[str, type[Strict]] = {
    "full": FullDesign,
    "fraction": FractionDesign,
    "covering": CoveringDesign,
    "sample": SampleDesign,
    "list": ListDesign,
}
"""Word of a kind to its fields."""


def _kind(design: Any) -> str:
    """Tag of the kind that a mapping or model is; of a full design where it is of no kind."""
    kind = design.get("kind") if isinstance(design, dict) else getattr(design, "kind", None)
    return TAG + KINDS.get(str(kind), FullDesign).__name__


Design = Annotated[
    Annotated[FullDesign, Tag(TAG + "FullDesign")]
    | Annotated[FractionDesign, Tag(TAG + "FractionDesign")]
    | Annotated[CoveringDesign, Tag(TAG + "CoveringDesign")]
    | Annotated[SampleDesign, Tag(TAG + "SampleDesign")]
    | Annotated[ListDesign, Tag(TAG + "ListDesign")],
    Discriminator(_kind),
]
"""Which combinations are cells; ``kind`` tells the design."""
