"""Which figures a study has, and what their captions say. Nothing is drawn here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

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
    faults,
    grids,
    grouping,
    lines,
    normality,
    placebo_words,
    radar,
    timeline,
    windows,
)
from modelstress.report.compared import Compared
from modelstress.report.grouping import Setting
from modelstress.report.residue import with_residue
from modelstress.stats.thresholds import THRESHOLDS

KINDS = {
    "boxes": "Latency{by}",
    "medians": "Medians{over}",
    "dispersion": "Dispersion{over}",
    "throughput": "Throughput{over}",
    "curve": "Latency against throughput",
    "ecdf": "Distributions of latency",
    "percentiles": "Tails of latency",
    "normal": "Departures from a normal distribution",
    "radar": "Configurations at a glance",
    "deltas": "Effect sizes",
    "ratios": "Ratios{over}",
    "contrasts": "Other measures{over}",
    "windows": "Windows over time",
    "faults": "Faults over time",
    "timeline": "Single invocations over time",
}
"""Kinds of figures, in the order in which they are shown, and what they show; see `titles`."""


def titles(projection: Projection) -> dict[str, str]:
    """Kinds of figures with the headings that they have in a study."""
    load = {word: grouping.over(projection, word) for word in ("by", "over")}
    return {kind: title.format(**load) for kind, title in KINDS.items()}


CUT = "a frame cuts them where they reach beyond three times the points"

LINES: Mapping[str, tuple[str, str, str, Callable[..., Figure]]] = {
    "medians": (
        "median_ms",
        "Median latency",
        f" Bars: intervals of the medians; {CUT}.", lines.medians,
    ),
    "dispersion": (
        "cod",
        "Coefficient of dispersion of the latency", "", lines.dispersion,
    ),
    "throughput": (
        "throughput_per_s",
        "Throughput of correct answers",
        " Points: median of the invocations; bars: lowest and highest invocation.",
        lines.throughput,
    ),
}  # fmt: skip
"""Column, what is said before and after where, and renderer of the figures over the load."""

DISTRIBUTIONS: Mapping[str, tuple[str, str, Callable[..., Figure]]] = {
    "ecdf": (
        "Share of executions that took at most so long",
        " All complete invocations of a cell together; executions that were not answered rightly "
        "have no latency and do not count.", distributions.ecdf,
    ),
    "percentiles": (
        "Percentiles of latency",
        f" Both axes are logarithmic, below that of the share of executions that are slower. A "
        f"curve ends where fewer than {distributions.BEYOND} executions were slower.",
        distributions.percentiles,
    ),
    "normal": (
        "Latencies over quantiles of a normal distribution",
        " Each cell is standardised by its median and its quartiles; normal ones would lie on the "
        "grey line (curves are cut at 10). In the corners: cells in which Shapiro–Wilk does not "
        f"reject (p ≥ {THRESHOLDS.alpha}).",
        distributions.normal_quantiles,
    ),
}  # fmt: skip


class Sketch(NamedTuple):
    """A figure that can be drawn."""

    kind: str
    caption: str
    draw: Callable[[], Figure]
    about: str = ""


def figures(
    derived: Derived,
    cells: pd.DataFrame,
    compared: Sequence[Compared],
    setting: Setting,
    timelines: Sequence[Timeline],
) -> Iterator[Sketch]:
    """All figures of a setting, kind by kind."""
    projection = derived.projection
    operations = grouping.operations(cells, projection)
    yield from _boxes(cells, operations, derived.outliers, projection, setting)
    if cells["executions"].sum() > 0:
        ordered = pd.concat(
            [grouping.of_operation(cells, projection, operation) for operation in operations]
        )
        divided = [
            panel
            for group in grouping.by_datasets(ordered, projection)
            for panel in grouping.panels(group, projection)
        ]
        yield from _over_loads(divided, projection, setting)
        yield from _curves(derived, divided, setting)
        yield from _distributions(derived, divided, setting)
        yield from _radars(divided, projection, setting)
    of_latency = [comparison for comparison in compared if comparison.measure == LATENCY]
    yield from _comparisons(of_latency, projection, setting)
    others = [comparison for comparison in compared if comparison.measure != LATENCY]
    yield from _contrasts(others, projection, setting)
    yield from _windows(derived, cells, setting)
    disturbed = set(derived.faults["cell"])
    yield from _faults(derived, [t for t in timelines if t.cell in disturbed], cells, setting)
    for cell_timeline in timelines:
        if cell_timeline.cell in disturbed:
            continue
        caption = (
            f"Cell {cell_timeline.cell}, invocation {cell_timeline.invocation}, over "
            f"time ({setting}). Outlines: executions outside the measured window; "
            "below: busy share of the CPU sets."
        )
        if cell_timeline.noun != "execution":
            caption += (
                f" A point is the median of a {cell_timeline.noun}'s right answers, since samples "
                "are histograms; other outcomes of that second lie at the bottom."
            )
        if named := grouping.titles(cells[cells["cell"] == cell_timeline.cell]):
            caption += f" {named}."
        heading = f"{cell_timeline.cell}, invocation {cell_timeline.invocation}"
        draw = partial(
            timeline.timeline,
            cell_timeline.executions,
            cell_timeline.cpu,
            heading,
            cell_timeline.noun,
        )
        yield Sketch("timeline", caption, draw)


def _windows(derived: Derived, cells: pd.DataFrame, setting: Setting) -> Iterator[Sketch]:
    """One figure for each operation and load of a study that asks for windows."""
    if derived.windows is None:
        return
    projection = derived.projection
    for operation, load, part_cells in windows.parts(derived.windows, cells, projection):
        part_windows = derived.windows[derived.windows["cell"].isin(part_cells["cell"])]
        title = ", ".join([operation, *([grouping.loaded(projection, load)] * bool(load))])
        caption = (
            f"Rate and p99 latency of the stretches of the window, {title}"
            f"{_where('', part_cells, projection, setting)}. A line is one invocation, a point the "
            "end of a stretch; one that is cut at the end of the window is left out."
        )
        if part_cells["flags"].str.contains("histograms", regex=False).any():
            caption += " The first and the last second of histograms are not whole: no rate."
        draw = partial(windows.over_time, part_windows, part_cells, projection, title)
        yield Sketch("windows", with_residue(caption, part_cells, projection), draw)


def _faults(
    derived: Derived, timelines: Sequence[Timeline], cells: pd.DataFrame, setting: Setting
) -> Iterator[Sketch]:
    """One figure for each series of cells that differ in their fault only."""
    rows = derived.faults.drop_duplicates("cell").set_index("cell")
    groups: dict[tuple[str, ...], list[faults.Disturbed]] = {}
    titles: dict[tuple[str, ...], str] = {}
    names = ["tool", *(n for n in derived.factors if n != "fault" and n in cells)]
    for cell_timeline in sorted(
        timelines, key=lambda cell_timeline: list(rows.index).index(cell_timeline.cell)
    ):
        row = rows.loc[cell_timeline.cell]
        told = {name: grouping.words(row[name]) for name in names}
        key = tuple(told.values())
        measured = cell_timeline.executions[cell_timeline.executions["phase"] == "measure"].copy()
        measured["start_s"] -= measured["start_s"].min()
        begun = float(row["begun_s"])
        ended = begun + float(row["lasted_s"])
        ready = ended + float(row["ready_s"])
        disturbed = faults.Disturbed(str(row["fault"]), measured, begun, ended, ready)
        groups.setdefault(key, []).append(disturbed)
        shown = (*derived.projection.series, derived.projection.operation)
        titles[key] = ", ".join(told[name] for name in shown if told.get(name))
    for key, group in groups.items():
        caption = (
            f"Faults of {titles[key]} over time ({setting}): executions at their intended starts; "
            "grey: the fault; dotted: a server that was started again is ready."
        )
        yield Sketch("faults", caption, partial(faults.over_time, group, titles[key]))


Divided = Sequence[tuple[str, pd.DataFrame]]
"""What is special to some figures, and their cells."""


def _boxes(
    cells: pd.DataFrame,
    operations: Sequence[str],
    outliers: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Iterator[Sketch]:
    over = grouping.over(projection, "by")
    for operation in operations:
        operation_cells = grouping.of_operation(cells, projection, operation)
        for special, panel_cells in grouping.panels(operation_cells, projection):
            if panel_cells["median_ms"].isna().all():
                continue
            where = _where(special, panel_cells, projection, setting)
            caption = (
                f"Latency of {operation}{over}{where}. Boxes: quartiles; notch: median "
                f"± IQR/√n, cut at the box; whiskers: 1.5 IQR; dots: outliers{boxes.THINNED}. "
                "Below: medians in ms; (t): share of timeouts; letters: see the notes of the "
                "tables."
            )
            panel_outliers = outliers[outliers["cell"].isin(panel_cells["cell"])]
            draw = partial(boxes.boxes, panel_cells, panel_outliers, projection, setting, special)
            yield Sketch("boxes", with_residue(caption, panel_cells, projection), draw)


def _over_loads(divided: Divided, projection: Projection, setting: Setting) -> Iterator[Sketch]:
    for kind, (column, what, remark, draw) in LINES.items():
        for special, panel_cells in divided:
            if panel_cells[column].isna().all():
                continue
            against = grouping.over(projection, "against")
            caption = f"{what}{against}{_where(special, panel_cells, projection, setting)}.{remark}"
            caption = with_residue(caption, panel_cells, projection)
            yield Sketch(kind, caption, partial(draw, panel_cells, projection, special))


def _curves(derived: Derived, divided: Divided, setting: Setting) -> Iterator[Sketch]:
    projection = derived.projection
    for special, panel_cells in divided:
        for task, task_cells in grouping.by_task(panel_cells, projection):
            panels = curves.panels(task_cells, projection, derived.latencies)
            if not panels:
                continue
            caption = (
                f"Latency of {task} against the throughput of correct answers"
                f"{_where(special, task_cells, projection, setting)}. A panel per configuration"
                f"{f' and {projection.panel}' if projection.panel else ''}; numbers at the "
                f"points: {projection.load_title}; solid: medians, dashed: 95th "
                "percentiles. A curve that rises without going to the right has reached what the "
                "server can do."
            )
            caption = with_residue(caption, task_cells, projection)
            yield Sketch("curve", caption, partial(curves.curves, panels, task, special))


def _distributions(derived: Derived, divided: Divided, setting: Setting) -> Iterator[Sketch]:
    projection = derived.projection
    ends = f"with the fewest and with the most {projection.load_title}"
    for kind, (what, remark, draw) in DISTRIBUTIONS.items():
        for special, panel_cells in divided:
            tested = normality.joined(derived.shapes, panel_cells)
            pages = grids.grids(panel_cells, projection, derived.latencies, tested)
            for number, page in enumerate(pages, start=1):
                part = f", part {number} of {len(pages)}" if len(pages) > 1 else ""
                at_ends = f", {ends}" if projection.load else ""
                where = _where(special, panel_cells, projection, setting)
                caption = f"{what}{at_ends}{part}{where}.{remark}"
                yield Sketch(kind, caption, partial(draw, page))


def _radars(divided: Divided, projection: Projection, setting: Setting) -> Iterator[Sketch]:
    for special, panel_cells in divided:
        chosen = radar.chosen(panel_cells, projection)
        if special or len(list(grouping.by_task(chosen, projection))) < radar.FEWEST:
            continue
        caption = (
            f"Median latencies of all configurations{_where('', chosen, projection, setting)}. The "
            "distance from the centre is the latency on a log scale, the same for all, so that a "
            "smaller area is a faster configuration; "
            f"{grouping.an(projection.row_title)} without a point was not measured "
            "there or has no median."
        )
        caption = with_residue(caption, chosen, projection)
        yield Sketch("radar", caption, partial(radar.radars, chosen, projection))


def _comparisons(
    compared: Sequence[Compared], projection: Projection, setting: Setting
) -> Iterator[Sketch]:
    """Heat maps of all effects, then the ratios of all rankings, a figure per case."""
    parts = [part for comparison in compared for _, part in comparison.cases(projection)]
    for part in sorted(parts, key=lambda part: part.ranked):  # stable
        if part.rows[effects.shown(part)].isna().all():
            continue
        where = _where("", part.rows, projection, setting, part.cells)
        if part.ranked:
            caption = (
                f"How many times as long {part.base} takes"
                f"{grouping.over(projection, ', against')}{where}. "
                f"Above 1: {part.base} is slower. {effects.meaning(part)}; {CUT}. "
                f"{placebo_words.remark(part.placebo_rates)}"
            )
            caption = with_residue(caption, part.rows, projection)
            yield Sketch("ratios", caption, partial(effects.ratios, part, projection), part.name)
            continue
        caption = (
            f"Cliff's delta of latency, {part.factor} {part.level} against {part.base}{where}. "
            f"+1: always slower, −1: always faster; {effects.UNDECIDED}: Mann–Whitney's p is "
            f"{THRESHOLDS.alpha} or more; hatched: not compared. "
            f"{placebo_words.remark(part.placebo_rates)}"
        )
        caption = with_residue(caption, part.rows, projection)
        yield Sketch("deltas", caption, partial(effects.heat_map, part, projection), part.name)


def _contrasts(
    compared: Sequence[Compared], projection: Projection, setting: Setting
) -> Iterator[Sketch]:
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
                caption = (
                    f"{title}{against}, {comparison.level} and {comparison.base}"
                    f"{_where(special, panel_cells, projection, setting)}. "
                    f"{measure.better.capitalize()} is better. Points: {centre} of the {of}; "
                    "bars: lowest and highest invocation."
                )
                draw = partial(lines.measured, panel_cells, projection, measure.axis, special)
                full_caption = with_residue(caption, panel_cells, projection)
                yield Sketch("contrasts", full_caption, draw, comparison.name)


def _where(
    special: str,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
    named: pd.DataFrame | None = None,
) -> str:
    """What a figure's numbers belong to: levels special to it, what all cells share, and tools."""
    behind = cells if named is None else named
    titles, cautions = grouping.titles(behind), grouping.cautions(behind)
    facts = filter(None, (grouping.context(cells, projection, setting), titles, *cautions))
    return f"{f', {special}' if special else ''} ({'; '.join(facts)})"
