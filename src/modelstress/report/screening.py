"""Effects of many options on latency: a table of the largest ones, a figure of them all."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis import Derived
from modelstress.analysis.flags import flagged
from modelstress.analysis.grouped import UNPLANNED, medians
from modelstress.analysis.projection import Projection
from modelstress.analysis.screened import CONTRASTS
from modelstress.report import grouping
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table
from modelstress.report.style import COLOURS, GREY, laid_out, log_axis, new_figure, style
from modelstress.stats.effects import OR

MOST = 20
"""Effects that a table or figure has of one operation; the CSV has them all."""
REASONS = {
    "irregular": "main effects are not apart from one another in these cells, or there are too few "
    "cells and starts to tell the noise",
    "unmeasured": "some cells have no latency",
    "too-few": "there are too few contrasts to tell the noise",
}
"""Flag to why there are no effects."""
READING = (
    "A dot is the ratio of geometric means, second level over first; of a pair, of cells with both "
    "or none of the second levels over those with one. Noise alone hardly has any dot outside the "
    "grey band. Pairs that the design cannot tell apart share a dot; where the options of some of "
    "them are strong by themselves, only those are named."
)
"""How the figure is read."""


def parts(effects: pd.DataFrame, projection: Projection) -> Iterator[tuple[str, pd.DataFrame]]:
    """What is screened by itself, in words, and its rows, the largest effect first."""
    apart = [name for name in projection.factors if name in effects]
    for _, rows in effects.groupby([*apart, "cells"], sort=False, dropna=False):
        yield apart_in_words(rows, effects, apart, projection), rows


def told(derived: Derived, setting: Setting) -> list[tuple[str, pd.DataFrame]]:
    """Return the screenings of a setting that have effects, as ``parts`` does."""
    if derived.effects is None:
        return []
    of_setting = grouping.belong(derived.effects, setting)
    return [one for one in parts(of_setting, derived.projection) if one[1]["terms"].notna().any()]


def strong_ones(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the effects that are told from noise."""
    return rows[rows["strong"].fillna(False).astype(bool)]


def cells_of(rows: pd.DataFrame, cells: pd.DataFrame, projection: Projection) -> pd.DataFrame:
    """Return the cells of a screening or tree: with the levels that its rows share, and a latency.

    Args:
        rows: of one screening or tree.
        cells: of its setting.
        projection: of the same data.
    """
    first = rows.iloc[0]
    kept = cells["cell"].notna()
    for name in (name for name in projection.factors if name in rows):
        kept &= cells[name].map(grouping.words) == grouping.words(first[name])
    planned = ~flagged(cells["flags"], UNPLANNED)
    return cells[kept & planned & ~np.isnan(medians(cells))]


def apart_in_words(
    rows: pd.DataFrame, whole: pd.DataFrame, apart: Sequence[str], projection: Projection
) -> str:
    """Return the levels that set some rows of a table apart from the others: `operation call`."""
    varied = [name for name in apart if whole[name].map(str).nunique() > 1]
    return ", ".join(f"{projection.noun(n).one} {grouping.words(rows.iloc[0][n])}" for n in varied)


def finding(rows: pd.DataFrame) -> str:
    """What a screening found, as a title."""
    strong = strong_ones(rows)
    if rows["terms"].isna().all():
        return "No effects are told"
    if strong.empty:
        return f"No option of {int(rows.iloc[0]['options'])} matters beyond the noise"
    first = _short(str(strong.iloc[0]["likely"]))
    more = f" and {len(strong) - 1} more" if len(strong) > 1 else ""
    return f"{first}{more} of {len(rows)} effects are strong"


def plot(rows: pd.DataFrame) -> Figure:
    """Draw the largest effects: a dot each, and the margin that noise alone hardly leaves."""
    shown = rows.head(MOST).iloc[::-1]
    margin = float(rows.iloc[0]["margin_ratio"])
    reach = max(float(np.exp(np.abs(np.log(shown["ratio"])).max())), margin) * 1.05
    with style():
        figure = new_figure(7.2, 1.3 + 0.21 * len(shown))
        axes = figure.subplots()
        axes.axvspan(1 / margin, margin, color="#eeeeee", zorder=0, label="noise alone")
        axes.axvline(1, color=GREY, linewidth=0.8)
        for strong, colour, label in (
            (True, COLOURS[4], "strong"),
            (False, GREY, "not told from noise"),
        ):
            of_kind = shown["strong"].astype(bool) == strong
            places = np.flatnonzero(of_kind)
            axes.plot(shown["ratio"][of_kind], places, "o", color=colour, markersize=4, label=label)
        axes.set_yticks(range(len(shown)), [_short(str(terms)) for terms in shown["likely"]])
        log_axis(axes, 1 / reach, reach, horizontal=True)
        # names of options may leave little room: the label ends where the axis does
        axes.set_xlabel("latency, second level over first (ratio, log scale)", loc="right")
        axes.set_ylim(-0.7, len(shown) - 0.3)
        figure.legend(loc="outside lower center", ncols=3, title=finding(rows))
        return laid_out(figure)


def _short(terms: str) -> str:
    """The first of aliased terms, and how many more there are."""
    first, *more = terms.split(OR)
    return f"{first} or {len(more)} more" if more else first


def table(
    number: str,
    effects: pd.DataFrame | None,
    cells: pd.DataFrame,
    projection: Projection,
    setting: Setting,
) -> Table | None:
    """The largest effects of each screening; None where there is none."""
    if effects is None:
        return None
    there = grouping.belong(effects, setting)
    if there.empty:
        return None
    rows = []
    remarks = []
    for told, of_one in parts(there, projection):
        for flag in of_one["flags"].dropna().unique():
            if flag in REASONS:
                remarks.append(f"{told or 'All cells'}: {REASONS[flag]}.")
        remarks += _method(told, of_one)
        for _, effect in of_one.dropna(subset=["terms"]).head(MOST).iterrows():
            rows.append(((told, str(effect["likely"])), _entries(effect)))
    caption = (
        "Effects of options, and of few of them together, on the median latency, the largest "
        "first: ratio of the second level to the first, the ratio that noise alone hardly "
        "exceeds in any effect, whether the effect is told from noise and confirmed by ranks, and "
        f"its share of the variance; {grouping.context(cells, projection, setting)}."
    )
    return Table(
        number, caption, ("screening", "option"),
        (("ratio", ("", "margin")), ("effect", ("", "share of variance"))),
        tuple(rows), (), tuple(dict.fromkeys(remarks)), there, "screening",
    )  # fmt: skip


def _method(told: str, rows: pd.DataFrame) -> list[str]:
    """Return how effects were estimated, where it is not by contrasts."""
    methods = [str(method) for method in rows["method"].dropna().unique()]
    if not methods or methods == [CONTRASTS]:
        return []
    left = int((rows["partly"].fillna("") != "").sum())
    more = f"; {left} estimates have parts of pairs that are left out" if left else ""
    return [f"{told or 'All cells'}: by {', '.join(methods)}{more} (docs/statistics.md)."]


def _entries(effect: "pd.Series[float]") -> tuple[Entry, ...]:
    return (
        Entry(f"{effect['ratio']:.3f}"),
        Entry(f"{effect['margin_ratio']:.3f}"),
        Entry("strong" if effect["strong"] else "not told"),
        Entry(f"{100 * effect['variance_share']:.1f} %"),
    )
