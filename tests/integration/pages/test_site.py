"""The documentation as a built site: it works in a browser, without any other host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from browsers import chromium, errors, requested, served

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
WIDE_TABLES = ("example", "setting")
PAGES = ("", *WIDE_TABLES, "contracts", "tools/hawk")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    argv = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "--site-dir", str(folder)]
    subprocess.run(argv, cwd=ROOT, check=True, timeout=120)
    return folder


def test_nothing_is_fetched_from_another_host(site: Path) -> None:
    asks = re.compile(r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
    found = {
        str(page.relative_to(site)): foreign
        for page in site.rglob("*.html")
        if (foreign := asks.findall(page.read_text(encoding="utf-8")))
    }
    assert found == {}
    imports = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)\s]*")
    styles = {str(one): imports.findall(one.read_text("utf-8")) for one in site.rglob("*.css")}
    assert styles and not any(styles.values())


def test_pages_work_in_a_browser(site: Path, tmp_path: Path) -> None:
    with served(site) as address, chromium(tmp_path, "1280,2000") as browser:
        for page in PAGES:
            browser.get(f"{address}/{page}/")
            assert errors(browser) == [], page
            for table in browser.find_elements("css selector", "[role=main] table"):
                cell = table.find_element("css selector", "td")
                assert cell.value_of_css_property("padding-left") not in ("0px", "1px"), page
            asked = [url for url in requested(browser) if url.startswith(("http", "//", "ws"))]
            assert asked and [url for url in asked if not url.startswith(address)] == [], page
            if folder := os.environ.get("MODELSTRESS_SCREENSHOTS"):
                browser.save_screenshot(f"{folder}/site-{page.replace('/', '-') or 'start'}.png")
        browser.get(f"{address}/contracts/")
        coloured = browser.find_elements("css selector", "[role=main] pre span[style*=color]")
        assert coloured, "code is not highlighted"


def test_no_page_is_wider_than_a_phone(site: Path, tmp_path: Path) -> None:
    wide = []
    with served(site) as address, chromium(tmp_path, "500,2000") as browser:
        # a window cannot be that small, a device can
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 400, "height": 2000, "deviceScaleFactor": 1, "mobile": False},
        )
        for page in sorted(site.rglob("index.html")):
            name = str(page.parent.relative_to(site))
            browser.get(f"{address}/{name}/")
            width = browser.execute_script("return document.documentElement.scrollWidth")
            if width > 400:
                wide.append((name, width))
            if name in WIDE_TABLES:
                boxes = browser.find_elements("css selector", "[role=main] table")
                assert any(
                    int(box.get_property("scrollWidth")) > int(box.get_property("clientWidth"))
                    for box in boxes
                ), f"{name} has no table that scrolls by itself"
            if folder := os.environ.get("MODELSTRESS_SCREENSHOTS"):
                browser.save_screenshot(f"{folder}/phone-{name.replace('/', '-')}.png")
    assert wide == []
