"""The notebook of measurements runs from existing samples."""

import synthetic

from tests.integration.notebooks.executed import run, shown


def test_papermill_runs_it(study_data, tmp_path):
    done = run(
        "measurements", tmp_path / "out.ipynb", "study", synthetic.STUDY,
        "profile", synthetic.PROFILE, "data_dir", study_data, "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    for number in ("Table 2", "Table 5", "Figure 1", "Figure 8"):
        assert f"<b>{number}.</b>" in html
    tables = {path.name for path in (tmp_path / "results").rglob("table-*")}
    assert {"table-02.csv", "table-02.tex", "table-02.html", "table-05.csv"} <= tables
    figures = {path.name for path in (tmp_path / "results").rglob("figure-*")}
    assert {"figure-01.svg", "figure-01.png", "figure-08.svg"} <= figures


def test_without_samples_it_fails_with_a_sentence(tmp_path):
    done = run(
        "measurements", tmp_path / "out.ipynb", "data_dir", tmp_path,
        "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode != 0
    assert "measure some cells first" in done.stderr
    assert (tmp_path / "out.ipynb").is_file()
