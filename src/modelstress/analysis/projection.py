"""Projection of cells onto rows, series and the x axis of tables and figures.

It is made once, from a study, and passed to everything that prints or draws: no renderer names a
factor (golang/perf's `benchproc` calls the same a projection; matplotlib has another *axes*).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from modelstress.config.figures import Shown
from modelstress.config.papers import Papers
from modelstress.config.roles import Noun, TableLayout, noun_of
from modelstress.config.study import DEFAULT_KIND, Study, study_class

TASK = "task"
"""Column of the cells with what they have done, whatever the operation is called in their tool."""


@dataclass(frozen=True)
class Projection:
    """What the columns of derived tables are in tables, figures and sentences.

    Attributes:
        factors: all of the study, the tool first.
        operation: column of what was executed; the task where no factor says it.
        load: factor along the x axis; empty where none varies the load.
        dataset: factor of what was asked; empty where there is none.
        series: factors that always name a line or row.
        panel: one of them, whose levels may have panels of their own; or empty.
        nouns: of factors that are not called by their names.
        layout: numbers of printed tables.
        shown: which kinds of figures and tables a report has.
        decisions: comparisons to what is decided by them, in a word or two.
    """

    factors: tuple[str, ...]
    operation: str = TASK
    load: str = ""
    dataset: str = ""
    series: tuple[str, ...] = ("tool",)
    panel: str = ""
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    layout: TableLayout = field(default_factory=TableLayout)
    shown: Shown = field(default_factory=Shown)
    decisions: Mapping[str, str] = field(default_factory=dict)

    @property
    def position(self) -> tuple[str, ...]:
        """The factors that are rows, columns or panels: they name no series."""
        return tuple(filter(None, (self.operation, self.load)))

    def noun(self, factor: str) -> Noun:
        """What one and several of a factor's levels are called."""
        return noun_of(factor, self.nouns)

    @property
    def row_title(self) -> str:
        """What one row of a table is about: `query`."""
        return self.noun(self.operation).one

    @property
    def load_title(self) -> str:
        """The load as the title of an axis or of columns; empty where nothing varies it."""
        return self.title(self.load) if self.load else ""

    def title(self, factor: str) -> str:
        """A factor as the title of an axis or of columns."""
        noun = self.noun(factor)
        return noun.title or noun.many

    def only(self, factors: Iterable[str]) -> Projection:
        """The same without the factors that are not among these, such as a compared one."""
        kept = set(factors)
        return replace(self, factors=tuple(name for name in self.factors if name in kept))


def projection_of(
    study: Study | None, factors: Sequence[str], papers: Papers | None = None
) -> Projection:
    """The projection of a study onto tables with these factors.

    Args:
        study: the one that was measured; None: that of the kind ``queries`` from before roles.
        factors: of the tables, without ``tool`` and ``executor``, which have columns of their own.
        papers: of the study; the latest that numbers its tables is followed.
    """
    about = type(study) if study else study_class(DEFAULT_KIND)
    roles = study.projected if study else about.ROLES
    numbered = [paper.tables for paper in papers.papers if paper.tables] if papers else []
    names = {"tool", "executor", *factors}
    comparisons = study.comparisons if study else {}
    return Projection(
        factors=("tool", *factors),
        operation=roles.operation if roles.operation in names else TASK,
        load=_among(roles.load, names),
        dataset=_among(roles.dataset, names),
        series=tuple(name for name in roles.series if name in names),
        panel=_among(roles.panel, names),
        nouns={**about.usual_nouns(), **(study.nouns if study else {})},
        layout=numbered[0] if numbered else about.LAYOUT,
        shown=study.shown if study else Shown(),
        decisions={n: c.decision for n, c in comparisons.items() if c.decision},
    )


def _among(name: str, names: Iterable[str]) -> str:
    return name if name in names else ""
