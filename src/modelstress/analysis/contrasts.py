"""Cells beside a baseline: which is slower, by how much, and how often?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from modelstress import stats
from modelstress.analysis import cell_record, measures
from modelstress.analysis.derived import Derived
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.config.levels import same, written
from modelstress.config.measures import LATENCY, MEASURES, Measure
from modelstress.stats.results import Caveat

LINKS = ("link_mbit_s", "link_delay_ms", "link_loss_percent")
"""Factors that a topology tells, too."""
SMALLEST = 1e-300
"""P-values below are not told apart: doubles end near 1e-308, and 0 is not a probability here."""


def written_p(p: float) -> str:
    """A p-value for readers: two digits, `< 1e-300` where it is too small for a number."""
    if pd.isna(p):
        return ""
    return f"{p:.2g}" if p >= SMALLEST else f"< {SMALLEST:g}"


Record = Mapping[str, Any]
"""A row of ``Derived.cells``."""


@dataclass(frozen=True)
class Group:
    """Cells of one setting that agree in the matched columns; places are those in all cells.

    Attributes:
        baselines: place to cell; a comparison needs exactly one.
        compared: place to cell of those that stand beside it.
    """

    baselines: dict[int, Record]
    compared: dict[int, Record]

    @property
    def members(self) -> list[Record]:
        """The baseline's cells, then those beside them."""
        return [*self.baselines.values(), *self.compared.values()]


def contrasts(
    derived: Derived,
    match: Sequence[str],
    baseline: Mapping[str, object],
    level: Mapping[str, object] | None = None,
    only: Mapping[str, object] | None = None,
    adjust: str = "holm",
    measure: str = LATENCY.name,
    data_dir: Path | None = None,
) -> pd.DataFrame:
    """Compare cells with the baseline's cell that agrees with them in the matched columns.

    Two shapes of question: what one factor does (``match`` has all other factors, ``baseline`` a
    level of it: HTTP beside TCP), and how configurations compare on one task (``match`` has the
    task and the threads, ``baseline`` names a tool). Groups with several baseline cells, and
    those with none, are left out; ``unmatched`` lists them.

    Args:
        derived: cells with their latencies.
        match: columns of ``derived.cells`` in which a cell and its baseline agree.
        baseline: level by column of the baseline cells.
        level: level by column of the cells compared; by default all others are.
        only: level or levels by column of the cells that take part; those that do not have the
            factor take part too.
        adjust: how p-values are adjusted over all rows: ``holm`` or ``bonferroni``.
        measure: what is compared, a name of ``config.measures``.
        data_dir: with the samples; needed for measures that are in captures only.

    Returns:
        One row per compared cell, in the order of ``derived.cells``: ``tool``, ``cell``, the
        factors, ``task``, title, executor and topology, ``baseline_tool``, ``baseline_cell``,
        what ``beside`` says of the two, ``p_adjusted`` and flags. Of another measure than
        latency, what ``measures.beside`` says of them.

    Raises:
        ConfigError: a column or the measure is unknown.
    """
    if measure not in MEASURES:
        raise ConfigError(f"there is no measure {measure!r}{nearest(measure, MEASURES)}")
    say = compared if measure == LATENCY.name else _measured(derived, MEASURES[measure], data_dir)
    for name in (*match, *baseline, *(level or ()), *(only or ())):
        if name not in derived.cells:
            raise ConfigError(f"there is no column {name!r} in the derived cells")
    rows = {
        place: say(derived, cell, base)
        for group in groups(derived.cells, match, baseline, level, only)
        if len(group.baselines) == 1
        for base in group.baselines.values()
        for place, cell in group.compared.items()
    }
    frame = pd.DataFrame([rows[place] for place in sorted(rows)])
    if "p" in frame:
        frame["p_adjusted"] = adjusted(frame["p"], adjust)
    return frame


def _measured(
    derived: Derived, measure: Measure, data_dir: Path | None
) -> Callable[[Derived, Record, Record], dict[str, Any]]:
    """A function that makes the row of a cell beside its baseline, by another measure."""
    of = measures.starts_of(derived, measure, data_dir)

    def say(derived: Derived, cell: Record, baseline: Record) -> dict[str, Any]:
        result = measures.beside(measure, of(cell), of(baseline), derived.confidence)
        return compared_row(derived, cell, baseline, *result)

    return say


def unmatched(
    derived: Derived,
    match: Sequence[str],
    baseline: Mapping[str, object],
    level: Mapping[str, object] | None = None,
    only: Mapping[str, object] | None = None,
) -> pd.DataFrame:
    """The cells that have no baseline, or several, with the number of them (``baselines``)."""
    counts = {
        place: len(group.baselines)
        for group in groups(derived.cells, match, baseline, level, only)
        if len(group.baselines) != 1
        for place in (*group.baselines, *group.compared)
    }
    return derived.cells.iloc[list(counts)].assign(baselines=list(counts.values()))


def adjusted(p: "pd.Series[float]", method: str) -> "pd.Series[float]":
    """P-values adjusted for their number; blanks stay blank and do not count."""
    mask = p.notna()
    values = p.copy()
    if mask.any():
        values[mask] = multipletests(p[mask], method=method)[1]
    return values


