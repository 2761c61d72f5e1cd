"""Sentences about demand: how differences, ratios, ranks and throughput move with the threads."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from modelstress.analysis import Derived
from modelstress.report import claims_words as words
from modelstress.report import frames
from modelstress.report.claims_pairs import FASTER, SLOWER, Pairs, each
from modelstress.report.claims_places import places
from modelstress.stats.thresholds import THRESHOLDS

FALL = 0.9
"""A throughput has fallen when it is below so much of its highest."""


def deltas_by_threads(derived: Derived, comparison: str) -> str:
    """How |Cliff's delta| moves with the threads, and where the direction changes."""
    return each(derived, comparison, _deltas)


def ratios_by_threads(derived: Derived, comparison: str) -> str:
    """In how many configurations the ratio to the baseline rises or falls from fewest to most."""
    return each(derived, comparison, _ratios)


def crossings(derived: Derived, comparison: str) -> str:
    """Where a configuration is faster than the baseline at some threads and slower at others."""
    return each(derived, comparison, _crossings)


def in_groups(derived: Derived, comparison: str) -> str:
    """Kruskal–Wallis over each group, and Dunn's test of each member against the baseline."""
    return each(derived, comparison, lambda one: _dunn(derived, comparison, one))


def _series(found: Pairs) -> Iterator[tuple[str, pd.DataFrame]]:
    """The pairs of a query and configuration with latencies, by threads; two or more of them."""
    for (query, place), here in found.known().groupby(["query", "place"], sort=False):
        if here["threads"].nunique() > 1:
            yield words.plain(f"{query} on {place}"), here.sort_values("threads", kind="stable")


def _deltas(found: Pairs) -> str:
    known = found.known()
    counts = frames.threads(known)
    series = list(_series(found))
    if not series:
        return "*No configuration was compared with more than one number of threads.*"
    size = known.assign(size=known["delta"].abs()).groupby("threads")["size"]
    moved = [
        f"{size.get_group(count).median():.2f} with {words.threads(count)} "
        f"({words.many(int(size.size()[count]), 'pair')})"
        for count in counts
    ]
    most = sum(int(here["delta"].abs().idxmax() == here.index[0]) for _, here in series)
    weaker = sum(
        int(abs(here["delta"].iloc[-1]) < abs(here["delta"].iloc[0])) for _, here in series
    )
    changing = [
        f"{name} ({_turns(here)})" for name, here in series
        if {SLOWER, FASTER} <= set(here["verdict"])
    ]  # fmt: skip
    lines = [
        f"Median of |Cliff's delta|: {words.listed(moved, len(moved))}.",
        f"|δ| is largest with the fewest threads in {most} of "
        f"{words.many(len(series), 'configuration')} that were compared with more than one number "
        f"of threads, and smaller with the most threads than with the fewest in {weaker}.",
        f"The direction changes with the threads in {len(changing)} of {len(series)}"
        + (f": {words.listed(changing)}." if changing else "."),
    ]
    return words.bullets(lines)


def _turns(rows: pd.DataFrame) -> str:
    """`faster with 1–2 threads, slower with 8 threads`."""
    counts = [int(count) for count in rows["threads"]]
    said = []
    for verdict in (FASTER, SLOWER):
        mine = [c for c, v in zip(counts, rows["verdict"], strict=True) if v == verdict]
        if mine:
            said.append((mine[0], f"{verdict} {words.with_threads(mine, counts)}"))
    return ", ".join(text for _, text in sorted(said))


def _ratios(found: Pairs) -> str:
    series = [(name, here[here["ratio_low"].notna()]) for name, here in _series(found)]
    series = [(name, here) for name, here in series if here["threads"].nunique() > 1]
    if not series:
        return "*No configuration has a ratio with an interval at more than one number of threads.*"
    rising, falling = [], []
    for name, here in series:
        kind = "over_ratio" if here["over_ratio_low"].notna().all() else "ratio"
        first, last = here.iloc[0], here.iloc[-1]
        change = f"{name}: {_bounds(first, kind)} → {_bounds(last, kind)}"
        if last[f"{kind}_low"] > first[f"{kind}_high"]:
            rising.append((last[kind] / first[kind], change))
        elif last[f"{kind}_high"] < first[f"{kind}_low"]:
            falling.append((first[kind] / last[kind], change))
    total, base = len(series), words.plain(found.base)
    lines = [
        f"From the fewest to the most threads, the ratio to {base} (below 1: faster than "
        f"{base}) rises in {len(rising)} of {words.many(total, 'configuration')} and falls "
        f"in {len(falling)}; in {total - len(rising) - len(falling)} the "
        f"{100 * found.confidence:g}{words.SPACE}% intervals of both ends overlap."
    ]
    for which, changes in (("against", rising), ("for", falling)):
        if changes:
            ordered = [text for _, text in sorted(changes, key=lambda pair: -pair[0])]
            lines.append(f"Strongest {which} the configuration: {'; '.join(ordered[:4])}.")
    return words.bullets(lines)


def _bounds(row: Any, kind: str) -> str:
    about = "over invocations" if kind == "over_ratio" else "within one start"
    ends = words.ends(row[f"{kind}_low"], row[f"{kind}_high"])
    return f"{words.times(row[kind])} ({ends}, {about}) with {words.threads(row['threads'])}"


