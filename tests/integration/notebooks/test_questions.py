"""The notebooks of the measurements and of the five questions run from a small dataset."""

import ast
import warnings
from functools import cache

import IPython.display
import nbformat
import pytest
import questions
import synthetic

from modelstress.report import Drawn
from modelstress.report.render import Table
from tests.integration.notebooks.executed import FOLDER, run, shown

QUESTIONS = sorted(path.stem for path in FOLDER.glob("rq*.ipynb"))
NAMES = ["measurements", *QUESTIONS]
CELLS = questions.count()


@pytest.fixture(scope="module")
def shows(asked, tmp_path_factory):
    """What a notebook shows, by its name: run once, in this process, with warnings as errors."""
    results = tmp_path_factory.mktemp("results")

    @cache
    def of(name):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            items = executed(name, asked, results)
            whole = "\n".join(map(text, items))
        assert list(results.iterdir()) == []  # it shows and writes nothing
        return items, whole

    return of


def executed(name, data, results):
    """The objects that the cells of a notebook show."""
    seen, scope = [], {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IPython.display, "display", lambda *objects: seen.extend(objects))
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
def test_its_cells_run_without_a_warning(name, shows):
    items, whole = shows(name)
    assert (
        f"Study *{synthetic.STUDY}*, profile *{synthetic.PROFILE}*: {CELLS} of {CELLS} cells"
        in whole
    )
    assert " nan" not in whole
    assert any(isinstance(item, Drawn | Table) for item in items)


def test_the_questions_are_answered_from_the_data(shows):
    one, two, three, four, five = (shows(name)[1] for name in QUESTIONS)
    assert "- cdo: slower in all 4; placebo: a direction in " in one  # the papers' method
    assert one.index("**Over starts") < one.index("**By the papers' method**")
    assert "Table 7" in one and "Table 8" in one
    assert "**http_transport long-poll against stock**" in two
    assert "**attributes declared against none**" in three
    assert "**HQ3 against HQ2**" in three and "**HQ4 against HQ3**" in three
    assert "**epl against eol**" in four and "**type_check off against on**" in four
    assert "**navigation backward against forward**" in four
    assert "Over starts, of " in five and " change sides" in five
    assert "Table 9" in five and "Table 10" in five


def test_papermill_runs_a_question(asked, tmp_path):
    done = run(
        "rq1-protocol", tmp_path / "out.ipynb", "study", synthetic.STUDY,
        "profile", synthetic.PROFILE, "data_dir", asked, "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    assert "<b>Table 7.</b>" in html and "<b>Figure " in html
    assert "http was slower than tcp" in html


def test_without_samples_it_fails_with_a_sentence(tmp_path):
    done = run(
        "measurements", tmp_path / "out.ipynb", "data_dir", tmp_path,
        "results_dir", tmp_path / "results",
    )  # fmt: skip
    assert done.returncode != 0
    assert "nothing was measured yet" in done.stderr and "make run" in done.stderr
    assert (tmp_path / "out.ipynb").is_file()
