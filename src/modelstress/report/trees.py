"""Trees of the worst cells: a table, rules in words, and a figure."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.analysis.projection import Projection
from modelstress.report import grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.screening import apart_in_words
from modelstress.report.style import COLOURS, GREY, laid_out, new_figure, style

WIDTH = 4.3
"""Inches: a narrow page shows the figure in its own size."""
BAD, GOOD = COLOURS[4], "#bbbbbb"
REASONS = {
    "no-tree": "no combination of options tells the worst cells from the others: trees of permuted "
    "classes are as good",
    "too-few": "there are too few cells among the worst, or among the others, for a tree",
}
"""Flag to why there is no tree."""


def parts(trees: pd.DataFrame, projection: Projection) -> Iterator[tuple[str, float, pd.DataFrame]]:
    """Return what each tree is of, its share of the worst, and its nodes."""
    apart = [name for name in projection.factors if name in trees]
    for _, rows in trees.groupby([*apart, "worst_share"], sort=False, dropna=False):
        share = float(rows.iloc[0]["worst_share"])
        yield apart_in_words(rows, trees, apart, projection), share, rows


def rule(rows: pd.DataFrame, node: int) -> str:
    """Return the levels that lead to a node: ``pool = 0 and watch = 0``."""
    by_number = {int(row["node"]): row for _, row in rows.iterrows()}
    steps: list[str] = []
    while pd.notna(by_number[node]["node_parent"]):
        steps.append(_edge(by_number[node]))
        node = int(by_number[node]["node_parent"])
    return " and ".join(reversed(steps)) or "all cells"


def finding(rows: pd.DataFrame) -> str:
    """Return what a tree found, in one sentence."""
    first = rows.iloc[0]
    share = f"{first['worst_share']:.0%}".replace("%", " %")
    if not first["told"]:
        reasons = [REASONS[flag] for flag in str(first["flags"]).split(";") if flag in REASONS]
        return f"Worst {share}: {'; '.join(reasons) or 'there is no tree'}."
    leaves = rows[rows["bad"].astype(bool) & (rows["split"].fillna("") == "")]
    told = [
        f"{rule(rows, int(leaf['node']))} ({int(leaf['node_worst'])} of its "
        f"{int(leaf['node_cells'])} cells)"
        for _, leaf in leaves.sort_values("node_worst", ascending=False).iterrows()
    ]
    covered, worst = int(leaves["node_worst"].sum()), int(first["node_worst"])
    return f"Worst {share}: {covered} of {worst} worst cells have {'; or '.join(told)}."


def worth(rows: pd.DataFrame) -> str:
    """Return how good a tree is, and how good trees of permuted classes are."""
    first = rows.iloc[0]
    if pd.isna(first["quality"]):
        return "no tree was fitted"
    return (
        f"balanced accuracy {first['quality']:.2f} on cells that it was not fitted to (0.50: "
        f"guessing; best of {int(first['placebos'])} trees of permuted classes: "
        f"{first['placebo_quality']:.2f})"
    )


def _edge(node: "pd.Series[float]") -> str:
    return f"{node['option']} = {node['level']}"


def plot(rows: pd.DataFrame) -> Figure:
    """Draw a tree: a row for each node below the one that it is a part of, and its worst cells.

    The nodes of a tree that has no room beside one another are read from top to bottom, as in a
    list of folders; so it fits a narrow page.
    """
    nodes = rows.sort_values("node").reset_index(drop=True)
    with style():
        figure = new_figure(WIDTH, 0.75 + 0.27 * len(nodes))
        names, bars = figure.subplots(1, 2, sharey=True, width_ratios=(2.5, 1))
        _names(names, nodes)
        _bars(bars, nodes)
        names.set_ylim(len(nodes) - 0.4, -0.6)
        names.set_xlim(0, 1)
        return laid_out(figure)


def _names(axes: Axes, nodes: pd.DataFrame) -> None:
    """Write each node, indented, with a line to the node that it is a part of."""
    axes.axis("off")
    step = 0.055
    places = dict(zip(nodes["node"], nodes.index, strict=True))
    for row, (_, node) in enumerate(nodes.iterrows()):
        left = step * int(node["node_depth"])
        text = _edge(node) if node["option"] else f"all {int(node['node_cells'])} cells"
        if pd.notna(node["node_parent"]):
            above = places[int(node["node_parent"])]
            axes.plot(
                [left - 0.6 * step, left - 0.6 * step, left - 0.1 * step], [above + 0.35, row, row],
                color=GREY, linewidth=0.7, clip_on=False,
            )  # fmt: skip
        bold = bool(node["bad"]) and not node["split"]
        axes.text(left, row, text, va="center", fontsize=8, weight="bold" if bold else "normal")


def _bars(axes: Axes, nodes: pd.DataFrame) -> None:
    """Draw the share of the worst among the cells of each node, with both numbers."""
    shares = (nodes["node_worst"] / nodes["node_cells"]).to_numpy(dtype=np.float64)
    colours = [BAD if bad else GOOD for bad in nodes["bad"].astype(bool)]
    axes.barh(nodes.index, np.ones(len(nodes)), height=0.6, color="#f2f2f2")
    axes.barh(nodes.index, shares, height=0.6, color=colours)
    for row, (_, node) in enumerate(nodes.iterrows()):
        counts = f"{int(node['node_worst'])} of {int(node['node_cells'])}"
        axes.text(0.97, row, counts, va="center", ha="right", fontsize=7.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 1], ["0", "all"])
    axes.get_xticklabels()[1].set_horizontalalignment("right")
    axes.set_xlabel("worst cells")
    axes.tick_params(left=False, labelleft=False)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)


def table(
    number: str,
    trees: pd.DataFrame | None,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """Return the rules of all trees; None where there is none."""
    there = grouping.belong(trees, setting) if trees is not None else None
    if there is None or there.empty:
        return None
    rows, remarks = [], []
    for told, share, nodes in parts(there, projection):
        name = f"{told or 'all cells'}: worst {share:.0%}".replace("%", " %")
        if not nodes.iloc[0]["told"]:
            remarks.append(f"{told or 'All cells'}: {finding(nodes)}")
        leaves = nodes[nodes["split"].fillna("") == ""] if nodes.iloc[0]["told"] else nodes.iloc[:1]
        for _, leaf in leaves.sort_values("node_share", ascending=False).iterrows():
            text = rule(nodes, int(leaf["node"]))
            rows.append(((name, text), _entries(leaf)))
    caption = (
        "Which cells are the worst: the levels that lead to each leaf of a classification tree, "
        "its cells, how many of them are among the worst, and the tree's balanced accuracy on "
        "cells that it was not fitted to beside the best of the trees of permuted classes; "
        f"{grouping.context(cells, projection, setting)}."
    )
    return Table(
        number, caption, ("tree", "cells with"),
        (("cells", ("", "worst", "from (ms)")), ("tree", ("takes them for", "quality", "placebo"))),
        tuple(rows), (), tuple(remarks), there, "tree",
    )  # fmt: skip


def _entries(leaf: "pd.Series[float]") -> tuple[Entry, ...]:
    known = pd.notna(leaf["quality"])
    cutoff = leaf["cutoff_ms"]
    return (
        Entry(str(int(leaf["node_cells"]))),
        Entry(str(int(leaf["node_worst"]))),
        Entry(milliseconds(cutoff) if np.isfinite(cutoff) else "timeouts"),
        Entry(("worst" if leaf["bad"] else "others") if leaf["told"] else "no tree"),
        Entry(f"{leaf['quality']:.2f}" if known else "–"),
        Entry(f"{leaf['placebo_quality']:.2f}" if known else "–"),
    )
