"""Sentences on faults: every number with its whole, one or many."""

import pandas as pd
import pytest

from modelstress.report import claims
from tests.unit.report.test_claims import derived as without_faults

ROW = {
    "tool": "hawk", "fault": "link-cut", "executions": 100, "lost": 7, "wrong": 0,
    "executor": "docker", "topology": "a switch",
    "lasted_s": 3.0, "first_correct_s": 3.2, "after_end_s": 0.2, "recovered": "by itself",
}  # fmt: skip


def derived(*rows):
    return pd.DataFrame([ROW | row for row in rows])


def said(what, *rows):
    from dataclasses import replace

    return getattr(claims, what)(replace(without_faults(), faults=derived(*rows)))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{}], "1 of 1 invocation recovered by itself."),
        ([{}, {}], "2 of 2 invocations recovered by themselves."),
        (
            [{}, {"recovered": "with help", "tool": "cdo"}],
            "1 of 2 invocations recovered by themselves, 1 only after the harness had started the "
            "server again (cdo).",
        ),
        (
            [{"recovered": "no"}, {"recovered": "not seen"}],
            "0 of 2 invocations recovered by themselves, 1 not before the end of the window "
            "(hawk), and of 1 it was not seen: nothing was asked after the fault.",
        ),
    ],
)
def test_who_came_back(rows, sentence):
    assert f"**link-cut**: {sentence}" in said("recoveries", *rows)


def test_what_was_lost_and_for_how_long():
    text = said("losses", {}, {"after_end_s": 0.8, "first_correct_s": 3.8})
    assert "14 of 200 executions lost" in text
    assert "3.2 to 3.8" in text and "0.2 to 0.8" in text


def test_wrong_answers_name_the_tool():
    assert "of 100 executions, none" in said("wrong_answers", {})
    text = said("wrong_answers", {"wrong": 2}, {})
    assert text.startswith("2 of 200 executions") and "hawk with link-cut (2 of 100)" in text
