"""The exploring notebook runs to its end where nobody chooses anything."""

import nbformat
import synthetic

from tests.integration.notebooks.executed import run, shown


def test_papermill_runs_it(study_data, tmp_path):
    done = run(
        "explore", tmp_path / "out.ipynb", "study", synthetic.STUDY, "profile", synthetic.PROFILE,
        "data_dir", study_data, "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    assert html.count('<img class="modelstress-figure"') == 2
    assert "Over invocations (2 starts and 2)" in html
    assert "The oracle cannot be asked here" in html
    outputs = [o for cell in nbformat.read(tmp_path / "out.ipynb", 4).cells
               for o in cell.get("outputs", ())]  # fmt: skip
    texts = [o.data.get("text/plain", "") for o in outputs if "data" in o]
    assert sum("Controls: they need a running notebook" in text for text in texts) == 2
    assert not (tmp_path / "results").exists()
