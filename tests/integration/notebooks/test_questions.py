"""The notebooks of the measurements and of the five questions run from a small dataset."""

import ast
import warnings

import IPython.display
import nbformat
import pytest
import synthetic

from modelstress.report import Drawn
from tests.integration.notebooks.executed import FOLDER, run, shown

QUESTIONS = sorted(path.stem for path in FOLDER.glob("rq*.ipynb"))
NAMES = ["measurements", *QUESTIONS]


def executed(name, data, results, monkeypatch):
    """What the cells of a notebook show, run in this process; warnings are errors."""
    seen = []
    monkeypatch.setattr(IPython.display, "display", lambda *objects: seen.extend(objects))
    scope = {}
    for cell in nbformat.read(FOLDER / f"{name}.ipynb", 4).cells:
        if cell.cell_type != "code":
            continue
        source = cell.source
        if "parameters" in cell.metadata.get("tags", []):
            source += f"\ndata_dir, results_dir = {str(data)!r}, {str(results)!r}"
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
            seen.extend([value] if value is not None else [])
    return seen


def text(item):
    """An object as the notebook would show it; figures by number and caption only."""
    if isinstance(item, Drawn):
        return f"<b>{item.number}</b> {item.caption}"
    markdown = getattr(item, "_repr_markdown_", None)
    return markdown() if markdown else item._repr_html_()


def test_there_is_one_for_every_question():
    assert [name.split("-")[0] for name in QUESTIONS] == ["rq1", "rq2", "rq3", "rq4", "rq5"]


@pytest.mark.parametrize("name", NAMES)
def test_its_cells_run_without_a_warning(name, asked, tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        items = executed(name, asked, tmp_path, monkeypatch)
        said = [text(item) for item in items]
    whole = "\n".join(said)
    assert f"Study *{synthetic.STUDY}*, profile *{synthetic.PROFILE}*: 76 of 76 cells" in whole
    assert "nan" not in whole.replace("nanoseconds", "")
    assert any(isinstance(item, Drawn) for item in items)
    assert list(tmp_path.iterdir()) == []  # it shows and writes nothing


def test_the_questions_are_answered_from_the_data(asked, tmp_path, monkeypatch):
    said = {
        name: "\n".join(text(item) for item in executed(name, asked, tmp_path, monkeypatch))
        for name in QUESTIONS
    }
    one, two, three, four, five = (said[name] for name in QUESTIONS)
    assert "- cdo: slower in all 4." in one and "Table 7" in one and "Table 8" in one
    assert "**http_transport long-poll against stock**" in two
    assert "**attributes declared against none**" in three and "**HQ3 against HQ2**" in three and "**HQ4 against HQ3**" in three
    assert "**epl against eol**" in four and "**type_check off against on**" in four
    assert "**navigation backward against forward**" in four
    assert "faster with 1 thread, slower with 4 threads" in five
    assert "Table 9" in five and "Table 10" in five


@pytest.mark.parametrize("name", ["measurements", "rq1-protocol"])
def test_papermill_runs_it(name, asked, tmp_path):
    done = run(
        name, tmp_path / "out.ipynb", "study", synthetic.STUDY, "profile", synthetic.PROFILE,
        "data_dir", asked, "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    numbers = ["Table 1", "Table 5", "Figure 1"] if name == "measurements" else ["Table 7"]
    for number in numbers:
        assert f"<b>{number}.</b>" in html


def test_without_samples_it_fails_with_a_sentence(tmp_path):
    done = run(
        "measurements", tmp_path / "out.ipynb", "data_dir", tmp_path,
        "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode != 0
    assert "measure some cells first" in done.stderr
    assert (tmp_path / "out.ipynb").is_file()
