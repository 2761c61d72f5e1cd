"""A question from the notebook, answered by the oracle."""

from __future__ import annotations

import re

from modelstress.workloads.queries.adhoc_query import Question
from modelstress.workloads.queries.jvm import Jvm


def test_the_oracle_answers_and_explains_itself(small_project):
    question = Question(small_project.root / "data", Jvm)
    question.show()
    question.ask.click()
    known = re.search(r"<p>(\d+) matches, digest (\d+), in [\d.]+\s+?s", question.shown.html)
    assert known and int(known[1]) > 0
    question.language.value = "eol"
    question.text.value = "return Segment.all.select(s | s.length <= 0);"
    question.ask.click()
    again = re.search(r"<p>(\d+) matches, digest (\d+), in", question.shown.html)
    assert again and again.groups() == known.groups()
    question.text.value = "return Segmet.all;"
    question.ask.click()
    assert "Segmet" in question.shown.html and "Traceback" not in question.shown.html
    question._open.close()
