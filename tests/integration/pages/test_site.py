"""The documentation as a built site: no dead link, no other host, readable by everybody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browsers import chromium, served
from site_checks import Looked, dead, foreign, look, sized

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
SCREENS = {1280: "light", 400: "dark"}
BROKEN = """
<a href="nowhere.html">page</a> <a href="guide.html#nowhere">anchor</a>
<img src="http://foreign.invalid/one.png"><div style="width: 3000px">wide</div>
<script>undefined_function()</script>
"""
"""In the middle of a page: each check has something to find."""


def build(docs: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """What `make site` does."""
    argv = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    folders = [str(docs), str(site)]
    return subprocess.run(
        [*argv, "-d", f"{site}-pages", *folders],
        check=False, capture_output=True, text=True, timeout=280,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    done = build(ROOT / "docs", folder)
    assert done.returncode == 0, done.stderr
    return folder


def pages(site: Path) -> list[str]:
    return [str(file.relative_to(site)) for file in sorted(site.rglob("*.html"))]


def looked(site: Path, folder: Path, names: list[str], width: int) -> Looked:
    pictures = os.environ.get("MODELSTRESS_SCREENSHOTS", "")
    with served(site) as address, chromium(folder, "1280,1400") as browser:
        sized(browser, width, SCREENS[width])
        return look(browser, address, names, width, pictures)


def test_no_link_is_dead_and_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    made = pages(site)
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert {str(Path(page).with_suffix(".html")) for page in written} <= {*made}
    assert dead(site) == [] and foreign(site) == []


@pytest.mark.parametrize("width", SCREENS)
@pytest.mark.timeout(580)
def test_every_page_is_readable_on_a_screen(site: Path, tmp_path: Path, width: int) -> None:
    assert looked(site, tmp_path, pages(site), width) == Looked()


def test_the_search_finds_a_page_without_a_server(site: Path, tmp_path: Path) -> None:
    with chromium(tmp_path, "1280,1400") as browser:
        browser.implicitly_wait(20)
        browser.get(f"{(site / 'search.html').as_uri()}?q=coordinator")
        assert browser.find_elements("css selector", "#search-results li a[href*='.html']")


def test_a_leaderboard_is_sorted_by_the_heading_that_is_pressed(site: Path, tmp_path: Path) -> None:
    first = "return [...document.querySelector('#leaderboard table').tBodies[0].rows].map("
    first += "row => parseFloat(row.cells[arguments[0]].textContent.replace(/\\u202f/g, '')))"
    with chromium(tmp_path, "1280,1400") as browser:
        browser.get((site / "leaderboard.html").as_uri())
        before = browser.execute_script(first, 1)
        assert before == sorted(before), "sorted without a script"
        heading = browser.find_elements("css selector", "#leaderboard table th button")[5]
        for down in (False, True):
            browser.execute_script("arguments[0].click()", heading)
            ratios = browser.execute_script(first, 5)
            told = [ratio for ratio in ratios if ratio is not None]
            assert told == sorted(told, reverse=down) and len(set(told)) > 2
            assert ratios[: len(told)] == told, "what has no number is below"
        assert heading.find_element("xpath", "..").get_attribute("aria-sort") == "descending"


def test_each_check_finds_what_is_broken(site: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(site, tmp_path / "site"))
    file = broken / "reading.html"
    text = file.read_text(encoding="utf-8")
    assert text.count("</article>") == 1
    file.write_text(text.replace("</article>", BROKEN + "</article>"), encoding="utf-8")
    assert dead(broken) == ["reading.html: nowhere.html", "reading.html: guide.html#nowhere"]
    assert foreign(broken) == ["reading.html: http://foreign.invalid/one.png"]
    for width in SCREENS:
        found = looked(broken, tmp_path / str(width), ["reading.html"], width)
        assert found.foreign == ["reading.html: http://foreign.invalid/one.png"]
        assert any("undefined_function" in one for one in found.errors) and found.wide
        assert any("image-alt" in one for one in found.axe)


def test_a_page_with_a_dead_link_is_not_built(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "_static").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "conf.py", docs)
    (docs / "index.md").write_text("# Title\n\n[no page](nowhere.md)\n", encoding="utf-8")
    done = build(docs, tmp_path / "site")
    assert done.returncode != 0 and "nowhere.md" in done.stderr
