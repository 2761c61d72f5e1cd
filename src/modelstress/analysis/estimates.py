"""Estimates over starts: each comparison's ratio, paired by block, and what it decides."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis.contrasts import Record, records
from modelstress.analysis.derived import Derived
from modelstress.stats.borrowing import Prior, prior_of
from modelstress.stats.deciding import Status, confidence_at_looks, status_of_ratio
from modelstress.stats.estimates import Estimate, overall, spreads
from modelstress.stats.estimates import estimates as estimated
from modelstress.stats.results import Interval, Values

MARGIN = 0.10
"""Ratios nearer to 1, either way, are the same for whoever chooses a store."""
OWN_CONFIDENCE = 0.97
"""Of the interval by a comparison's own variance inside the moderated one (docs/statistics.md)."""
WORDS: Mapping[Status, str] = {
    "more": "slower", "less": "faster", "same": "same", "undecided": "undecided",
}  # fmt: skip
"""What a decision about a ratio of latencies is called."""


FAMILY = ("comparison", "executor", "topology", "tool")
"""Columns in which the comparisons of one decision agree."""


class Start(NamedTuple):
    """One start of a cell: on which machine and boot, its median (log ms), that one's variance.

    `start` is its id, which cells that shared it have in common; blank in old records. The median
    is infinite where it lies among timeouts.
    """

    machine: str
    start: str
    log_median: float
    variance: float


class Pair(NamedTuple):
    """A compared cell and its baseline, and their differences by block.

    ``censored`` says what of blocks with a median among timeouts, which have no difference.
    """

    row: Mapping[str, Any]
    differences: Values
    floor: float
    machines: int
    shared: int = 0
    censored: tuple[str, ...] = ()


def confidence_of(derived: Derived, looks: Sequence[int]) -> float:
    """Confidence of the interval at each look, so that looking costs no coverage."""
    return confidence_at_looks(looks, derived.confidence) if looks else derived.confidence


def estimates(derived: Derived, margin: float = MARGIN, looks: Sequence[int] = ()) -> pd.DataFrame:
    """Ratios of medians, cell over baseline, each paired by block.

    A block has the starts of one number that were measured on one machine; others are not paired.
    A block in which the median of a side lies among timeouts has no difference and is left out, and
    the row is flagged ``censored``; where half of the blocks or more are such ones, nothing is
    estimated of the others, which are the quicker ones (``mostly-censored``).
    Variances are borrowed across the comparisons of a tool and load (``stats.borrowing``), where
    there are enough of them.

    Args:
        derived: with its comparisons of latencies.
        margin: 0.10 for ±10 %, within which a ratio is *same*.
        looks: numbers of starts after which it is looked (``Profile.looks``); without them, once.
            What was measured beyond the last complete look waits for the next one, intervals have
            ``confidence_of`` the looks, and what variances have in common is fitted to the starts
            of the first look: those that go on later were chosen by their data.

    Returns:
        One row per row of ``derived.comparisons``, in its order: ``comparison``, ``tool``,
        ``cell``, the baseline's, the setting, task and factors, ``blocks``,
        ``shared`` (of these, in how many both were measured in turns in one start), ``machines``,
        ``ratio`` with ``ratio_low`` and ``ratio_high``, ``error`` and ``degrees`` of its logarithm,
        ``status`` (``slower``, ``faster``, ``same``, ``undecided``), ``flags``.
    """
    compared = pairs(derived, looks)
    confidence = confidence_of(derived, looks)
    families: dict[tuple[object, ...], list[tuple[int, Pair]]] = {}
    for at, pair in enumerate(compared):
        family = tuple(pair.row.get(name) for name in (*FAMILY, derived.projection.load))
        families.setdefault(family, []).append((at, pair))
    rows: dict[int, dict[str, Any]] = {}
    for members in families.values():
        found = _of_family([pair for _, pair in members], confidence, looks[0] if looks else None)
        for (at, pair), estimate in zip(members, found, strict=True):
            rows[at] = _row(pair, estimate, margin)
    made = pd.DataFrame([rows[at] for at in range(len(compared))])
    levels = {name: derived.comparisons[name].array for name in derived.factors}
    return made.assign(**levels) if compared else made


