"""Placebos: pairs of equals (A/A), and how often each rule finds a direction between them.

They are made of what was measured, with the structure of the claims that they vouch for: two starts
of one cell on one machine, two starts on two machines, and the halves of one start's window. Within
a kind no start is in two pairs, so that pairs are independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from modelstress import stats
from modelstress.analysis.contrasts import records
from modelstress.analysis.derived import Derived
from modelstress.analysis.estimates import (
    MARGIN,
    WORDS,
    Pair,
    judged,
    machine_of,
    pair_of,
    paired,
    start_of,
    starts_of,
)
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNKNOWN, verdicts
from modelstress.config.levels import written
from modelstress.stats.borrowing import Prior, prior_of
from modelstress.stats.deciding import status_of_ratio
from modelstress.stats.estimates import spreads
from modelstress.stats.results import Values

ONE_START, TWO_STARTS, TWO_MACHINES = "one start", "two starts", "two machines"
KINDS = (ONE_START, TWO_STARTS, TWO_MACHINES)
WITHIN, OVER = "within starts", "over starts"
RULES = {WITHIN: "within", OVER: "over"}
"""Rules of a direction, and the column of ``placebos`` with what each says."""
TURNS = "ABBABAAB"
"""To which half the eighths of a window go: a trend is in both halves alike."""
ENOUGH = 100
"""Pairs from which on a rate needs no calibration dataset beside it."""
CALIBRATION = Path(__file__).with_name("placebos-calibration.csv")
PRECISION = 1e-5
"""Of a delta in the calibration dataset, which has six digits: nearer ones are the same pair's."""
IDENTITY = ["kind", "tool", "cell", "invocation", "other_invocation"]

Key = tuple[str, str, str]
"""Kind, tool and cell, or kind, tool and load."""


class Used(NamedTuple):
    """A used start: its number, machine and latencies (ms) in the order of executions."""

    number: int
    machine: str
    latencies: Values


def placebos(derived: Derived) -> pd.DataFrame:
    """All pairs of equals of a profile, with what each rule says of them.

    The rule over starts is asked once per cell and kind, with all pairs as blocks; its variance is
    borrowed from the placebos of the same tool and load or, where those have too few blocks, from
    the comparisons of that tool and load, as a comparison with a single block does it. It never
    pairs starts of two machines, so that it is not asked about those.

    Returns:
        One row per pair, columns as in ``estimate_columns.PLACEBOS`` without study and profile.
    """
    loads = _loads(derived)
    rows: list[dict[str, Any]] = []
    sides: dict[Key, list[tuple[Used, Used]]] = {}
    for key, starts in _used(derived).items():
        for kind in KINDS:
            pairs = list(_pairs(kind, starts))
            if pairs:
                sides[kind, *key] = pairs
            rows += [
                {"kind": kind, "tool": key[0], "cell": key[1], "load": loads[key],
                 **_within(*pair)}
                for pair in pairs
            ]  # fmt: skip
    if not rows:
        return pd.DataFrame(rows)
    made = pd.DataFrame(rows)
    told = made.rename(columns={"other_n": "baseline_n"})
    made["within"] = verdicts(told)
    over = _over(derived, sides, loads)
    keys = list(zip(made["kind"], made["tool"], made["cell"], strict=True))
    again = made.duplicated(["kind", "tool", "cell"])
    told_once = [
        (None, "") if twice else over.get(key, (None, ""))
        for key, twice in zip(keys, again, strict=True)
    ]
    made["blocks"], made["over"] = zip(*told_once, strict=True)
    return made.drop(columns="magnitude")


def rates(found: pd.DataFrame, calibration: pd.DataFrame | None = None) -> pd.DataFrame:
    """How often each rule finds a direction between equals, by kind and tool.

    Args:
        found: of ``placebos``.
        calibration: pairs to show beside fewer than ``ENOUGH`` own ones; those of the same tool
            where it has any, else of all tools; pairs of ``found`` itself do not count again.

    Returns:
        One row per rule, kind and tool, and one of all tools (blank) before them; columns as in
        ``estimate_columns.PLACEBO_RATES`` without study and profile. A rule that was asked about
        no pair has a row with 0 pairs.
    """
    other = _others(found, calibration)
    tools = ["", *(found["tool"].drop_duplicates() if len(found) else ())]
    return pd.DataFrame([
        _rate(found, other, rule, kind, tool) for rule in RULES for kind in KINDS for tool in tools
    ])  # fmt: skip


@cache
def calibration() -> pd.DataFrame:
    """The committed pairs of the example dataset (``tools/calibration.py`` makes them)."""
    return pd.read_csv(CALIBRATION, keep_default_na=False)


def limit(directions: int, pairs: int) -> float:
    """Upper 95 % limit of a share (Clopper–Pearson, one-sided); NaN without any pair."""
    if not pairs:
        return float("nan")
    return float(proportion_confint(directions, pairs, alpha=0.1, method="beta")[1])


def _rate(
    found: pd.DataFrame, other: pd.DataFrame, rule: str, kind: str, tool: str
) -> dict[str, Any]:
    directions, pairs = _count(found, rule, kind, tool)
    of = tool if tool and _count(other, rule, kind, tool)[1] else "all"
    more = (0, 0) if pairs >= ENOUGH else _count(other, rule, kind, "" if of == "all" else of)
    return {
        "rule": rule, "kind": kind, "tool": tool, "pairs": pairs, "directions": directions,
        "rate": directions / pairs if pairs else np.nan, "limit": limit(directions, pairs),
        "calibration_pairs": more[1], "calibration_directions": more[0],
        "calibration_limit": limit(*more), "calibration_of": of if more[1] else "",
    }  # fmt: skip


