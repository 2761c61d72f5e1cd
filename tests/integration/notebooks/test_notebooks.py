"""What holds for every notebook: clean in the repository, with parameters and without logic."""

import ast
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[3] / "notebooks"


@pytest.fixture(params=sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


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
