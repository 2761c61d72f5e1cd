"""What is verified of a profile's design: resolution, what constraints take away, aliases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modelstress.config.designs import Design, FractionDesign, OptimalDesign
from modelstress.design.candidates import Candidates
from modelstress.design.combinations import Levels
from modelstress.design.fractions import Part, forbidden, parts, word_lengths

if TYPE_CHECKING:
    from modelstress.design.models import Quality

MOST_TERMS = 500
"""Of a model with pairs of factors, whose aliases are computed."""
SHOWN_ALIAS = 0.005
ROMAN = ("0", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")


@dataclass(frozen=True)
class Verified:
    """What is known of the cells that a design chose.

    Attributes:
        sentences: for people.
        fractions: regular ones, each with its factors, runs, resolution and number of words by
            length.
        left_out: cells of these that constraints take away.
        quality: for a model; None where it was not asked for.
    """

    sentences: tuple[str, ...] = ()
    fractions: tuple[dict[str, Any], ...] = ()
    left_out: int = 0
    quality: Quality | None = field(default=None, compare=False)

    def as_json(self) -> dict[str, Any]:
        """The same as data."""
        found = self.quality
        about: dict[str, Any] = {"fractions": list(self.fractions), "left_out": self.left_out}
        if found is not None:
            about |= {
                "terms": list(found.terms),
                "confounded": list(found.confounded),
                "efficiency": found.efficiency,
                "aliases": [
                    {"term": term, "of": other, "share": share}
                    for term, others in aliases(found) for other, share in others
                ],
            }  # fmt: skip
        return about


def verified(
    design: Design, candidates: Candidates, cells: Sequence[Levels], where: str, *, judge: bool
) -> Verified:
    """Verify the cells that a design chose.

    Args:
        design: of the profile.
        candidates: among which it chose.
        cells: their levels, one at least.
        where: file and field of the design, as messages begin.
        judge: whether D-efficiency and aliases are computed of every design; they always are of a
            D-optimal one and of a fraction that constraints break.

    Raises:
        ConfigError: the design cannot be made.
    """
    sentences: list[str] = []
    fractions: list[dict[str, Any]] = []
    missing = 0
    if isinstance(design, FractionDesign):
        found = {part.factors: part for s in candidates.spaces for part in parts(s, design, where)}
        fractions = [_fraction(part) for part in found.values() if part.words]
        sentences += [_sentence(part) for part in found.values() if part.words]
        if design.fold:
            sentences.append(f"half of them have {', '.join(design.fold)} exchanged")
        missing = forbidden(candidates, design, where)
        if missing:
            sentences.append(
                f"{missing} cells of the fraction are left out: constraints forbid them, and "
                "effects are aliased in part; kind: d-optimal chooses cells with fewer aliases"
            )
    quality = None
    if judge or missing or isinstance(design, OptimalDesign):
        quality = _quality(design, cells, pairs=judge)
        sentences += _judged(quality)
    return Verified(tuple(sentences), tuple(fractions), missing, quality)


def _quality(design: Design, cells: Sequence[Levels], pairs: bool) -> Quality:
    from modelstress.design.models import Coding, quality, terms  # takes numpy

    if isinstance(design, OptimalDesign):
        return quality(cells, design.model == "pairs")
    return quality(cells, pairs and terms(Coding.of(cells).levels, pairs=True) <= MOST_TERMS)


def _fraction(part: Part) -> dict[str, Any]:
    lengths = word_lengths(part)
    return {
        "factors": list(part.factors),
        "runs": part.runs,
        "resolution": min(lengths),
        "words": lengths,
    }


def _sentence(part: Part) -> str:
    lengths = word_lengths(part)
    shortest = min(lengths)
    roman = ROMAN[shortest] if shortest < len(ROMAN) else str(shortest)
    words = f"{lengths[shortest]} word{'s' if lengths[shortest] > 1 else ''}"
    return (
        f"fraction of {len(part.factors)} factors with two levels: {part.runs:,} of "
        f"{2 ** len(part.factors):,} combinations, resolution {roman} ({words} of {shortest} "
        "factors)"
    )


def _judged(quality: Quality) -> Iterator[str]:
    yield (
        f"D-efficiency {quality.efficiency:.3f} for {len(quality.terms)} terms in {quality.runs:,} "
        "cells (1: all at right angles)"
    )
    if quality.confounded:
        some = ", ".join(quality.confounded[:4])
        more = f" and {len(quality.confounded) - 4} more" if len(quality.confounded) > 4 else ""
        yield f"not told from the terms before them: {some}{more}"
    if (largest := quality.largest()) is not None:
        share, term, other = largest
        yield f"largest alias: an estimate of {term} is moved by {share:.2f} of {other}"


def aliases(quality: Quality) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Each term that interactions outside of the model move, with these and their shares.

    Those with the largest shares come first.
    """
    for term, row in zip(quality.terms, quality.aliases, strict=True):
        moved = [
            (other, float(share))
            for other, share in zip(quality.outside, row, strict=True)
            if abs(share) >= SHOWN_ALIAS
        ]
        if moved:
            yield term, sorted(moved, key=lambda other: -abs(other[1]))