def decisions(found: pd.DataFrame, confidence: float, margin: float = MARGIN) -> pd.DataFrame:
    """One row per comparison, setting and tool: its mean ratio over fixed queries and loads.

    Where some ratios are slower and others faster, there is no overall claim: *opposed*.

    Args:
        found: of ``estimates``.
        confidence: of the intervals.
        margin: as there.

    Returns:
        ``comparison``, ``executor``, ``topology``, ``tool``, ``comparisons`` (how many have an
        interval) and ``without_interval``, ``slower``, ``faster``, ``same``, ``undecided`` (how
        many), ``false_expected`` (directions that chance alone is allowed), ``least`` and
        ``largest`` ratio, ``ratio`` with interval, ``status``.
    """
    rows: list[dict[str, Any]] = []
    if found.empty:
        return pd.DataFrame(rows)
    for key, group in found.groupby(list(FAMILY), sort=False, dropna=False):
        told = group[group["ratio_low"].notna()]
        counts = {word: int((told["status"] == word).sum()) for word in WORDS.values()}
        parts = [log_estimate(row) for row in records(told)]
        whole = overall(parts, list(told["baseline_cell"]), confidence)
        rows.append({
            **dict(zip(FAMILY, key, strict=True)), "comparisons": len(told),
            "without_interval": len(group) - len(told), **counts,
            "false_expected": len(told) * (1 - confidence),
            "least": told["ratio"].min(), "largest": told["ratio"].max(), **_ratio(whole),
            "status": status_together(whole, list(told["status"]), margin),
        })  # fmt: skip
    return pd.DataFrame(rows)


def status_together(whole: Estimate, statuses: Collection[str], margin: float) -> str:
    """What comparisons decide together: nothing where some are slower and others are faster.

    Args:
        whole: their mean.
        statuses: of each.
        margin: 0.10 for ±10 %.
    """
    if {"slower", "faster"} <= {*statuses}:
        return "opposed"
    return WORDS[status_of_ratio(whole.interval, margin)]


def mean_ratio(ratios: Sequence[float]) -> float:
    """Geometric mean of ratios, which are positive; NaN without any."""
    return float(np.exp(np.mean(np.log(ratios)))) if len(ratios) else float("nan")


def pairs(derived: Derived, looks: Sequence[int] = ()) -> list[Pair]:
    """Every row of ``derived.comparisons`` with the differences of its blocks."""
    starts = starts_of(derived)
    return [paired(row, starts, looks) for row in records(derived.comparisons)]


def starts_of(derived: Derived) -> dict[tuple[str, str], dict[int, Start]]:
    """By tool and cell, and by number, the starts that have a median above 0."""
    made: dict[tuple[str, str], dict[int, Start]] = {}
    used = derived.invocations[derived.invocations["used"]]
    cells: dict[tuple[str, str], list[Record]] = {}
    for row in records(used):  # of all at once: of thousands of small frames it takes minutes
        cells.setdefault((row["tool"], row["cell"]), []).append(row)
    for cell, rows in cells.items():
        for row, values in zip(rows, derived.ranked.get(cell, ()), strict=False):
            if len(values) and min(values) > 0:
                start = start_of(machine_of(row), values, str(row.get("start") or ""))
                made.setdefault(cell, {})[int(row["invocation"])] = start
    return made


def machine_of(row: Mapping[str, Any]) -> str:
    """The machine of a row of ``Derived.invocations``, and its boot where that was noted."""
    return f"{row['machine']} {row.get('boot') or ''}".rstrip()


def start_of(machine: str, values: Values, start: str = "") -> Start:
    """A start, with the variance of its median by the width of its interval."""
    median = stats.median(np.log(values))
    known = median.interval
    # half of a 99 % interval is 2.576 standard errors, nearly whatever its exact coverage
    variance = 0.0
    if known is not None and np.isfinite(median.value):
        half = median.value - known.low if np.isinf(known.high) else (known.high - known.low) / 2
        variance = (half / 2.576) ** 2
    return Start(machine, start, median.value, variance)


