"""Designs: which of the possible combinations of levels a profile measures."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, field_validator

from modelstress.config.base import TAG, Level, Strict, nearest, shown

Count = Annotated[int, Field(ge=1, le=1_000_000)]


def _power(runs: int) -> int:
    """Refuse what is no power of two; says which are near."""
    if runs.bit_count() != 1:
        less = 1 << runs.bit_length() - 1
        raise ValueError(f"{runs} is no power of two; take {less} or {2 * less}")
    return runs


MOST_OPTIMAL_RUNS = 1024
"""Of a D-optimal design: each is exchanged for every candidate."""

PowerOfTwo = Annotated[int, Field(ge=2, le=2**19), AfterValidator(_power)]


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
        runs: combinations of these factors, of the highest resolution that is found; without it,
            as few as have the resolution.
        fold: factors whose levels are exchanged in a second half, so that there are twice as many
            combinations and fewer effects are aliased; none: there is no second half.
    """

    kind: Literal["fraction"]
    resolution: Literal[3, 4, 5]
    runs: PowerOfTwo | None = None
    fold: Annotated[list[str], Field(max_length=100)] = []


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


class OptimalDesign(Strict):
    """The possible cells that tell most about a model: those with the largest det(X'X) found.

    Attributes:
        runs: how many cells.
        model: ``main``: of main effects; ``pairs``: of interactions of two factors too.
    """

    kind: Literal["d-optimal"]
    runs: Annotated[int, Field(ge=2, le=MOST_OPTIMAL_RUNS)]
    model: Literal["main", "pairs"] = "main"


class NeighboursDesign(Strict):
    """Some cells, measured once more, and beside them those that differ from one in few factors.

    Attributes:
        of: factor to level of the cells, as in a list.
        distance: in how many factors, at most.
    """

    kind: Literal["neighbours"]
    of: Annotated[list[dict[str, Level]], Field(min_length=1, max_length=100)]
    distance: Annotated[int, Field(ge=1, le=3)] = 1


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
    "d-optimal": OptimalDesign,
    "neighbours": NeighboursDesign,
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
    | Annotated[OptimalDesign, Tag(TAG + "OptimalDesign")]
    | Annotated[NeighboursDesign, Tag(TAG + "NeighboursDesign")]
    | Annotated[ListDesign, Tag(TAG + "ListDesign")],
    Discriminator(_kind),
]
"""Which combinations are cells; ``kind`` tells the design."""
