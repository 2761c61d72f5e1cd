"""``ARTIFACT.md``: each claim of a dataset with the command, the minutes and the tolerance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from modelstress.analysis.estimates import MARGIN
from modelstress.analysis.verdicts import Verified, base_id
from modelstress.config.claims import SINGLE_RULES, Claim, Claims

MOST = 50
"""Claims of a table; the quickest, and the command for the others."""
DECIDED = ("slower", "faster", "same")
UNDECIDED = "undecided"
HEADS = (
    "comparison", "tool", "measure", "decided", "slower, higher", "faster, lower", "same", "placebo"
)  # fmt: skip
Costs = Mapping[str, Verified]
"""Id of a claim over starts to what it takes to measure it again here."""


def artifact(claims: Claims, costs: Costs, archive: str) -> str:
    """The text of ``ARTIFACT.md``.

    Args:
        claims: of the dataset.
        costs: of those that can be measured again in this project.
        archive: name of the archive, as commands get it.
    """
    lines = [
        f"# Artifact: {claims.study}, profile {claims.profile}",
        "",
        "Each claim of these data with the command that checks it, what it takes, and what counts",
        "as the same. `modelstress artifact` writes this page from the claims; numbers are theirs.",
        "",
        "## Rebuild: every number from the samples",
        "",
        f"    make run SOURCE=archive ARCHIVE={archive}",
        "",
        "in a checkout of modelstress, without a JDK and without any of the stores. Tolerance:",
        "none. CSV tables and `claims.csv` have the same bytes as those of the project that",
        "measured; `modelstress unpack` checks every file against its SHA-256.",
        "",
        *_wholes(claims),
        *decided(claims),
        *_again(claims, costs, archive),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _wholes(claims: Claims) -> Iterator[str]:
    """The claims about decisions as a whole."""
    wholes = [claim for claim in claims.claims if claim.rule == "mean over starts"]
    if not wholes:
        return
    yield "| claim | says |"
    yield "|---|---|"
    yield from (f"| `{claim.id}` | {_says(claim)} |" for claim in wholes)
    yield ""


def decided(claims: Claims) -> Iterator[str]:
    """Lines of a table: how many single comparisons of each question are decided, and how.

    Those of latency are by the rule over starts, others by the rule over invocations.
    """
    singles = [claim for claim in claims.claims if claim.rule in SINGLE_RULES]
    if not singles:
        return
    known = sum(claim.status != UNDECIDED for claim in singles)
    yield f"Of {len(singles)} comparisons of two cells that differ in nothing else, {known} are"
    yield "decided. A placebo is how often the same rule finds a direction between equals."
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield "|---|---|---|--:|--:|--:|--:|--:|"
    questions = Counter((claim.comparison, claim.tool, claim.measure) for claim in singles)
    for question, total in questions.items():
        these = [c for c in singles if (c.comparison, c.tool, c.measure) == question]
        status: Counter[str] = Counter(claim.status for claim in these)
        counts = [total - status[UNDECIDED], status["slower"] + status["higher"],
                  status["faster"] + status["lower"], status["same"]]  # fmt: skip
        shown = [f"{counts[0]} of {total}", *map(str, counts[1:]), _placebo(these[0])]
        yield f"| {' | '.join((*question, *shown))} |"
    yield ""


def _placebo(claim: Claim) -> str:
    """Directions among pairs of equals; without own ones, those of the calibration dataset."""
    count = claim.placebo
    if count is None:
        return "none"
    if count.pairs:
        return f"{count.directions} of {count.pairs}"
    return f"{count.calibration_directions} of {count.calibration_pairs} elsewhere"


def _again(claims: Claims, costs: Costs, archive: str) -> Iterator[str]:
    """The claims that can be measured again, the quickest first."""
    over = [c for c in claims.claims if c.rule == "over starts" and c.status in DECIDED]
    known = [(costs[base_id(c.id)], c) for c in over if base_id(c.id) in costs]
    known.sort(key=lambda item: (item[0].seconds, item[1].id))
    yield "## Measure again: does a claim hold on this machine?"
    yield ""
    if not over:
        yield "No claim over starts is decided: more starts would have to be measured."
        return
    if not known:
        yield f"{len(over)} claims over starts are decided, and none of them can be measured"
        yield "again with this project's configuration."
        return
    yield f"    modelstress verify-claims {archive} --budget 20min"
    yield ""
    yield "measures as many claims as fit into the budget. One alone: the command of its row."
    yield "Minutes are the project's estimate for measuring all its starts, without loading stores;"
    yield "a claim is reproduced where the new interval over starts is as the last column says, and"
    yield "contradicted where it excludes the claim (docs/claims.md)."
    yield ""
    yield "| claim | says | command | starts | minutes | reproduced if the interval is |"
    yield "|---|---|---|--:|--:|---|"
    for cost, claim in known[:MOST]:
        minutes = max(1, math.ceil(cost.seconds / 60))
        command = (
            f"modelstress verify-claims {archive} --claim {base_id(claim.id)} --budget {minutes}min"
        )
        cells = (f"`{claim.id}`", _says(claim), f"`{command}`", str(cost.starts), str(minutes),
                 _tolerance(claim.status))  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    if len(known) > MOST:
        yield ""
        yield f"{len(known) - MOST} more of {len(over)} decided claims take longer; they are in"
        yield "`claims.json`, which the rebuild writes, and have the same command."


def _says(claim: Claim) -> str:
    """The status with estimate and interval."""
    if claim.estimate is None:
        return claim.status
    text = f"{claim.status}, {claim.estimate:.3g} {claim.unit}"
    if claim.low is None or claim.high is None:
        return text
    return f"{text} ({claim.low:.3g} to {claim.high:.3g})"


def _tolerance(status: str) -> str:
    """What a new interval of the ratio must be (``analysis.verdicts.verdict``)."""
    inside = f"{1 / (1 + MARGIN):.3g} to {1 + MARGIN:.3g}"
    if status == "same":
        return f"inside {inside}"
    return f"{'above' if status == 'slower' else 'below'} 1, not inside {inside}"
