"""A measure of cells over the levels of any factor, with printed values beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modelstress.analysis import Derived, selection
from modelstress.analysis.replication.choose import having
from modelstress.config.errors import ConfigError
from modelstress.config.figures import IDLE, SHOWN, OverFactor
from modelstress.config.levels import written
from modelstress.config.measures import LATENCY, MEASURES, SHARE, THROUGHPUT
from modelstress.config.papers import Papers
from modelstress.config.published_values import MedianOf, Selector, ThroughputOf
from modelstress.report.artifacts import Drawn, NotDrawn
from modelstress.report.style import (
    COLOURS,
    GREY,
    MARKERS,
    in_logs,
    laid_out,
    legend_columns,
    legend_of_lines,
    log_axis,
    new_figure,
    scaled,
    style,
)

COLUMNS = {
    THROUGHPUT.name: selection.COLUMNS["throughput"],
    LATENCY.name: selection.COLUMNS["median"],
}
WIDTH, HEIGHT = 5.6, 3.4
MOST_TICKS = 12
"""So many labels of levels have room beside one another."""
READING = (
    "Points: median of the starts, bars from the lowest to the highest",
    "Points: medians, bars their intervals",
)
"""Of a figure's marks: of starts, and of latencies."""


@dataclass(frozen=True)
class Printed:
    """A value that a paper prints, at a level of the factor; shown as a cross."""

    level: object
    value: float


def printed(papers: Papers, measure: str, factor: str, only: Selector) -> tuple[Printed, ...]:
    """Values that papers print of such cells, where one has a level of the factor.

    Args:
        papers: of the study.
        measure: ``throughput`` or ``latency`` (a median).
        factor: of the x axis.
        only: levels of the cells that are shown; what an entry says must not contradict it.
    """
    kind = {THROUGHPUT.name: ThroughputOf, LATENCY.name: MedianOf}[measure]
    found: list[Printed] = []
    for entry in (entry for paper in papers.papers for entry in paper.entries):
        if isinstance(entry.ours, kind) and entry.theirs.value is not None:
            levels = entry.ours.cells
            same = all(_meets(only[name], level) for name, level in levels.items() if name in only)
            if same and factor in levels:
                found.append(Printed(levels[factor], entry.theirs.value))
    return tuple(found)


def _meets(wanted: object, level: object) -> bool:
    levels = wanted if isinstance(wanted, list) else [wanted]
    return written(level) in map(written, levels)


def asked(
    derived: Derived, figures: Sequence[OverFactor], papers: Papers, topic: str
) -> tuple[Drawn | NotDrawn, ...]:
    """The figures of a topic that a study asks for, with printed values of papers.

    Args:
        derived: with the cells.
        figures: of the study.
        papers: of the study.
        topic: of the figures that are wanted.
    """
    drawn: list[Drawn | NotDrawn] = []
    for number, figure in enumerate(figures, start=1):
        if figure.topic != topic:
            continue
        if not _measured(derived, figure.only).any():
            sentence = f"{figure.title}: such cells were not measured in profile {derived.profile}."
            drawn.append(NotDrawn("over", sentence, topic))
            continue
        known: tuple[Printed, ...] = ()
        if figure.measure in COLUMNS:
            known = printed(papers, figure.measure, figure.over, figure.only)
        draw = partial(
            over, derived, figure.over, figure.measure, figure.only, figure.series, known
        )
        crosses = "; crosses: what is printed" if known else ""
        reading = f"{READING[figure.measure == LATENCY.name]}{crosses}."
        drawn.append(Drawn(f"figure-V{number}", "over", f"{figure.title}. {reading}", draw, topic))
    return tuple(drawn)


def over(
    derived: Derived,
    factor: str,
    measure: str,
    only: Selector,
    series: str = "",
    printed: Sequence[Printed] = (),
    title: str = "",
) -> Figure:
    """Cells of a selection, a line for each level of a series.

    Bars reach from the lowest to the highest start, those of latencies over the median's interval.

    Args:
        derived: with the cells.
        factor: of the x axis; numbers have a scale, other levels the order of the selection.
        measure: ``throughput``, ``latency``, a share of an outcome, or ``IDLE``.
        only: levels of the cells that are shown.
        series: the factor whose levels are lines; none: one line.
        printed: values of a paper.
        title: says what there is to see.

    Raises:
        ConfigError: the measure cannot be shown like this, or no such cell was measured.
    """
    cells = derived.cells[_measured(derived, only)]
    if cells.empty:
        raise ConfigError("no such cell was measured")
    values = _values(derived, cells, measure)
    levels = _levels(cells, factor, only)
    places = _places(levels)
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.subplots()
        names = [written(level) for level in _levels(cells, series, only)] if series else [""]
        for number, name in enumerate(names):
            rows = cells[cells[series].map(written) == name] if series else cells
            _line(axes, rows[factor].map(written), values.loc[rows.index], places, number, name)
        known = [p for p in printed if written(p.level) in places]
        if known:
            axes.plot(
                [places[written(p.level)] for p in known], [p.value for p in known],
                "x", color=GREY, markersize=8, label="printed",
            )  # fmt: skip
        shown = np.concatenate([values["value"].to_numpy(np.float64), [p.value for p in known]])
        _axes(axes, places, levels, factor, derived)
        _scale(axes, measure, shown)
        if series or known:  # above: a cross of the legend among the points would be taken for one
            heading = derived.projection.title(series) if series else ""
            many = legend_columns(WIDTH, [*names, "printed"])
            legend_of_lines(figure, [axes], many, heading)
        axes.set_title(title)
        return laid_out(figure)


