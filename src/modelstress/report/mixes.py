"""A table of mixes taken apart: each query of a mix has a latency of its own."""

from collections.abc import Iterator

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.config.outcomes import ABORTED, OUTCOMES
from modelstress.config.study import TASK
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table, median
from modelstress.report.residue import residue
from modelstress.stats import timeout_share

LATENCY = (
    "median_ms", "median_low_ms", "median_high_ms", "median_interval", "q1_ms", "q3_ms", "flags",
)  # fmt: skip


def table(
    number: str,
    operations: pd.DataFrame,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """Medians and outcomes by mix, operation and series (rows) and load; None without mixes."""
    shown_operations = operations[operations["cell"].isin(cells["cell"])]
    if shown_operations.empty:
        return None
    shown_cells = cells[cells["cell"].isin(shown_operations["cell"])]
    names = grouping.series_factors(shown_cells, projection)
    counts = grouping.loads(shown_operations, projection)
    rows = []
    chosen = _choose(shown_cells, projection)  # else every cell executes all operations
    for mix, mix_rows in _by_mix(shown_operations, shown_cells, projection):
        for levels in grouping.series(mix_rows, names):
            series_rows = grouping.select(mix_rows, names, levels)
            for operation, there in series_rows.groupby("operation", sort=True):
                entries = [
                    e for count in counts for e in _entries(grouping.at(there, projection, count))
                ]
                mixed = (mix,) if chosen else ()
                rows.append(((*mixed, *levels, str(operation)), tuple(entries)))
    noun = projection.noun(projection.operation).many if chosen else "operations"
    of_mix = " of a mix" if chosen else ""
    caption = (
        f"Median latency (ms) of the {noun}{of_mix}, how "
        "often each was asked, and how often not "
        f"answered rightly, {grouping.by(projection, names, operation=False)}; "
        f"{grouping.context(shown_cells, projection, setting)}. {grouping.totals(shown_cells)}"
    )
    titles, hidden = grouping.titles(shown_cells), residue(shown_cells, projection, names)
    return Table(
        number,
        caption,
        ("mix", *names, projection.row_title) if chosen else (*names, "operation"),
        tuple(
            (grouping.loaded(projection, count), ("median", "asked", "not ok")) for count in counts
        ),
        tuple(rows),
        footnotes.notes(entry.marks for _, entries in rows for entry in entries),
        tuple(filter(None, (f"Tools: {titles}." if titles else "", hidden))),
        grouping.tidy(
            shown_operations, projection, (*names, "operation"), _columns(shown_operations)
        ),
        "mixes",
    )


def _choose(cells: pd.DataFrame, projection: Projection) -> bool:
    """Whether a factor of the study chooses the operations of a cell."""
    return projection.operation != TASK and projection.operation in cells


def _by_mix(
    operations: pd.DataFrame, cells: pd.DataFrame, projection: Projection
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The operations of every mix, in order of appearance; of one study-wide mix all together.

    The mix is a level of the cell: a factor may be called as the column of its operations.
    """
    if not _choose(cells, projection):
        yield "", operations
        return
    mixes = cells.drop_duplicates("cell").set_index("cell")[projection.operation]
    for mix, mix_rows in operations.groupby(operations["cell"].map(mixes), sort=False):
        yield str(mix), mix_rows


def _columns(operations: pd.DataFrame) -> tuple[str, ...]:
    counts = [name for name in OUTCOMES if name != ABORTED or operations[name].any()]
    timeouts = ("timeout_ms",) if operations["timeout_ms"].notna().any() else ()
    return ("executions", *counts, *timeouts, *LATENCY, "executor", "topology", "cell")


def _entries(row: "pd.Series | None") -> tuple[Entry, Entry, Entry]:
    if row is None:
        return (Entry("–"),) * 3
    executions, ok = int(row["executions"]), int(row["ok"])
    row = row.copy()
    row["timeout_share"] = timeout_share(ok, int(row["timeout"]))
    return (
        Entry(median(row), footnotes.letters(str(row["flags"]))), Entry(str(executions)),
        Entry(str(executions - ok)),
    )  # fmt: skip