def groups(
    cells: pd.DataFrame,
    match: Sequence[str],
    baseline: Mapping[str, object],
    level: Mapping[str, object] | None = None,
    only: Mapping[str, object] | None = None,
) -> list[Group]:
    """Cells that agree in the matched columns and in executor and topology.

    Cells that were not measured stand with the only setting there is. Where links are compared,
    the topologies may differ in their links: that is the question.
    """
    rows = records(cells)
    linked = any(name in LINKS for name in (*baseline, *(level or ())))
    settings = {_setting(cell, linked) for cell in rows} - {(cell_record.BLANK, cell_record.BLANK)}
    usual = next(iter(settings)) if len(settings) == 1 else None
    grouped: dict[tuple[object, ...], Group] = {}
    for place, cell in enumerate(rows):
        if not all(
            not written(cell[name]) or same(cell[name], of) for name, of in (only or {}).items()
        ):
            continue
        is_baseline = all(same(cell[name], of) for name, of in baseline.items())
        if not is_baseline and not all(same(cell[name], of) for name, of in (level or {}).items()):
            continue
        setting = _setting(cell, linked)
        if setting[0] == cell_record.BLANK and usual:
            setting = usual
        key = (*(written(cell[name]) for name in match), *setting)
        group = grouped.setdefault(key, Group({}, {}))
        (group.baselines if is_baseline else group.compared)[place] = cell
    return [group for group in grouped.values() if group.compared]


def records(cells: pd.DataFrame) -> list[Record]:
    """The rows of a frame one by one, far faster than pandas has them."""
    names = list(cells.columns)
    columns = [cells[name].tolist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _setting(cell: Record, linked: bool) -> tuple[str, str]:
    topology = str(cell["topology"])
    return str(cell["executor"]), cell_record.without_links(topology) if linked else topology


def compared(derived: Derived, cell: Record, baseline: Record) -> dict[str, Any]:
    """The row of a cell beside its baseline, without what depends on other rows."""
    starts, baseline_starts = ranked(derived, cell), ranked(derived, baseline)
    found = beside(
        starts,
        baseline_starts,
        derived.confidence,
        lasted(cell["timeout_ms"], baseline["timeout_ms"]),
    )
    return compared_row(derived, cell, baseline, *found)


def compared_row(
    derived: Derived,
    cell: Record,
    baseline: Record,
    found: Mapping[str, Any],
    caveats: Sequence[Caveat],
) -> dict[str, Any]:
    """What ``beside`` said of two cells, with what they are."""
    shown = ("tool", "cell", *derived.factors, "task", "tool_title", "executor", "topology")
    return {
        **{name: cell[name] for name in shown},
        "baseline_tool": baseline["tool"],
        "baseline_cell": baseline["cell"],
        **found,
        "flags": flags(caveats, cell, baseline),
    }


def beside(
    mine: Sequence[stats.Values],
    other: Sequence[stats.Values],
    confidence: float,
    timeout_ms: float = 0.0,
) -> tuple[dict[str, Any], tuple[Caveat, ...]]:
    """Statistics of one cell's ranked latencies beside another's; both by invocation, ms.

    Timeouts are infinities, and all of them lasted at least ``timeout_ms``.
    ``n``, ``baseline_n``, ``u``, ``p``, ``delta`` (Cliff's; +1: always slower than the baseline)
    with interval and magnitude, ``shift_ms`` with interval and ``ratio`` of random pairs with
    interval take executions as independent: they hold within the starts that were measured.
    ``over_ratio`` is the ratio of the medians, its interval that over invocations. What cannot
    be stated is NaN, and the caveats say why.
    """
    pool, base = (np.concatenate(side) if len(side) else np.empty(0) for side in (mine, other))
    test = stats.mann_whitney(pool, base)
    delta = stats.cliffs_delta(pool, base, confidence)
    shift = stats.hodges_lehmann(pool, base, confidence)
    ratio = over = stats.Ratio(np.nan, None, (Caveat("not-positive", "a latency is not positive"),))
    if min(pool.min(initial=1), base.min(initial=1)) > 0:
        ratio = stats.median_ratio(pool, base, confidence)
        over = stats.ratio_over_invocations(mine, other, confidence, lasted=timeout_ms)
    row: dict[str, Any] = {
        "n": pool.size,
        "baseline_n": base.size,
        "u": test.statistic,
        "p": test.p,
        "delta": delta.value,
        **measures.ends("delta", delta.interval),
        "magnitude": delta.magnitude,
        "shift_ms": shift.value,
        **measures.ends("shift", shift.interval, "_ms"),
        "ratio": ratio.value,
        **measures.ends("ratio", ratio.interval),
        "over_ratio": over.value,
        **measures.ends("over_ratio", over.interval),
    }
    statistics = (test, delta, shift, ratio, over)
    return row, tuple(caveat for statistic in statistics for caveat in statistic.caveats)


def latencies(derived: Derived, cell: Record) -> Sequence[stats.Values]:
    """Latencies of a cell's used invocations, ms; none where its server died early."""
    return derived.latencies.get((cell["tool"], cell["cell"]), ())


def ranked(derived: Derived, cell: Record) -> Sequence[stats.Values]:
    """The same with an infinity for each timeout, which rank statistics are made of."""
    return derived.ranked.get((cell["tool"], cell["cell"]), ())


def lasted(*timeouts_ms: float) -> float:
    """How long every timeout of some cells lasted at least, by their ``timeout_ms``; 0 if none."""
    return min((float(each) for each in timeouts_ms if each > 0), default=0.0)


def flags(caveats: Sequence[Caveat], *cells: Record) -> str:
    """Codes of a statement, and those of the cells behind it, each once."""
    codes = [caveat.code for caveat in caveats]
    for cell in cells:
        codes += filter(None, str(cell["flags"]).split(";"))
    return ";".join(dict.fromkeys(codes))
