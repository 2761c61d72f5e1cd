"""Words for placebos: how often a rule finds a direction between equals, beside what it claims.

The pairs have the structure of the comparison: two starts of one cell on one machine or, beside
what was measured in turns in one start, two equals in one start; ``analysis.placebos`` makes them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.placebos import MEAN, OVER, WITHIN, limit
from modelstress.config.factors import ONE_START, TWO_STARTS
from modelstress.report import claims_words as words

__all__ = [
    "ABOUT", "MEAN", "NONE", "OVER", "TWO_STARTS", "WITHIN", "about", "beside", "expected",
    "kind_of", "of_claims", "rate", "remark", "summary",
]  # fmt: skip
NONE = "no placebo of this rule could be made"
BESIDE = "placebo: a direction in "
ABOUT = "two starts of one cell on one machine"
ABOUTS = {TWO_STARTS: ABOUT, ONE_START: "equals in one start, in turns"}
Rate = Mapping[str, Any]
"""A row of ``Derived.placebo_rates``."""


def kind_of(rows: pd.DataFrame) -> str:
    """The kind of placebos of some comparisons: whether all were measured in turns.

    Args:
        rows: with the ``blocks`` of each and how many of these are ``shared``.
    """
    in_turns = (rows["shared"] == rows["blocks"]) & (rows["blocks"] > 0)
    return ONE_START if len(rows) and in_turns.all() else TWO_STARTS


def rate(rates: pd.DataFrame, rule: str, tool: str = "", kind: str = TWO_STARTS) -> Rate | None:
    """The rate of a rule for a tool; None where the table has none.

    Args:
        rates: ``Derived.placebo_rates``.
        rule: ``OVER``, ``MEAN`` or ``WITHIN``.
        tool: blank: all tools.
        kind: of the pairs, a key of ``ABOUTS``.
    """
    if rates.empty:
        return None
    chosen = (rates["rule"] == rule) & (rates["kind"] == kind)
    rows = rates[chosen & (rates["tool"].fillna("") == tool)]
    return None if rows.empty else dict(rows.iloc[0])


def beside(rates: pd.DataFrame, rule: str, tool: str = "", kind: str = TWO_STARTS) -> str:
    """`placebo: a direction in 88 of 147 (60 %, at most 67 %)`; with fewer than 100 the dataset's.

    The limit is the upper 95 % one.
    """
    row = rate(rates, rule, tool, kind)
    told = [] if row is None else [_own(row), _calibration(row)]
    parts = [part for part in told if part]
    return f"{BESIDE}{'; '.join(parts)}" if parts else NONE


def summary(rates: pd.DataFrame, rule: str, tools: Iterable[str], kind: str = TWO_STARTS) -> str:
    """One sentence about a rule: its placebos over all tools, and by tool where there are more."""
    named = [tool for tool in dict.fromkeys(tools) if rate(rates, rule, tool, kind) is not None]
    whole, about_them = beside(rates, rule, kind=kind), ABOUTS[kind]
    if whole == NONE:
        return f"Of the rule {rule}, {NONE} ({about_them})."
    by_tool = [
        f"{words.plain(tool)}: {beside(rates, rule, tool, kind).removeprefix(BESIDE)}"
        for tool in named
    ]
    listing = f" By tool: {'; '.join(by_tool)}." if len(named) > 1 else ""
    found = whole.removeprefix("placebo: ")
    return f"Placebos ({about_them}): the rule {rule} finds {found}.{listing}"


def of_claims(rates: pd.DataFrame, kind: str) -> str:
    """One sentence about both rules over starts, that of means and that of single comparisons."""
    found = [
        f"in {told.removeprefix(BESIDE)} by the rule {rule}"
        for rule in (MEAN, OVER)
        if (told := beside(rates, rule, kind=kind)) != NONE
    ]
    if not found:
        return summary(rates, OVER, (), kind)
    told = f"nothing differs, and a direction is found {', '.join(found)}"
    return f"Placebos ({ABOUTS[kind]}): {told}."


def remark(rates: pd.DataFrame) -> str:
    """For tables and captions, in plain text: what a direction within the starts is worth."""
    told = beside(rates, WITHIN)
    if told == NONE:
        return f"Of directions within the starts (p and delta), {NONE}."
    return (
        f"Placebos ({ABOUT}): the same test of p and delta finds "
        f"{told.removeprefix('placebo: ')}, though nothing differs."
    )


def expected(rates: pd.DataFrame, rule: str, counts: Mapping[str, int]) -> float:
    """Directions that a rule would find without any difference, at the rate of its placebos.

    Args:
        rates: ``Derived.placebo_rates``.
        rule: whose.
        counts: pairs by tool.

    Returns:
        NaN where a tool has no placebos.
    """
    return float(sum(count * share(rate(rates, rule, tool)) for tool, count in counts.items()))


def share(row: Rate | None) -> float:
    """The share of directions among all pairs that are shown, own and calibration's."""
    if row is None:
        return float("nan")
    pairs = int(row["pairs"]) + int(row["calibration_pairs"])
    directions = int(row["directions"]) + int(row["calibration_directions"])
    return directions / pairs if pairs else float("nan")


def about(value: float) -> str:
    """A number of expected directions; small ones with a decimal."""
    return "unknown" if np.isnan(value) else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _own(row: Rate) -> str:
    pairs, directions = int(row["pairs"]), int(row["directions"])
    return _share(directions, pairs) if pairs else ""


def _calibration(row: Rate) -> str:
    pairs, directions = int(row["calibration_pairs"]), int(row["calibration_directions"])
    if not pairs:
        return ""
    of = row["calibration_of"]
    whose = "all tools" if of == "all" else words.plain(of)
    return f"{_share(directions, pairs)} of the calibration dataset, {whose}"


def _share(directions: int, pairs: int) -> str:
    of = f"{words.number(directions)} of {words.number(pairs)}"
    most = 100 * limit(directions, pairs)
    shown = 100 * directions / pairs
    return f"{of} ({shown:.0f}{words.SPACE}%, at most {most:.0f}{words.SPACE}%)"
