"""A figure of any measure against any factor: rows, columns and colours are chosen factors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modelstress.analysis.projection import Projection
from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.measures import LATENCY, THROUGHPUT
from modelstress.report import distributions, grouping
from modelstress.report.grids import Grid, Panel
from modelstress.report.style import (
    COLOURS,
    MARKERS,
    decade,
    in_logs,
    in_numbers,
    laid_out,
    legend_columns,
    load_axis,
    log_axis,
    new_figure,
    scaled,
    style,
)
from modelstress.stats.results import Values

UNITS = {
    "median": f"median {LATENCY.axis}",
    "dispersion": "coefficient of dispersion",
    "throughput": THROUGHPUT.axis,
    "p95": f"95th percentile of {LATENCY.axis}",
    "p99": f"99th percentile of {LATENCY.axis}",
}
"""Axis title by measure of ``analysis.measured``."""
DASHES = ("-", "--", "-.", ":")
ABREAST = 4
"""Panels in a row where no factor is chosen for the rows."""
MOST_PANELS = 36
MOST_LINES = 24
"""Lines of a figure that can still be told apart, by colour, marker and dashes."""
NAMED = 12
"""Lines that have an entry of their own in the legend; of more, only the colours are named."""


@dataclass(frozen=True)
class Layout:
    """Which factor is what in a figure; empty: none."""

    rows: str
    columns: str
    colour: str
    along: str

    @property
    def names(self) -> tuple[str, ...]:
        """The chosen factors."""
        return tuple(filter(None, (self.rows, self.columns, self.colour, self.along)))


@dataclass(frozen=True)
class _Line:
    """A line of the figure: its levels of the colour's factor and of all that is not chosen."""

    colour: str
    rest: tuple[str, ...]
    look: tuple[int, int]


@dataclass(frozen=True)
class _Axis:
    """The x axis of all panels.

    Attributes:
        title: of the axis.
        places: of the levels of its factor, by their words.
        loads: the same levels where they are loads in numbers; only these are joined by lines.
    """

    title: str
    places: dict[str, float]
    loads: Sequence[Level] = ()


def rest(cells: pd.DataFrame, projection: Projection, layout: Layout) -> tuple[str, ...]:
    """The factors that nothing shows and in which cells differ that would else be one line.

    Those that only go with a chosen one (what follows from the tool, the deadline of an operation)
    tell nothing apart.
    """
    chosen = [name for name in layout.names if name in cells]
    told = cells[list(projection.factors)].map(grouping.words)
    names = list(chosen)
    apart = len(told[names].drop_duplicates()) if names else min(1, len(told))
    for name in projection.factors:
        more = len(told[[*names, name]].drop_duplicates())
        if name not in chosen and more > apart:
            names.append(name)
            apart = more
    return tuple(names[len(chosen) :])


