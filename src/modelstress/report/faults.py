"""What faults cost: a table of losses and recovery, and every fault of a tool over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.analysis.faults import WAYS
from modelstress.analysis.projection import Projection
from modelstress.config.faults import NO_FAULT
from modelstress.config.outcomes import ABORTED
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table
from modelstress.report.style import GREY, OUTCOMES, laid_out, log_axis, new_figure, style

DATA = (
    "invocation", "kind", "flags", "begun_s", "lasted_s", "ready_s", "executions", "ok", "lost",
    "wrong", "before", "first_correct_s", "after_end_s", "last_failure_s", "recovered", "remarks",
)  # fmt: skip
COLUMNS = (
    ("executions", ("all", "lost", "wrong")),
    ("seconds to a correct answer", ("from its begin", "from its end")),
    ("recovered", WAYS),
)
EXPECTED = frozenset({"change-point", "trend", "autocorrelation"})
"""Flags that need no letter here: that latencies do not stay the same is what a fault does."""
PANEL_HEIGHT = 1.25


@dataclass(frozen=True)
class Disturbed:
    """One fault over time.

    `executions` has the columns `start_s` (0: the window's begin), `latency_ms` and `outcome`;
    `begun_s` and `ended_s` are the fault's; at `ready_s` a server that was started again was ready,
    NaN where none was.
    """

    fault: str
    executions: pd.DataFrame
    begun_s: float
    ended_s: float
    ready_s: float = float("nan")


def table(
    number: str,
    faults: pd.DataFrame,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """Losses and recovery by fault and series; None without faults.

    The same load without a fault, where it was measured, comes first. Times are medians over
    invocations; of an invocation that never recovered there is none.
    """
    fault_rows = faults[faults["cell"].isin(cells["cell"])]
    if fault_rows.empty:
        return None
    disturbed = cells[cells["cell"].isin(fault_rows["cell"])]
    quiet = cells[(cells["fault"] == NO_FAULT) & (cells["executions"] > 0)]
    shown_cells = pd.concat([quiet, disturbed])
    series = [name for name in grouping.series_factors(shown_cells, projection) if name != "fault"]
    apart = [name for name in projection.position if shown_cells[name].nunique() > 1]
    names = [*apart, *series]
    rows = []
    for fault, fault_cells in shown_cells.groupby("fault", sort=False):
        for _, cell in fault_cells.iterrows():
            group = fault_rows[fault_rows["cell"] == cell["cell"]]
            entries = _quiet(cell) if fault == NO_FAULT else _entries(group, str(cell["flags"]))
            rows.append(((str(fault), *(grouping.words(cell[n]) for n in names)), entries))
    fixed = [
        f"{n} {grouping.words(shown_cells[n].iloc[0])}"
        for n in projection.position
        if n not in apart
    ]
    others = projection.only(name for name in projection.factors if name != "fault")
    where = grouping.context(shown_cells, others, setting)
    caption = (
        "What a fault in the measured window cost, and whether the service came back: executions "
        "lost (neither right nor wrong answer) and wrong, since its begin; seconds until a later "
        "execution was answered rightly; how many invocations recovered; "
        f"{'; '.join([*fixed, where])}."
    )
    titles = grouping.titles(shown_cells)
    remarks = [
        f"Tools: {titles}." if titles else "",
        "Recovered: most of the last ten executions were answered rightly. With help: the server "
        "did not come back, and the harness started it again. Times from a fault's end cannot be "
        "shorter than the gap between two arrivals and the queue that waits before them. The CSV "
        "file has a row per invocation with the moments of the fault and what was noted.",
    ]
    load = [projection.load] if projection.load else []
    place = ("executor", "topology", "cell")
    wanted = ["fault", projection.operation, *names, *load, *DATA, *place]
    data = fault_rows[[n for n in dict.fromkeys(wanted) if n in fault_rows]].reset_index(drop=True)
    used = [entry.marks for _, entries in rows for entry in entries]
    return Table(
        number, caption, ("fault", *names), COLUMNS, tuple(rows), footnotes.notes(used),
        tuple(filter(None, remarks)), data, "faults",
    )  # fmt: skip


def _entries(group: pd.DataFrame, flags: str) -> tuple[Entry, ...]:
    """A cell's numbers, over its invocations; `flags` are the cell's."""
    executions, lost = int(group["executions"].sum()), int(group["lost"].sum())
    ways = [int((group["recovered"] == way).sum()) for way in WAYS]
    told = ";".join(flag for flag in flags.split(";") if flag not in EXPECTED)
    return (
        Entry(str(executions), footnotes.letters(told)),
        _lost(lost, executions),
        Entry(str(int(group["wrong"].sum()))),
        Entry(_seconds(group["first_correct_s"])),
        Entry(_seconds(group["after_end_s"])),
        *(Entry(f"{way} of {len(group)}" if way else "–") for way in ways),
    )


def _quiet(cell: "pd.Series[Any]") -> tuple[Entry, ...]:
    """The numbers of a cell without a fault: what is lost anyhow."""
    executions, wrong = int(cell["executions"]), int(cell["incorrect"])
    return (
        Entry(str(executions), footnotes.letters(str(cell["flags"]))),
        _lost(executions - int(cell["ok"]) - wrong - int(cell[ABORTED]), executions),
        Entry(str(wrong)),
        *[Entry("–")] * (len(WAYS) + 2),
    )


def _lost(lost: int, executions: int) -> Entry:
    share = f"\u00a0({lost / executions:.1%})" if lost else ""
    return Entry(f"{lost}{share}")


def _seconds(values: pd.Series) -> str:
    measured = values.dropna()
    return f"{measured.median():.3g}" if len(measured) else "–"


def over_time(found: Sequence[Disturbed], title: str) -> Figure:
    """Draw faults below one another, each over the time of its window.

    A point is an execution at its intended start; the grey stripe is the fault, a dotted line the
    moment at which a server that was started again was ready.
    """
    with style():
        figure = new_figure(7.5, 0.9 + PANEL_HEIGHT * len(found))
        panels = figure.subplots(len(found), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        latencies = pd.concat([disturbed.executions["latency_ms"] for disturbed in found])
        positive = latencies[latencies > 0]
        low = float(positive.min()) if len(positive) else 1.0
        high = float(positive.max()) if len(positive) else 1.0
        drawn = [o for o in OUTCOMES if any((f.executions["outcome"] == o).any() for f in found)]
        for axes, disturbed in zip(panels, found, strict=True):
            _points(axes, disturbed, low)
            axes.set_title(disturbed.fault, loc="left", fontsize=8, pad=2)
        log_axis(panels[0], low, high)
        panels[-1].set_xlabel("time since the begin of the measured window (s)")
        figure.supylabel("latency (ms, log scale)", fontsize=9)
        handles = [
            panels[0].scatter([], [], color=OUTCOMES[o][0], marker=OUTCOMES[o][1], s=16, label=o)
            for o in drawn
        ]
        figure.legend(
            handles=handles, loc="outside upper center", ncols=len(drawn) or 1,
            title=title, title_fontsize=9,
        )  # fmt: skip
        return laid_out(figure)


def _points(axes: Axes, disturbed: Disturbed, low: float) -> None:
    axes.axvspan(
        disturbed.begun_s,
        max(disturbed.ended_s, disturbed.begun_s),
        color="#dddddd",
        linewidth=0,
        zorder=0,
    )
    axes.axvline(disturbed.begun_s, color=GREY, linewidth=0.8, zorder=0.5)
    if disturbed.ready_s == disturbed.ready_s:
        axes.axvline(disturbed.ready_s, color=GREY, linewidth=0.8, linestyle=":", zorder=0.5)
    latency = disturbed.executions["latency_ms"].clip(lower=low)
    for outcome, (colour, marker) in OUTCOMES.items():
        mask = disturbed.executions["outcome"] == outcome
        if mask.any():
            axes.scatter(
                disturbed.executions.loc[mask, "start_s"], latency[mask],
                s=8 if outcome == "ok" else 22, color=colour, marker=marker, linewidths=0,
                alpha=0.85,
            )  # fmt: skip
