"""What is expected of each level when the rest is used by known proportions: table and figure."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.screening import apart_in_words
from modelstress.report.style import COLOURS, GREY, laid_out, log_axis, new_figure, style

WIDTH = 4.3
"""Inches: a narrow page shows the figure in its own size."""


def parts(weighted: pd.DataFrame, projection: Projection) -> Iterator[tuple[str, pd.DataFrame]]:
    """Return what is weighted by itself, in words, and its rows."""
    apart = [name for name in projection.factors if name in weighted]
    for _, rows in weighted.groupby([*apart, "cells"], sort=False, dropna=False):
        yield apart_in_words(rows, weighted, apart, projection), rows


def differs(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which levels have an interval of the ratio without 1."""
    return (rows["ratio_low"] > 1) | (rows["ratio_high"] < 1)


def plot(rows: pd.DataFrame) -> Figure:
    """Draw the ratio of each level to the others of its option, with intervals over starts."""
    shown = rows[rows["ratio"].notna()].iloc[::-1].reset_index(drop=True)
    known = shown[["ratio", "ratio_low", "ratio_high"]].to_numpy(dtype=np.float64)
    reach = max(float(np.exp(np.nanmax(np.abs(np.log(known))))), 1.02) * 1.05
    with style():
        figure = new_figure(WIDTH, 1.0 + 0.19 * len(shown))
        axes = figure.subplots()
        axes.axvline(1, color=GREY, linewidth=0.8)
        for strong, colour, label in (
            (True, COLOURS[4], "differs from the others"), (False, GREY, "not told from them"),
        ):  # fmt: skip
            of_kind = np.flatnonzero(differs(shown) == strong)
            points = known[of_kind]
            axes.hlines(of_kind, points[:, 1], points[:, 2], color=colour, linewidth=1)
            axes.plot(points[:, 0], of_kind, "o", color=colour, markersize=4, label=label)
        names = [f"{o} = {v}" for o, v in zip(shown["option"], shown["level"], strict=True)]
        axes.set_yticks(range(len(shown)), names)
        log_axis(axes, 1 / reach, reach, horizontal=True)
        axes.set_ylim(-0.7, len(shown) - 0.3)
        axes.set_xlabel("ratio to the other levels (log scale)", loc="right")
        figure.legend(loc="outside lower center", ncols=2)
        return laid_out(figure)


def table(
    number: str,
    weighted: pd.DataFrame | None,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """Return the expected latency of each level; None where a study has no weights."""
    there = grouping.belong(weighted, setting) if weighted is not None else None
    if there is None or there.empty:
        return None
    rows = [
        ((told, str(row["option"]), str(row["level"])), _entries(row))
        for told, of_one in parts(there, projection)
        for _, row in of_one.iterrows()
    ]
    caption = (
        "Expected latency (ms) of each level of an option: mean of the median latencies of its "
        "cells, each weighted by how much the levels of its other options are used; its ratio to "
        "that of the option's other levels, with the 99 % interval over starts; "
        f"{grouping.context(cells, projection, setting)}."
    )
    left = int(there["left_out"].max())
    remark = f"{left} cells without a median have no part." if left else ""
    return Table(
        number, caption, ("screening", "option", "level"),
        (("expected", ("ms", "cells")), ("to the others", ("ratio", "interval", ""))),
        tuple(rows), (), (remark,) if remark else (), there, "weighted",
    )  # fmt: skip


def _entries(row: "pd.Series[float]") -> tuple[Entry, ...]:
    known = pd.notna(row["ratio_low"])
    interval = f"{row['ratio_low']:.3f}–{row['ratio_high']:.3f}" if known else "–"
    apart = known and (row["ratio_low"] > 1 or row["ratio_high"] < 1)
    return (
        Entry(milliseconds(row["expected_ms"])),
        Entry(str(int(row["level_cells"]))),
        Entry(_number(row["ratio"])),
        Entry(interval),
        Entry("differs" if apart else "not told"),
    )


def _number(ratio: float) -> str:
    return f"{ratio:.3f}" if pd.notna(ratio) else "–"


def machines(
    number: str,
    of_machines: pd.DataFrame | None,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """Return how much each machine is slower; None where there is one only."""
    there = grouping.belong(of_machines, setting) if of_machines is not None else None
    if there is None or there.empty:
        return None
    rows = []
    for told, of_one in parts(there, projection):
        for _, row in of_one.iterrows():
            method = Entry(str(row["method"] or "–"))
            entries = (Entry(str(int(row["starts"]))), Entry(_number(row["ratio"])), method)
            rows.append(((told, str(row["machine"])), entries))
    reasons = [f"{why[:1].upper()}{why[1:]}." for why in there["reason"].dropna().unique() if why]
    caption = (
        "Machines that measured: latency of each over that of all, cell by cell. Effects are "
        f"estimated without it; {grouping.context(cells, projection, setting)}."
    )
    return Table(
        number, caption, ("screening", "machine"), (("", ("starts", "ratio", "method")),),
        tuple(rows), (), tuple(reasons), there, "machines",
    )  # fmt: skip