def _count(found: pd.DataFrame, rule: str, kind: str, tool: str) -> tuple[int, int]:
    """Directions and pairs that a rule was asked about, of one tool or of all."""
    if found.empty:
        return 0, 0
    chosen = (found["kind"] == kind) & ((found["tool"] == tool) | (tool == ""))
    said = found.loc[chosen, RULES[rule]].fillna("")
    asked = said[~said.isin(["", FEW, UNKNOWN])]
    return int(asked.isin([SLOWER, FASTER]).sum()), len(asked)


def _others(found: pd.DataFrame, calibration: pd.DataFrame | None) -> pd.DataFrame:
    """The pairs of the calibration that are not those of the dataset itself."""
    if calibration is None or found.empty:
        return pd.DataFrame() if calibration is None else calibration
    beside = (
        calibration[[*IDENTITY, "delta"]]
        .reset_index()
        .merge(found[[*IDENTITY, "delta"]], on=IDENTITY, suffixes=("", "_own"))
    )
    own = beside.loc[(beside["delta"] - beside["delta_own"]).abs() < PRECISION, "index"]
    return calibration[~calibration.index.isin(own)]


def _loads(derived: Derived) -> dict[tuple[str, str], str]:
    """The load of every cell, as text; empty where nothing varies it."""
    cells, load = derived.cells, derived.projection.load
    levels = cells[load].map(written) if load in cells else [""] * len(cells)
    return dict(zip(zip(cells["tool"], cells["cell"], strict=True), levels, strict=True))


def _used(derived: Derived) -> dict[tuple[str, str], list[Used]]:
    """The used starts of each cell; without cells of histograms, which have no order."""
    flags = derived.cells.set_index(["tool", "cell"])["flags"].fillna("")
    starts: dict[tuple[str, str], list[Used]] = {}
    rows = derived.invocations[derived.invocations["used"].fillna(False).astype(bool)]
    for (tool, cell), of_cell in rows.groupby(["tool", "cell"], sort=False):
        key = (str(tool), str(cell))
        latencies = derived.latencies.get(key, ())
        if "histograms" not in str(flags[key]).split(";"):
            starts[key] = [
                Used(int(row["invocation"]), machine_of(row), values)
                for row, values in zip(records(of_cell), latencies, strict=False)
                if len(values) and values.min() > 0
            ]
    return starts


def _pairs(kind: str, starts: Sequence[Used]) -> Iterator[tuple[Used, Used]]:
    """The pairs of a kind among the starts of a cell, no start in two of them."""
    if kind == ONE_START:
        yield from (halves(start) for start in starts if len(start.latencies) >= 2 * len(TURNS))
        return
    free = sorted(starts)
    while free:
        first, *free = free
        same = kind == TWO_STARTS
        for at, other in enumerate(free):
            if (other.machine == first.machine) == same:
                yield first, free.pop(at)
                break


def halves(start: Used) -> tuple[Used, Used]:
    """A start's executions in two halves, made of the eighths of its window in turns."""
    parts = np.array_split(start.latencies, len(TURNS))
    first, other = (
        start._replace(latencies=np.concatenate(
            [part for part, turn in zip(parts, TURNS, strict=True) if turn == half]
        ))
        for half in "AB"
    )  # fmt: skip
    return first, other


def _within(first: Used, other: Used) -> dict[str, Any]:
    """What the papers' rule needs to know of a pair."""
    delta = stats.cliffs_delta(other.latencies, first.latencies)
    return {
        "invocation": first.number, "other_invocation": other.number,
        "n": len(first.latencies), "other_n": len(other.latencies),
        "p": stats.mann_whitney(other.latencies, first.latencies).p,
        "delta": delta.value, "magnitude": delta.magnitude,
    }  # fmt: skip


def _over(
    derived: Derived,
    sides: Mapping[Key, Sequence[tuple[Used, Used]]],
    loads: Mapping[tuple[str, str], str],
) -> dict[Key, tuple[int, str]]:
    """Blocks and status of each kind, tool and cell by the rule over starts."""
    families: dict[tuple[str, str, str], list[tuple[tuple[str, str, str], Pair]]] = defaultdict(
        list
    )
    for key, pairs in sides.items():
        kind, tool, cell = key
        if kind != TWO_MACHINES:
            blocks = [(start_of(*other[1:]), start_of(*first[1:])) for first, other in pairs]
            families[kind, tool, loads[tool, cell]].append((key, pair_of({}, blocks)))
    compared = _compared(derived)
    found = {}
    for (kind, tool, load), members in families.items():
        pairs_of = [pair for _, pair in members]
        borrowed = compared.get((tool, load), []) if kind == TWO_STARTS else []
        estimates = judged(pairs_of, derived.confidence, _prior(pairs_of, borrowed))
        for (key, pair), estimate in zip(members, estimates, strict=True):
            known = estimate.interval is not None
            status = WORDS[status_of_ratio(estimate.interval, MARGIN)] if known else ""
            found[key] = (len(pair.differences), status)
    return found


def _prior(pairs: Sequence[Pair], borrowed: Sequence[Pair]) -> Prior | None:
    """The common variance of the pairs, or else that of the comparisons beside them."""
    own = prior_of(*spreads([pair.differences for pair in pairs]))
    if own is not None or not borrowed:
        return own
    other = prior_of(*spreads([pair.differences for pair in borrowed]))
    return other and replace(other, degrees=np.full(len(pairs), other.degrees.max()))


def _compared(derived: Derived) -> dict[tuple[str, str], list[Pair]]:
    """The comparisons by tool and load, of whatever question."""
    starts, load = starts_of(derived), derived.projection.load
    made: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for row in records(derived.comparisons):
        if row["baseline_tool"] == row["tool"]:
            level = written(row[load]) if load in row else ""
            made[row["tool"], level].append(paired(row, starts))
    return made
