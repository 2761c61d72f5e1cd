"""The notebook that holds a dataset against the papers."""

import papers_data
import synthetic

from tests.integration.notebooks.executed import run, shown


def test_papermill_runs_it(tmp_path):
    papers_data.write(tmp_path / "data")
    for folder in ("config", "queries"):  # a project, so that the study's comparisons are known
        (tmp_path / folder).symlink_to(papers_data.ROOT / folder)
    done = run(
        "against-the-paper", tmp_path / "out.ipynb", "study", synthetic.STUDY,
        "profile", synthetic.PROFILE, "data_dir", tmp_path / "data",
        "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    for number in ("Table P1", "Table P4", "Figure P1"):
        assert f"<b>{number}.</b>" in html
    assert "this project&#x27;s implementation" in html or "this project's implementation" in html
    text = (tmp_path / "out.ipynb").read_text(encoding="utf-8")
    assert "the other direction" in text and "Recorded: " in text
    written = {path.name for path in (tmp_path / "results").rglob("*-P*")}
    assert {"table-P1.csv", "table-P4.tex", "figure-P1.svg"} <= written
