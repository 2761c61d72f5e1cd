"""Tables of measurements: median and dispersion, and outcomes other than `ok`."""

from collections.abc import Iterable, Sequence

import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.config.outcomes import ABORTED, FAILURES
from modelstress.report import footnotes, grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table, median
from modelstress.report.residue import residue

NOTHING = Entry("–")
MEDIAN_DATA = (
    "median_ms", "median_low_ms", "median_high_ms", "median_interval", "median_coverage", "cod",
    "timeout_share", "ok", "executions", "invocations", "state", "flags",
)  # fmt: skip


def medians(number: str, cells: pd.DataFrame, projection: Projection, setting: Setting) -> Table:
    """Median latency and coefficient of dispersion by query and series (rows) and threads.

    Of measured executions with outcome `ok` and timeouts, which rank as longest.
    """
    names = grouping.series_factors(cells, projection)
    counts = grouping.loads(cells, projection)
    rows, used = [], []
    for operation, operation_cells in grouping.by_operation(cells, projection):
        for levels in grouping.series(operation_cells, names):
            entries: list[Entry] = []
            series_cells = grouping.select(operation_cells, names, levels)
            for count in counts:
                pair = _median_entries(grouping.at(series_cells, projection, count))
                entries += pair
                used.append(pair[0].marks)
            rows.append(((operation, *levels), tuple(entries)))
    groups = tuple((grouping.loaded(projection, count), ("median", "CoD")) for count in counts)
    caption = (
        f"Median latency (ms) and coefficient of dispersion (CoD) "
        f"{grouping.by(projection, names)}; {grouping.context(cells, projection, setting)}. "
        f"{grouping.totals(cells)}"
    )
    timeouts = ("timeout_ms",) if cells["timeout_ms"].notna().any() else ()
    data = _tidy(cells, projection, names, (*MEDIAN_DATA, *timeouts))
    remarks = (
        _tools(cells), *_censored(cells), _intervals(cells), residue(cells, projection, names),
        grouping.common(cells),
    )  # fmt: skip
    return Table(
        number, caption, (projection.row_title, *names), groups, tuple(rows), footnotes.notes(used),
        tuple(remark for remark in remarks if remark), data, "medians",
    )  # fmt: skip


def failures(number: str, cells: pd.DataFrame, projection: Projection, setting: Setting) -> Table:
    """Executions without an answer, by outcome: only combinations with any.

    What the tool ended by its own rules is shown with them, where there is any, and is no failure.
    """
    caption = f"Failed executions ({', '.join(FAILURES)}), as number and share"
    if cells[ABORTED].any():
        caption = caption.replace("),", ") and aborted ones,")
    return _outcomes(number, "failures", caption, FAILURES, cells, projection, setting)


def incorrect(number: str, cells: pd.DataFrame, projection: Projection, setting: Setting) -> Table:
    """Executions with a wrong result: only combinations with any."""
    caption = "Executions with an incorrect result, as number and share"
    return _outcomes(number, "incorrect", caption, ("incorrect",), cells, projection, setting)