def lines(measured: pd.DataFrame, layout: Layout, unit: str, projection: Projection) -> Figure:
    """A panel per level of rows and columns, a line per colour and per level of what is left.

    Points are values, bars their intervals, both from ``analysis.measured``.

    Raises:
        ConfigError: there would be more panels or lines than can be read.
    """
    others = rest(measured, projection, layout)
    series = _series(measured, layout, others)
    panels = _grid(measured, layout, projection)
    _readable(len(panels) * len(panels[0]), len(series))
    axis = _axis(measured, layout.along, projection)
    with style():
        labels = _labels(series, layout, others, projection)
        width = max(5.2, 2.5 * len(panels[0]))
        fits = legend_columns(width, list(labels.values()) or [""])
        high = 0.5 + 2.2 * len(panels) + 0.17 * -(-len(labels) // fits)
        figure = new_figure(width, high)
        grid = figure.subplots(
            len(panels), len(panels[0]), squeeze=False, sharey="row" if layout.rows else False
        )
        log = in_logs(_values(panel_cells) for row in panels for _, panel_cells in row)
        for i, row in enumerate(panels):
            for j, (title, panel_cells) in enumerate(row):
                _panel(grid[i, j], panel_cells, layout, others, series, axis)
                grid[i, j].set_title(title)
                grid[i, j].set_visible(bool(title) or len(panel_cells) > 0)
            _scale(
                list(grid[i]),
                [panel_cells for _, panel_cells in row],
                log,
                shared=bool(layout.rows),
            )
            grid[i, 0].set_ylabel(scaled(unit, log))
        if labels:
            handles = [_handle(grid[0, 0], line.look, label) for line, label in labels.items()]
            figure.legend(handles, list(labels.values()), loc="outside upper center", ncols=fits)
        return laid_out(figure)


def curves(
    cells: pd.DataFrame,
    latencies: Sequence[Values],
    layout: Layout,
    projection: Projection,
) -> Figure:
    """Cumulated shares of the cells' latencies: a panel per row and column, a curve per cell.

    Raises:
        ConfigError: there would be more panels or curves than can be read.
    """
    drawn = Layout(layout.rows, layout.columns, layout.colour, "")
    if not layout.rows and len(_levels(cells, layout.columns)) > ABREAST:
        drawn = Layout(layout.columns, "", layout.colour, "")
    names = [*filter(None, (drawn.colour, *rest(cells, projection, drawn)))]
    orders = {name: _levels(cells, name) for name in names}
    by_place: dict[tuple[str, str], dict[str, Values]] = {}
    ranks: dict[str, list[int]] = {}
    for (_, cell), values in zip(cells.iterrows(), latencies, strict=True):
        place = (_title(cell, drawn.rows, projection), _title(cell, drawn.columns, projection))
        series = by_place.setdefault(place, {})
        if values.size:
            levels = [grouping.words(cell[name]) for name in names]
            label = grouping.label(names, levels, projection) or "all"
            ranks[label] = [
                orders[name].index(level) for name, level in zip(names, levels, strict=True)
            ]
            series[label] = values
    labels = sorted(ranks, key=lambda label: ranks[label])
    rows, columns = (tuple(dict.fromkeys(place[side] for place in by_place)) for side in (0, 1))
    _readable(len(rows) * len(columns), len(labels))
    panels = {place: Panel(*place, series) for place, series in by_place.items()}
    return distributions.ecdf(Grid(rows, columns, tuple(labels), panels))


def _readable(panels: int, lines: int) -> None:
    if panels > MOST_PANELS:
        raise ConfigError(
            f"this would be {panels} panels, at most {MOST_PANELS} can be read; choose fewer "
            "levels or other factors for rows and columns"
        )
    if lines > MOST_LINES:
        raise ConfigError(
            f"this would be {lines} different lines, at most {MOST_LINES} can be told apart; "
            "choose fewer levels, or one of their factors for rows or columns"
        )


def _levels(cells: pd.DataFrame, name: str) -> list[str]:
    """The levels of a factor as words, numbers ascending; one blank level where none is chosen."""
    if not name:
        return [""]
    levels = list(dict.fromkeys(cells[name]))
    if all(isinstance(level, int | float | np.integer) for level in levels):
        levels.sort()
    return list(dict.fromkeys(grouping.words(level) for level in levels))


def _grid(
    cells: pd.DataFrame, layout: Layout, projection: Projection
) -> list[list[tuple[str, pd.DataFrame]]]:
    """Title and cells of the panels, in rows of equal length; columns alone are wrapped."""
    rows, columns = _levels(cells, layout.rows), _levels(cells, layout.columns)
    panels = [
        [
            _part(cells, ((layout.rows, row), (layout.columns, column)), projection)
            for column in columns
        ]
        for row in rows
    ]
    if layout.rows or len(columns) <= ABREAST:
        return panels
    flat, empty = panels[0], ("", cells.iloc[:0])
    lines = [flat[i : i + ABREAST] for i in range(0, len(flat), ABREAST)]
    return [line + [empty] * (ABREAST - len(line)) for line in lines]


def _part(
    cells: pd.DataFrame, levels: Sequence[tuple[str, str]], projection: Projection
) -> tuple[str, pd.DataFrame]:
    part_cells = cells
    for name, level in levels:
        if name:
            part_cells = part_cells[part_cells[name].map(grouping.words) == level]
    return _titled(levels, projection), part_cells


def _title(cell: "pd.Series[Any]", name: str, projection: Projection) -> str:
    return _titled([(name, grouping.words(cell[name]))], projection) if name else ""


def _titled(levels: Sequence[tuple[str, str]], projection: Projection) -> str:
    """Levels as the title of a panel; names only where the level does not speak for itself."""
    plain = (*projection.series, projection.operation, projection.dataset)
    titles = [
        (level if name in plain else f"{name} {level}") if level else f"no {name}"
        for name, level in levels
        if name
    ]
    return ", ".join(titles)


def _series(cells: pd.DataFrame, layout: Layout, others: Sequence[str]) -> list[_Line]:
    """All lines with their look: the colour of their level, marker and dashes of the rest."""
    colours = _levels(cells, layout.colour)
    names = [*([layout.colour] if layout.colour else []), *others]
    rows = cells[names].map(grouping.words).drop_duplicates() if names else cells.iloc[:1, :0]
    drawn_lines: list[_Line] = []
    rests: dict[tuple[str, ...], int] = {}
    for row in rows.itertuples(index=False, name=None):
        colour, left = (row[0], tuple(row[1:])) if layout.colour else ("", tuple(row))
        look = (colours.index(colour), rests.setdefault(left, len(rests)))
        drawn_lines.append(_Line(colour, left, look))
    return sorted(drawn_lines, key=lambda line: line.look)


def _labels(
    series: Sequence[_Line], layout: Layout, others: Sequence[str], projection: Projection
) -> dict[_Line, str]:
    """What the legend says: every line where they are few, else one of every colour."""
    names = [*([layout.colour] if layout.colour else []), *others]
    if not names:
        return {}
    if len(series) <= NAMED:
        levels = {
            line: [line.colour, *line.rest] if layout.colour else line.rest for line in series
        }
    else:
        first = {line.colour: line for line in reversed(series)}
        names, levels = [layout.colour], {line: [line.colour] for line in reversed(first.values())}
    return {line: grouping.label(names, told, projection) or "–" for line, told in levels.items()}


def _axis(cells: pd.DataFrame, along: str, projection: Projection) -> _Axis:
    """The axis of a factor: numbers of the load at themselves, all other levels evenly."""
    if along != projection.load or not along:
        return _Axis(along, {level: float(i) for i, level in enumerate(_levels(cells, along))})
    loads = grouping.loads(cells, projection)
    if loads and in_numbers(loads):
        places = {grouping.words(load): float(load) for load in loads}
        return _Axis(projection.load_title, places, loads)
    levels = _levels(cells, along)
    return _Axis(projection.load_title, {level: float(i) for i, level in enumerate(levels)})


def _panel(
    axes: Axes,
    cells: pd.DataFrame,
    layout: Layout,
    others: Sequence[str],
    series: Sequence[_Line],
    axis: _Axis,
) -> None:
    names = [*([layout.colour] if layout.colour else []), *others]
    told = cells[names].map(grouping.words)
    where = cells[layout.along].map(grouping.words) if layout.along else pd.Series("", cells.index)
    for index, line in enumerate(series):
        levels = [*([line.colour] if layout.colour else []), *line.rest]
        mask = (told == levels).all(axis=1) if names else pd.Series(True, cells.index)
        _draw(axes, cells[mask], where[mask], axis, line.look, index)
    if axis.loads:
        load_axis(axes, axis.loads, axis.title)
    else:
        axes.set_xticks(list(axis.places.values()), [level or "none" for level in axis.places])
        axes.set_xlim(-0.5, len(axis.places) - 0.5)
        axes.tick_params(axis="x", labelrotation=30 if len(axis.places) > 3 else 0)
        axes.set_xlabel(axis.title)


def _draw(
    axes: Axes,
    cells: pd.DataFrame,
    where: "pd.Series[str]",
    axis: _Axis,
    look: tuple[int, int],
    index: int,
) -> None:
    """One line. What is missing leaves a gap; cells of the same place are points without a line."""
    if not cells["value"].notna().any():
        return
    colour, marker, dashes = _look(look)
    aside = (index + 1) // 2 * (-1) ** index  # beside each other, else they cover their bars
    for turn, (_, part) in enumerate(cells.groupby(where.groupby(where).cumcount(), sort=True)):
        at = part.set_index(where[part.index]).reindex(list(axis.places))
        x = np.array(list(axis.places.values()))
        x = x * 1.02**aside if axis.loads else x + 0.03 * aside
        y, low, high = (at[name].to_numpy(np.float64) for name in ("value", "low", "high"))
        bars = np.nan_to_num(np.vstack([y - low, high - y])).clip(min=0)
        axes.errorbar(
            x, y, yerr=bars if bars.any() else None, color=colour, marker=marker, markersize=4.5,
            linewidth=1.2, capsize=2.5, elinewidth=0.9,
            linestyle=dashes if axis.loads and not turn else "none",
        )  # fmt: skip


def _look(look: tuple[int, int]) -> tuple[str, str, str]:
    """Colour, marker and dashes of a line. Colours come again with other markers."""
    colour, other = look
    marker = (colour if not other else other + 3) + 3 * (colour // len(COLOURS))
    return (
        COLOURS[colour % len(COLOURS)], MARKERS[marker % len(MARKERS)], DASHES[other % len(DASHES)]
    )  # fmt: skip


def _handle(axes: Axes, look: tuple[int, int], label: str) -> Artist:
    colour, marker, dashes = _look(look)
    return axes.plot(
        [], [], color=colour, marker=marker, linestyle=dashes, markersize=4.5, label=label
    )[0]


def _values(cells: pd.DataFrame) -> NDArray[np.float64]:
    return cells[["value", "low", "high"]].to_numpy(np.float64)


def _scale(row: Sequence[Axes], parts: Sequence[pd.DataFrame], log: bool, shared: bool) -> None:
    """The y axes of a row of panels: logarithmic, or from 0."""
    groups: Iterator[tuple[Sequence[Axes], list[pd.DataFrame]]] = (
        iter([(row, list(parts))])
        if shared
        else (([a], [p]) for a, p in zip(row, parts, strict=True))
    )
    for axes, cells in groups:
        values = np.concatenate([_values(part) for part in cells])
        finite = values[np.isfinite(values)]
        for panel in axes:
            if finite.size and log:
                log_axis(panel, *decade(float(finite.min()), float(finite.max())))
            elif finite.size:
                panel.set_ylim(0, max(float(finite.max()) * 1.12, 1e-9))
