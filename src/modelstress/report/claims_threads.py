"""Sentences about demand: how differences, ratios, ranks and throughput move with the load."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.projection import TASK, Projection
from modelstress.analysis.within_starts import FASTER, SLOWER
from modelstress.config.base import Level
from modelstress.report import claims_words as words
from modelstress.report import grouping, placebo_words
from modelstress.report.claims_places import along_load, by_load, places, several_loads
from modelstress.report.claims_sides import Pairs, each, loaded, where
from modelstress.stats.thresholds import THRESHOLDS

FALL = 0.9
"""A throughput has fallen when it is below so much of its highest."""


def deltas_by_threads(derived: Derived, comparison: str) -> str:
    """How |Cliff's delta| moves with the load, and where the direction changes."""
    return each(derived, comparison, _deltas)


def ratios_by_threads(derived: Derived, comparison: str) -> str:
    """In how many configurations the ratio to the baseline rises or falls with the load."""
    return each(derived, comparison, _ratios)


def crossings(derived: Derived, comparison: str) -> str:
    """Where a configuration is faster than the baseline at some loads and slower at others."""
    return each(derived, comparison, _crossings)


def in_groups(derived: Derived, comparison: str) -> str:
    """Kruskal–Wallis over each group, and Dunn's test of each member against the baseline."""
    return each(derived, comparison, lambda sides: _dunn(derived, comparison, sides))


def _series(sides: Pairs) -> Iterator[tuple[str, pd.DataFrame]]:
    """The pairs of an operation and configuration with latencies, by load; two or more of them."""
    projection = sides.projection
    keys = [projection.operation, "place"]
    for (operation, place), place_rows in sides.known().groupby(keys, sort=False):
        if several_loads(place_rows, projection):
            yield words.plain(f"{operation} on {place}"), along_load(place_rows, projection)


def _load_words(sides: Pairs) -> words.LoadWords:
    return words.load_words(sides.projection, grouping.loads(sides.rows, sides.projection))


def _deltas(sides: Pairs) -> str:
    known_rows, load = sides.known(), _load_words(sides)
    series = list(_series(sides))
    if not series:
        return f"*No configuration was compared with {load.several}.*"
    moved = [
        f"{rows['delta'].abs().median():.2f} {words.with_load(sides.projection, level)} "
        f"({words.many(len(rows), 'pair')})"
        for level, rows in by_load(known_rows, sides.projection)
    ]
    most = sum(int(rows["delta"].abs().idxmax() == rows.index[0]) for _, rows in series)
    weaker = sum(
        int(abs(rows["delta"].iloc[-1]) < abs(rows["delta"].iloc[0])) for _, rows in series
    )
    changing = [
        f"{name} ({_turns(rows, sides.projection)})" for name, rows in series
        if {SLOWER, FASTER} <= set(rows["status"])
    ]  # fmt: skip
    lines = [
        f"Median of |Cliff's delta|: {words.listed(moved, len(moved))}.",
        f"|δ| is largest with the {load.least} {load.noun} in {most} of "
        f"{words.many(len(series), 'configuration')} that were compared with {load.several}, and "
        f"smaller with the {load.most} {load.noun} than with the {load.least} in {weaker}.",
        f"Over starts, the direction changes with the {load.noun} in {len(changing)} of "
        f"{len(series)}" + (f": {words.listed(changing)}." if changing else "."),
    ]
    return words.paragraphs(words.bullets(lines), _placebo(sides))


def _placebo(sides: Pairs) -> str:
    """The placebos of the rule over starts."""
    tools = map(str, sides.rows["tool"])
    return placebo_words.summary(sides.placebo_rates, placebo_words.OVER, tools)


def _turns(rows: pd.DataFrame, projection: Projection) -> str:
    """`faster with 1–2 threads, slower with 8 threads`, for rows in the order of their loads."""
    loads = [words.load_of(row, projection) for _, row in rows.iterrows()]
    turns = []
    for verdict in (FASTER, SLOWER):
        levels = [c for c, v in zip(loads, rows["status"], strict=True) if v == verdict]
        if levels:
            text = f"{verdict} {words.with_loads(projection, levels, loads)}"
            turns.append((loads.index(levels[0]), text))
    return ", ".join(text for _, text in sorted(turns))


