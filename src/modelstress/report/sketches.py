"""What a figure is before it is drawn, and what its caption says of where its numbers are from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.grouping import Setting
from modelstress.report.looks import Looks, looks_of


class Sketch(NamedTuple):
    """A figure that can be drawn.

    `reading` says what its marks are. It is the same for all figures of a kind, and stands in the
    caption of the first one only.
    """

    kind: str
    caption: str
    draw: Callable[[], Figure]
    about: str = ""
    reading: str = ""


class TooFew(NamedTuple):
    """A figure that is not drawn, since there are too few data: of what, and too few of which."""

    kind: str
    what: str
    why: str
    about: str = ""


@dataclass(frozen=True)
class Shared:
    """What all figures of a setting share, so that no caption repeats it.

    Attributes:
        setting: executor and topology.
        alone: whether there is no other setting.
        fixed: factors that have one level in all cells of the page.
        looks: of the series.
    """

    setting: Setting
    alone: bool
    fixed: frozenset[str]
    looks: Looks

    @classmethod
    def of(
        cls, cells: pd.DataFrame, page: pd.DataFrame, projection: Projection, setting: Setting
    ) -> "Shared":
        """That of the cells of a setting, on a page that has the cells `page`."""
        alone = len(list(grouping.settings(page))) == 1
        fixed = frozenset(grouping.fixed(page, projection))
        return cls(setting, alone, fixed, looks_of(cells, projection))

    def where(
        self,
        special: str,
        cells: pd.DataFrame,
        projection: Projection,
        behind: pd.DataFrame | None = None,
    ) -> str:
        """What a figure's numbers belong to, as far as it is not that of all figures.

        Args:
            special: levels that set it apart from its neighbours.
            cells: that are shown, or comparisons of them.
            projection: of the study.
            behind: the cells of comparisons.
        """
        levels = [
            f"{name} {level}"
            for name, level in grouping.constants(cells, projection).items()
            if name not in self.fixed
        ]
        facts = filter(
            None,
            (
                "" if self.alone else str(self.setting),
                ", ".join(levels),
                *grouping.cautions(cells if behind is None else behind),
            ),
        )
        told = "; ".join(facts)
        return f"{f', {special}' if special else ''}{f' ({told})' if told else ''}"
