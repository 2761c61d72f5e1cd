"""The front page: one figure and a few sentences that answer which decision matters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

import pandas as pd

from modelstress.analysis import Derived
from modelstress.report import (
    claims_front,
    front_figure,
    front_screening,
    grouping,
    screening,
)
from modelstress.report import claims_words as words
from modelstress.report import images as drawing
from modelstress.report.artifacts import Drawn
from modelstress.report.claims_decisions import OPPOSED
from modelstress.report.files import replace_files
from modelstress.report.front_curves import Curves, curves
from modelstress.report.front_decisions import Decision, decisions
from modelstress.report.front_screening import Screened
from modelstress.report.images import Image
from modelstress.report.looks import looks_of

NAME = "front"
KIND = "front"
STRONG = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True)
class Front:
    """What opens a report.

    Attributes:
        study, profile: whose.
        finding: what the figure shows, in plain text, a line each; empty without a figure.
        drawn: the figure; None where there is nothing to draw.
        sentences: of single decisions, Markdown.
        closing: what the others are and how far to trust them, Markdown.
    """

    study: str
    profile: str
    finding: tuple[str, ...]
    drawn: Drawn | None
    sentences: tuple[str, ...]
    closing: tuple[str, ...]

    def markdown(self, image: str = f"{NAME}.png") -> str:
        """Figure, caption and sentences, without a heading; `image` is where the figure is."""
        drawn = self.drawn
        alt = words.plain(". ".join(self.finding))
        shown = [f"![{alt}]({image})", f"*{words.plain(drawn.caption)}*"] if drawn else []
        return words.paragraphs(*shown, words.bullets(self.sentences), *self.closing) + "\n"

    def page(self) -> str:
        """The text of ``front.md``."""
        about = f"*Study {words.plain(self.study)}, profile {words.plain(self.profile)}.*"
        return words.paragraphs(f"# {words.plain('. '.join(self.finding) or self.study)}", about,
                                self.markdown())  # fmt: skip

    def html(self, image: Image | None) -> str:
        """The same for the report, the figure in it; wider than a phone, it scrolls."""
        parts = []
        if self.drawn is not None and image is not None:
            told = ". ".join(filter(None, (*self.finding, image.seen.alt)))
            shown = drawing.inline(image._replace(seen=image.seen._replace(alt=told)),
                                   f"{self.study}-{NAME}")  # fmt: skip
            parts.append(
                f'<figure class="front"><div class="scroll">{shown}</div>'
                f"<figcaption>{escape(self.drawn.caption)}</figcaption></figure>"
            )
        if self.sentences:
            items = "\n".join(f"<li>{_strong(one)}</li>" for one in self.sentences)
            parts.append(f'<ul class="front">\n{items}\n</ul>')
        return "\n".join([*parts, *(f"<p>{_strong(one)}</p>" for one in self.closing)])


def front(derived: Derived) -> Front:
    """The front page of a study's profile: of the setting with most pairs, or with most cells."""
    found = decisions(derived)
    settings = list(grouping.settings(derived.cells))
    setting, cells = settings[0]
    if found:
        setting = found[0].sides.setting
        cells = grouping.belong(derived.cells, setting)
    projection = derived.projection
    shown = curves(cells, projection, found, looks_of(cells, projection)) if len(cells) else None
    if not found and shown is None:
        options = front_screening.screened(derived, cells, setting)
        if options is not None:
            return _of_options(derived, options)
    finding = claims_front.finding(found, shown is not None)
    closing = claims_front.closing(found, derived.placebo_rates)
    if len(settings) > 1 and (found or shown):
        closing.append(f"Measured with {words.plain(setting)}; other settings are below.")
    drawn = None
    if found or shown is not None:
        draw = partial(front_figure.front, found, shown, projection, finding)
        drawn = Drawn(NAME, KIND, caption(found, shown, derived, cells), draw)
    return Front(
        derived.study, derived.profile, tuple(finding), drawn,
        tuple(claims_front.sentences(found)),
        tuple(closing) if drawn else (claims_front.NOTHING,),
    )  # fmt: skip


def _of_options(derived: Derived, options: Screened) -> Front:
    """The front page of a screening."""
    cautions = [f"{one[0].upper()}{one[1:]}." for one in grouping.cautions(options.cells)]
    draw = partial(screening.plot, options.rows)
    return Front(
        derived.study, derived.profile, tuple(front_screening.finding(options)),
        Drawn(NAME, KIND, " ".join([screening.READING, *cautions]), draw),
        tuple(front_screening.sentences(options)), tuple(front_screening.closing(options)),
    )  # fmt: skip


def caption(
    found: Sequence[Decision], shown: Curves | None, derived: Derived, cells: pd.DataFrame
) -> str:
    """How the figure is read, and what to be careful about, in plain text; cells of a setting."""
    parts = []
    if found:
        parts.append(
            f"{'Left: e' if shown else 'E'}ach dot is one {derived.projection.row_title} and "
            f"configuration: its median latency over that of the same without the decision. Blue "
            f"dots are decided at {100 * derived.confidence:g}{words.SPACE}%, over several starts "
            "of the servers; grey ones are only seen."
        )
    if any(one.status == OPPOSED for one in found):
        parts.append("Opposed: some are slower and others are faster.")
    if shown is not None:
        of = "the fastest configuration of each tool"
        of += ", and what the largest decisions make of it" if found else ""
        parts.append(f"{'Right: ' if found else ''}{of}.")
    parts += [f"{caution}." for caution in grouping.cautions(cells)]
    return " ".join(part[0].upper() + part[1:] for part in parts)


def save(made: Front, results_dir: Path, drawn: Image | None) -> list[Path]:
    """Write ``<study>/front.md`` and, where there is a figure, ``front.svg`` and ``front.png``.

    Files of a figure that is not made any more are removed.

    Args:
        made: the front page.
        results_dir: of the project.
        drawn: the figure's images.

    Raises:
        MeasureError: a file cannot be written.
    """
    folder = results_dir / made.study
    files = {folder / f"{NAME}.md": made.page().encode("utf-8")}
    if drawn is not None:
        files[folder / f"{NAME}.svg"] = drawn.svg
        files[folder / f"{NAME}.png"] = drawn.png
    return replace_files(folder, (f"{NAME}.*",), files)


def images(made: Front) -> Image | None:
    """The figure's images; None where there is no figure."""
    return drawing.drawn_image(made.drawn.draw, made.drawn.caption) if made.drawn else None


def _strong(text: str) -> str:
    return STRONG.sub(r"<strong>\1</strong>", text)