def _ratios(sides: Pairs) -> str:
    series = [(name, rows[rows["ratio_low"].notna()]) for name, rows in _series(sides)]
    series = [(name, rows) for name, rows in series if several_loads(rows, sides.projection)]
    load = _load_words(sides)
    if not series:
        return f"*No configuration has a ratio with an interval at {load.several}.*"
    rising, falling = [], []
    for name, rows in series:
        kind = "over_ratio" if rows["over_ratio_low"].notna().all() else "ratio"
        first, last = rows.iloc[0], rows.iloc[-1]
        ends = [_bounds(row, kind, sides.projection) for row in (first, last)]
        change = f"{name}: {' → '.join(ends)}"
        if last[f"{kind}_low"] > first[f"{kind}_high"]:
            rising.append((last[kind] / first[kind], change))
        elif last[f"{kind}_high"] < first[f"{kind}_low"]:
            falling.append((first[kind] / last[kind], change))
    total, base = len(series), words.plain(sides.base)
    lines = [
        f"From the {load.least} to the {load.most} {load.noun}, the ratio to {base} (below 1: "
        f"faster than {base}) rises in {len(rising)} of {words.many(total, 'configuration')} and "
        f"falls in {len(falling)}; in {total - len(rising) - len(falling)} the "
        f"{100 * sides.confidence:g}{words.SPACE}% intervals of both ends overlap."
    ]
    for which, changes in (("against", rising), ("for", falling)):
        if changes:
            ordered = [text for _, text in sorted(changes, key=lambda pair: -pair[0])]
            lines.append(f"Strongest {which} the configuration: {'; '.join(ordered[:4])}.")
    return words.bullets(lines)


def _bounds(row: Any, kind: str, projection: Projection) -> str:
    about = "over invocations" if kind == "over_ratio" else "within one start"
    ends = words.ends(row[f"{kind}_low"], row[f"{kind}_high"])
    return loaded(f"{words.times(row[kind])} ({ends}, {about})", row, projection)


def _crossings(sides: Pairs) -> str:
    series, load = list(_series(sides)), _load_words(sides)
    if not series:
        return f"*No configuration was compared with {load.several}.*"
    crossing, faster, slower = [], 0, 0
    for name, rows in series:
        there = set(rows["status"])
        if {SLOWER, FASTER} <= there:
            crossing.append(f"{name}: {_turns(rows, sides.projection)}")
        faster += there == {FASTER}
        slower += there == {SLOWER}
    total = words.many(len(series), "configuration")
    head = (
        f"Over starts, of {total} that were compared with {words.plain(sides.base)} at "
        f"{load.several}, "
        f"{faster} are faster at every one, {slower} slower at every one, and "
        f"{len(crossing)} change sides:"
    )
    if not crossing:
        head = head.replace(" change sides:", " change sides.")
    return words.paragraphs(head, words.bullets(crossing), _placebo(sides))


def _dunn(derived: Derived, comparison: str, sides: Pairs) -> str:
    group_rows = derived.groups
    groups = group_rows[group_rows["comparison"] == comparison] if len(group_rows) else group_rows
    if len(groups):
        groups = groups[
            (groups["executor"] == sides.setting.executor)
            & (groups["topology"] == sides.setting.topology)
        ]
    tested_groups = groups[groups["p"].notna()] if len(groups) else groups
    lines = []
    if len(tested_groups):
        differ = int((tested_groups["p"] < THRESHOLDS.alpha).sum())
        lines.append(
            f"Kruskal–Wallis: in {differ} of {words.many(len(tested_groups), 'group')} of "
            f"configurations that did the same task, at least one differs from the others "
            f"(p < {THRESHOLDS.alpha}; H between {tested_groups['h'].min():.3g} "
            f"and {tested_groups['h'].max():.3g})."
        )
    blank = len(groups) - len(tested_groups)
    if blank:
        lines.append(f"{words.many(blank, 'group')} could not be tested: too few have latencies.")
    rows = sides.rows[sides.rows["dunn_p"].notna()]
    if len(rows):
        alike = rows[rows["dunn_p"] >= THRESHOLDS.alpha]
        text = (
            f"Dunn (Bonferroni): {len(rows) - len(alike)} of {words.many(len(rows), 'pair')} with "
            f"{words.plain(sides.base)} differ; {len(alike)} do not differ significantly"
        )
        named = [
            f"{where(row, sides.projection)} ({words.p_value(row['dunn_p'])})"
            for _, row in alike.iterrows()
        ]
        lines.append(f"{text}: {words.listed(named, 8)}." if named else f"{text}.")
    if not lines:
        return "*No groups of configurations were tested here.*"
    return words.bullets(lines)