def _crossings(found: Pairs) -> str:
    series = list(_series(found))
    if not series:
        return "*No configuration was compared with more than one number of threads.*"
    crossing, faster, slower = [], 0, 0
    for name, here in series:
        there = set(here["verdict"])
        if {SLOWER, FASTER} <= there:
            crossing.append(f"{name}: {_turns(here)}")
        faster += there == {FASTER}
        slower += there == {SLOWER}
    total = words.many(len(series), "configuration")
    head = (
        f"Of {total} that were compared with {words.plain(found.base)} at more than one number of "
        f"threads, {faster} are faster at every one, {slower} slower at every one, and "
        f"{len(crossing)} change sides:"
    )
    if not crossing:
        return head.replace(" change sides:", " change sides.")
    return words.paragraphs(head, words.bullets(crossing))


def _dunn(derived: Derived, comparison: str, found: Pairs) -> str:
    every = derived.groups
    groups = every[every["comparison"] == comparison] if len(every) else every
    if len(groups):
        groups = groups[
            (groups["executor"] == found.setting.executor)
            & (groups["topology"] == found.setting.topology)
        ]
    known = groups[groups["p"].notna()] if len(groups) else groups
    lines = []
    if len(known):
        differ = int((known["p"] < THRESHOLDS.alpha).sum())
        lines.append(
            f"Kruskal–Wallis: in {differ} of {words.many(len(known), 'group')} of configurations "
            f"that did the same task, at least one differs from the others "
            f"(p < {THRESHOLDS.alpha}; H between {known['h'].min():.3g} "
            f"and {known['h'].max():.3g})."
        )
    blank = len(groups) - len(known)
    if blank:
        lines.append(f"{words.many(blank, 'group')} could not be tested: too few have latencies.")
    rows = found.rows[found.rows["dunn_p"].notna()]
    if len(rows):
        alike = rows[rows["dunn_p"] >= THRESHOLDS.alpha]
        text = (
            f"Dunn (Bonferroni): {len(rows) - len(alike)} of {words.many(len(rows), 'pair')} with "
            f"{words.plain(found.base)} differ; {len(alike)} do not differ significantly"
        )
        named = [
            f"{words.plain(row['query'])} on {words.plain(row['place'])} with "
            f"{words.threads(row['threads'])} ({words.p_value(row['dunn_p'])})"
            for _, row in alike.iterrows()
        ]
        lines.append(f"{text}: {words.listed(named, 8)}." if named else f"{text}.")
    if not lines:
        return "*No groups of configurations were tested here.*"
    return words.bullets(lines)


def ranks(derived: Derived, column: str = "task") -> str:
    """Which configuration has the lowest median for each task, and where that changes."""
    cells = derived.cells[derived.cells["median_ms"].notna()]
    if cells.empty:
        return "*No cell has a median.*"
    lines = []
    for task, here in cells.groupby([column, "model"], sort=False):
        here = here.assign(place=places(here, ("tool", *derived.factors)))
        best: dict[str, list[int]] = {}
        counts = frames.threads(here)
        for count in counts:
            first = here[here["threads"] == count].sort_values("median_ms", kind="stable").iloc[0]
            best.setdefault(words.plain(f"{first['query']} on {first['place']}"), []).append(count)
        rivals = len(here[["query", "place"]].drop_duplicates())
        said = [f"{label} {words.with_threads(mine, counts)}" for label, mine in best.items()]
        lines.append(
            f"**{words.plain(' on '.join(map(str, task)))}**: lowest median of "
            f"{words.many(rivals, 'configuration')}: {'; '.join(said)}."
        )
    return words.bullets(lines)


def curves(derived: Derived) -> str:
    """Where throughput is highest, where it falls again, and what more clients cost by then."""
    cells = derived.cells[derived.cells["throughput_per_s"].notna()]
    cells = cells.assign(place=places(cells, ("tool", *derived.factors)))
    series = []
    for (query, place, _), here in cells.groupby(["query", "place", "model"], sort=False):
        if here["threads"].nunique() > 1:
            ordered = here.drop_duplicates("threads").sort_values("threads", kind="stable")
            series.append((words.plain(f"{query} on {place}"), ordered))
    if not series:
        return "*No configuration was measured with more than one number of threads.*"
    peaks = [
        int(here["threads"].iloc[int(here["throughput_per_s"].to_numpy().argmax())])
        for _, here in series
    ]
    counts = sorted(set(frames.threads(cells)))
    spread = [f"{peaks.count(n)} with {words.threads(n)}" for n in counts if n in peaks]
    fallen = [
        (float(here["throughput_per_s"].iloc[-1] / here["throughput_per_s"].max()), name, here)
        for name, here in series
        if here["throughput_per_s"].iloc[-1] < FALL * here["throughput_per_s"].max()
    ]
    lines = [
        f"Of {words.many(len(series), 'configuration')} measured with more than one number of "
        f"threads, the throughput is highest in {words.listed(spread, len(spread))}."
    ]
    text = (
        f"In {len(fallen)} of {len(series)} it has fallen below {100 * FALL:.0f}{words.SPACE}% of "
        "its highest with the most threads"
    )
    if fallen:
        share, name, here = min(fallen, key=lambda one: one[0])
        top = here["throughput_per_s"].max()
        text += (
            f"; furthest in {name}: from {top:.3g} to {share * top:.3g} correct answers per second"
        )
    lines.append(f"{text}.")
    dearer = [
        float(here["median_ms"].iloc[-1] / here["median_ms"].iloc[0])
        for _, here in series
        if pd.notna(here["median_ms"].iloc[0]) and pd.notna(here["median_ms"].iloc[-1])
    ]
    if dearer:
        first, last = counts[0], counts[-1]
        lines.append(
            f"From the fewest to the most threads ({first} to {last} where all were measured), the "
            f"median latency grows {words.times(pd.Series(dearer).median())} times in the median "
            f"of {words.many(len(dearer), 'configuration')} (from {words.times(min(dearer))} to "
            f"{words.times(max(dearer))} times)."
        )
    return words.bullets(lines)
