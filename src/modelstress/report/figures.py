"""Which figures a study has, and what their captions say. Nothing is drawn here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis import Derived, Timeline
from modelstress.analysis.projection import Projection
from modelstress.config.measures import LATENCY
from modelstress.report import (
    boxes,
    contrasts,
    curves,
    distributions,
    effects,
    glance,
    grids,
    grouping,
    lines,
    normality,
    placebo_words,
)
from modelstress.report.compared import Compared
from modelstress.report.figures_of_options import of_options
from modelstress.report.figures_over_time import over_time
from modelstress.report.residue import with_residue
from modelstress.report.sketches import Shared, Sketch, TooFew
from modelstress.stats.thresholds import THRESHOLDS

KINDS = {
    "medians": "Medians{over}",
    "boxes": "Latency{by}",
    "dispersion": "Dispersion{over}",
    "throughput": "Throughput{over}",
    "curve": "Latency against throughput",
    "ecdf": "Distributions of latency",
    "percentiles": "Tails of latency",
    "normal": "Departures from a normal distribution",
    "glance": "Configurations at a glance",
    "deltas": "Effect sizes",
    "ratios": "Ratios{over}",
    "contrasts": "Other measures{over}",
    "windows": "Windows over time",
    "growth": "Costs over the size of the store",
    "parts": "Where the time of executions goes",
    "screening": "Effects of options",
    "tree": "Which cells are the worst",
    "treemap": "The configuration space",
    "weighted": "Levels weighted by use",
    "faults": "Faults over time",
    "timeline": "Single invocations over time",
}
"""Kinds of figures, in the order in which they are shown, and what they show; see `titles`."""
FEWEST_PAIRS = 3
"""Comparisons from which on a figure says more than a sentence or a table."""


def titles(projection: Projection) -> dict[str, str]:
    """Kinds of figures with the headings that they have in a study."""
    load = {word: grouping.over(projection, word) for word in ("by", "over")}
    return {kind: title.format(**load) for kind, title in KINDS.items()}


LINES: Mapping[str, tuple[str, str, str, Callable[..., Figure]]] = {
    "medians": (
        "median_ms",
        "Median latency",
        "Error bars: intervals of the medians, truncated at three times the plotted range.",
        lines.medians,
    ),
    "dispersion": (
        "cod",
        "Coefficient of dispersion of the latency", "", lines.dispersion,
    ),
    "throughput": (
        "throughput_per_s",
        "Throughput of correct answers",
        "Points: median of the invocations; bars: lowest and highest invocation.",
        lines.throughput,
    ),
}  # fmt: skip
"""Column, what is said before where, how it is read, and renderer of the figures over the load."""

DISTRIBUTIONS: Mapping[str, tuple[str, str, Callable[..., Figure]]] = {
    "ecdf": (
        "Share of executions that took at most so long",
        "All complete invocations of a cell together; only correct answers have a latency. Markers "
        "tell lines apart.", distributions.ecdf,
    ),
    "percentiles": (
        "Percentiles of latency",
        "Below: log scale of the share of executions that are slower. A curve ends where fewer "
        f"than {distributions.BEYOND} executions were slower. Markers tell lines apart.",
        distributions.percentiles,
    ),
    "normal": (
        "Normal Q–Q plots of latency",
        "Standardised by mean and standard deviation; line: least squares; dashed: "
        f"{distributions.CONFIDENCE:.0%} envelope of a normal sample, point by point (pingouin). "
        f"p: Shapiro–Wilk. Values beyond 6 are not shown, and of more than "
        f"{distributions.MOST_NORMAL} as many, evenly spaced.",
        distributions.normal_quantiles,
    ),
}  # fmt: skip


def figures(
    derived: Derived,
    cells: pd.DataFrame,
    compared: Sequence[Compared],
    shared: Shared,
    timelines: Sequence[Timeline],
) -> Iterator[Sketch | TooFew]:
    """All figures of a setting that the study shows, kind by kind."""
    wanted = derived.projection.shown.figures
    for sketch in _all_figures(derived, cells, compared, shared, timelines):
        if wanted is None or sketch.kind in wanted:
            yield sketch


def _all_figures(
    derived: Derived,
    cells: pd.DataFrame,
    compared: Sequence[Compared],
    shared: Shared,
    timelines: Sequence[Timeline],
) -> Iterator[Sketch | TooFew]:
    projection = derived.projection
    operations = grouping.operations(cells, projection)
    divided: Divided = []
    if cells["executions"].sum() > 0:
        ordered = pd.concat(
            [grouping.of_operation(cells, projection, operation) for operation in operations]
        )
        divided = [
            panel
            for group in grouping.by_datasets(ordered, projection)
            for panel in grouping.panels(group, projection)
        ]
    yield from _over_loads(["medians"], divided, projection, shared)
    yield from _boxes(cells, operations, derived.outliers, projection, shared)
    yield from _over_loads(["dispersion", "throughput"], divided, projection, shared)
    yield from _curves(derived, divided, shared)
    yield from _distributions(derived, divided, shared)
    yield from _glances(divided, projection, shared)
    of_latency = [comparison for comparison in compared if comparison.measure == LATENCY]
    yield from _comparisons(of_latency, projection, shared)
    others = [comparison for comparison in compared if comparison.measure != LATENCY]
    yield from _contrasts(others, projection, shared)
    yield from of_options(derived, cells, shared)
    yield from over_time(derived, cells, shared, timelines)


Divided = Sequence[tuple[str, pd.DataFrame]]
"""What is special to some figures, and their cells."""


def _boxes(
    cells: pd.DataFrame,
    operations: Sequence[str],
    outliers: pd.DataFrame,
    projection: Projection,
    shared: Shared,
) -> Iterator[Sketch | TooFew]:
    over = grouping.over(projection, "by")
    reading = (
        "Boxes: quartiles; thick line: median ± IQR/√n, cut at the box; whiskers: 1.5 IQR; dots: "
        f"outliers{boxes.THINNED}. Below: medians in ms; (t): share of timeouts; letters: see the "
        "notes of the tables."
    )
    for operation in operations:
        operation_cells = grouping.of_operation(cells, projection, operation)
        for special, panel_cells in grouping.panels(operation_cells, projection):
            known = int(panel_cells["median_ms"].notna().sum())
            if known < 2:
                if known:
                    yield TooFew("boxes", operation, "cells with a median")
                continue
            caption = (
                f"Latency of {operation}{over}{shared.where(special, panel_cells, projection)}."
            )
            panel_outliers = outliers[outliers["cell"].isin(panel_cells["cell"])]
            draw = partial(
                boxes.boxes, panel_cells, panel_outliers, projection, special, shared.looks
            )
            full_caption = with_residue(caption, panel_cells, projection)
            yield Sketch("boxes", full_caption, draw, reading=reading)


def _over_loads(
    kinds: Sequence[str], divided: Divided, projection: Projection, shared: Shared
) -> Iterator[Sketch | TooFew]:
    against = grouping.over(projection, "against")
    for kind in kinds:
        column, what, reading, draw = LINES[kind]
        for special, panel_cells in divided:
            if panel_cells[column].isna().all():
                continue
            if not _joined(panel_cells, column, projection):
                yield TooFew(kind, _operations(panel_cells, projection), "points to join")
                continue
            caption = f"{what}{against}{shared.where(special, panel_cells, projection)}."
            caption = with_residue(caption, panel_cells, projection)
            made = partial(draw, panel_cells, projection, special, shared.looks)
            yield Sketch(kind, caption, made, reading=reading)


def _joined(cells: pd.DataFrame, column: str, projection: Projection) -> bool:
    """Whether any series of an operation has two points; without a load, whether there are two."""
    known = cells[cells[column].notna()]
    if not projection.load:
        return len(known) > 1
    names = (projection.operation, *grouping.series_factors(cells, projection))
    place = known[[*names]].map(grouping.words).agg("\0".join, axis=1)
    return bool((known[projection.load].groupby(place).nunique() > 1).any())


def _operations(cells: pd.DataFrame, projection: Projection) -> str:
    return ", ".join(grouping.operations(cells, projection))


def _curves(derived: Derived, divided: Divided, shared: Shared) -> Iterator[Sketch]:
    projection = derived.projection
    reading = (
        f"A panel per configuration{f' and {projection.panel}' if projection.panel else ''}; "
        f"numbers at the points: {projection.load_title}; bars: up to the 95th percentile. A curve "
        "that rises without going to the right has reached what the server can do."
    )
    for special, panel_cells in divided:
        for task, task_cells in grouping.by_task(panel_cells, projection):
            panels = curves.panels(task_cells, projection, derived.ranked, shared.looks)
            if not panels:
                continue
            caption = (
                f"Median latency of {task} against the throughput of correct answers"
                f"{shared.where(special, task_cells, projection)}."
            )
            caption = with_residue(caption, task_cells, projection)
            draw = partial(curves.curves, panels, task, special)
            yield Sketch("curve", caption, draw, reading=reading)


def _distributions(derived: Derived, divided: Divided, shared: Shared) -> Iterator[Sketch | TooFew]:
    projection = derived.projection
    ends = f"with the fewest and with the most {projection.load_title}"
    for kind, (what, reading, draw) in DISTRIBUTIONS.items():
        for special, panel_cells in divided:
            tested = normality.joined(derived.shapes, panel_cells)
            pages = grids.grids(panel_cells, projection, derived.latencies, tested, shared.looks)
            for number, page in enumerate(pages, start=1):
                if sum(len(panel.series) for panel in page.panels.values()) < 2:
                    yield TooFew(kind, _operations(panel_cells, projection), "cells with latencies")
                    continue
                part = f", part {number} of {len(pages)}" if len(pages) > 1 else ""
                at = f", {ends}" if projection.load else ""
                if kind == "normal":
                    at = f", {page.columns[0]}" if page.columns[0] else ""
                where = shared.where(special, panel_cells, projection)
                caption = f"{what}{at}{part}{where}."
                yield Sketch(kind, caption, partial(draw, page), reading=reading)


def _glances(divided: Divided, projection: Projection, shared: Shared) -> Iterator[Sketch | TooFew]:
    for special, panel_cells in divided:
        chosen = glance.chosen(panel_cells, projection)
        if special or chosen.empty:
            continue
        tasks = len(list(grouping.by_task(chosen, projection)))
        series = grouping.series(chosen, grouping.series_factors(chosen, projection))
        if tasks < glance.FEWEST or len(series) < 2:
            why = f"{projection.noun(projection.operation).many} or configurations"
            yield TooFew("glance", _operations(chosen, projection), why)
            continue
        levels = [grouping.loaded(projection, load) for load in grouping.loads(chosen, projection)]
        if projection.panel in chosen:
            levels = [grouping.words(chosen[projection.panel].iloc[0]), *levels]
        at = ", ".join(level for level in levels if projection.load or level != "all")
        caption = (
            f"Median latencies of all configurations{f', {at}' if at else ''}"
            f"{shared.where('', chosen, projection)}."
        )
        caption = with_residue(caption, chosen, projection)
        draw = partial(glance.glance, chosen, projection, shared.looks)
        reading = "Further left is faster. No dot: not measured there, or without a median."
        yield Sketch("glance", caption, draw, reading=reading)


def _comparisons(
    compared: Sequence[Compared], projection: Projection, shared: Shared
) -> Iterator[Sketch | TooFew]:
    """Heat maps of all effects, then the ratios of all rankings, a figure per case."""
    parts = [part for comparison in compared for _, part in comparison.cases(projection)]
    for part in sorted(parts, key=lambda part: part.ranked):  # stable
        known = int(part.rows[effects.shown(part)].notna().sum())
        if not known:
            continue
        kind = "ratios" if part.ranked else "deltas"
        if known < FEWEST_PAIRS:
            what = f"{part.level} against {part.base}"
            yield TooFew(kind, what, "comparisons with a number", part.name)
            continue
        where = shared.where("", part.rows, projection, part.cells)
        if part.ranked:
            caption = (
                f"Slowdown of {part.base} relative to each configuration{where}. "
                f"{placebo_words.remark(part.placebo_rates)}"
            )
            reading = f"Right of 1: {part.base} is slower. {effects.meaning(part)}."
            ratios = partial(effects.ratios, part, projection, shared.looks)
            caption = with_residue(caption, part.rows, projection)
            yield Sketch(kind, caption, ratios, part.name, reading)
            continue
        factor = f"{part.factor} " if part.factor else ""
        caption = (
            f"Cliff's δ of latency, {factor}{part.level} against {part.base}{where}. "
            f"{placebo_words.remark(part.placebo_rates)}"
        )
        reading = (
            f"+1: always slower, −1: always faster; {effects.NOT_SIGNIFICANT}: Mann–Whitney's p is "
            f"{THRESHOLDS.alpha} or more; hatched: not compared."
        )
        caption = with_residue(caption, part.rows, projection)
        draw = partial(effects.heat_map, part, projection)
        yield Sketch(kind, caption, draw, part.name, reading)


def _contrasts(
    compared: Sequence[Compared], projection: Projection, shared: Shared
) -> Iterator[Sketch | TooFew]:
    """Both sides of every comparison of another measure, over the load."""
    against = grouping.over(projection, "against")
    for comparison in compared:
        measure = comparison.measure
        title = measure.title[0].upper() + measure.title[1:]
        centre = "mean" if measure.share else "median"
        of = "invocations" if measure.per == "invocation" else "executions"
        points = contrasts.points(comparison)
        ordered = pd.concat(
            grouping.of_operation(points, projection, name)
            for name in grouping.operations(points, projection)
        )
        for group in grouping.by_datasets(ordered, projection):
            for special, panel_cells in grouping.panels(group, projection):
                if panel_cells["value"].isna().all():
                    continue
                if not _joined(panel_cells, "value", projection):
                    what = f"{measure.title} of {_operations(panel_cells, projection)}"
                    yield TooFew("contrasts", what, "points to join", comparison.name)
                    continue
                caption = (
                    f"{title}{against}, {comparison.level} and {comparison.base}"
                    f"{shared.where(special, panel_cells, projection)}. "
                    f"{measure.better.capitalize()} is better."
                )
                reading = f"Points: {centre} of the {of}; bars: lowest and highest invocation."
                draw = partial(
                    lines.measured, panel_cells, projection, measure.axis, special, shared.looks
                )
                full_caption = with_residue(caption, panel_cells, projection)
                yield Sketch("contrasts", full_caption, draw, comparison.name, reading)
