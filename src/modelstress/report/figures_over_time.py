"""Sketches of the figures over time: windows, growth, parts, faults, and single invocations."""

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from modelstress.analysis import Derived, Timeline
from modelstress.report import faults, grouping, growth, parts, timeline, windows
from modelstress.report.residue import with_residue
from modelstress.report.sketches import Shared, Sketch


def over_time(
    derived: Derived, cells: pd.DataFrame, shared: Shared, timelines: Sequence[Timeline]
) -> Iterator[Sketch]:
    """All of them: windows of a study that asks for them, then faults, then invocations."""
    yield from _windows(derived, cells, shared)
    yield from _growth(derived, cells, shared)
    yield from _parts(derived, cells, shared)
    disturbed = set(derived.faults["cell"])
    yield from _faults(derived, [t for t in timelines if t.cell in disturbed], shared, cells)
    for cell_timeline in timelines:
        if cell_timeline.cell not in disturbed:
            yield _invocation(derived, cells, shared, cell_timeline)


def _invocation(
    derived: Derived, cells: pd.DataFrame, shared: Shared, cell_timeline: Timeline
) -> Sketch:
    """One invocation over time."""
    named = _name(derived, cells[cells["cell"] == cell_timeline.cell], cell_timeline.cell)
    where = "" if shared.alone else f" ({shared.setting})"
    caption = (
        f"One start over time{where}: {named}. Cell {cell_timeline.cell}, invocation "
        f"{cell_timeline.invocation}."
    )
    reading = (
        "White: from the first to the last measured execution; filled points: measured "
        "executions, at their intended starts; grey rings: executions of the warm-up, of the "
        "cool-down, and of threads that have ended theirs. Below: busy share of the CPU sets."
    )
    if cell_timeline.noun != "execution":
        caption += (
            f" A point is the median of a {cell_timeline.noun}'s right answers, since samples "
            "are histograms; other outcomes of that second lie at the bottom."
        )
    draw = partial(
        timeline.timeline, cell_timeline.executions, cell_timeline.cpu, named, cell_timeline.noun
    )
    return Sketch("timeline", caption, draw, reading=reading)


def _name(derived: Derived, cells: pd.DataFrame, cell: str) -> str:
    """What a cell is, in words: operation, series and load; its id where it is not known."""
    if cells.empty:
        return cell
    row, projection = cells.iloc[0], derived.projection
    series = [grouping.words(row[name]) for name in projection.series if name in cells]
    load = grouping.loads(cells, projection)[0]
    loaded = grouping.loaded(projection, load) if projection.load else ""
    parts = (str(row[projection.operation]), " / ".join(filter(None, series)), loaded)
    return ", ".join(filter(None, parts))


def _windows(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch]:
    """One figure for each operation and load of a study that asks for windows."""
    if derived.windows is None:
        return
    projection = derived.projection
    for operation, load, part_cells in windows.parts(derived.windows, cells, projection):
        part_windows = derived.windows[derived.windows["cell"].isin(part_cells["cell"])]
        title = ", ".join([operation, *([grouping.loaded(projection, load)] * bool(load))])
        caption = (
            f"Rate and p99 latency of the stretches of the window, {title}"
            f"{shared.where('', part_cells, projection)}."
        )
        reading = (
            "A line is one invocation, a point the end of a stretch; one that is cut at the end of "
            "the window is left out."
        )
        if part_cells["flags"].str.contains("histograms", regex=False).any():
            caption += " The first and the last second of histograms are not whole: no rate."
        draw = partial(windows.over_time, part_windows, part_cells, projection, title, shared.looks)
        full_caption = with_residue(caption, part_cells, projection)
        yield Sketch("windows", full_caption, draw, reading=reading)


def _growth(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch]:
    """One figure for each operation of a study that holds costs against the size of the store."""
    if derived.growth is None:
        return
    projection = derived.projection
    for operation, rows in growth.parts(derived.growth, cells):
        there = cells[cells["cell"].isin(rows["cell"])]
        caption = (
            f"Duration of {operation} per object while the store grows"
            f"{shared.where('', there, projection)}."
        )
        reading = (
            "A line is one invocation, made of the means of stretches of the window. Of more than "
            f"{growth.MOST_POINTS} stretches it is the median of neighbours, with a band of the "
            "middle 80 % of them. The axis ends at what 99 % of the stretches do not exceed, and a "
            "quarter above."
        )
        draw = partial(growth.over_objects, rows, cells, projection, operation, shared.looks)
        yield Sketch("growth", with_residue(caption, there, projection), draw, reading=reading)


def _parts(derived: Derived, cells: pd.DataFrame, shared: Shared) -> Iterator[Sketch]:
    """One figure for each operation of which a tool tells parts."""
    if derived.parts is None:
        return
    projection = derived.projection
    for operation, there, rows in parts.pages(derived.parts, cells, projection):
        caption = (
            f"Where the time of {operation} goes{shared.where('', there, projection)}: "
            f"{parts.finding(parts.shares(rows, there))}."
        )
        reading = (
            "Shares are of means over the executions of a start, and of its starts; rest: the "
            "driver and the harness. In brackets: median latency. The slowest cells come first, "
            f"{parts.MOST} at most."
        )
        draw = partial(parts.plot, rows, there, projection)
        yield Sketch("parts", caption, draw, reading=reading)


def _faults(
    derived: Derived, timelines: Sequence[Timeline], shared: Shared, cells: pd.DataFrame
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
    where = "" if shared.alone else f" ({shared.setting})"
    for key, group in groups.items():
        yield Sketch(
            "faults",
            f"Faults of {titles[key]} over time{where}.",
            partial(faults.over_time, group, titles[key]),
            reading="Points: executions at their intended starts; grey: the fault; dotted: a "
            "server that was started again is ready.",
        )