def paired(
    row: Mapping[str, Any],
    starts: dict[tuple[str, str], dict[int, Start]],
    looks: Sequence[int] = (),
) -> Pair:
    """The differences of a row of ``Derived.comparisons``, one per block."""
    cell = starts.get((row["tool"], row["cell"]), {})
    baseline = starts.get((row["baseline_tool"], row["baseline_cell"]), {})
    blocks = [
        (cell[number], baseline[number])
        for number in sorted(cell.keys() & baseline.keys())
        if cell[number].machine == baseline[number].machine
    ]
    return pair_of(row, blocks[: looked(len(blocks), looks)])


def looked(blocks: int, looks: Sequence[int]) -> int:
    """How many of so many blocks count: those of the last complete look, or all before the first.

    >>> [looked(blocks, (3, 6)) for blocks in (2, 3, 5, 9)]
    [2, 3, 3, 6]
    """
    complete = [look for look in looks if look <= blocks]
    return complete[-1] if complete else blocks


def pair_of(row: Mapping[str, Any], blocks: Sequence[tuple[Start, Start]]) -> Pair:
    """Blocks as differences, with the variance that the noise within starts alone makes.

    Blocks in which a median lies among timeouts are left out; where they are half of all or more,
    nothing is known of the difference.
    """
    every = len(blocks)
    blocks = [(a, b) for a, b in blocks if np.isfinite(a.log_median + b.log_median)]
    lost = every - len(blocks)
    if lost and 2 * lost >= every:
        return Pair(row, np.empty(0), 0.0, 0, 0, ("censored", "mostly-censored"))
    differences = np.array([mine.log_median - other.log_median for mine, other in blocks])
    floor = float(np.mean([a.variance + b.variance for a, b in blocks])) if blocks else 0.0
    machines = len({mine.machine for mine, _ in blocks})
    shared = sum(mine.start == other.start != "" for mine, other in blocks)
    return Pair(row, differences, floor, machines, shared, ("censored",) if lost else ())


def judged(pairs: Sequence[Pair], confidence: float, prior: Prior | None) -> list[Estimate]:
    """The estimates of pairs by the rule over starts, with what is known of their variances."""
    floors = np.array([pair.floor for pair in pairs])
    differences = [pair.differences for pair in pairs]
    return estimated(differences, confidence, prior, floors, own_confidence=OWN_CONFIDENCE)


def _of_family(pairs: Sequence[Pair], confidence: float, first: int | None) -> list[Estimate]:
    """The estimates of comparisons that borrow from one another, from the first so many starts."""
    prior = prior_of(*spreads([pair.differences[:first] for pair in pairs]))
    return judged(pairs, confidence, prior)


def _row(pair: Pair, estimate: Estimate, margin: float) -> dict[str, Any]:
    shown = (*FAMILY, "cell", "baseline_tool", "baseline_cell", "task")
    return {
        **{name: pair.row.get(name) for name in shown},
        "blocks": estimate.blocks,
        "shared": pair.shared,
        "machines": pair.machines,
        **_ratio(estimate),
        "error": estimate.error,
        "degrees": estimate.degrees,
        "status": WORDS[status_of_ratio(estimate.interval, margin)],
        "flags": ";".join((*pair.censored, *(caveat.code for caveat in estimate.caveats))),
    }


def _ratio(estimate: Estimate) -> dict[str, float]:
    known = estimate.interval
    low, high = (np.nan, np.nan) if known is None else (np.exp(known.low), np.exp(known.high))
    return {"ratio": float(np.exp(estimate.value)), "ratio_low": low, "ratio_high": high}


def log_estimate(row: Mapping[str, Any]) -> Estimate:
    """The estimate of a row of ``estimates``, on the scale of logarithms."""
    low, high = np.log(row["ratio_low"]), np.log(row["ratio_high"])
    known = Interval(float(low), float(high), np.nan, np.nan)
    return Estimate(
        float(np.log(row["ratio"])), known, int(row["blocks"]), row["error"], row["degrees"]
    )
