"""Claims of a dataset, measured again elsewhere: which to take, and what becomes of each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from modelstress.analysis.contrasts import records
from modelstress.analysis.derived import Derived
from modelstress.analysis.estimates import MARGIN, log_estimate
from modelstress.stats.deciding import blocks_missing

Verdict = Literal["reproduced", "contradicted", "undecided"]
Key = tuple[str, str]
"""Tool and id of a cell."""
FEWEST, MOST = 3, 8
"""Starts of each cell that are measured again: as many as the claim needs, within these."""
RULE = (
    "of the claims over starts that are slower, faster or the same, one after the other the one "
    "that takes the least time beside the others: the starts that its own estimate and spread ask "
    "for, times what one takes"
)


@dataclass(frozen=True)
class Chosen:
    """A claim that is measured again.

    Attributes:
        row: of the dataset's table ``estimates``.
        starts: of each of its cells.
    """

    row: Mapping[str, Any]
    starts: int

    @property
    def sides(self) -> tuple[Key, Key]:
        """The cell and its baseline."""
        return sides_of(self.row)


@dataclass(frozen=True)
class Verified:
    """What measuring a claim again takes.

    Attributes:
        starts: of each of its cells.
        seconds: for all of them.
    """

    starts: int
    seconds: float


def claim_id(row: Mapping[str, Any]) -> str:
    """The id of an estimate's claim, as ``claims.json`` has it."""
    return f"{row['comparison']}/{row['tool']}/{row['cell']}/over-starts"


def base_id(claim: str) -> str:
    """A claim's id without the number behind one that several settings share."""
    return re.sub(r"/\d+$", "", claim)


def sides_of(row: Mapping[str, Any]) -> tuple[Key, Key]:
    """The cell of an estimate and its baseline."""
    return (row["tool"], row["cell"]), (row["baseline_tool"], row["baseline_cell"])


def verdict(status: str, low: float, high: float, margin: float = MARGIN) -> Verdict:
    """What a new interval of a ratio says of a claim.

    *Reproduced*: it decides the same. *Contradicted*: it excludes what the claim says. Everything
    else leaves it open.

    Args:
        status: of the claim: slower, faster or same.
        low: end of the new interval; NaN: there is none.
        high: the other end.
        margin: 0.10 for ±10 %, within which a ratio is *same*.
    """
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    inside = 1 / (1 + margin) <= low and high <= 1 + margin
    if status == "same":
        outside = low > 1 + margin or high < 1 / (1 + margin)
        return "reproduced" if inside else "contradicted" if outside else "undecided"
    if status == "faster":
        low, high = 1 / high, 1 / low
    if high < 1:
        return "contradicted"
    return "reproduced" if low > 1 and not inside else "undecided"


def choose(
    claimed: Derived,
    there: Callable[[Key], float | None],
    budget_s: float,
    only: Collection[str] = (),
) -> tuple[list[Chosen], int]:
    """The claims that are measured again, by ``RULE``, as many as fit into a budget.

    Args:
        claimed: the dataset.
        there: seconds of one start of a cell; None where it cannot be measured here.
        budget_s: seconds for all of them.
        only: ids of claims; without any, all are taken into account.

    Returns:
        The claims, and how many there are in all.
    """
    left, decided = _possible(claimed, there)
    if only:
        wanted = {base_id(claim) for claim in only}
        left = [claim for claim in left if claim_id(claim.row) in wanted]
    chosen: list[Chosen] = []
    starts_of: dict[Key, int] = {}
    spent = 0.0
    while left:
        costs = [_more(claim, starts_of, there) for claim in left]
        least = min(range(len(left)), key=costs.__getitem__)
        if spent + costs[least] > budget_s:
            break
        claim = left.pop(least)
        chosen.append(claim)
        spent += costs[least]
        for side in claim.sides:
            starts_of[side] = max(claim.starts, starts_of.get(side, 0))
    return chosen, decided


def costs(claimed: Derived, there: Callable[[Key], float | None]) -> dict[str, Verified]:
    """What each claim alone takes, by its id; those that cannot be measured here are left out."""
    possible, _ = _possible(claimed, there)
    return {
        claim_id(claim.row): Verified(claim.starts, _more(claim, {}, there)) for claim in possible
    }


def _possible(claimed: Derived, there: Callable[[Key], float | None]) -> tuple[list[Chosen], int]:
    """The decided claims whose cells can be measured here, and how many are decided."""
    table = claimed.estimates
    decided = [] if table is None or table.empty else [
        row for row in records(table) if row["status"] in ("slower", "faster", "same")
    ]  # fmt: skip
    left = [
        Chosen(row, _needed(row, claimed.confidence))
        for row in decided
        if all(there(side) is not None for side in sides_of(row))
    ]
    return left, len(decided)


def _more(
    claim: Chosen, starts_of: Mapping[Key, int], there: Callable[[Key], float | None]
) -> float:
    """Seconds that a claim takes beside those of the chosen ones, whose cells it may share."""
    return sum(
        max(0, claim.starts - starts_of.get(side, 0)) * (there(side) or 0.0) for side in claim.sides
    )


def _needed(row: Mapping[str, Any], confidence: float) -> int:
    """Starts after which a claim is decided again, by the variance of its own starts alone."""
    known = log_estimate(row)
    spread = known.error * math.sqrt(known.blocks)
    first = replace(
        known, blocks=FEWEST, error=spread / math.sqrt(FEWEST), degrees=float(FEWEST - 1)
    )
    more = blocks_missing(first, math.log1p(MARGIN), confidence, MOST)
    return MOST if more is None else FEWEST + more


def judged(chosen: Sequence[Chosen], again: Derived) -> pd.DataFrame:
    """Each claim beside what was measured again.

    Returns:
        ``comparison``, ``tool``, ``cell``, ``baseline_cell``, ``claimed`` (its status),
        ``claimed_ratio`` with ends, ``status``, ``ratio`` with ends, ``blocks``, ``verdict``,
        ``missing_starts`` (of undecided ones, where it can be told).
    """
    table = again.estimates
    found = {} if table is None else {
        (row["comparison"], *sides_of(row)): row for row in records(table)
    }  # fmt: skip
    rows = []
    for claim in chosen:
        row = claim.row
        new = found.get((row["comparison"], *claim.sides), {})
        low, high = (float(new.get(f"ratio_{end}", math.nan)) for end in ("low", "high"))
        said = verdict(row["status"], low, high)
        short = None
        if said == "undecided" and math.isfinite(low) and math.isfinite(high):
            short = blocks_missing(log_estimate(new), math.log1p(MARGIN), again.confidence)
        rows.append({
            "comparison": row["comparison"], "tool": row["tool"], "cell": row["cell"],
            "baseline_cell": row["baseline_cell"], "claimed": row["status"],
            **{f"claimed_{name}": row[name] for name in ("ratio", "ratio_low", "ratio_high")},
            "status": new.get("status", ""), "ratio": float(new.get("ratio", math.nan)),
            "ratio_low": low, "ratio_high": high, "blocks": int(new.get("blocks", 0)),
            "verdict": said, "missing_starts": short,
        })  # fmt: skip
    return pd.DataFrame(rows)
