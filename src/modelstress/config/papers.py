"""What published studies report, as data: to be held against what is measured here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Strict, nearest, read_model
from modelstress.config.errors import ConfigError
from modelstress.config.published_values import Direction, Ours, Selector
from modelstress.config.roles import TableLayout


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


Topic = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,29}$")]


TOPICS = {
    "protocol": "protocol",
    "outcomes": "failed and incorrect executions",
    "wire": "one query on the wire",
    "caching": "caching and indexing",
    "mapping": "mapping from query to backend",
    "scaling": "scaling with demand",
    "models": "models and extent",
}
"""Of a paper that names none."""
WAITS = ["protocol", "scaling"]
"""Of these topics, those of ``Paper.waits``."""


class PaperEntry(Strict):
    """One printed number or stated direction.

    Attributes:
        id: unique over all papers; how tables and figures name it.
        topic: the section it is shown in, one of the paper's.
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
        stated, directions = self.theirs.direction, self.ours.directions()
        if stated is not None and stated not in directions:
            raise ValueError(
                f"entry {self.id!r}: theirs.direction is {stated!r}, which the kind "
                f"{self.ours.kind!r} cannot find{nearest(stated, directions)}"
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
        models: ours that may stand for it, the nearest first; none: all cells of its queries do,
            for a study without a dataset.
    """

    queries: Annotated[list[str], Field(min_length=1)]
    constants: dict[str, float]
    models: list[str] = []


class Paper(Strict):
    """``config/papers/<paper>.yaml``.

    Attributes:
        paper: its name, the same as the file's.
        title: with authors and year, for people.
        year: of publication, where the text at hand has it; the latest comes first.
        doi: of the article; empty where it has none.
        study: whose cells it is held against.
        executions: measured for each of its combinations.
        topics: of its entries, with their titles, in the order in which they are shown.
        waits: topics in which it explains a difference that the server's processors are used up.
        cases: name to what it says of the case.
        choices: which of our cells stand for the paper's.
        absent: what the text at hand does not contain.
        tables: the numbers of its tables, which ours take over.
        entries: its printed numbers.
    """

    paper: str
    title: str
    year: int | None = None
    doi: str = ""
    study: str
    executions: Annotated[int, Field(ge=1)]
    topics: dict[Topic, str] = TOPICS
    waits: list[Topic] = WAITS
    cases: dict[str, PaperCase]
    choices: list[Choice]
    absent: list[str] = []
    tables: TableLayout | None = None
    entries: Annotated[list[PaperEntry], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Paper:
        seen: set[str] = set()
        for entry in self.entries:
            if entry.id in seen:
                raise ValueError(f"entry {entry.id!r} stands there twice; give it another id")
            seen.add(entry.id)
            if entry.topic not in self.topics:
                known = nearest(entry.topic, self.topics)
                raise ValueError(f"entry {entry.id!r}: topic is {entry.topic!r}{known}")
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
    """``config/papers/setting-<study>.yaml``, or ``setting.yaml`` for all studies without one.

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
    models: dict[str, dict[str, float]] = {}


@dataclass(frozen=True)
class Papers:
    """All papers that a study is held against, and what differs in our setting."""

    setting: SettingPage
    papers: tuple[Paper, ...]

    @property
    def topics(self) -> dict[str, str]:
        """Topics of all papers with their titles, in the order of the papers."""
        return {topic: title for paper in self.papers for topic, title in paper.topics.items()}

    def of(self, paper: str) -> Paper:
        """The paper of that name."""
        return next(candidate for candidate in self.papers if candidate.paper == paper)


SETTING = "setting"
"""Begin of the names of files that say what differs."""


def read_papers(folder: Path, study: str) -> Papers:
    """Read ``config/papers`` of a project: the papers of a study, the latest first.

    Raises:
        ConfigError: a file is missing or wrong, or an id stands in two papers.
    """
    own = folder / f"{SETTING}-{study}.yaml"
    setting = read_model(SettingPage, own if own.is_file() else folder / f"{SETTING}.yaml")
    papers: list[Paper] = []
    owners: dict[str, str] = {}
    for file in sorted(folder.glob("*.yaml")):
        if file.stem == SETTING or file.stem.startswith(f"{SETTING}-"):
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
            papers.append(paper)
    return Papers(setting, tuple(sorted(papers, key=lambda paper: -(paper.year or 0))))
