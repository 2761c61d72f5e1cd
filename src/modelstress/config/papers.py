"""What published studies report, as data: to be held against what is measured here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Level, Strict, nearest, read_model
from modelstress.config.errors import ConfigError
from modelstress.config.study import Levels

Selector = dict[str, Level | Levels]
"""Factor to the level or levels of the cells that are meant."""
Outcome = Literal["incorrect", "error", "timeout", "aborted", "rejected"]
Direction = Literal[
    "slower", "faster", "rises", "falls", "within", "beyond", "some", "none", "few", "many",
    "alike", "different", "crosses", "never slower", "always slower",
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


class LargestLatency(Kind):
    """Longest correct answer (s) of some cells."""

    kind: Literal["largest latency"]
    cells: Selector


class RatioOfMedians(_Sides):
    """Median latency of cells, divided by that of the cells beside them.

    Attributes:
        match: factors in which a cell and the one beside it agree. Several pairs give a range.
    """

    kind: Literal["ratio of medians"]
    cells: Selector
    beside: Selector
    match: list[str] = ["threads"]


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
    outcomes: Annotated[list[Outcome], Field(min_length=1)]

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


class ModelConstant(Kind):
    """A number of the model itself, from ``setting.yaml``; no measurement."""

    kind: Literal["constant of the model"]
    case: str
    constant: str


Ours = Annotated[
    MedianOf | LargestLatency | RatioOfMedians | ShiftInterval | SignOfDelta | LargestDelta
    | Trend | Crossover | CountOfOutcomes | NormalCells | DunnNotRejected | GroupsThatDiffer
    | DunnPair | AnatomyCount | CountOfCells | ModelConstant,
    Field(discriminator="kind"),
]  # fmt: skip


class Theirs(Strict):
    """What the paper states.

    Attributes:
        printed: as it stands there, with its unit.
        value: as a number, in the entry's unit; for an interval or a range without one its middle
            is taken.
        low: lower end of an interval or range.
        high: upper end, or the bound of ``within``.
        of: how many ``value`` counts among.
        direction: which way it points; without it there is only a number.
    """

    printed: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    of: Annotated[int, Field(ge=1)] | None = None
    direction: Direction | None = None


Topic = Literal["protocol", "outcomes", "wire", "caching", "mapping", "scaling", "models"]


class PaperEntry(Strict):
    """One printed number or stated direction.

    Attributes:
        id: unique over all papers; how tables and figures name it.
        topic: the section it is shown in.
        title: at most a line.
        says: what the paper says, in our words.
        where: section, table or figure of the paper.
        unit: of the numbers; empty for counts and numbers without one.
        theirs: what the paper states.
        ours: how our side is found.
        note: what must be known when the two are held against each other.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    topic: Topic
    title: Annotated[str, Field(max_length=60)]
    says: str
    where: str
    unit: str = ""
    theirs: Theirs
    ours: Ours
    note: str = ""

    @model_validator(mode="after")
    def _can_be_found(self) -> PaperEntry:
        stated, known = self.theirs.direction, self.ours.directions()
        if stated is not None and stated not in known:
            raise ValueError(
                f"entry {self.id!r}: theirs.direction is {stated!r}, which the kind "
                f"{self.ours.kind!r} cannot find{nearest(stated, known)}"
            )
        if stated == "within" and self.theirs.high is None:
            raise ValueError(f"entry {self.id!r}: theirs.direction is 'within'; give theirs.high")
        return self


class Choice(Strict):
    """Levels of the cells that stand for the paper's, as far as a cell has the factor."""

    when: Selector = {}
    only: Selector


class PaperCase(Strict):
    """A case of the paper.

    Attributes:
        queries: its queries.
        constants: of the paper's model; ``elements`` is its size.
        models: ours that may stand for it, the nearest first.
    """

    queries: Annotated[list[str], Field(min_length=1)]
    constants: dict[str, float]
    models: Annotated[list[str], Field(min_length=1)]


class Paper(Strict):
    """``config/papers/<paper>.yaml``.

    Attributes:
        paper: its name, the same as the file's.
        title: with authors and year, for people.
        year: of publication; the latest comes first.
        doi: of the article; empty where it has none.
        study: whose cells it is held against.
        executions: measured for each of its combinations.
        cases: name to what it says of the case.
        choices: which of our cells stand for the paper's.
        absent: what the text at hand does not contain.
        entries: its printed numbers.
    """

    paper: str
    title: str
    year: int
    doi: str = ""
    study: str
    executions: Annotated[int, Field(ge=1)]
    cases: dict[str, PaperCase]
    choices: list[Choice]
    absent: list[str] = []
    entries: Annotated[list[PaperEntry], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Paper:
        seen: set[str] = set()
        for entry in self.entries:
            if entry.id in seen:
                raise ValueError(f"entry {entry.id!r} stands there twice; give it another id")
            seen.add(entry.id)
            case = getattr(entry.ours, "case", None)
            if case is not None and case not in self.cases:
                raise ValueError(
                    f"entry {entry.id!r}: ours.case is {case!r}{nearest(case, self.cases)}"
                )
        return self


class Difference(Strict):
    """One line of what differs between the papers' setting and ours.

    Attributes:
        what: the thing.
        theirs: in the papers.
        source: where they say so.
        here: what is fixed by this project's code and configuration.
        recorded: fields of the recorded provenance that say what it was; ``cells.<column>`` is a
            column of the derived cells, ``tool.<tool>`` the title of a tool.
        means: what follows for a comparison.
    """

    what: str
    theirs: str
    source: str
    here: str
    recorded: list[str] = []
    means: str


class SettingPage(Strict):
    """``config/papers/setting.yaml``.

    Attributes:
        title: of the page.
        note: the short form, beside every comparison.
        lead: what stands above the table.
        rows: what differs.
        models: our models to their constants; ``elements`` is the size.
    """

    title: str
    note: str
    lead: str
    rows: Annotated[list[Difference], Field(min_length=1)]
    models: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Papers:
    """All papers that a study is held against, and what differs in our setting."""

    setting: SettingPage
    papers: tuple[Paper, ...]

    def of(self, paper: str) -> Paper:
        """The paper of that name."""
        return next(each for each in self.papers if each.paper == paper)


SETTING = "setting.yaml"


def read_papers(folder: Path, study: str) -> Papers:
    """Read ``config/papers`` of a project: the papers of a study, the latest first.

    Raises:
        ConfigError: a file is missing or wrong, or an id stands in two papers.
    """
    setting = read_model(SettingPage, folder / SETTING)
    found: list[Paper] = []
    owners: dict[str, str] = {}
    for file in sorted(folder.glob("*.yaml")):
        if file.name == SETTING:
            continue
        paper = read_model(Paper, file)
        if paper.paper != file.stem:
            raise ConfigError(
                f"{file}: field 'paper' is {paper.paper!r}; it must be the file's name, "
                f"{file.stem!r}"
            )
        for entry in paper.entries:
            if entry.id in owners:
                raise ConfigError(
                    f"{file}: entry {entry.id!r} stands in {owners[entry.id]} too; give it "
                    "another id"
                )
            owners[entry.id] = file.name
        if paper.study == study:
            found.append(paper)
    return Papers(setting, tuple(sorted(found, key=lambda paper: -paper.year)))