def ranks(derived: Derived, column: str = TASK) -> str:
    """Which configuration has the lowest median for each task, and where that changes."""
    cells = derived.cells[derived.cells["median_ms"].notna()]
    if cells.empty:
        return "*No cell has a median.*"
    projection, lines = derived.projection, []
    keys = [column, *filter(None, [projection.dataset])]
    for task, task_cells in cells.groupby(keys, sort=False):
        task_cells = task_cells.assign(place=places(task_cells, projection))
        best: dict[str, list[Level]] = {}
        parts = by_load(task_cells, projection)
        for load, rivals in parts:
            first = rivals.sort_values("median_ms", kind="stable").iloc[0]
            label = words.plain(f"{first[projection.operation]} on {first['place']}")
            best.setdefault(label, []).append(load)
        count = len(task_cells[[projection.operation, "place"]].drop_duplicates())
        loads = [load for load, _ in parts]
        leaders = [
            " ".join(filter(None, [label, words.with_loads(projection, levels, loads)]))
            for label, levels in best.items()
        ]
        lines.append(
            f"**{words.plain(' on '.join(map(str, task)))}**: lowest median of "
            f"{words.many(count, 'configuration')}: {'; '.join(leaders)}."
        )
    return words.bullets(lines)


def curves(derived: Derived) -> str:
    """Where throughput is highest, where it falls again, and what more clients cost by then."""
    cells = derived.cells[derived.cells["throughput_per_s"].notna()]
    projection = derived.projection
    loads = grouping.loads(cells, projection)
    load = words.load_words(projection, loads)
    series = _measured(cells.assign(place=places(cells, projection)), projection)
    if not series:
        return f"*No configuration was measured with {load.several}.*"
    peaks = [
        words.load_of(
            series_cells.iloc[int(series_cells["throughput_per_s"].to_numpy().argmax())], projection
        )
        for _, series_cells in series
    ]
    spread = [
        f"{peaks.count(level)} {words.with_load(projection, level)}"
        for level in loads
        if level in peaks
    ]
    fallen = [
        (
            float(
                series_cells["throughput_per_s"].iloc[-1] / series_cells["throughput_per_s"].max()
            ),
            name,
            series_cells,
        )
        for name, series_cells in series
        if series_cells["throughput_per_s"].iloc[-1] < FALL * series_cells["throughput_per_s"].max()
    ]
    lines = [
        f"Of {words.many(len(series), 'configuration')} measured with {load.several}, the "
        f"throughput is highest in {words.listed(spread, len(spread))}."
    ]
    text = (
        f"In {len(fallen)} of {len(series)} it has fallen below {100 * FALL:.0f}{words.SPACE}% of "
        f"its highest with the {load.most} {load.noun}"
    )
    if fallen:
        share, name, series_cells = min(fallen, key=lambda curve: curve[0])
        top = series_cells["throughput_per_s"].max()
        text += (
            f"; furthest in {name}: from {top:.3g} to {share * top:.3g} correct answers per second"
        )
    lines.append(f"{text}.")
    dearer = [
        float(series_cells["median_ms"].iloc[-1] / series_cells["median_ms"].iloc[0])
        for _, series_cells in series
        if pd.notna(series_cells["median_ms"].iloc[0])
        and pd.notna(series_cells["median_ms"].iloc[-1])
    ]
    if dearer:
        first, last = words.plain(loads[0]), words.plain(loads[-1])
        lines.append(
            f"From the {load.least} to the {load.most} {load.noun} ({first} to {last} where all "
            f"were measured), the median latency grows {words.times(pd.Series(dearer).median())} "
            f"times in the median of {words.many(len(dearer), 'configuration')} (from "
            f"{words.times(min(dearer))} to {words.times(max(dearer))} times)."
        )
    return words.bullets(lines)


def _measured(cells: pd.DataFrame, projection: Projection) -> list[tuple[str, pd.DataFrame]]:
    """The configurations of each operation and dataset with several loads, in their order."""
    keys = [projection.operation, "place", *filter(None, [projection.dataset])]
    return [
        (
            words.plain(f"{operation} on {place}"),
            along_load(place_cells.drop_duplicates(projection.load), projection),
        )
        for (operation, place, *_), place_cells in cells.groupby(keys, sort=False)
        if several_loads(place_cells, projection)
    ]