def _measured(derived: Derived, only: Selector) -> "pd.Series[bool]":
    return having(derived.cells, only) & (derived.cells["executions"].fillna(0) > 0)


def _values(derived: Derived, cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """``value``, ``low`` and ``high`` of each cell."""
    if measure in COLUMNS:
        return cells[list(COLUMNS[measure])].set_axis(["value", "low", "high"], axis=1)
    starts = derived.invocations
    starts = starts[starts["used"].fillna(False).astype(bool)]
    if measure == IDLE:
        of = 1 - starts["server_cpu"]
    elif measure in MEASURES and MEASURES[measure].column:
        of = starts[MEASURES[measure].column]
    elif measure.startswith(SHARE) and measure in MEASURES:
        of = starts[MEASURES[measure].outcome].fillna(0) / starts["executions"]
    else:
        raise ConfigError(f"{measure!r} cannot be shown over a factor; choose {', '.join(SHOWN)}")
    groups = of.groupby([starts["tool"], starts["cell"]])
    table = pd.DataFrame({"value": groups.median(), "low": groups.min(), "high": groups.max()})
    keys = pd.MultiIndex.from_frame(cells[["tool", "cell"]])
    return table.reindex(keys).set_axis(cells.index)


def _levels(cells: pd.DataFrame, factor: str, only: Selector) -> Sequence[object]:
    """Levels that were measured: numbers ascending, others in the order of the selection."""
    measured = list(dict.fromkeys(cells[factor].map(written)))
    numbers = pd.to_numeric(pd.Series(measured), errors="coerce")
    if numbers.notna().all():
        return sorted(numbers.astype(float).tolist())
    wanted = only.get(factor, [])
    order = [written(level) for level in (wanted if isinstance(wanted, list) else [wanted])]
    return sorted(measured, key=lambda level: order.index(level) if level in order else len(order))


def _places(levels: Sequence[object]) -> Mapping[str, float]:
    """Where a level is on the x axis: a number at its value."""
    if all(isinstance(level, float) for level in levels):
        return {written(level): float(str(level)) for level in levels}
    return {written(level): float(place) for place, level in enumerate(levels)}


def _line(
    axes: Axes,
    levels: "pd.Series[str]",
    values: pd.DataFrame,
    places: Mapping[str, float],
    number: int,
    name: str,
) -> None:
    x = np.array([places[level] for level in levels])
    order = np.argsort(x, kind="stable")
    value, low, high = (values[c].to_numpy(np.float64)[order] for c in ("value", "low", "high"))
    down, up = np.nan_to_num(value - low).clip(0), np.nan_to_num(high - value).clip(0)
    axes.errorbar(
        x[order], value, yerr=np.vstack([down, np.where(np.isfinite(up), up, 0)]), capsize=2,
        color=COLOURS[number % len(COLOURS)], marker=MARKERS[number % len(MARKERS)],
        label=name or None,
    )  # fmt: skip


def _axes(
    axes: Axes,
    places: Mapping[str, float],
    levels: Sequence[object],
    factor: str,
    derived: Derived,
) -> None:
    axes.set_xlabel(derived.projection.title(factor))
    if not all(isinstance(level, float) for level in levels):
        axes.set_xticks(list(places.values()), list(places), rotation=20, ha="right")
        return
    at = np.array(list(places.values()))
    if np.diff(at).min(initial=np.inf) >= np.ptp(at) / MOST_TICKS:
        axes.set_xticks(at, list(places))  # no values between them, as beside a single level


def _scale(axes: Axes, measure: str, shown: NDArray[np.float64]) -> None:
    """From 0 on; a log scale where values are far apart: the small ones could not be read."""
    log = in_logs([shown])
    axes.set_ylabel(scaled(MEASURES[measure].axis if measure in MEASURES else measure, log))
    if log:
        low, high = axes.dataLim.intervaly  # bars included, as far as they are above 0
        known = shown[np.isfinite(shown)]
        log_axis(axes, low if low > 0 else float(known.min()), max(high, float(known.max())))
    else:
        axes.set_ylim(bottom=0)
