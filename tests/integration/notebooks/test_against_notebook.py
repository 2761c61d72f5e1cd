"""The notebook that holds a dataset against the papers."""

import papers_data
import pytest
import synthetic

from modelstress import analysis
from modelstress.report import against as beside
from tests.integration.notebooks.executed import run, shown


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A dataset with the configuration beside it, so that the study's comparisons are known."""
    root = tmp_path_factory.mktemp("held")
    papers_data.write(root / "data")
    for folder in ("config", "queries"):
        (root / folder).symlink_to(papers_data.ROOT / folder)
    return root


def test_papermill_runs_it(project, tmp_path):
    done = run(
        "against-the-paper", tmp_path / "out.ipynb", "study", synthetic.STUDY,
        "profile", synthetic.PROFILE, "data_dir", project / "data",
        "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    for number in ("Table P1", "Table P4", "Figure P1"):
        assert f"<b>{number}.</b>" in html
    assert "**the other direction**" in html and "Recorded: " in html
    assert "Hawk&#x27;s documented design" in html or "Hawk's documented design" in html
    assert not (tmp_path / "results").exists()  # it shows and writes nothing


def test_the_report_writes_its_tables_and_figures(project, tmp_path):
    derived = analysis.load(project / "data", synthetic.STUDY, synthetic.PROFILE)
    written = {path.name for path in beside.save_beside(derived, project / "data", tmp_path)}
    assert {"table-P1.csv", "table-P4.tex", "table-P7.html", "figure-P1.svg"} <= written
