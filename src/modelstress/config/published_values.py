"""The kinds of numbers that papers report: how our side of each is found in a dataset."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from modelstress.config.base import Level, Strict
from modelstress.config.outcomes import Unsuccessful
from modelstress.config.study import Levels

Selector = dict[str, Level | Levels]
"""Factor to the level or levels of the cells that are meant."""
Direction = Literal[
    "slower", "faster", "rises", "falls", "within", "beyond", "some", "none", "few", "many",
    "alike", "different", "crosses", "never slower", "always slower", "higher", "lower",
]  # fmt: skip
"""Which way a number points; which of them a kind knows is in ``Kind.directions``."""


class Kind(Strict):
    """How our side of an entry is found; ``kind`` names one of a closed set."""

    @classmethod
    def directions(cls) -> frozenset[str]:
        """The directions that this kind can find."""
        return frozenset()


class _Sides(Kind):
    """Kinds that tell which of two sides takes longer."""

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``slower``: the cells take longer than what they are held against."""
        return frozenset({"slower", "faster"})


class _Share(Kind):
    """Kinds that count some of all."""

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``few``: less than half of all."""
        return frozenset({"few", "many"})


class MedianOf(Kind):
    """Median latency (ms) of one cell, with its interval."""

    kind: Literal["median"]
    cells: Selector


class ThroughputOf(Kind):
    """Correct executions per second of one cell, median and range of its starts.

    Attributes:
        times: what an execution counts as, where the paper counts something else.
    """

    kind: Literal["throughput"]
    cells: Selector
    times: Annotated[float, Field(gt=0)] = 1.0


class RatioOfThroughputs(Kind):
    """Correct executions per second of cells, divided by those of the cells beside them.

    Attributes:
        match: factors in which a cell and the one beside it agree, by default the load. Several
            pairs give a range.
    """

    kind: Literal["ratio of throughputs"]
    cells: Selector
    beside: Selector
    match: list[str] | None = None

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``higher``: the cells do more than what they are held against."""
        return frozenset({"higher", "lower"})


class ShareOfOutcomes(_Share):
    """Share (%) of the measured executions of some cells that had one of some outcomes.

    Attributes:
        without: outcomes that do not count at all, such as refusals on the client's side.
    """

    kind: Literal["share of outcomes"]
    cells: Selector
    outcomes: Annotated[list[Unsuccessful], Field(min_length=1)]
    without: list[Unsuccessful] = []


class LargestLatency(Kind):
    """Longest correct answer (s) of some cells."""

    kind: Literal["largest latency"]
    cells: Selector


class RatioOfMedians(_Sides):
    """Median latency of cells, divided by that of the cells beside them.

    Attributes:
        match: factors in which a cell and the one beside it agree, by default the load. Several
            pairs give a range.
    """

    kind: Literal["ratio of medians"]
    cells: Selector
    beside: Selector
    match: list[str] | None = None


class ShiftInterval(_Sides):
    """Hodges–Lehmann shift (ms) of one cell of a comparison, with its interval."""

    kind: Literal["shift interval"]
    comparison: str = "protocol"
    cells: Selector


class SignOfDelta(_Sides):
    """How many cells of a comparison are slower and faster (Mann–Whitney p < 0.01)."""

    kind: Literal["sign of delta"]
    comparison: str = "protocol"
    cells: Selector


class LargestDelta(Kind):
    """Largest |Cliff's delta| of the cells that a comparison tells from their baselines."""

    kind: Literal["largest delta"]
    comparison: str = "protocol"
    cells: Selector

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``within``: not above the paper's bound."""
        return frozenset({"within", "beyond"})


class Trend(Kind):
    """How a comparison's number moves from the fewest threads to the most.

    Attributes:
        of: ``delta``; ``ratio`` (cell / baseline) or ``baseline ratio`` (baseline / cell).
        threads: from which number to which; without it from the fewest to the most there are.
    """

    kind: Literal["trend over threads"]
    comparison: str
    of: Literal["delta", "ratio", "baseline ratio"]
    cells: Selector
    threads: tuple[int, int] | None = None

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``rises`` and ``falls``: from one number of threads to the other."""
        return frozenset({"rises", "falls"})


class Crossover(Kind):
    """From which number of threads on cells are slower than those beside them."""

    kind: Literal["crossover between threads"]
    cells: Selector
    beside: Selector

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``crosses``: faster with few threads, slower with many."""
        return frozenset({"crosses", "never slower", "always slower"})


class CountOfOutcomes(Kind):
    """How many measured executions had one of some outcomes."""

    kind: Literal["count of outcomes"]
    cells: Selector
    outcomes: Annotated[list[Unsuccessful], Field(min_length=1)]

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``some`` or ``none``."""
        return frozenset({"some", "none"})


class NormalCells(_Share):
    """How many cells Shapiro–Wilk's test does not tell from a normal distribution."""

    kind: Literal["count of normal cells"]
    cells: Selector = {}


class DunnNotRejected(_Share):
    """How many cells Dunn's test (Bonferroni) does not tell from the comparison's baseline."""

    kind: Literal["dunn not rejected"]
    comparison: str = "tools"
    cells: Selector


class GroupsThatDiffer(_Share):
    """In how many groups of a comparison Kruskal–Wallis finds a difference."""

    kind: Literal["groups that differ"]
    comparison: str = "tools"
    cells: Selector = {}


class DunnPair(Kind):
    """p of Dunn's test (Bonferroni over all pairs of the group) for one pair of cells."""

    kind: Literal["dunn of a pair"]
    group: Selector
    cells: Selector
    beside: Selector

    @classmethod
    def directions(cls) -> frozenset[str]:
        """``alike``: p is 0.01 or more."""
        return frozenset({"alike", "different"})


class AnatomyCount(Kind):
    """What one execution put on the wire; a column of the anatomy's table."""

    kind: Literal["anatomy count"]
    cells: Selector
    measure: Literal["packets", "bytes", "requests", "longest_gap_ms"]


class CountOfCells(Kind):
    """How many cells were measured."""

    kind: Literal["count of cells"]
    cells: Selector = {}


class EffectOf(_Sides):
    """Effect of an option, or of a pair of options, on the median latency (table ``effects``).

    ``slower``: the second level takes longer; of a pair, cells with both or none of the second
    levels do.

    Attributes:
        options: one or two.
    """

    kind: Literal["effect"]
    options: Annotated[list[str], Field(min_length=1, max_length=2)]


class ShareOfWorst(_Share):
    """How many of the slowest cells have some levels (``stats.trees.worst_of``).

    ``many`` and ``few``: the interval of their share lies above or below a half.

    Attributes:
        cells: levels of the cells that are counted.
        among: of the cells among which the slowest are; by default all.
        worst: share of the cells that count as the worst.
    """

    kind: Literal["share of worst"]
    cells: Selector
    among: Selector = {}
    worst: Annotated[float, Field(gt=0, le=0.5)]


class ModelConstant(Kind):
    """A number of the model itself, from ``setting.yaml``; no measurement."""

    kind: Literal["constant of the model"]
    case: str
    constant: str


Ours = Annotated[
    MedianOf | ThroughputOf | RatioOfThroughputs | ShareOfOutcomes | LargestLatency
    | RatioOfMedians | ShiftInterval | SignOfDelta | LargestDelta | Trend | Crossover
    | CountOfOutcomes | NormalCells | DunnNotRejected | GroupsThatDiffer | DunnPair | AnatomyCount
    | CountOfCells | EffectOf | ShareOfWorst | ModelConstant,
    Field(discriminator="kind"),
]  # fmt: skip
