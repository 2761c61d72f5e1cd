"""Leaderboards: the order is that of medians, errors stand beside them, and no row is lost."""

import re

from claimed import beside, derived

from modelstress.report import leaderboard

SLOW, FAST = beside(1, 0.9, 3.0, 20.0, tool="cdo"), beside(1, 0.9, 2.0, 10.0, tool="hawk")
WRONG = {"incorrect": 2, "timeout": 3, "error": 1, "executions": 1060}


def rows(text, heading):
    """The entries of the rows below a heading."""
    part = text.split(f"## {heading}", 1)[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[entry.strip() for entry in line.strip("|").split("|")] for line in lines]


def test_the_fastest_is_first_and_the_ratio_is_to_it():
    found = rows(leaderboard.page(derived((SLOW, FAST))), "PosLength")
    ratios = [float(row[2]) for row in found]
    assert ratios == sorted(ratios) == [1.0, 1.0, 2.0, 3.0]
    assert "hawk" in found[2][0] and found[2][1].startswith("20.0") and "cdo" in found[3][0]


def test_errors_stand_beside_the_median():
    found = rows(leaderboard.page(derived((SLOW | WRONG, FAST))), "PosLength")
    assert found[-1][3] == "2, 4 of 1\u202f060"
    assert found[2][3].startswith("0, 0 of ")


def test_the_lowest_and_the_highest_load_have_columns_and_a_gap_is_a_dash():
    loads = (FAST, beside(8, 0.9, 5.0, 9.0, tool="hawk"), beside(64, 0.9, 7.0, 9.0, tool="hawk"))
    text = leaderboard.page(derived((*loads, SLOW)))
    heads = re.findall(r"median, (\d+ threads?) \(ms\)", text)
    assert heads == ["1 thread", "64 threads"]
    cdo = next(row for row in rows(text, "PosLength") if "cdo" in row[0] and "http" in row[0])
    assert cdo[4:] == ["–", "–", "–"]


def test_a_question_has_a_table_of_its_own_and_a_cell_without_a_median_no_row():
    other = beside(1, 0.9, 2.0, 10.0, query="SwitchSet")
    text = leaderboard.page(derived((SLOW, FAST | {"median_ms": float("nan")}, other)))
    assert len(rows(text, "PosLength")) == 3 and len(rows(text, "SwitchSet")) == 2


def test_words_of_a_dataset_are_shown_and_not_markup():
    text = leaderboard.page(derived((SLOW | {"backend": "<b>|x"}, FAST)))
    assert "<b>" not in text and all(len(row) == 4 for row in rows(text, "PosLength"))
