"""The scoreboard as files: pages of the whole space, and of settings that are fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from modelstress.analysis.space import MEASURES, Choice, Space, fits
from modelstress.report.scoreboard.board import Board
from modelstress.report.scoreboard.page import page
from modelstress.samples.files import write_once

STATIC = Path(__file__).parent / "static"
FILES = ("scoreboard.css", "icon.svg")
MOST_PAGES = 1500
"""Pages of one export."""


class Pages:
    """The pages that are exported, by choice.

    With every metric, settings are fixed one at a time; with the first one, up to ``depth`` at a
    time, as far as cells with them were measured and there are no more than ``MOST_PAGES``.

    Attributes:
        depth: so many are fixed at most; less than was asked for, where that is too many pages.
    """

    def __init__(self, space: Space, depth: int) -> None:
        shallow = [
            Choice(choice.fixed, measure=place)
            for place in range(len(MEASURES))
            for choice in _choices(space, min(depth, 1))
        ]
        wanted, self.depth = shallow, min(depth, 1)
        for deeper in range(2, depth + 1):
            more = _some([*shallow, *_choices(space, deeper)])
            if len(more) > MOST_PAGES:
                break
            wanted, self.depth = more, deeper
        self.choices = _some(wanted)[:MOST_PAGES]
        self._there = set(self.choices)

    def href(self, choice: Choice) -> str | None:
        """The file of a choice; None where it is not exported."""
        return file_of(choice) if choice in self._there else None


def file_of(choice: Choice) -> str:
    """The name of a choice's page: numbers only, whatever options and levels are called."""
    begin = choice.about.name if choice.measure else ""
    words = [begin, *(f"{option + 1}.{level + 1}" for option, level in choice.fixed)]
    return "-".join(filter(None, words)) + ".html" if any(words) else "index.html"


def export(
    board: Board, folder: Path, depth: int, said: Callable[[int, int], None] | None = None
) -> Pages:
    """Write the pages, which need no other file, no script and no network.

    Args:
        board: as it was read.
        folder: to write to; pages of the same names are replaced.
        depth: so many settings are fixed at a time at most.
        said: is told how many pages of how many are written.

    Raises:
        MeasureError: the folder cannot be written.
    """
    pages = Pages(board.space, depth)
    for name in FILES:
        _write(folder / name, (STATIC / name).read_text(encoding="utf-8"))
    for place, choice in enumerate(pages.choices):
        _write(folder / file_of(choice), page(board, choice, pages, live=False))
        if said is not None:
            said(place + 1, len(pages.choices))
    return pages


def _choices(space: Space, depth: int) -> Iterator[Choice]:
    """All choices of so many settings or fewer that measured cells fit."""
    settings = [(o, level) for o, option in enumerate(space.options)
                for level in range(len(option.levels))]  # fmt: skip
    for count in range(depth + 1):
        for fixed in combinations(settings, count):
            if len({option for option, _ in fixed}) == count:
                choice = Choice(fixed)
                if not fixed or bool(np.any(fits(space, choice) & space.measured)):
                    yield choice


def _some(choices: list[Choice]) -> list[Choice]:
    return list(dict.fromkeys(choices))


def _write(path: Path, text: str) -> None:
    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8", newline="\n")

    write_once(path, fill)
