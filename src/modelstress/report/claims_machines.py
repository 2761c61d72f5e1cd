"""Sentences about the machines that measured, and what of a comparison holds on one of them.

A machine is told by its name, where that is recorded, its processor and its kernel, and by its boot
where that is recorded: rented machines that look alike need not be one.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis import Derived
from modelstress.analysis.cell_record import BLANK, MACHINE_SETTINGS
from modelstress.analysis.contrasts import records
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNKNOWN, verdicts
from modelstress.report import claims_words as words
from modelstress.report import placebo_words
from modelstress.stats.results import Values

Starts = Mapping[tuple[str, str], Sequence[tuple[str, Values]]]
"""Tool and cell to the machine and the latencies (ms) of each used invocation."""
CLEAR = frozenset({SLOWER, FASTER})


def machines(derived: Derived) -> str:
    """Which machines measured, and how far the medians of one cell lie apart between them."""
    used = _used(derived)
    counts = used.groupby("machine").size().sort_values(ascending=False, kind="stable")
    settings = _settings(derived.provenance)
    if len(counts) < 2:
        only = [f"One machine measured everything: {words.plain(name)}." for name in counts.index]
        return " ".join([*only, *([settings] if settings else [])])
    machine_counts = [
        f"{words.number(count)} on {words.plain(name)}" for name, count in counts.items()
    ]
    mixed = int((used.groupby(["tool", "cell"])["machine"].nunique() > 1).sum())
    cells = words.many(len(used.groupby(["tool", "cell"])), "measured cell")
    named = "name, " if (derived.provenance["key"] == "machine.name").any() else ""
    told, alike = f"{named}processor and kernel", ""
    looks = derived.invocations.loc[used.index, "machine"].unique()
    if len(looks) < len(counts):
        told = f"{named}processor, kernel and boot (one that was started anew counts as another)"
        alike = f", all of them {words.plain(looks[0])}" if len(looks) == 1 else ""
    head = (
        f"The invocations were measured on {len(counts)} machines, told by {told}: "
        f"{words.listed(machine_counts, len(machine_counts))}{alike}. {mixed} of {cells} "
        "have starts from several, which their intervals over invocations contain; no estimate "
        "over starts pairs starts of two. For two starts of one "
        "cell, the ratio of their medians (of the later start to the earlier one on the same "
        "machine): its median over all such pairs, and the factor within which half of them lie "
        "around it."
    )
    return words.paragraphs(head, _table(_RATIOS, _ratios(used)), settings)


def _settings(provenance: pd.DataFrame) -> str:
    """Which settings of the machines differ between invocations; empty where none does."""
    values: dict[str, list[str]] = defaultdict(list)
    for fact in records(provenance):
        name = str(fact["key"]).removeprefix(MACHINE_SETTINGS)
        if name in (fact["key"], "energy") or fact["value"] == BLANK:
            continue
        count = words.number(fact["invocations"])
        values[name].append(f"{words.plain(str(fact['value']))} in {count}")
    told = [
        f"{words.plain(name.replace('_', ' '))} {' and '.join(counts)}"
        for name, counts in values.items()
        if len(counts) > 1
    ]
    if not told:
        return ""
    return f"Settings that differ between invocations: {words.listed(told, len(told))}."


_RATIOS = ("tool", "machines", "pairs of starts", "median ratio", "half within")


def _ratios(used: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """The rows of the table of ratios: of each tool, the pairs on one machine first."""
    logs: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    measured = used[used["median_ms"] > 0].sort_values(["machine", "invocation"], kind="stable")
    for (tool, _), starts in measured.groupby(["tool", "cell"], sort=False):
        log_medians = list(zip(starts["machine"], np.log(starts["median_ms"]), strict=True))
        for (machine_before, before), (machine_after, after) in combinations(log_medians, 2):
            logs[
                tool,
                *(("", "") if machine_before == machine_after else (machine_after, machine_before)),
            ].append(after - before)
    for (tool, machine_after, machine_before), differences in sorted(logs.items()):
        middle = float(np.median(differences))
        apart = float(np.median(np.abs(np.array(differences) - middle)))
        where = f"{machine_after} / {machine_before}" if machine_before else "the same"
        numbers = (words.times(float(np.exp(middle))), words.times(float(np.exp(apart))))
        yield (tool, where, words.number(len(differences)), *numbers)


def on_one_machine(derived: Derived, *comparisons: str) -> str:
    """In how many pairs the direction is the same with the starts of one machine only.

    Args:
        derived: the tables, with latencies.
        comparisons: names of the study's comparisons; by default all.
    """
    used = _used(derived)
    machine_names = sorted(used["machine"].unique())
    if len(machine_names) < 2 or derived.comparisons.empty:
        return ""
    rows = derived.comparisons
    if comparisons:
        rows = rows[rows["comparison"].isin(comparisons)]
    rows = rows.assign(verdict=verdicts(rows))
    starts = _starts(derived, used)
    table = [
        (str(name), machine, *_agreement(comparison_rows, machine, starts))
        for name, comparison_rows in rows.groupby("comparison", sort=False)
        for machine in machine_names
    ]
    head = (
        "Two cells need not have their starts from the same machines, so part of a difference "
        "could be the machines'. So every pair was compared once more with the starts of one "
        "machine only, where both sides have any. *Same* and *opposite* have a direction (slower "
        "or faster by Mann–Whitney's p and Cliff's delta together) both ways; "
        "*lost* only with all starts, *found* only with those of the machine. "
        "Fewer executions alone lose some; *neither* has none. "
        + placebo_words.remark(derived.placebo_rates)
    )
    return words.paragraphs(head, _table(_AGREEMENT, table))


_AGREEMENT = (
    "comparison", "starts of", "pairs", "same direction", "opposite", "lost", "found", "neither",
)  # fmt: skip


def _agreement(rows: pd.DataFrame, machine: str, starts: Starts) -> tuple[str, ...]:
    """How many pairs there are, and how their verdicts compare with those of all starts."""
    again = pd.DataFrame([_compared(row, machine, starts) for row in records(rows)])
    there = [(a, b) for a, b in zip(rows["verdict"], verdicts(again), strict=True) if b != UNKNOWN]
    told = [(a, b) for a, b in there if FEW not in (a, b)]
    both = [(a, b) for a, b in told if a in CLEAR and b in CLEAR]
    same = sum(a == b for a, b in both)
    lost = sum(a in CLEAR and b not in CLEAR for a, b in told)
    found_pairs = sum(a not in CLEAR and b in CLEAR for a, b in told)
    rest = len(told) - len(both) - lost - found_pairs
    counts = (len(told), same, len(both) - same, lost, found_pairs, rest)
    return tuple(words.number(count) for count in counts)


def _compared(row: Mapping[str, Any], machine: str, starts: Starts) -> dict[str, Any]:
    """What ``verdicts`` reads of a pair, with the starts of one machine."""
    values = _pool(starts.get((row["tool"], row["cell"]), ()), machine)
    baseline_values = _pool(starts.get((row["baseline_tool"], row["baseline_cell"]), ()), machine)
    delta = stats.cliffs_delta(values, baseline_values)
    return {
        "p": stats.mann_whitney(values, baseline_values).p,
        "delta": delta.value,
        "magnitude": delta.magnitude,
        "n": values.size,
        "baseline_n": baseline_values.size,
    }


def _pool(starts: Sequence[tuple[str, Values]], machine: str) -> Values:
    values = [latencies for where, latencies in starts if where == machine]
    return np.concatenate(values) if values else np.empty(0)


def _starts(derived: Derived, used: pd.DataFrame) -> Starts:
    """The machines of all starts beside their ranked latencies, which lie in the same order."""
    where = used.groupby(["tool", "cell"], sort=False)["machine"].agg(list).to_dict()
    return {
        key: list(zip(where[key], latencies, strict=True))
        for key, latencies in derived.ranked.items()
    }


def _used(derived: Derived) -> pd.DataFrame:
    """Used invocations; machines that look alike are told by the number of their boot."""
    rows = derived.invocations
    used = rows[rows["used"].fillna(False).astype(bool)]
    boots = used.sort_values("invocation", kind="stable").groupby("machine")["boot"].unique()
    names: dict[tuple[str, str], str] = {}
    for machine, found in boots.items():
        known = [boot for boot in found if isinstance(boot, str) and boot]
        before = f"{machine}, " if len(boots) > 1 else ""
        if len(known) > 1:
            names |= {(str(machine), boot): f"{before}boot {n}" for n, boot in enumerate(known, 1)}
    pairs = zip(used["machine"], used["boot"], strict=True)
    return used.assign(machine=[names.get(pair, pair[0]) for pair in pairs])


def _table(names: Sequence[str], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    shown = [[words.plain(cell) for cell in row] for row in rows]
    lines = [names, ["---"] * len(names), *shown]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
