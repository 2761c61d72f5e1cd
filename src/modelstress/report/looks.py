"""The look of every series: one colour, marker and dash, the same in all figures of a setting.

The tool is the hue. Its configurations (the other factors that always name a series) are shades of
it, each with a marker of its own. The level of the panel's factor is the dash, the filling of the
marker and the hatch of a box. So lines can be told apart in grey, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.style import MARKERS

HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#999999")
"""Of Okabe and Ito (2008), ordered so that the first differ most from one another."""
DASHES = (
    (0, ()), (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1)),
    (0, (2, 2)), (0, (6, 1, 1, 1, 1, 1)),
)  # fmt: skip
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "||||", "++++")
DARKER, LIGHTER = 0.45, 0.4
"""How far the darkest shade of a hue goes towards black, and the lightest towards white."""

Series = tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """How one series is drawn; `filled` is about its markers."""

    colour: str
    marker: str
    dash: tuple[int, tuple[float, ...]]
    filled: bool
    hatch: str

    def line(self) -> dict[str, Any]:
        """In the words of ``Axes.plot``."""
        return {
            "color": self.colour, "marker": self.marker, "linestyle": self.dash,
            "markerfacecolor": self.colour if self.filled else "white", "markersize": 4.5,
            "linewidth": 1.2,
        }  # fmt: skip

    def points(self) -> dict[str, Any]:
        """As `line`, without the line."""
        return self.line() | {"linestyle": "none"}

    def bars(self) -> dict[str, Any]:
        """In the words of ``Axes.errorbar``: thin and faint, so that many do not hide lines."""
        return {"capsize": 2, "elinewidth": 0.8, "ecolor": self.colour + "88"}

    def box(self) -> dict[str, Any]:
        """In the words of a ``Patch``."""
        return {
            "facecolor": self.colour + ("b3" if self.filled else "55"), "edgecolor": "black",
            "linewidth": 0.7, "hatch": self.hatch,
        }  # fmt: skip


@dataclass(frozen=True)
class Looks:
    """The looks of all series of a setting.

    Attributes:
        names: the factors of a configuration, the tool first, without the panel's.
        panel: the factor whose levels are dashes; empty: none.
        places: number of each configuration, by the levels of `names`.
        colours: of each configuration.
        levels: number of each level of the panel's factor.
    """

    names: tuple[str, ...]
    panel: str
    places: Mapping[Series, int]
    colours: Mapping[Series, str]
    levels: Mapping[str, int] = field(default_factory=dict)

    def of(self, names: Sequence[str], series: Sequence[Series]) -> dict[Series, Look]:
        """The look of each series of a figure, told apart by the levels of `names`.

        Series of one configuration that differ in further factors, options, are numbered; all but
        the first have other markers and dashes than in figures without such options.
        """
        options = [name for name in names if name not in (*self.names, self.panel)]
        numbers: dict[Series, dict[Series, int]] = {}
        looks = {}
        for levels in series:
            told = dict(zip(names, levels, strict=True))
            option = tuple(told[name] for name in options)
            own = numbers.setdefault(tuple(told.get(name, "") for name in self.names), {})
            looks[levels] = self._look(told, own.setdefault(option, len(own)))
        return looks

    def one(self, levels: Mapping[str, str]) -> Look:
        """The look of the series with these levels, by factor."""
        return self._look(levels, 0)

    def _look(self, told: Mapping[str, str], option: int) -> Look:
        # A figure may not name a factor that is the same for all of its series.
        wanted = [(at, told[name]) for at, name in enumerate(self.names) if name in told]
        fits = (c for c in self.places if all(c[at] == level for at, level in wanted))
        place = next(fits, next(iter(self.places)))
        level = self.levels.get(told.get(self.panel, ""), 0)
        dash = level + max(1, len(self.levels)) * option
        return Look(
            self.colours[place],
            MARKERS[(self.places[place] + 3 * option) % len(MARKERS)],
            DASHES[dash % len(DASHES)],
            level == 0,
            HATCHES[dash % len(HATCHES)],
        )


def looks_of(cells: pd.DataFrame, projection: Projection) -> Looks:
    """The looks of all series of these cells, which should be those of a whole setting."""
    role = ("tool", *(name for name in projection.series if name != projection.panel))
    names = tuple(dict.fromkeys(name for name in role if name in cells))
    found = grouping.series(cells, names)
    tools = list(dict.fromkeys(configuration[0] for configuration in found))
    colours: dict[Series, str] = {}
    for number, tool in enumerate(tools):
        own = [configuration for configuration in found if configuration[0] == tool]
        hues = (
            [HUES[i % len(HUES)] for i in range(len(own))]
            if len(tools) == 1
            else _shades(HUES[number % len(HUES)], len(own))
        )
        colours.update(zip(own, hues, strict=True))
    levels = grouping.series(cells, (projection.panel,)) if projection.panel in cells else []
    named = {level: number for number, (level,) in enumerate(levels)}
    return Looks(names, projection.panel, {c: i for i, c in enumerate(found)}, colours, named)


def _shades(hue: str, count: int) -> list[str]:
    """So many shades of a hue, the darkest first; one is the hue itself."""
    if count == 1:
        return [hue]
    import seaborn  # takes a second

    dark = seaborn.blend_palette([hue, "black"], 101)[round(100 * DARKER)]
    light = seaborn.blend_palette([hue, "white"], 101)[round(100 * LIGHTER)]
    shades: list[str] = seaborn.blend_palette([dark, hue, light], count).as_hex()
    return [str(shade).lower() for shade in shades]


def numbered(index: int) -> Look:
    """The look of the i-th of some lines that are no series of a setting."""
    again = index // len(HUES)
    return Look(
        HUES[index % len(HUES)], MARKERS[(index + 3 * again) % len(MARKERS)],
        DASHES[again % len(DASHES)], again == 0, HATCHES[again % len(HATCHES)],
    )  # fmt: skip
