"""Placebos: how often each rule finds a direction between equals (``placebo_pairs``).

The rules are the papers', within starts, and those of claims: over starts, and of the mean over
starts of several comparisons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

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
    Start,
    confidence_of,
    judged,
    looked,
    pair_of,
    paired,
    start_of,
    starts_of,
    status_together,
)
from modelstress.analysis.placebo_pairs import KINDS, Equals, Used, equals, loads_of
from modelstress.analysis.within_starts import FASTER, FEW, SLOWER, UNKNOWN, verdicts
from modelstress.config.factors import ONE_START, TWO_MACHINES, TWO_STARTS
from modelstress.config.levels import written
from modelstress.stats.borrowing import Prior, prior_of
from modelstress.stats.deciding import status_of_ratio
from modelstress.stats.estimates import Estimate, overall, spreads

WITHIN, OVER, MEAN = "within starts", "over starts", "mean over starts"
RULES = {WITHIN: "within", OVER: "over", MEAN: "mean"}
"""Rules of a direction, and the column of ``placebos`` with what each says."""
MEAN_OF = 5
"""Comparisons of equals of which the rule of means is asked together."""
ENOUGH = 100
"""Pairs from which on a rate needs no calibration dataset beside it."""
CALIBRATION = Path(__file__).with_name("placebos-calibration.csv")
PRECISION = 1e-5
"""Of a delta in the calibration dataset, which has six digits: nearer ones are the same pair's."""
IDENTITY = ["kind", "tool", "cell", "other_cell", "invocation", "other_invocation"]

Judged = tuple[int, Estimate]
"""Blocks of a comparison of equals, and its estimate by the rule over starts."""


def placebos(derived: Derived, looks: Sequence[int] = ()) -> pd.DataFrame:
    """All pairs of equals of a profile, with what each rule says of them.

    The rule over starts is asked once per cell and kind, with all pairs as blocks and the looks of
    comparisons; its variance is borrowed from the placebos of the same tool and load or, where
    those have too few blocks, from the comparisons of that tool and load that are measured alike,
    as a comparison with a single block does it. It never pairs starts of two machines, so that it
    is not asked about those. The rule of means is asked about ``MEAN_OF`` cells of a tool together.

    Args:
        derived: with its comparisons and, where placebos were measured on purpose, its copies.
        looks: as of ``estimates``.

    Returns:
        One row per pair, columns as in ``estimate_columns.PLACEBOS`` without study and profile.
    """
    found, loads = equals(derived), loads_of(derived)
    if not found:
        return pd.DataFrame()
    confidence = confidence_of(derived, looks)
    judgements = _over(derived, found, loads, looks, confidence)
    nothing: dict[str, Any] = {"blocks": None, "over": "", "mean_of": None, "mean": ""}
    means = _means(found, judgements, confidence)
    rows: list[dict[str, Any]] = []
    for place, each in enumerate(found):
        told = {**nothing, **means.get(place, {})}
        if place in judgements:
            blocks, estimate = judgements[place]
            told |= {"blocks": blocks, "over": _status(estimate)}
        for pair in each.pairs:
            rows.append({
                "kind": each.kind, "tool": each.tool, "cell": each.cell, "other_cell": each.copy,
                "load": loads[each.tool, each.cell], **_within(*pair), **told,
            })  # fmt: skip
            told = nothing
    made = pd.DataFrame(rows)
    made["within"] = verdicts(made.rename(columns={"other_n": "baseline_n"}))
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
    """The committed pairs of the first example dataset (``tools/calibration.py`` makes them)."""
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
    found: Sequence[Equals],
    loads: Mapping[tuple[str, str], str],
    looks: Sequence[int],
    confidence: float,
) -> dict[int, Judged]:
    """By their place, what the rule over starts makes of equals; nothing of two machines."""
    families: dict[tuple[str, str, str], list[tuple[int, Pair]]] = defaultdict(list)
    for place, each in enumerate(found):
        if each.kind != TWO_MACHINES:
            sides = [(_start(other), _start(first)) for first, other in each.pairs]
            pair = pair_of({}, sides[: looked(len(sides), looks)])
            families[each.kind, each.tool, loads[each.tool, each.cell]].append((place, pair))
    compared = _compared(derived, looks)
    judgements = {}
    for family, members in families.items():
        pairs = [pair for _, pair in members]
        prior = _prior(pairs, compared.get(family, []), looks[0] if looks else None)
        for (place, pair), estimate in zip(members, judged(pairs, confidence, prior), strict=True):
            judgements[place] = len(pair.differences), estimate
    return judgements


def _start(used: Used) -> Start:
    return start_of(used.machine, used.latencies)


def _status(estimate: Estimate) -> str:
    known = estimate.interval
    return WORDS[status_of_ratio(known, MARGIN)] if known is not None else ""


def _means(
    found: Sequence[Equals], judgements: Mapping[int, Judged], confidence: float
) -> dict[int, dict[str, Any]]:
    """By the place of its first one, the number of the equals of a mean and what they decide."""
    families: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place in judgements:
        if judgements[place][1].interval is not None:
            families[found[place].kind, found[place].tool].append(place)
    made = {}
    for places in families.values():
        for together in _groups(places):
            parts = [judgements[place][1] for place in together]
            whole = overall(parts, together, confidence)
            statuses = [_status(part) for part in parts]
            made[together[0]] = {
                "mean_of": len(together), "mean": status_together(whole, statuses, MARGIN)
            }  # fmt: skip
    return made


def _groups(places: Sequence[int]) -> Iterator[Sequence[int]]:
    """Groups of ``MEAN_OF``, with cells from all over the plan; what remains is in none."""
    number = len(places) // MEAN_OF
    for first in range(number):
        yield places[first : number * MEAN_OF : number]


def _prior(pairs: Sequence[Pair], borrowed: Sequence[Pair], first: int | None) -> Prior | None:
    """The common variance of the pairs, or else that of the comparisons beside them.

    It is fitted to the blocks of the first look, as that of comparisons.
    """
    own = prior_of(*spreads([pair.differences[:first] for pair in pairs]))
    if own is not None or not borrowed:
        return own
    other = prior_of(*spreads([pair.differences[:first] for pair in borrowed]))
    return other and replace(other, degrees=np.full(len(pairs), other.degrees.max()))


def _compared(derived: Derived, looks: Sequence[int]) -> dict[tuple[str, str, str], list[Pair]]:
    """The comparisons by how they were measured, tool and load, of whatever question."""
    starts, load = starts_of(derived), derived.projection.load
    made: dict[tuple[str, str, str], list[Pair]] = defaultdict(list)
    for row in records(derived.comparisons):
        if row["baseline_tool"] == row["tool"]:
            level = written(row[load]) if load in row else ""
            pair = paired(row, starts, looks)
            made[ONE_START if pair.shared else TWO_STARTS, row["tool"], level].append(pair)
    return made
