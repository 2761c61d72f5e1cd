"""The one list of outcomes, and everything that has a row or a colour for each of them."""

import json
from pathlib import Path

from modelstress.analysis import columns
from modelstress.config.outcomes import ANSWERED, FAILURES, OUTCOMES, UNSUCCESSFUL
from modelstress.config.project import Project
from modelstress.report import style

ROOT = Project.find(Path(__file__)).root


def test_every_outcome_is_right_wrong_or_none() -> None:
    assert {"ok", "incorrect", "aborted", *FAILURES} == set(OUTCOMES) == {"ok", *UNSUCCESSFUL}
    assert set(ANSWERED) < set(OUTCOMES)


def test_every_outcome_has_a_column_and_a_colour() -> None:
    assert set(OUTCOMES) <= columns.CELLS.keys()
    assert list(style.OUTCOMES) == list(OUTCOMES)
    assert len(set(style.OUTCOMES.values())) == len(OUTCOMES)


def test_papers_name_any_but_the_right_one() -> None:
    schema = json.loads((ROOT / "workflow/schemas/paper.schema.json").read_text(encoding="utf-8"))
    assert json.dumps(list(UNSUCCESSFUL)) in json.dumps(schema)
