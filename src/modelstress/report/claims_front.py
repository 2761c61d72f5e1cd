"""Sentences of the front page: what the largest decisions are worth, and how far to trust them.

They are Markdown and, but for `**`, HTML as well: names are escaped for both.
"""

import math
from collections.abc import Sequence

import pandas as pd

from modelstress.analysis.within_starts import FEW
from modelstress.report import claims_words as words
from modelstress.report import front_decisions, placebo_words
from modelstress.report.claims_decisions import (
    OPPOSED,
    PHRASES,
    UNDECIDED,
    WITHIN_MARGIN,
    ratio,
    tally,
)
from modelstress.report.front_decisions import DIRECTED, Decision

MOST = 5
"""Decisions that have a sentence each."""
LITTLE = 1.5
"""Times the latency, either way, from which on no decision is told to change least."""
FAR = 2.0
"""Times by which means at the least and the most load differ where a decision hangs on the load."""
NOTHING = (
    "Nothing to see at a glance: there is no comparison of latencies, effects of options are not "
    "told, and no configuration was measured with two loads."
)


def finding(decisions: Sequence[Decision], measured: bool) -> list[str]:
    """The titles of the front figure, in plain text: what matters most, and what does not.

    Only decisions over starts are named: two that are slower or faster, and one that is the same
    or, where none is, the least of all that are slower or faster, if it is below `LITTLE`.

    Args:
        decisions: the largest effect first.
        measured: whether there is anything to see besides.
    """
    if not decisions:
        return ["Latency under load"] if measured else []
    directed = [one for one in decisions if one.status in DIRECTED]
    none = front_decisions.none(decisions)
    lines = []
    if directed:
        lines.append(f"Latency changes most with {' and '.join(map(_times, directed[:2]))}")
    if none is not None:
        lines.append(f"{'It' if directed else 'Latency'} stays {WITHIN_MARGIN} with {_times(none)}")
    elif len(directed) > 2 and directed[-1].size < math.log(LITTLE):
        lines.append(f"It changes least with {_times(directed[-1])}")
    return lines or ["Over starts, no decision is slower, faster or the same yet"]


def _times(one: Decision) -> str:
    return f"{one.title} (×{words.times(one.mean)})"


def sentences(decisions: Sequence[Decision]) -> list[str]:
    """One sentence for each of the largest decisions and the one that is the same.

    What is decided and what is opposed goes before what is not.

    Args:
        decisions: the largest effect first.
    """
    return [_sentence(one) for one in _told(decisions)]


def closing(decisions: Sequence[Decision], rates: pd.DataFrame) -> list[str]:
    """The decisions without a sentence, and what the rule finds between equals."""
    if not decisions:
        return []
    with_sentence = _told(decisions)
    rest = [one for one in decisions if one not in with_sentence]
    lines = []
    if rest:
        named = [f"{words.plain(one.title)} ({_status(one)})" for one in rest]
        lines.append(f"The others: {words.listed(named, len(named))}.")
    count = sum(int(one.row["comparisons"]) for one in decisions)
    expected = sum(float(one.row["false_expected"]) for one in decisions)
    kinds = dict.fromkeys(placebo_words.kind_of(one.rows) for one in decisions)
    told = [placebo_words.of_claims(rates, kind) for kind in kinds]
    if count:
        told.append(
            f"Of {words.many(count, 'comparison')}, chance alone may make "
            f"{placebo_words.about(expected)} slower or faster."
        )
    lines.append(" ".join(told))
    return lines


def _told(decisions: Sequence[Decision]) -> list[Decision]:
    none = front_decisions.none(decisions)
    others = [one for one in decisions if one is not none]
    ordered = sorted(others, key=lambda one: one.status in (UNDECIDED, FEW))[:MOST]
    return [*ordered, none] if none is not None else ordered


def _sentence(one: Decision) -> str:
    loads, rows = _loads(one), one.rows
    turns = ", on a server that served both in turns" if one.in_turns else ""
    several = len(rows) > 1 and one.status != FEW
    single = f"; {tally(rows)} comparisons" if several else ""
    return f"**{words.plain(one.title)}**: {_claim(one)}{loads}{turns}{single}."


def _claim(one: Decision) -> str:
    if one.status == OPPOSED:
        seen = f"on average {words.times(one.mean)} times the latency"
        return f"some are slower and others faster, so no claim over all; {seen}"
    if one.status == FEW:
        seen = f"{words.times(one.mean)} times the latency was seen"
        return f"{PHRASES[FEW]}; {seen} in {words.many(len(one.rows), 'comparison')}"
    return f"{PHRASES[one.status]}, {ratio(one.row, one.sides.confidence)}"


def _loads(one: Decision) -> str:
    """The means at the least and the most load; they have no interval."""
    if len(one.at) < 2:
        return ""
    ends = (
        f"{words.times(at.mean)} {words.with_load(one.sides.projection, at.load)}" for at in one.at
    )
    apart = abs(math.log(one.at[0].mean / one.at[-1].mean)) > math.log(FAR)
    return f", {'but ' if apart else ''}{words.listed(ends)}"


def _status(one: Decision) -> str:
    return "some slower, others faster" if one.status == OPPOSED else PHRASES[one.status]
