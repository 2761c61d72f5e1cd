"""The notebook that holds a dataset against the papers."""

import warnings

import papers_data
import pytest
import synthetic

from modelstress import analysis
from modelstress.report import against as beside
from tests.integration.notebooks.executed import run, shown
from tests.integration.notebooks.test_questions import executed, text


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A dataset with the configuration beside it, so that the study's comparisons are known."""
    root = tmp_path_factory.mktemp("held")
    papers_data.write(root / "data")
    for folder in ("config", "queries"):
        (root / folder).symlink_to(papers_data.ROOT / folder)
    return root


def test_its_cells_run_without_a_warning(project, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        items = executed("against-the-paper", project / "data", tmp_path)
        whole = "\n".join(map(text, items))
    assert "Table P1" in whole and "Table P4" in whole and "<b>figure-P1</b>" in whole
    assert "**the other direction**" in whole and "Recorded: " in whole
    assert "documented design in an implementation of this project" in whole
    assert list(tmp_path.iterdir()) == []  # it shows and writes nothing


@pytest.mark.long  # a kernel takes five seconds to start
def test_papermill_runs_it(project, tmp_path):
    done = run(
        "against-the-paper", tmp_path / "out.ipynb", "study", synthetic.STUDY,
        "profile", synthetic.PROFILE, "data_dir", project / "data",
        "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "<b>Figure P1.</b>" in shown(tmp_path / "out.ipynb")


def test_the_report_writes_its_tables_and_figures(project, tmp_path):
    derived = analysis.load(project / "data", synthetic.STUDY, synthetic.PROFILE)
    found = beside.found_beside(derived, project / "data")
    assert found is not None
    written = {path.name for path in beside.save(beside.results(found), tmp_path)}
    assert {"table-P1.csv", "table-P4.tex", "table-P7.html", "figure-P1.svg"} <= written
