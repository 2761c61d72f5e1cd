"""The report as a reader uses it: listings are sorted and filtered, labels of tables stay."""

from __future__ import annotations

import shutil
from pathlib import Path

import planned_samples
import pytest
import synthetic
from browsers import chromium, errors, requested

from modelstress.config.project import Project
from modelstress.report import build

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of four cells of two tools, one of them missing."""
    root = tmp_path_factory.mktemp("project")
    for folder in ("config", "queries"):
        shutil.copytree(ROOT / folder, root / folder)
    (root / "config/profiles/demo.yaml").write_text(planned_samples.PROFILE, encoding="utf-8")
    project = Project(root)
    planned_samples.write_planned(project)
    return build(project, [synthetic.STUDY], "demo")


def test_a_listing_is_filtered_and_sorted_and_labels_stay_in_sight(
    page: Path, tmp_path: Path
) -> None:
    with chromium(tmp_path, "500,900") as browser:
        browser.get(page.as_uri())
        assert errors(browser) == []
        assert [one for one in requested(browser) if one.startswith("http")] == []
        body = "document.documentElement"
        assert browser.execute_script(f"return {body}.scrollWidth <= {body}.clientWidth")
        place = f"#{synthetic.STUDY}-provenance"
        browser.execute_script(f"document.querySelector('{place} details').open = true")
        box = browser.find_element("css selector", f"{place} input")
        every = browser.find_elements("css selector", f"{place} tbody tr")
        box.send_keys("executor process")
        shown = [row for row in every if row.is_displayed()]
        assert len(shown) == 1 and shown[0].text.startswith("executor process")
        box.clear()
        box.send_keys(" ")
        head = browser.find_element("css selector", f"{place} th:nth-child(3) button")
        for up in (True, False):
            head.click()
            cells = browser.find_elements("css selector", f"{place} tbody td:nth-child(3)")
            numbers = [int(cell.text) for cell in cells]
            assert numbers == sorted(numbers, reverse=not up)
        left = browser.execute_script(
            "const s = [...document.querySelectorAll('.scroll')].find(s => s.querySelector("
            "'.printed') && s.scrollWidth > s.clientWidth); s.scrollLeft = 1000;"
            "return s.querySelector('tbody th').getBoundingClientRect().left - "
            "s.getBoundingClientRect().left"
        )
        assert abs(left) < 1
        words = browser.execute_script(
            "return [...document.querySelectorAll('figure svg text')].map(t => t.textContent)"
        )
        assert "client threads" in words  # can be selected and found
        alts = browser.find_elements("css selector", "figure svg[role=img]")
        assert alts and all(len(str(one.get_attribute("aria-label"))) > 20 for one in alts)
