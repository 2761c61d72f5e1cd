"""Words of a dataset are anybody's: on pages they are shown, and nothing of them is executed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from browsers import chromium

from modelstress.analysis import PLANNED, load
from modelstress.report import front, html, results
from modelstress.report.claims_words import plain
from tests.integration.notebooks.conftest import asked  # noqa: F401
from tests.integration.notebooks.executed import FOLDER, run

OWN = "document.title='owned'"
POISON = (
    f"<img src=x onerror={OWN}> <script>{OWN}</script> [link](javascript:{OWN}) `tick` | $\\foo$"
)
SHOWN = f"<img src=x onerror={OWN}>"
CONFIG = FOLDER.parent / "workflow" / "nbconvert.py"


LEVEL = "orientdb"
FAILED = {"operation": "query", "outcome": "error", "message": f"broken {POISON}"}


@pytest.fixture(scope="module")
def poisoned(asked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """A dataset with such names of machines, titles of tools, levels and failure messages."""
    root = Path(shutil.copytree(asked.parent, tmp_path_factory.mktemp("poisoned") / "root"))
    data = root / "data"
    shutil.rmtree(data / "derived")
    level = json.dumps(LEVEL), json.dumps(f"{LEVEL} {POISON}")
    for path in data.rglob("cell.json"):
        record = json.loads(path.read_text(encoding="utf-8").replace(*level))
        record["provenance"]["machine"]["name"] = f"{path.parent.name} {POISON}"
        record["details"] = [*record.get("details", []), FAILED]
        path.write_text(json.dumps(record), encoding="utf-8")
    plan = data / PLANNED
    text = plan.read_text(encoding="utf-8").replace(*level)
    assert " (synthetic)" in text and level[1] in text
    plan.write_text(text.replace(" (synthetic)", json.dumps(f" {POISON}")[1:-1]), encoding="utf-8")
    return data


def as_page(notebook: Path) -> Path:
    argv = ["nbconvert", "--to", "html", "--config", str(CONFIG), str(notebook)]
    subprocess.run([sys.executable, "-m", *argv], check=True, timeout=200, capture_output=True)
    return notebook.with_suffix(".html")


def looked_at(page: Path, folder: Path) -> str:
    """The words of a page, in which no script of a dataset ran."""
    with chromium(folder, "1280,2000") as browser:
        browser.get(page.as_uri())
        assert "owned" not in browser.title
        assert browser.find_elements("css selector", "a[href^='javascript']") == []
        assert browser.find_elements("css selector", "[onerror]") == []
        browser.execute_script(
            "for (const one of document.querySelectorAll('details')) one.open = true"
        )
        return str(browser.find_element("css selector", "body").text)


@pytest.mark.long  # the report has all that a notebook's page has
def test_a_page_of_a_notebook_shows_words_and_runs_none(poisoned: Path, tmp_path: Path) -> None:
    notebook = tmp_path / "measurements.ipynb"
    done = run("measurements", notebook, "data_dir", poisoned, "results_dir", tmp_path / "results")
    assert done.returncode == 0, done.stderr
    text = nbformat.read(notebook, 4)
    assert json.dumps(plain(SHOWN))[1:-1] in json.dumps(text)  # words of the dataset in sentences
    page = as_page(notebook)
    words = looked_at(page, tmp_path)
    assert words.count(SHOWN) > 1 and words.count(POISON) > 1
    assert f"{LEVEL} {SHOWN}" in words and f"broken {SHOWN}" in words
    source = page.read_text(encoding="utf-8")
    assert "<figure" in source and "<table" in source  # tables and figures are still there


@pytest.mark.long  # the site and the notebook of the same words are not
def test_the_report_shows_words_and_runs_none(poisoned: Path, tmp_path: Path) -> None:
    derived = load(poisoned, "model-queries", "demo")
    page = tmp_path / "report.html"
    opening = front.front(derived)
    section = html.Section("title", derived, results(derived, []), opening=opening)
    page.write_text(html.page([section]), encoding="utf-8")
    words = looked_at(page, tmp_path)
    assert f"{LEVEL} {SHOWN}" in words and f"broken {SHOWN}" in words
