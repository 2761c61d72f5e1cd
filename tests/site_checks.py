"""Checks of a built site: links, other hosts, findings of axe-core, and what a phone shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from browsers import errors, requested
from selenium import webdriver

from modelstress.config.project import Project

AXE = ".venv/site-checkers/node_modules/axe-core/axe.min.js"
SEVERE = ("serious", "critical")
DEADLINE_S = 120
"""For axe-core on one page of a busy machine."""
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
  (found) => done(found.violations.map((one) => [one.impact, one.id, one.nodes[0].html])),
  (error) => done([["critical", "axe", String(error)]]),
);
"""
# A page may hide what is too wide, so elements are asked that no box of theirs scrolls or cuts.
WIDEST = """
const boxed = (one) => one.tagName !== "ARTICLE" &&
  (getComputedStyle(one).overflowX !== "visible" || boxed(one.parentElement));
return Math.max(0, ...[...document.querySelectorAll("article *")]
  .filter((one) => !boxed(one)).map((one) => one.getBoundingClientRect().right));
"""


class _Page(HTMLParser):
    """The anchors of a page and what it leads to or shows."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {str(given[name]) for name in ("id", "name") if given.get(name)}
        target = given.get("href" if tag in ("a", "link") else "src")
        if target:
            (self.links if tag == "a" else self.fetched).append(target)


def dead(site: Path) -> list[str]:
    """Internal links, images, styles and scripts of all pages that lead nowhere."""
    pages = {file.resolve(): _Page(file) for file in sorted(site.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        for link in (*page.links, *page.fetched):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            there = (file.parent / path).resolve() if path else file
            there = there / "index.html" if there.is_dir() else there
            leads = there.is_file() and (
                not parts.fragment
                or there not in pages
                or unquote(parts.fragment) in pages[there].anchors
            )
            if not leads:
                found.append(f"{file.relative_to(site.resolve())}: {link}")
    return found


def foreign(site: Path) -> list[str]:
    """What pages would fetch from other hosts by themselves."""
    return [
        f"{file.relative_to(site)}: {one}"
        for file in sorted(site.rglob("*.html"))
        for one in _Page(file).fetched
        if urlsplit(one).netloc
    ]


@dataclass
class Looked:
    """What a browser says of pages: a line for each finding, with the page."""

    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    axe: list[str] = field(default_factory=list)


def sized(browser: webdriver.Chrome, width: int, scheme: str) -> None:
    """Give the browser a screen of so many pixels, which a window cannot be, and a scheme."""
    screen = {"width": width, "height": 1400, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def look(
    browser: webdriver.Chrome, address: str, names: list[str], width: int, pictures: str = ""
) -> Looked:
    """Open pages and judge them.

    Args:
        browser: of the right size.
        address: of the site; whatever else is asked for is foreign.
        names: of pages, relative to the site.
        width: of the screen (CSS pixels); wider pages are found.
        pictures: folder for pictures of all pages; empty: none.
    """
    found, axe = Looked(), axe_source()
    browser.set_script_timeout(DEADLINE_S)
    requested(browser)
    for name in names:
        browser.get(f"{address}/{name}")
        asked = (one for one in requested(browser) if one.startswith(("http", "ws")))
        found.foreign += [f"{name}: {one}" for one in asked if not one.startswith(address)]
        found.errors += [f"{name}: {one}" for one in errors(browser)]
        widest = browser.execute_script(WIDEST)
        if widest > width + 1:
            found.wide.append(f"{name}: {widest:.0f} pixels")
        if pictures:
            browser.save_screenshot(f"{pictures}/{width}-{name.replace('/', '-')}.png")
        found.axe += [f"{name}: {one}" for one in _severe(browser, axe)]
    return found


def _severe(browser: webdriver.Chrome, axe: str) -> Iterator[str]:
    browser.execute_script(axe)
    violations: list[Any] = browser.execute_async_script(RUN)
    for impact, rule, html in violations:
        if impact in SEVERE:
            yield f"{impact}: {rule}: {html[:200]}"


def axe_source() -> str:
    """The text of axe-core; skips where it is not installed, as ``.ci/run`` does by npm."""
    file = Project.find(Path(__file__)).root / AXE
    if not file.is_file():
        pytest.skip("needs axe-core: npm install --prefix .venv/site-checkers axe-core")
    return file.read_text(encoding="utf-8")
