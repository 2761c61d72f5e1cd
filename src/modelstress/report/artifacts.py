"""What a report is made of: numbered tables and figures. A figure is drawn when it is looked at."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape

from matplotlib.figure import Figure

from modelstress.report import images, render
from modelstress.report.images import Image
from modelstress.report.render import Table
from modelstress.report.seen import Seen


@dataclass(frozen=True)
class Drawn:
    """A numbered figure, drawn at its first use.

    `kind` is one of those of `figures.KINDS`, timeline, or one of the anatomy's; `about` names the
    comparison that a figure is of, if it is of one. `draw` makes the figure; it can be sent to
    another process.
    """

    number: str
    kind: str
    caption: str
    draw: Callable[[], Figure]
    about: str = ""

    @cached_property
    def figure(self) -> Figure:
        """The figure, drawn once."""
        return self.draw()

    @cached_property
    def image(self) -> Image:
        """The figure's images and what is seen of it, made once."""
        return images.image_of(self.figure, self.caption)

    def html(self, image: Image, within: str) -> str:
        """The figure as an element of a page, whose words can be selected and found.

        `within` is what its ids begin with.
        """
        return self._with_caption(images.inline(image, f"{within}-{self.number}"), image.seen)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return self._with_caption(*images.shown(self.figure, self.caption))

    def _with_caption(self, shown: str, told: Seen) -> str:
        number = render.title(self.number)
        heading = f"{number}: {told.finding}." if told.finding else f"{number}."
        return (
            f'<figure><div class="scroll">{shown}</div>'
            f"<figcaption><b>{escape(heading)}</b> {escape(self.caption)}</figcaption></figure>"
        )


@dataclass(frozen=True)
class NotDrawn:
    """What stands where figures would be of which there are too few data: one sentence."""

    kind: str
    sentence: str
    about: str = ""

    def _repr_html_(self) -> str:
        return f"<p><i>{escape(self.sentence)}</i></p>"


@dataclass(frozen=True)
class Results:
    """Tables and figures of one study and profile, in the order in which they are shown."""

    study: str
    tables: tuple[Table, ...]
    figures: tuple[Drawn, ...]
    not_drawn: tuple[NotDrawn, ...] = ()

    def table(self, number: int | str) -> list[Table]:
        """The tables with a number of the papers' (7) or of our own ("E1"), one per setting."""
        return [table for table in self.tables if _number(table.number) == str(number)]

    def of(self, kind: str, about: str = "") -> list[Drawn]:
        """The figures of one kind; those of one comparison, if one is named."""
        return [drawn for drawn in self.figures if _is(drawn, kind, about)]

    def shown(self, kind: str, about: str = "") -> list[Drawn | NotDrawn]:
        """What `of` gives, and a sentence on what is not drawn: for a notebook."""
        left = [one for one in self.not_drawn if _is(one, kind, about)]
        return [*self.of(kind, about), *left]

    def tables_of(self, kind: str, about: str = "") -> list[Table]:
        """The tables of one kind; those of one comparison, if one is named."""
        return [table for table in self.tables if _is(table, kind, about)]

    def medians(self) -> list[Table]:
        """The tables of medians and dispersion."""
        return self.tables_of("medians")

    def outcomes(self) -> list[Table]:
        """The tables of failed and incorrect executions."""
        return [*self.tables_of("failures"), *self.tables_of("incorrect")]


def _is(item: Drawn | Table | NotDrawn, kind: str, about: str) -> bool:
    return item.kind == kind and about in ("", item.about)


def _number(name: str) -> str:
    """`table-07-b` is 7, `table-E1` is E1."""
    return name.split("-")[1].lstrip("0")