def _outcomes(
    number: str,
    kind: str,
    caption: str,
    outcomes: Sequence[str],
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table:
    names = grouping.series_factors(cells, projection)
    apart = _apart(kind, cells)
    shown = (*((name, name, "executions") for name in (*outcomes, *apart)), *_WHOLE[kind])
    affected = cells[cells[[column for _, column, _ in shown]].sum(axis=1) > 0]
    counts = grouping.loads(affected, projection) or grouping.loads(cells, projection)
    rows, used = [], []
    for operation, operation_cells in grouping.by_operation(affected, projection):
        for levels in grouping.series(operation_cells, names):
            series_cells = grouping.select(operation_cells, names, levels)
            for outcome, column, of in shown:
                if not series_cells[column].sum():
                    continue
                entries = [
                    _count_entry(grouping.at(series_cells, projection, count), column, of)
                    for count in counts
                ]
                used += [entry.marks for entry in entries]
                rows.append(((operation, *levels, outcome), tuple(entries)))
    total, bad = int(cells["executions"].sum()), int(affected[list(outcomes)].to_numpy().sum())
    affected_cells = int((affected[list(outcomes)].sum(axis=1) > 0).sum())
    remark = (
        f"{bad} of {total} executions in {affected_cells} of {len(cells)} cells; "
        "only combinations with any are shown."
    )
    around, hidden = _around(kind, cells), residue(affected, projection, names)
    return Table(
        number,
        f"{caption}, {grouping.by(projection, names)}; "
        f"{grouping.context(cells, projection, setting)}. {grouping.totals(cells)}",
        (projection.row_title, *names, "outcome"),
        (grouping.load_columns(projection, counts),),
        tuple(rows) or ((("none", *("" for _ in names), ""), (Entry("0"),) * len(counts)),),
        footnotes.notes(used),
        tuple(
            remark
            for remark in (_tools(cells), remark, *map(_counted, apart.values()), around, hidden)
            if remark
        ),
        _tidy(
            affected,
            projection,
            names,
            (*outcomes, *apart, "executions", *_OUTSIDE[kind], *_CHECKED[kind], "flags"),
        ),
        kind,
    )


_OUTSIDE = {
    "incorrect": ("incorrect_warmup", "incorrect_cooldown"),
    "failures": ("failed_warmup", "failed_cooldown"),
}
"""Columns of what warm-up and cool-down add, by kind of table."""
_CHECKED = {"incorrect": ("incorrect_any", "checked_any"), "failures": ()}
_WHOLE = {
    "incorrect": (("with warm-up and cool-down", "incorrect_any", "checked_any"),),
    "failures": (),
}
"""Further rows: what they are called, and the columns of number and whole."""


def _apart(kind: str, cells: pd.DataFrame) -> dict[str, pd.Series]:
    """Counts of what a table of failures shows beside them, where there is any."""
    counts = cells[ABORTED]
    return {ABORTED: counts} if kind == "failures" and counts.any() else {}


def _counted(counts: pd.Series) -> str:
    return (
        f"In {int((counts > 0).sum())} cells the tool aborted {int(counts.sum())} more by its own "
        "rules, as after a conflict: these are answers, and no failures."
    )


def _around(kind: str, cells: pd.DataFrame) -> str:
    """What came of executions outside the window, which are in no other number of the table."""
    before, after = (int(cells[name].sum()) for name in _OUTSIDE[kind])
    if kind == "incorrect":
        wrong, checked = (int(cells[name].sum()) for name in _CHECKED[kind])
        affected = int((cells["incorrect_any"] > 0).sum())
        return (
            f"With warm-up ({before}) and cool-down ({after}), {wrong} of {checked} checked "
            f"answers are wrong, in {affected} cells; the CSV file has them by cell."
        )
    if not before + after:
        return ""
    return f"Outside the window, {before} more failed in the warm-up, {after} in the cool-down."


def _median_entries(cell: pd.Series | None) -> list[Entry]:
    if cell is None:
        return [NOTHING, NOTHING]
    text = median(cell)
    if cell["timeout_share"] > 0:
        text += f"\u00a0({cell['timeout_share']:.1%}\u00a0t)"
    cod = "–" if pd.isna(cell["cod"]) else f"{cell['cod']:.2f}"
    return [Entry(text, footnotes.letters(cell["flags"])), Entry(cod)]


def _count_entry(cell: pd.Series | None, column: str, of: str) -> Entry:
    if cell is None or not cell[column]:
        return Entry("0") if cell is not None else NOTHING
    share = cell[column] / cell[of]
    return Entry(f"{cell[column]}\u00a0({share:.1%})", footnotes.letters(cell["flags"]))


def _tools(cells: pd.DataFrame) -> str:
    """What the tools are; a reader must not take a stand-in for the original."""
    named = grouping.titles(cells)
    return f"Tools: {named}." if named else ""


def _censored(cells: pd.DataFrame) -> tuple[str, ...]:
    if not (cells["timeout_share"] > 0).any():
        return ()
    return (
        "(t): share of timeouts, which rank as longest; from 50 % on the median is longer than the "
        "shortest of them (>). CoD is of answers in time only.",
    )


def _intervals(cells: pd.DataFrame) -> str:
    """One sentence on what stands behind the medians."""
    measured = cells[cells["invocations"] > 0]
    if measured.empty:
        return "Nothing was measured."
    starts = _range(measured["invocations"])
    executions = _range(measured["executions"])
    clients = measured["client_processes"].dropna()
    processes = f", client processes: {_range(clients)}" if len(clients) else ""
    return (
        f"Executions per measured cell: {executions}, complete invocations: {starts}{processes}; "
        "the CSV file has the intervals of the medians."
    )


def _range(values: pd.Series) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}–{high}"


def _tidy(
    cells: pd.DataFrame, projection: Projection, names: Iterable[str], values: Iterable[str]
) -> pd.DataFrame:
    """One row per cell for the CSV, in printed order; identity columns never twice."""
    place = ("executor", "topology", "tool_title", "cell")
    return grouping.tidy(cells, projection, names, (*values, *place))
