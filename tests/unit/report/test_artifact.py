"""ARTIFACT.md: a row per claim that can be measured again, with numbers of claims and estimates."""

from __future__ import annotations

import re
from pathlib import Path

from modelstress.analysis.verdicts import Verified, verdict
from modelstress.config.claims import Claims, PlaceboCount
from modelstress.report.artifact import MOST, artifact, decided

GOLDEN = Path(__file__).parent / "golden"
CLAIMS = Claims.model_validate_json((GOLDEN / "artifact-claims.json").read_text(encoding="utf-8"))
COSTS = {
    "protocol/cdo/a/over-starts": Verified(3, 61.0),
    "protocol/cdo/c/over-starts": Verified(8, 20.0),
}


def rows(text: str) -> list[list[str]]:
    table = text.partition("## Measure again")[2]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_row_per_claim_the_quickest_first():
    first, second = rows(artifact(CLAIMS, COSTS, "data.zip"))
    assert first == [
        "`protocol/cdo/c/over-starts`", "same, 1 × (0.97 to 1.03)",
        "`modelstress verify-claims data.zip --claim protocol/cdo/c/over-starts --budget 1min`",
        "8", "1", "inside 0.909 to 1.1",
    ]  # fmt: skip
    assert second[0] == "`protocol/cdo/a/over-starts`"
    assert second[3:] == ["3", "2", "above 1, not inside 0.909 to 1.1"]
    assert "--budget 2min" in second[2]


def test_decisions_as_a_whole_are_rebuilt():
    text = artifact(CLAIMS, COSTS, "data.zip")
    assert "| `protocol/cdo/mean-over-starts` | slower, 4.47 × (3.92 to 5.09) |" in text
    assert "make run SOURCE=archive ARCHIVE=data.zip" in text
    assert "within-starts" not in text and "undecided" not in text


def test_each_question_says_how_much_is_decided_with_the_placebo_of_its_rule():
    text = artifact(CLAIMS, COSTS, "data.zip")
    assert "Of 4 comparisons of two cells that differ in nothing else, 3 are\ndecided." in text
    assert "| protocol | cdo | latency | 3 of 4 | 1 | 1 | 1 | none |" in text
    counts = {"directions": 1, "pairs": 0, "calibration_directions": 3, "calibration_pairs": 147}
    own = PlaceboCount(**(counts | {"pairs": 120}))
    for placebo, said in ((PlaceboCount(**counts), "3 of 147 elsewhere"), (own, "1 of 120")):
        claims = [one.model_copy(update={"placebo": placebo}) for one in CLAIMS.claims]
        told = "\n".join(decided(CLAIMS.model_copy(update={"claims": claims})))
        assert f"| 1 | {said} |" in told
    whole = CLAIMS.model_copy(update={"claims": CLAIMS.claims[:1]})
    assert not list(decided(whole))


def test_the_last_column_is_the_rule_of_verdicts():
    """Intervals at its ends are judged as it says."""
    text = artifact(CLAIMS, {**COSTS, "protocol/cdo/e/over-starts": Verified(3, 99)}, "x.zip")
    words = {row[1].partition(",")[0]: row[5] for row in rows(text)}
    assert words["faster"] == "below 1, not inside 0.909 to 1.1"
    low, high = map(float, re.findall(r"[\d.]+", words["same"]))
    assert verdict("same", low + 1e-3, high - 1e-3) == "reproduced"
    assert verdict("same", low - 1e-2, high) == "undecided"
    assert verdict("slower", 1.01, high - 1e-3) == "undecided"
    assert verdict("slower", 1.01, high + 1e-3) == "reproduced"


def test_nothing_that_can_be_measured_is_said():
    said = artifact(CLAIMS, {}, "x.zip")
    assert "3 claims over starts are decided, and none of them can be measured" in said
    undecided = CLAIMS.model_copy(update={"claims": CLAIMS.claims[4:5]})
    assert "No claim over starts is decided" in artifact(undecided, {}, "x.zip")


def test_many_claims_are_counted():
    one = CLAIMS.claims[1]
    many = [one.model_copy(update={"id": f"p/t/{n}x/over-starts"}) for n in range(MOST + 5)]
    costs = {claim.id: Verified(3, float(n)) for n, claim in enumerate(many)}
    text = artifact(CLAIMS.model_copy(update={"claims": many}), costs, "x.zip")
    assert len(rows(text)) == MOST and f"5 more of {MOST + 5} decided claims" in text


def test_claims_of_one_id_in_several_settings_have_one_command():
    again = CLAIMS.claims[1].model_copy(update={"id": "protocol/cdo/a/over-starts/2"})
    claims = CLAIMS.model_copy(update={"claims": [CLAIMS.claims[1], again]})
    commands = {row[2] for row in rows(artifact(claims, COSTS, "x.zip"))}
    assert len(commands) == 1 and "/2" not in commands.pop()
