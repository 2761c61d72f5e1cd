"""A small dataset that has something for every notebook, laid out as an unpacked archive."""

import shutil

import pytest
import questions
import synthetic

from modelstress import analysis
from modelstress.analysis import PlannedCell
from tests.integration.notebooks.executed import FOLDER


@pytest.fixture(scope="session")
def asked(tmp_path_factory):
    """The data folder: samples, plan and derived tables, with the study's file beside it."""
    root = tmp_path_factory.mktemp("asked")
    shutil.copytree(FOLDER.parent / "config", root / "config")
    data = root / "data"
    plan = [
        PlannedCell(
            levels["tool"], synthetic.cell_id(levels), f"{levels['tool']} (synthetic)", levels, 2,
            synthetic.CONTENTS,
        )
        for levels in questions.write(data)
    ]  # fmt: skip
    text = analysis.planned_text({(synthetic.STUDY, synthetic.PROFILE): plan})
    (data / analysis.PLANNED).write_text(text, encoding="utf-8")
    analysis.write(analysis.derive(data, synthetic.STUDY, synthetic.PROFILE, plan), data)
    return data
