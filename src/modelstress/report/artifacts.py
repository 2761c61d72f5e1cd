"""What a report is made of: numbered tables and figures. A figure is drawn when it is looked at."""

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape

from matplotlib.figure import Figure

from modelstress.report import render
from modelstress.report.render import Table
from modelstress.report.style import style

PNG_DPI = 160
LARGEST = 300_000
"""Bytes of an SVG above which pages show the PNG instead; both are written to files."""


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

    def svg(self) -> bytes:
        """The figure as SVG, the same bytes at every run."""
        return svg_of(self.figure, self.caption)

    def png(self) -> bytes:
        """The figure as PNG at 160 dots per inch."""
        return png_of(self.figure, self.caption)

    def html(self, svg: bytes, png: bytes = b"") -> str:
        """The figure with its caption, from its images; a large SVG gives way to the PNG."""
        heading = render.title(self.number)
        image, media_type, size = svg, "image/svg+xml", ""
        if png and len(svg) > LARGEST:
            image, media_type = png, "image/png"
            size = f' width="{96 * _pixels_wide(png) // PNG_DPI}"'
        data = base64.b64encode(image).decode("ascii")
        return (
            f'<figure><img alt="{escape(heading)}"{size} decoding="async" '
            f'src="data:{media_type};base64,{data}">'
            f"<figcaption><b>{heading}.</b> {escape(self.caption)}</figcaption></figure>"
        )

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        figure = self.figure
        svg = svg_of(figure, self.caption)
        return self.html(svg, png_of(figure, self.caption) if len(svg) > LARGEST else b"")


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


def svg_of(figure: Figure, caption: str) -> bytes:
    """A figure as SVG without the date, so that it is the same at every run."""
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Title": caption})
    return buffer.getvalue()


def png_of(figure: Figure, caption: str) -> bytes:
    """A figure as PNG."""
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Title": caption})
    return buffer.getvalue()


def both(draw: Callable[[], Figure], caption: str) -> tuple[bytes, bytes]:
    """A figure as SVG and as PNG; drawn for them only, and not kept."""
    figure = draw()
    return svg_of(figure, caption), png_of(figure, caption)


def _pixels_wide(png: bytes) -> int:
    """The width in the header of a PNG."""
    return int.from_bytes(png[16:20], "big")


def _is(item: Drawn | Table | NotDrawn, kind: str, about: str) -> bool:
    return item.kind == kind and about in ("", item.about)


def _number(name: str) -> str:
    """`table-07-b` is 7, `table-E1` is E1."""
    return name.split("-")[1].lstrip("0")
