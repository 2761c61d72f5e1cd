"""The notebook runs from existing samples, holds no logic and is clean in the repository."""

import ast
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import synthetic

NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "measurements.ipynb"


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(NOTEBOOK, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_it_is_clean(notebook):
    nbformat.validate(notebook)
    for cell in code(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None


def test_its_parameters_are_strings(notebook):
    [parameters] = [c for c in code(notebook) if "parameters" in c.metadata.get("tags", [])]
    assigned = {node.targets[0].id: node.value.value for node in ast.parse(parameters.source).body}
    assert set(assigned) == {"study", "profile", "data_dir", "results_dir"}
    assert all(isinstance(value, str) for value in assigned.values())


def test_it_holds_no_logic(notebook):
    logic = (ast.FunctionDef, ast.Lambda, ast.For, ast.While, ast.If, ast.comprehension, ast.Try)
    for cell in code(notebook):
        tree = ast.parse(cell.source)
        loops = [n for n in ast.walk(tree) if isinstance(n, logic)]
        if "print(" not in cell.source:  # the list of files is a generator in a call of print
            assert loops == [], cell.source


def test_every_figure_and_table_has_an_explanation(notebook):
    for before, cell in zip(notebook.cells, notebook.cells[1:], strict=False):
        if cell.cell_type == "code" and ("display(" in cell.source or "shown(" in cell.source):
            assert before.cell_type == "markdown"
            assert len(before.source) > 200


def run(output, *parameters):
    command = [
        sys.executable, "-m", "papermill", "-k", "python3", "--no-progress-bar",
        str(NOTEBOOK), str(output),
    ]  # fmt: skip
    for name, value in zip(parameters[::2], parameters[1::2], strict=True):
        command += ["-p", name, str(value)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_papermill_runs_it(study_data, tmp_path):
    done = run(
        tmp_path / "out.ipynb", "study", synthetic.STUDY, "profile", synthetic.PROFILE,
        "data_dir", study_data, "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outputs = [o for cell in code(nbformat.read(tmp_path / "out.ipynb", 4)) for o in cell.outputs]
    assert [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"] == []
    shown = "".join(o.data.get("text/html", "") for o in outputs if "data" in o)
    for number in ("Table 2", "Table 5", "Figure 1", "Figure 8"):
        assert f"<b>{number}.</b>" in shown
    tables = {path.name for path in (tmp_path / "results").rglob("table-*")}
    assert {"table-02.csv", "table-02.tex", "table-02.html", "table-05.csv"} <= tables
    figures = {path.name for path in (tmp_path / "results").rglob("figure-*")}
    assert {"figure-01.svg", "figure-01.png", "figure-08.svg"} <= figures


def test_without_samples_it_fails_with_a_sentence(tmp_path):
    done = run(tmp_path / "out.ipynb", "data_dir", tmp_path, "results_dir", tmp_path / "results")
    assert done.returncode != 0
    assert "measure some cells first" in done.stderr
    assert (tmp_path / "out.ipynb").is_file()
